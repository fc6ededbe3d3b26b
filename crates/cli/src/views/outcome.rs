//! What all hooks together mean, as JSON (`cli-json.md` §2, "Outcome").

use hookloop_engine::Concluded;
use hookloop_events::{Decision, Summary, Verdict};
use serde::Serialize;
use serde_json::{Map, Value};

/// What the agent does when no hook runs.
pub(crate) const NO_HOOK_RUNS: &str = "no hook runs; the agent goes on as if there were none";

/// Shows an outcome.
#[derive(Debug, Serialize)]
pub(crate) struct OutcomeView {
    /// Whether the action goes on.
    pub(crate) verdict: Verdict,
    /// The strongest decision.
    pub(crate) decision: Option<Decision>,
    /// The joined reasons of it.
    pub(crate) reason: Option<String>,
    /// The joined reasons of a stop.
    pub(crate) stop_reason: Option<String>,
    /// The joined context.
    pub(crate) additional_context: Option<String>,
    /// The messages for the user, in order.
    pub(crate) system_messages: Vec<String>,
    /// What hooks changed.
    pub(crate) changes: Map<String, Value>,
    /// What the agent would do.
    pub(crate) action: String,
}

impl OutcomeView {
    /// Shows what an event came to; nothing if no hook ran.
    pub(crate) fn new(concluded: Option<&Concluded>) -> Self {
        let (summary, messages) = match concluded {
            Some(concluded) => (concluded.summary.clone(), concluded.messages.as_slice()),
            None => (
                Summary {
                    action: NO_HOOK_RUNS.to_owned(),
                    ..Summary::default()
                },
                &[][..],
            ),
        };
        Self {
            verdict: summary.verdict,
            decision: summary.decision,
            reason: summary.reason,
            stop_reason: summary.stop_reason,
            additional_context: summary.additional_context,
            system_messages: messages
                .iter()
                .map(|message| message.text.clone())
                .collect(),
            changes: summary.changes,
            action: summary.action,
        }
    }
}
