//! `AfterModel`: fires for every chunk of the model's response (AM-1…5).

use serde::{Deserialize, Serialize};

use crate::event::{
    Attributed, Cancelled, Event, Merged, Summary, by_weight, combined_ruling, sealed::Sealed,
};
use crate::llm::{GivenResponse, LlmResponse};
use crate::reason::{Cause, Reason};
use crate::reply::{Malformed, Reply};
use crate::shared_request::SharedRequest;
use crate::verdict::Ruling;
use hookloop_hook::EventName;

/// A chunk of the model's response arrived.
#[derive(Debug, Clone, Copy)]
pub struct AfterModel;

/// What an `AfterModel` hook reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AfterModelInput {
    /// The request that is being answered.
    pub llm_request: SharedRequest,
    /// The chunk.
    pub llm_response: LlmResponse,
    /// The chunk's text.
    pub content: String,
    /// The text of the response so far, including this chunk.
    pub full_content: String,
}

impl AfterModelInput {
    /// Replaces the chunk's text.
    fn replace_text(&mut self, text: &str) {
        let before = self.full_content.strip_suffix(&self.content);
        self.full_content = before.unwrap_or(&self.full_content).to_owned() + text;
        text.clone_into(&mut self.content);
        text.clone_into(&mut self.llm_response.text);
        if let Some(candidate) = self.llm_response.candidates.first_mut() {
            candidate.content.parts = vec![text.to_owned()];
        }
    }
}

/// The answer of an `AfterModel` hook.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AfterModelAnswer {
    /// Whether the chunk may be shown.
    pub ruling: Ruling,
    /// The text that replaces the chunk's text (AM-2).
    pub response: Option<GivenResponse>,
}

impl From<Ruling> for AfterModelAnswer {
    fn from(ruling: Ruling) -> Self {
        Self {
            ruling,
            ..Self::default()
        }
    }
}

/// What the host must do with the chunk.
#[derive(Debug, Clone, PartialEq)]
pub enum AfterModelOutcome {
    /// Show it.
    Keep,
    /// Show this text instead; function calls are kept (AM-2).
    Replace(GivenResponse),
    /// Discard it, end the turn, and show the reason (AM-3).
    Refuse(Reason, Cause),
    /// End the loop (AM-4).
    Stop(Reason),
}

impl Sealed for AfterModel {}

