//! What was observed of a session, in a form that tests compare.

use hookloop_agent::TurnEnd;
use hookloop_tools::{References, ReferredFile};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{Stage, Step};

impl Stage {
    /// Returns everything in order, in short: `BeforeTool 1`, `confirmed 1`, `ran 1`, `asked`.
    pub(crate) fn order(&self) -> Vec<String> {
        let numbered = |what: &str, arguments: &Value| match arguments["n"].as_u64() {
            Some(n) => format!("{what} {n}"),
            None => what.to_owned(),
        };
        let steps = self.log.steps().into_iter();
        let order = steps.map(|step| match step {
            Step::Hook(fired) => numbered(&fired.event, &fired.input["tool_input"]),
            Step::Asked(_) => "asked".to_owned(),
            Step::Ran(_, arguments) => numbered("ran", &arguments),
            Step::Confirmed(_, arguments) => numbered("confirmed", &arguments),
            Step::Prompted | Step::Refused => "noted".to_owned(),
        });
        order.collect()
    }

    /// Expects that these happened in this order, whatever else happened in between.
    pub(crate) fn assert_order(&self, expected: &[&str]) {
        let order = self.order();
        let mut rest = order.iter();
        for step in expected {
            assert!(
                rest.any(|it| it == step),
                "{step} of {expected:?}: {order:?}"
            );
        }
    }

    /// Returns the numbers of the calls that ran, in order.
    pub(crate) fn ran_numbers(&self) -> Vec<u64> {
        let arguments = self.ran_with().into_iter();
        arguments.filter_map(|it| it["n"].as_u64()).collect()
    }

    /// Returns the arguments that tools ran with, in order.
    pub(crate) fn ran_with(&self) -> Vec<Value> {
        let steps = self.log.steps().into_iter();
        let ran = steps.filter_map(|step| match step {
            Step::Ran(_, arguments) => Some(arguments),
            _ => None,
        });
        ran.collect()
    }

    /// Returns the arguments that the user was asked about, in order.
    pub(crate) fn confirmed_with(&self) -> Vec<Value> {
        let steps = self.log.steps().into_iter();
        let asked = steps.filter_map(|step| match step {
            Step::Confirmed(_, arguments) => Some(arguments),
            _ => None,
        });
        asked.collect()
    }

    /// Returns the results that the model got in the latest content with some, in order.
    pub(crate) fn results(&self) -> Vec<String> {
        let history = self.history();
        let with_results = history
            .iter()
            .rfind(|it| it.function_responses().next().is_some());
        let results = with_results.into_iter().flat_map(|content| {
            content.function_responses().map(|response| {
                let (kind, value) = response.response.iter().next().unwrap();
                format!("{kind}: {}", value.as_str().unwrap())
            })
        });
        results.collect()
    }

    /// Returns which of these results are errors, by their position, counted from 1.
    pub(crate) fn failed_results(&self) -> Vec<usize> {
        let results = self.results().into_iter().enumerate();
        results
            .filter(|(_, it)| it.starts_with("error: "))
            .map(|(index, _)| index + 1)
            .collect()
    }

    /// Expects that a text is in no record, not on the screen at the end, and was never sent to the
    /// model.
    pub(crate) fn assert_nowhere(&self, secret: &str) {
        let requests = self.model.requests().into_iter();
        let mut places: Vec<(String, String)> = requests
            .enumerate()
            .map(|(index, it)| (format!("request {index}"), it.json))
            .collect();
        places.push(("transcript".to_owned(), self.transcript()));
        places.push(("telemetry".to_owned(), self.telemetry()));
        places.push(("observed".to_owned(), format!("{:?}", self.observed())));
        places.push(("history".to_owned(), format!("{:?}", self.history())));
        places.push(("ends".to_owned(), format!("{:?}", self.screen.ends())));
        places.push(("warnings".to_owned(), self.screen.warnings().join("\n")));
        places.push(("text".to_owned(), self.screen.text()));
        for (place, text) in places {
            assert!(!text.contains(secret), "{place}: {text}");
        }
    }

    /// Expects that each call of the model has its response, and that a resumed session continues
    /// with exactly this history.
    pub(crate) fn assert_whole(&self) {
        self.assert_one_response_each();
        assert_eq!(self.resumed(), self.history());
    }

    pub(crate) fn assert_one_response_each(&self) {
        for pair in self.history().windows(2) {
            let called = pair[0].function_calls().map(|it| &it.name);
            let answered = pair[1].function_responses().map(|it| &it.name);
            assert!(called.eq(answered), "{pair:?}");
        }
        let open = self
            .history()
            .last()
            .is_some_and(|it| it.function_calls().next().is_some());
        assert!(!open, "the last call has a response");
    }

    /// Runs a command that the user typed.
    pub(crate) async fn shell(&mut self, command: &str) -> TurnEnd {
        let cancel = self.cancel.clone();
        self.session.shell(command, cancel).await
    }

    /// Runs a turn for a prompt that nobody has cancelled yet.
    pub(crate) async fn prompt_anew(&mut self, prompt: &str) -> TurnEnd {
        let cancel = CancellationToken::new();
        self.session.prompt(prompt, cancel).await
    }

    /// Runs a turn for a prompt that refers to these files.
    pub(crate) async fn prompt_with(&mut self, prompt: &str, files: &[&str]) -> TurnEnd {
        let files = files.iter().map(|name| ReferredFile {
            name: (*name).to_owned(),
            path: format!("/project/{name}").into(),
            text: format!("{name} as it lay there"),
            media: None,
        });
        let references = References {
            files: files.collect(),
            ..References::default()
        };
        let cancel = self.cancel.clone();
        self.session.prompt_with(prompt, references, cancel).await
    }
}
