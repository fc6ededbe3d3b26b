//! What all hooks together mean, as JSON (`cli-json.md` §2, "Outcome").

use hookloop_engine::{Concluded, RunRecord};
use hookloop_events::{Decision, Summary, Verdict};
use serde::Serialize;
use serde_json::{Map, Value};

/// What the agent does when no hook runs.
pub const NO_HOOK_RUNS: &str = "no hook runs; the agent goes on as if there were none";

/// Shows an outcome.
#[derive(Debug, Clone, Serialize)]
pub struct OutcomeView {
    /// Whether the action continues.
    pub verdict: Verdict,
    /// The strongest decision.
    pub decision: Option<Decision>,
    /// The joined reasons of it.
    pub reason: Option<String>,
    /// The joined reasons of a stop.
    pub stop_reason: Option<String>,
    /// The joined context.
    pub additional_context: Option<String>,
    /// The messages for the user, in order.
    pub system_messages: Vec<String>,
    /// What hooks that nobody waits for said: the hook and its words (FD-22).
    pub late: Vec<LateView>,
    /// What hooks changed.
    pub changes: Map<String, Value>,
    /// What the agent would do.
    pub action: String,
}

/// Shows what a hook that nobody waits for said: it decides nothing (FD-22).
#[derive(Debug, Clone, Serialize)]
pub struct LateView {
    /// The hook's label.
    pub hook: String,
    /// What it said.
    pub text: String,
}

impl OutcomeView {
    /// Shows the result of an event; nothing if no hook ran.
    pub fn new(concluded: Option<&Concluded>) -> Self {
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
        let late = concluded.map_or(&[][..], |it| it.late.as_slice()).iter();
        let late = late.map(|it| LateView {
            hook: it.hook.clone(),
            text: it.text.clone(),
        });
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
            late: late.collect(),
            changes: summary.changes,
            action: summary.action,
        }
    }
}

/// Returns how long a run took, in milliseconds, to the microsecond.
pub fn milliseconds(record: &RunRecord) -> f64 {
    let microseconds = u32::try_from(record.duration.as_micros()).unwrap_or(u32::MAX);
    f64::from(microseconds) / 1000.0
}