impl Event for AfterModel {
    const NAME: EventName = EventName::AfterModel;
    const OWN_FIELDS: &'static [&'static str] = &["llm_response"];
    type Input = AfterModelInput;
    type Answer = AfterModelAnswer;
    type Outcome = AfterModelOutcome;
    const CHAINS_REWRITES: bool = true;
    const CHANGES: &'static [&'static str] = &["llm_response"];
    const RETYPED_FIELDS: &'static [&'static str] = &["llm_response", "content", "full_content"];

    fn subject(_input: &Self::Input) -> Option<&str> {
        None
    }

    fn shared(input: &Self::Input) -> Option<&SharedRequest> {
        Some(&input.llm_request)
    }

    fn decode(reply: &Reply, hook: &str) -> Result<Self::Answer, Malformed> {
        let given = reply.specific("llm_response").map(GivenResponse::read);
        let response = given.transpose()?;
        if let Some(given) = &response
            && given.text.is_none()
            && given.finish_reason.is_none()
        {
            return Err(Malformed::says_nothing("replaces the chunk"));
        }
        Ok(AfterModelAnswer {
            ruling: reply.ruling_without_ask(hook),
            response,
        })
    }

    fn refusal(reason: Reason, cause: Cause) -> Option<Self::Answer> {
        Some(AfterModelAnswer {
            ruling: Ruling::Deny(reason, cause),
            response: None,
        })
    }

    /// Lets the next hook of a sequence read the rewritten chunk, so that it can't bring back what
    /// the previous one removed.
    fn thread(input: &mut Self::Input, answer: &Self::Answer) {
        let text = answer
            .response
            .as_ref()
            .and_then(|given| given.text.as_ref());
        if let Some(text) = text {
            input.replace_text(text);
        }
    }

    fn rewrites(answer: &Self::Answer) -> bool {
        let response = answer.response.as_ref();
        response.is_some_and(|given| given.text.is_some())
    }

    fn let_through(input: &Self::Input, outcome: &Self::Outcome) -> Option<Self::Input> {
        let text = match outcome {
            AfterModelOutcome::Keep => None,
            AfterModelOutcome::Replace(given) => given.text.as_ref(),
            AfterModelOutcome::Refuse(..) | AfterModelOutcome::Stop(_) => return None,
        };
        let mut left = input.clone();
        if let Some(text) = text {
            left.replace_text(text);
        }
        Some(left)
    }

    fn ruling_alone(answer: Self::Answer) -> Self::Answer {
        AfterModelAnswer {
            response: None,
            ..answer
        }
    }

    fn shown_instead(summary: &Summary) -> Option<&serde_json::Value> {
        summary.changes.get("llm_response")
    }

    fn withheld_fields(end: Result<&Self::Outcome, Cancelled>) -> &'static [&'static str] {
        match end {
            Ok(AfterModelOutcome::Keep) => &[],
            // A stop outweighs a refusal, and a chunk that one hook discards stays discarded. A
            // chunk that wasn't judged isn't shown.
            Ok(
                AfterModelOutcome::Replace(_)
                | AfterModelOutcome::Refuse(..)
                | AfterModelOutcome::Stop(_),
            )
            | Err(Cancelled) => &["llm_response", "content", "full_content"],
        }
    }

    fn merge(
        _input: &Self::Input,
        answers: Vec<Attributed<Self::Answer>>,
    ) -> Merged<Self::Outcome> {
        let ruling = combined_ruling::<Self>(&answers, |answer| &answer.ruling);
        // Each hook has read the text that the hooks before it left, so the last text replaces
        // nobody else's: there are no conflicts.
        let response = last_of_each(&answers);
        let change = response
            .as_ref()
            .and_then(|it| serde_json::to_value(it).ok());
        let is_rewritten = response.as_ref().is_some_and(|it| it.text.is_some());
        let summary = Summary::of_ruling(&ruling, action(&ruling, is_rewritten))
            .with_change("llm_response", change);
        let outcome = match (ruling, response) {
            (Ruling::Stop(reason), _) => AfterModelOutcome::Stop(reason),
            (Ruling::Deny(reason, cause), _) => AfterModelOutcome::Refuse(reason, cause),
            (_, Some(response)) => AfterModelOutcome::Replace(response),
            (_, None) => AfterModelOutcome::Keep,
        };
        Merged {
            outcome,
            summary,
            conflicts: Vec::new(),
        }
    }
}

/// Returns the last answer's text and reason to end, separately for each: an answer that only
/// contains one of them doesn't bring back what another removed from the other.
fn last_of_each(answers: &[Attributed<AfterModelAnswer>]) -> Option<GivenResponse> {
    let given = by_weight(answers).into_iter();
    given
        .filter_map(|attributed| attributed.answer.response.as_ref())
        .cloned()
        .reduce(|earlier, later| GivenResponse {
            text: later.text.or(earlier.text),
            finish_reason: later.finish_reason.or(earlier.finish_reason),
            function_calls: later.function_calls,
        })
}

fn action(ruling: &Ruling, rewritten: bool) -> String {
    match (ruling, rewritten) {
        (Ruling::Stop(_), _) => "the chunk is discarded and the agent loop ends",
        (Ruling::Deny(..), _) => "the chunk is discarded and the turn ends",
        (_, true) => "the rewritten chunk is shown and kept instead of the model's",
        (_, false) => "the chunk is shown as the model gave it",
    }
    .to_owned()
}
