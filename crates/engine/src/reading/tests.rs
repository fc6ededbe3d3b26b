use std::time::Duration;

use hookloop_events::{BeforeTool, BeforeToolAnswer, Cause, Event, Ruling};
use hookloop_hook::{HookDeclaration, OnFailure};

use super::{Ended, Reading, Remark, read};
use crate::port::{Captured, Completion, Ending};
use crate::stop::StopCause;

mod by_event;
mod changes;
mod exit_codes;
mod failures;
mod laws;
mod matrix;
mod replies;

/// How a hook ended, written down in one line.
#[derive(Debug, Clone)]
struct Case {
    completion: Completion,
    stop_cause: Option<StopCause>,
    on_failure: OnFailure,
}

fn case(ending: Ending, stdout: &str, stderr: &str) -> Case {
    Case {
        completion: Completion {
            stdout: captured(stdout.as_bytes()),
            stderr: captured(stderr.as_bytes()),
            ..Completion::ended(ending)
        },
        stop_cause: None,
        on_failure: OnFailure::Default,
    }
}

fn exit(code: i32, stdout: &str) -> Case {
    case(Ending::Exited(code), stdout, "")
}

fn captured(bytes: &[u8]) -> Captured {
    Captured {
        bytes: bytes.to_vec(),
        total: bytes.len() as u64,
    }
}

impl Case {
    fn strict(self) -> Self {
        Self {
            on_failure: OnFailure::Deny,
            ..self
        }
    }

    fn lenient(self) -> Self {
        Self {
            on_failure: OnFailure::Warn,
            ..self
        }
    }

    fn stopped(self, cause: StopCause) -> Self {
        Self {
            stop_cause: Some(cause),
            ..self
        }
    }

    fn cut(mut self) -> Self {
        self.completion.stdout.total += 1;
        self
    }

    fn read<E: Event>(&self) -> Reading<E::Answer> {
        self.read_of::<E>(|_| {})
    }

    /// Reads it as the end of another hook than one of ours.
    fn read_of<E: Event>(&self, change: impl FnOnce(&mut HookDeclaration)) -> Reading<E::Answer> {
        let mut hook = HookDeclaration::in_process(E::NAME, "guard");
        hook.on_failure = self.on_failure;
        hook.timeout = Duration::from_millis(700);
        change(&mut hook);
        read::<E>(&Ended {
            hook: &hook,
            completion: &self.completion,
            stop_cause: self.stop_cause,
            max_output_bytes: 64,
        })
    }

    fn before_tool(&self) -> Reading<BeforeToolAnswer> {
        self.read::<BeforeTool>()
    }
}

/// Returns the result of a reading in one line: the ruling, and the kind of failure.
fn verdict(reading: &Reading<BeforeToolAnswer>) -> String {
    let ruling = match reading.answer.as_ref().map(|answer| &answer.ruling) {
        None => "none".to_owned(),
        Some(Ruling::Silent) => "silent".to_owned(),
        Some(Ruling::Allow(_)) => "allow".to_owned(),
        Some(Ruling::Ask(reason)) => format!("ask {reason}"),
        Some(Ruling::Deny(reason, Cause::Policy)) => format!("deny {reason}"),
        Some(Ruling::Deny(reason, Cause::Failure)) => format!("fail {reason}"),
        Some(Ruling::Stop(reason)) => format!("stop {reason}"),
    };
    let failure = reading
        .failure
        .as_ref()
        .map_or("", |failure| failure.kind());
    format!("{ruling} [{failure}]")
}

fn check(cases: &[(&str, Case, &str)]) {
    for (what, case, expected) in cases {
        assert_eq!(verdict(&case.before_tool()), *expected, "{what}");
    }
}

fn others<A>(reading: &Reading<A>) -> Vec<&str> {
    let remarks = reading.remarks.iter();
    remarks
        .filter_map(|remark| match remark {
            Remark::Other(text) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}
