//! `AfterAgent`: fires once per turn, after the final response (AA-1…5).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::{Attributed, Event, Merged, Summary, combined_ruling, sealed::Sealed};
use crate::reason::{Cause, Reason};
use crate::reply::{Malformed, Reply};
use crate::verdict::Ruling;
use hookloop_hook::EventName;

/// A turn has its final response.
#[derive(Debug, Clone, Copy)]
pub struct AfterAgent;

/// What an `AfterAgent` hook reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AfterAgentInput {
    /// The user's prompt.
    pub prompt: String,
    /// All of the model's text since the prompt, or since the last retry.
    pub prompt_response: String,
    /// Whether this is a retry that a hook requested (AA-1).
    pub stop_hook_active: bool,
}

/// The answer of an `AfterAgent` hook.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AfterAgentAnswer {
    /// Whether the response is accepted.
    pub ruling: Ruling,
    /// Whether the model's history is cleared (AA-4).
    pub memory: Memory,
}

impl From<Ruling> for AfterAgentAnswer {
    fn from(ruling: Ruling) -> Self {
        Self {
            ruling,
            ..Self::default()
        }
    }
}

/// What happens to the model's history (AA-4).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Memory {
    /// It is kept.
    #[default]
    Kept,
    /// It is cleared. The user can still see the conversation.
    Cleared,
}

/// What the host must do with the response.
#[derive(Debug, Clone, PartialEq)]
pub enum AfterAgentOutcome {
    /// The turn ends.
    Accept(Memory),
    /// The response is rejected (AA-1).
    Retry(Rejection, Memory),
    /// The turn ends without retry (AA-3).
    Stop(Reason, Memory),
}

/// Why a response is rejected, and by whom (AA-1, AA-2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// The reason, which the agent gets as a new prompt.
    pub reason: Reason,
    /// Who decided it.
    pub cause: Cause,
    /// The labels of the hooks that rejected the response, in plan order.
    pub hooks: Vec<String>,
}

impl Sealed for AfterAgent {}

impl Event for AfterAgent {
    const NAME: EventName = EventName::AfterAgent;
    const OWN_FIELDS: &'static [&'static str] = &["clearContext"];
    type Input = AfterAgentInput;
    type Answer = AfterAgentAnswer;
    type Outcome = AfterAgentOutcome;

    fn subject(_input: &Self::Input) -> Option<&str> {
        None
    }

    fn decode(reply: &Reply, hook: &str) -> Result<Self::Answer, Malformed> {
        let memory = match reply.specific_truth("clearContext")? {
            Some(true) => Memory::Cleared,
            _ => Memory::Kept,
        };
        Ok(AfterAgentAnswer {
            ruling: reply.ruling_without_ask(hook),
            memory,
        })
    }

    fn refusal(reason: Reason, cause: Cause) -> Option<Self::Answer> {
        Some(AfterAgentAnswer {
            ruling: Ruling::Deny(reason, cause),
            memory: Memory::Kept,
        })
    }

    fn merge(
        _input: &Self::Input,
        answers: Vec<Attributed<Self::Answer>>,
    ) -> Merged<Self::Outcome> {
        let ruling = combined_ruling::<Self>(&answers, |answer| &answer.ruling);
        let memory = answers
            .iter()
            .map(|given| given.answer.memory)
            .max()
            .unwrap_or_default();
        let rejecting = answers
            .iter()
            .filter(|given| matches!(given.answer.ruling, Ruling::Deny(..) | Ruling::Ask(_)))
            .map(|given| given.hook.label.clone())
            .collect();
        let change = (memory == Memory::Cleared).then_some(Value::Bool(true));
        let summary = Summary::of_ruling(&ruling, action(&ruling, memory))
            .with_change("clearContext", change);
        let outcome = match ruling {
            Ruling::Stop(reason) => AfterAgentOutcome::Stop(reason, memory),
            Ruling::Deny(reason, cause) => {
                let rejection = Rejection {
                    reason,
                    cause,
                    hooks: rejecting,
                };
                AfterAgentOutcome::Retry(rejection, memory)
            }
            _ => AfterAgentOutcome::Accept(memory),
        };
        Merged {
            outcome,
            summary,
            conflicts: Vec::new(),
        }
    }
}

fn action(ruling: &Ruling, memory: Memory) -> String {
    let what = match ruling {
        Ruling::Stop(_) => "the turn ends without retry",
        Ruling::Deny(..) | Ruling::Ask(_) => {
            "the response is rejected and the reason goes to the agent as a new prompt"
        }
        _ => "the response is accepted",
    };
    match memory {
        Memory::Kept => what.to_owned(),
        Memory::Cleared => format!("{what}; the model's history is cleared"),
    }
}
