//! `BeforeToolSelection`: fires after `BeforeModel`, before the request goes out (TS-1…5).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::event::{Attributed, Event, Merged, Summary, sealed::Sealed};
use crate::llm::{ToolConfig, ToolMode};
use crate::reason::{Cause, Reason};
use crate::reply::{Malformed, Reply};
use crate::shared_request::SharedRequest;
use crate::tool_name;
use hookloop_hook::EventName;

/// The tools of a request are about to be fixed.
#[derive(Debug, Clone, Copy)]
pub struct BeforeToolSelection;

/// What a `BeforeToolSelection` hook reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BeforeToolSelectionInput {
    /// The request, after `BeforeModel`'s changes.
    pub llm_request: SharedRequest,
}

/// The answer of a `BeforeToolSelection` hook. Decisions have no effect here (TS-3).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BeforeToolSelectionAnswer {
    /// The tools that it allows.
    pub tool_config: Option<ToolConfig>,
}

/// Which tools the model may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolChoice {
    /// The tools of the request.
    Unchanged,
    /// No tool (TS-2).
    Forbidden,
    /// Only these tools, or all without a list. The model must call one of them.
    Required(Option<Vec<String>>),
    /// Only these tools, or all without a list. The model may call them (TS-1).
    Offered(Option<Vec<String>>),
}

impl ToolChoice {
    /// Returns the choice as the request's tool configuration.
    pub fn tool_config(&self) -> Option<ToolConfig> {
        let (mode, names) = match self {
            Self::Unchanged => return None,
            Self::Forbidden => (ToolMode::None, &None),
            Self::Required(names) => (ToolMode::Any, names),
            Self::Offered(names) => (ToolMode::Auto, names),
        };
        Some(ToolConfig {
            mode: Some(mode),
            allowed_function_names: names.clone(),
        })
    }
}

impl Sealed for BeforeToolSelection {}

impl Event for BeforeToolSelection {
    const NAME: EventName = EventName::BeforeToolSelection;
    const OWN_FIELDS: &'static [&'static str] = &["toolConfig"];
    type Input = BeforeToolSelectionInput;
    type Answer = BeforeToolSelectionAnswer;
    type Outcome = ToolChoice;
    const SHOWS_MESSAGES: bool = false;

    fn subject(_input: &Self::Input) -> Option<&str> {
        None
    }

    fn shared(input: &Self::Input) -> Option<&SharedRequest> {
        Some(&input.llm_request)
    }

    fn decode(reply: &Reply, _hook: &str) -> Result<Self::Answer, Malformed> {
        let tool_config = reply
            .specific("toolConfig")
            .map(|value| ToolConfig::read("hookSpecificOutput.toolConfig", value))
            .transpose()?;
        // A list that a script failed to make is `null`: the restriction would be silently lost.
        let is_empty = |it: &ToolConfig| it.mode.is_none() && it.allowed_function_names.is_none();
        if tool_config.as_ref().is_some_and(is_empty) {
            return Err(Malformed::new(
                "`hookSpecificOutput.toolConfig` has neither a `mode` nor `allowedFunctionNames`, \
                 so it restricts nothing",
            ));
        }
        Ok(BeforeToolSelectionAnswer { tool_config })
    }

    fn refusal(_reason: Reason, _cause: Cause) -> Option<Self::Answer> {
        None
    }

    /// Reads a comma-separated list of tool names (TS-4). One of them must look like one: a known
    /// name, or one with an underscore. So a stray "ok, done" removes no tools.
    fn decode_plain_text(text: &str) -> Option<Self::Answer> {
        let names: Vec<&str> = text.trim().split(',').map(str::trim).collect();
        let listed = names.iter().all(|name| is_tool_word(name))
            && names
                .iter()
                .any(|name| tool_name::canonical(name).is_some() || name.contains('_'));
        listed.then(|| BeforeToolSelectionAnswer {
            tool_config: Some(ToolConfig {
                mode: Some(ToolMode::Any),
                allowed_function_names: Some(names.into_iter().map(str::to_owned).collect()),
            }),
        })
    }

    fn merge(
        _input: &Self::Input,
        answers: Vec<Attributed<Self::Answer>>,
    ) -> Merged<Self::Outcome> {
        let configs = answers
            .iter()
            .filter_map(|given| given.answer.tool_config.as_ref());
        let outcome = merged_choice(configs);
        let change = outcome
            .tool_config()
            .and_then(|config| serde_json::to_value(config).ok());
        let summary = Summary::of_proceeding(action(&outcome)).with_change("toolConfig", change);
        Merged {
            outcome,
            summary,
            conflicts: Vec::new(),
        }
    }
}

/// Combines tool configurations: `NONE`, or otherwise `ANY`, or otherwise `AUTO`; names are the
/// sorted union (AG-5).
fn merged_choice<'a>(configs: impl Iterator<Item = &'a ToolConfig>) -> ToolChoice {
    let mut mode = None;
    let mut names: Option<BTreeSet<&str>> = None;
    for config in configs {
        // A list without a mode counts as AUTO.
        mode = mode.max(Some(config.mode.unwrap_or(ToolMode::Auto)));
        if let Some(listed) = &config.allowed_function_names {
            names
                .get_or_insert_default()
                .extend(listed.iter().map(String::as_str));
        }
    }
    let names = names.map(|names| names.into_iter().map(str::to_owned).collect());
    match mode {
        None => ToolChoice::Unchanged,
        Some(ToolMode::None) => ToolChoice::Forbidden,
        Some(ToolMode::Any) => ToolChoice::Required(names),
        Some(ToolMode::Auto) => ToolChoice::Offered(names),
    }
}

fn is_tool_word(word: &str) -> bool {
    !word.is_empty()
        && word
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.'))
}

fn action(choice: &ToolChoice) -> String {
    let among = |names: &Option<Vec<String>>| match names {
        None => "any tool".to_owned(),
        Some(names) if names.is_empty() => "no tool, since none is listed".to_owned(),
        Some(names) => names.join(", "),
    };
    match choice {
        ToolChoice::Unchanged => "the model may call any of its tools".to_owned(),
        ToolChoice::Forbidden => "the model may call no tool".to_owned(),
        ToolChoice::Required(names) => format!("the model must call {}", among(names)),
        ToolChoice::Offered(names) => format!("the model may call {}", among(names)),
    }
}
