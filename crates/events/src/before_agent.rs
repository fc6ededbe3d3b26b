//! `BeforeAgent`: fires when a prompt was submitted, before the agent plans (BA-1…3).

use serde::{Deserialize, Serialize};

use crate::context::HookContext;
use crate::event::{
    Attributed, Event, Merged, Summary, combined_ruling, joined_context, sealed::Sealed,
};
use crate::reason::{Cause, Reason};
use crate::reply::{Malformed, Reply};
use crate::verdict::Ruling;
use hookloop_hook::EventName;

/// A prompt was submitted.
#[derive(Debug, Clone, Copy)]
pub struct BeforeAgent;

/// What a `BeforeAgent` hook reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BeforeAgentInput {
    /// The prompt.
    pub prompt: String,
}

/// The answer of a `BeforeAgent` hook.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BeforeAgentAnswer {
    /// Whether the turn may begin.
    pub ruling: Ruling,
    /// Text to append to the prompt (BA-1).
    pub context: Option<HookContext>,
}

impl From<Ruling> for BeforeAgentAnswer {
    fn from(ruling: Ruling) -> Self {
        Self {
            ruling,
            ..Self::default()
        }
    }
}

/// What the host must do with the prompt.
#[derive(Debug, Clone, PartialEq)]
pub enum BeforeAgentOutcome {
    /// Start the turn, with the context (BA-1).
    Proceed(Option<HookContext>),
    /// End the turn; the message doesn't enter the history (BA-2).
    Refuse(Reason, Cause),
    /// End the turn; the message stays in the history (BA-3).
    Stop(Reason),
}

impl Sealed for BeforeAgent {}

impl Event for BeforeAgent {
    const NAME: EventName = EventName::BeforeAgent;
    const OWN_FIELDS: &'static [&'static str] = &["additionalContext"];
    type Input = BeforeAgentInput;
    type Answer = BeforeAgentAnswer;
    type Outcome = BeforeAgentOutcome;

    fn subject(_input: &Self::Input) -> Option<&str> {
        None
    }

    fn decode(reply: &Reply, hook: &str) -> Result<Self::Answer, Malformed> {
        let context = reply.specific_text("additionalContext")?;
        Ok(BeforeAgentAnswer {
            ruling: reply.ruling_without_ask(hook),
            context: context.as_deref().and_then(HookContext::new),
        })
    }

    fn refusal(reason: Reason, cause: Cause) -> Option<Self::Answer> {
        Some(BeforeAgentAnswer {
            ruling: Ruling::Deny(reason, cause),
            context: None,
        })
    }

    fn thread(input: &mut Self::Input, answer: &Self::Answer) {
        if let Some(context) = &answer.context {
            input.prompt.push_str("\n\n");
            input.prompt.push_str(context.as_str());
        }
    }

    fn merge(
        _input: &Self::Input,
        answers: Vec<Attributed<Self::Answer>>,
    ) -> Merged<Self::Outcome> {
        let ruling = combined_ruling::<Self>(&answers, |answer| &answer.ruling);
        let context = joined_context(&answers, |answer| answer.context.as_ref());
        let summary = Summary::of_ruling(&ruling, action(&ruling, context.is_some()))
            .with_context(context.as_ref());
        let outcome = match ruling {
            Ruling::Stop(reason) => BeforeAgentOutcome::Stop(reason),
            Ruling::Deny(reason, cause) => BeforeAgentOutcome::Refuse(reason, cause),
            _ => BeforeAgentOutcome::Proceed(context),
        };
        Merged {
            outcome,
            summary,
            conflicts: Vec::new(),
        }
    }
}

fn action(ruling: &Ruling, with_context: bool) -> String {
    match ruling {
        Ruling::Stop(_) => "the turn is aborted; the message stays in the history",
        Ruling::Deny(..) | Ruling::Ask(_) => {
            "the turn is aborted; the message isn't added to the history"
        }
        _ if with_context => "the turn begins with the context appended to the prompt",
        _ => "the turn begins",
    }
    .to_owned()
}
