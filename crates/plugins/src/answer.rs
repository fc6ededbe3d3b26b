//! Turns a component's answer into a completion (IO-20, IO-21).

use hookloop_engine::{Captured, Completion, Ending};
use serde_json::Value;
use wasmtime::component::{ComponentType, Lift};

/// The variant `reply` of the WIT world (HT-20).
#[derive(Debug, Clone, PartialEq, Eq, ComponentType, Lift)]
#[component(variant)]
pub(crate) enum Reply {
    /// No opinion.
    #[component(name = "none")]
    None,
    /// A reply, as JSON.
    #[component(name = "reply")]
    Object(String),
    /// A refusal, with its reason.
    #[component(name = "refuse")]
    Refuse(String),
}

/// The result of asking a component.
#[derive(Debug)]
pub(crate) struct PluginAnswer {
    /// The answer, or why there is none.
    pub(crate) answer: Result<Reply, NoAnswer>,
    /// What the component logged or printed meanwhile.
    pub(crate) log: Captured,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// The component failed.
    Failed(String),
    /// The answer can't be read: it isn't UTF-8, or is outside the component's memory. It may be a
    /// refusal, and the content that the hook judges may have caused the failure.
    Unreadable(String),
}

impl PluginAnswer {
    /// Returns whether there was no answer.
    pub(crate) fn is_failure(&self) -> bool {
        self.answer.is_err()
    }

    /// Turns the result into a completion. Output over the cap is cut, and marked as cut.
    pub(crate) fn completion(self, cap: usize) -> Completion {
        let (ending, stdout, stderr) = match self.answer {
            Ok(Reply::None) => (Ending::Exited(0), Captured::default(), self.log),
            Ok(Reply::Object(text)) if text.len() > cap || is_object(&text) => {
                (Ending::Exited(0), capped(text, cap), self.log)
            }
            Ok(Reply::Object(text)) => {
                let why = "its reply isn't a JSON object".to_owned();
                (Ending::Failed(why), capped(text, cap), self.log)
            }
            // Like exit code 2 (IO-13), with the reason on standard error. Other output stays in
            // the record.
            Ok(Reply::Refuse(reason)) => (Ending::Exited(2), self.log, capped(reason, cap)),
            Err(NoAnswer::Failed(why)) => (Ending::Failed(why), Captured::default(), self.log),
            Err(NoAnswer::Unreadable(why)) => {
                let why = format!("its answer can't be read, and may be a refusal: {why}");
                (Ending::NotStarted(why), Captured::default(), self.log)
            }
        };
        Completion {
            stdout,
            stderr,
            ..Completion::ended(ending)
        }
    }
}

fn is_object(text: &str) -> bool {
    serde_json::from_str(text).is_ok_and(|it: Value| it.is_object())
}

fn capped(text: String, cap: usize) -> Captured {
    let mut bytes = text.into_bytes();
    let total = bytes.len() as u64;
    bytes.truncate(cap);
    Captured { bytes, total }
}
