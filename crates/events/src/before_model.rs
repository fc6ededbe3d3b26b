//! `BeforeModel`: fires before each request to the model (BM-1…6).

use serde::{Deserialize, Serialize};

use crate::event::{
    Attributed, Conflict, Event, Merged, Summary, by_weight, combined_ruling, sealed::Sealed,
};
use crate::llm::{GivenResponse, LlmRequestPatch};
use crate::reason::{Cause, Reason};
use crate::reply::{Malformed, Reply};
use crate::shared_request::SharedRequest;
use crate::verdict::Ruling;
use hookloop_hook::EventName;

/// A request is about to go to the model.
#[derive(Debug, Clone, Copy)]
pub struct BeforeModel;

/// What a `BeforeModel` hook reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BeforeModelInput {
    /// The request.
    pub llm_request: SharedRequest,
}

/// The answer of a `BeforeModel` hook.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BeforeModelAnswer {
    /// Whether the request may be made.
    pub ruling: Ruling,
    /// The changes to the request (BM-1).
    pub patch: Option<LlmRequestPatch>,
    /// The response that replaces a call of the model (BM-3).
    pub response: Option<GivenResponse>,
}

impl From<Ruling> for BeforeModelAnswer {
    fn from(ruling: Ruling) -> Self {
        Self {
            ruling,
            ..Self::default()
        }
    }
}

/// What the host must do with the request. The engine wraps the cleared request in `S`.
#[derive(Debug, Clone, PartialEq)]
pub enum BeforeModelOutcome<S = LlmRequestPatch> {
    /// Send this request (BM-1).
    Send(S),
    /// Don't call the model: use this response (BM-3).
    Answer(GivenResponse),
    /// Don't send the request, and end the turn with the reason. If a response was given too, it is
    /// shown and kept (BM-4).
    Refuse {
        /// Why.
        reason: Reason,
        /// Who decided it.
        cause: Cause,
        /// The response that is still shown and kept.
        response: Option<GivenResponse>,
    },
    /// End the loop (BM-5). If a response was given too, it is shown and kept.
    Stop {
        /// Why.
        reason: Reason,
        /// The response that is still shown and kept.
        response: Option<GivenResponse>,
    },
}

impl Sealed for BeforeModel {}

impl Event for BeforeModel {
    const NAME: EventName = EventName::BeforeModel;
    const OWN_FIELDS: &'static [&'static str] = &["llm_request", "llm_response"];
    type Input = BeforeModelInput;
    type Answer = BeforeModelAnswer;
    type Outcome = BeforeModelOutcome;
    const RETYPED_FIELDS: &'static [&'static str] = &["llm_request"];
    const CHANGES: &'static [&'static str] = &["llm_request", "llm_response"];

    fn subject(_input: &Self::Input) -> Option<&str> {
        None
    }

    fn shared(input: &Self::Input) -> Option<&SharedRequest> {
        Some(&input.llm_request)
    }

    fn decode(reply: &Reply, hook: &str) -> Result<Self::Answer, Malformed> {
        Ok(BeforeModelAnswer {
            ruling: reply.ruling_without_ask(hook),
            patch: reply
                .specific("llm_request")
                .map(LlmRequestPatch::read)
                .transpose()?,
            // Even an empty response keeps the request from the model (BM-3).
            response: reply
                .specific("llm_response")
                .map(GivenResponse::read)
                .transpose()?,
        })
    }

    fn refusal(reason: Reason, cause: Cause) -> Option<Self::Answer> {
        let ruling = Ruling::Deny(reason, cause);
        Some(BeforeModelAnswer {
            ruling,
            patch: None,
            response: None,
        })
    }

    fn thread(input: &mut Self::Input, answer: &Self::Answer) {
        if let Some(patch) = &answer.patch {
            input.llm_request = input.llm_request.changed(|request| patch.apply_to(request));
        }
    }

    fn rewrites(answer: &Self::Answer) -> bool {
        answer.patch.as_ref().is_some_and(|patch| !patch.is_empty())
    }

    fn changes(answer: &Self::Answer) -> bool {
        Self::rewrites(answer) || answer.response.is_some()
    }

    fn let_through(input: &Self::Input, outcome: &Self::Outcome) -> Option<Self::Input> {
        let BeforeModelOutcome::Send(patch) = outcome else {
            return None;
        };
        Some(BeforeModelInput {
            llm_request: input.llm_request.changed(|request| patch.apply_to(request)),
        })
    }

    fn ruling_alone(answer: Self::Answer) -> Self::Answer {
        BeforeModelAnswer {
            patch: None,
            response: None,
            ..answer
        }
    }

    fn merge(
        _input: &Self::Input,
        answers: Vec<Attributed<Self::Answer>>,
    ) -> Merged<Self::Outcome> {
        let ruling = combined_ruling::<Self>(&answers, |answer| &answer.ruling);
        let (patch, conflicts) = merged_patch(&answers);
        // The first response in order wins (AG-6); the others are conflicts.
        let response = answers
            .iter()
            .find_map(|given| given.answer.response.clone());
        let summary = Summary::of_ruling(&ruling, action(&ruling, &patch, response.is_some()))
            .with_change("llm_request", as_change(&patch, patch.is_empty()))
            .with_change(
                "llm_response",
                response.as_ref().and_then(|it| as_change(it, false)),
            );
        let outcome = match (ruling, response) {
            (Ruling::Stop(reason), response) => BeforeModelOutcome::Stop { reason, response },
            (Ruling::Deny(reason, cause), response) => BeforeModelOutcome::Refuse {
                reason,
                cause,
                response,
            },
            (_, Some(response)) => BeforeModelOutcome::Answer(response),
            (_, None) => BeforeModelOutcome::Send(patch),
        };
        Merged {
            outcome,
            summary,
            conflicts,
        }
    }
}

