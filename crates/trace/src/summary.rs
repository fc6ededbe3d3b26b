//! A one-line summary of what a hook replied.

use hookloop_text::shorten::first_line;
use serde_json::Value;

use crate::run::StoredRun;

/// The longest line that is shown, in characters.
const MAX_CHARACTERS: usize = 200;

impl StoredRun {
    /// Returns what the hook's matcher was compared with, such as a tool's name; `None` if the
    /// event has no subject, or the input isn't known.
    pub fn subject(&self) -> Option<String> {
        let field = self.event.subject_field()?;
        let input: Value = serde_json::from_str(self.input.as_ref()?.get()).ok()?;
        input.get(field)?.as_str().map(str::to_owned)
    }

    /// Returns the first line of the failure, else of the reply's reason or message, else of the
    /// output; `None` if there is nothing, or it is suppressed (OUT-2).
    pub fn summary_line(&self) -> Option<String> {
        let failure = self.failure.as_ref().map(|it| it.message.clone());
        if self.suppressed {
            return None;
        }
        let reply: Option<Value> = self
            .reply
            .as_ref()
            .and_then(|reply| serde_json::from_str(reply.get()).ok());
        let of_reply = |field: &str| reply.as_ref()?.get(field)?.as_str().map(str::to_owned);
        let of_reply = ["stopReason", "reason", "systemMessage"]
            .into_iter()
            .filter_map(of_reply);
        let context = reply
            .as_ref()
            .and_then(|reply| reply.pointer("/hookSpecificOutput/additionalContext"))
            .and_then(Value::as_str)
            .map(str::to_owned);
        let streams = [&self.stderr, &self.stdout].into_iter().flatten().cloned();
        let mut texts = failure
            .into_iter()
            .chain(of_reply)
            .chain(context)
            .chain(streams);
        texts.find_map(|text| first_line(&text, MAX_CHARACTERS))
    }
}

#[cfg(test)]
mod tests {
    use hookloop_engine::{Failure, Suppression};
    use hookloop_events::EventName;
    use hookloop_events::Reply;
    use hookloop_text::shorten::MORE;

    use super::*;
    use crate::run::Origin;
    use crate::test_support::{hook, run_of};

    /// CM-6: the most important line of what a hook said is shown.
    #[test]
    fn the_weightiest_line_is_shown() {
        let mut run = run_of(hook(EventName::BeforeTool, "a"), "1");
        let said = |run: &hookloop_engine::RunRecord| {
            StoredRun::from_record(run, Origin::Session).summary_line()
        };
        assert_eq!(said(&run), None);
        run.content.stdout = "\n out \nmore".to_owned();
        assert_eq!(said(&run).as_deref(), Some("out"));
        run.content.stderr = "aside".to_owned();
        assert_eq!(said(&run).as_deref(), Some("aside"));
        run.content.reply = Some(Reply {
            system_message: Some("message".to_owned()),
            reason: Some("reason".to_owned()),
            ..Reply::default()
        });
        assert_eq!(said(&run).as_deref(), Some("reason"));
        run.failure = Some(Failure::NotStarted("x".repeat(300)));
        let line = said(&run).unwrap();
        assert!(line.starts_with("couldn't start") && line.ends_with(MORE));
        assert_eq!(line.chars().count(), MAX_CHARACTERS + 1);
    }

    /// OUT-2: nothing is shown of a suppressed run.
    #[test]
    fn a_suppressed_run_says_nothing() {
        let mut run = run_of(hook(EventName::BeforeTool, "a"), "1");
        run.failure = Some(Failure::ExitCode {
            code: 1,
            line: Some("canary".to_owned()),
        });
        run.suppression = Suppression::Suppressed;
        let stored = StoredRun::from_record(&run, Origin::Session);
        assert_eq!(stored.summary_line(), None);
    }
}