/// Merges the hooks' rewrites, field by field (AG-6).
fn merged_patch(answers: &[Attributed<BeforeModelAnswer>]) -> (LlmRequestPatch, Vec<Conflict>) {
    let mut merged = LlmRequestPatch::default();
    let mut conflicts = Vec::new();
    let mut earlier: Vec<&Attributed<BeforeModelAnswer>> = Vec::new();
    for attributed in by_weight(answers) {
        let Some(patch) = &attributed.answer.patch else {
            continue;
        };
        for field in merged.merge(patch.clone()) {
            let loser = earlier
                .iter()
                .rev()
                .find(|other| sets(&other.answer, &field));
            conflicts.extend(loser.map(|loser| Conflict {
                winner: attributed.hook.clone(),
                loser: loser.hook.clone(),
                field: format!("llm_request.{field}"),
            }));
        }
        earlier.push(attributed);
    }
    conflicts.extend(response_conflicts(answers));
    (merged, conflicts)
}

fn sets(answer: &BeforeModelAnswer, field: &str) -> bool {
    answer.patch.as_ref().is_some_and(|patch| match field {
        "model" => patch.model.is_some(),
        "messages" => patch.messages.is_some(),
        "toolConfig" => patch.tool_config.is_some(),
        other => other
            .strip_prefix("config.")
            .is_some_and(|key| patch.config.contains_key(key)),
    })
}

fn response_conflicts(answers: &[Attributed<BeforeModelAnswer>]) -> Vec<Conflict> {
    let mut given = answers
        .iter()
        .filter(|attributed| attributed.answer.response.is_some());
    let Some(first) = given.next() else {
        return Vec::new();
    };
    given
        .filter(|later| later.answer.response != first.answer.response)
        .map(|later| Conflict {
            field: "llm_response".to_owned(),
            winner: first.hook.clone(),
            loser: later.hook.clone(),
        })
        .collect()
}

fn as_change(value: &impl Serialize, empty: bool) -> Option<serde_json::Value> {
    if empty {
        None
    } else {
        serde_json::to_value(value).ok()
    }
}

fn action(ruling: &Ruling, patch: &LlmRequestPatch, answered: bool) -> String {
    match (ruling, answered) {
        (Ruling::Stop(_), _) => "no request is made and the agent loop ends",
        (Ruling::Deny(..), true) => {
            "no request is made; the hook's response is shown and kept, and the turn ends"
        }
        (Ruling::Deny(..), false) => "no request is made and the turn is aborted",
        (_, true) => "the model isn't called; the hook's response is used instead",
        (_, false) if patch.is_empty() => "the request is sent unchanged",
        (_, false) => "the rewritten request is sent; the stored history stays unchanged",
    }
    .to_owned()
}
