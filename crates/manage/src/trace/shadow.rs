//! What hooks in shadow mode would have done (HT-2).

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use hookloop_engine::RunResult;
use hookloop_session::{Workspace, recording};
use hookloop_trace::{RunFilter, StoredRun};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::Value;

use crate::Task;
use crate::failure::CommandFailure;

/// How many of a hook's reasons are shown.
const EXAMPLES: usize = 3;

/// Fields by which a reply changes something.
const CHANGES: &[&str] = &[
    "tool_input",
    "llm_request",
    "llm_response",
    "toolConfig",
    "tailToolCallRequest",
    "clearContext",
    "additionalContext",
    "updatedToolOutput",
];

/// What a hook in shadow mode would have done at an event.
#[derive(Debug, Default, Serialize)]
pub struct ShadowOf {
    /// The hook's label.
    pub label: String,
    /// The event.
    pub event: String,
    /// How often it ran.
    pub runs: u64,
    /// How often it would have refused.
    pub refused: u64,
    /// How often it would have asked.
    pub asked: u64,
    /// How often it would have stopped the turn.
    pub stopped: u64,
    /// How often it would have changed something.
    pub changed: u64,
    /// How often it failed.
    pub failed: u64,
    /// Its latest replies, the newest last.
    pub examples: Vec<ShadowExample>,
}

/// A run that would have had an effect.
#[derive(Debug, Serialize)]
pub struct ShadowExample {
    /// The run's id.
    pub run_id: String,
    /// When it began.
    pub at: String,
    /// The result that it would have had.
    pub result: RunResult,
    /// The tool, if the event was about one.
    pub subject: Option<String>,
    /// The reason.
    pub reason: Option<String>,
}

/// What hooks in shadow mode would have done since a time, as JSON.
#[derive(Debug, Serialize)]
pub struct ShadowView {
    /// The beginning of the period.
    pub since: String,
    /// Each hook at each of its events.
    pub hooks: Vec<ShadowOf>,
}

/// Reports what hooks in shadow mode would have refused, changed or asked in the last `7d`, `12h`
/// or `30m`, and how often. Runs nothing.
pub fn in_shadow(
    task: Task<'_>,
    workspace: &Workspace,
    last: &str,
) -> Result<ShadowView, CommandFailure> {
    let since = time_ago(last)?;
    let hooks = in_shadow_since(task, workspace, &since)?;
    Ok(ShadowView { since, hooks })
}

/// Returns the time that is this long ago.
fn time_ago(text: &str) -> Result<String, CommandFailure> {
    let wrong = || {
        let message = format!("--since {text}: write a number with d, h or m, such as 7d");
        CommandFailure::bad_input(message)
    };
    let (number, unit) = text.split_at(text.len().saturating_sub(1));
    let minutes = match unit {
        "d" => 24 * 60,
        "h" => 60,
        "m" => 1,
        _ => return Err(wrong()),
    };
    let number: i64 = number.parse().map_err(|_| wrong())?;
    let ago = number
        .checked_mul(minutes * 60)
        .map(SignedDuration::from_secs)
        .ok_or_else(wrong)?;
    let then = Timestamp::now().checked_sub(ago).map_err(|_| wrong())?;
    Ok(format!("{then:.3}"))
}

fn in_shadow_since(
    task: Task<'_>,
    workspace: &Workspace,
    since: &str,
) -> Result<Vec<ShadowOf>, CommandFailure> {
    let mut hooks: BTreeMap<(String, String), ShadowOf> = BTreeMap::new();
    if let Some(store) = recording::open(workspace, task.environment)? {
        store.visit(&RunFilter::default(), |run| {
            if run.shadow && run.started_at.as_str() >= since {
                let key = (run.label.clone(), run.event.as_str().to_owned());
                hooks.entry(key).or_default().count(&run);
            }
            ControlFlow::Continue(())
        })?;
    }
    Ok(hooks.into_values().collect())
}

impl ShadowOf {
    fn count(&mut self, run: &StoredRun) {
        run.label.clone_into(&mut self.label);
        run.event.as_str().clone_into(&mut self.event);
        self.runs += 1;
        let reply: Value = run
            .reply
            .as_ref()
            .and_then(|it| serde_json::from_str(it.get()).ok())
            .unwrap_or_default();
        let specific = reply.get("hookSpecificOutput");
        let changes = CHANGES
            .iter()
            .any(|key| specific.is_some_and(|it| it.get(*key).is_some()));
        match run.result {
            RunResult::Refused => self.refused += 1,
            RunResult::Ask => self.asked += 1,
            RunResult::Stopped => self.stopped += 1,
            RunResult::Failed => self.failed += 1,
            RunResult::Proceed if changes => self.changed += 1,
            RunResult::Proceed => return,
        }
        let reason = ["reason", "stopReason"]
            .iter()
            .find_map(|key| reply.get(*key)?.as_str().map(str::to_owned));
        let failed = run.failure.as_ref().map(|it| it.message.clone());
        let first_line = run.stderr.as_ref().and_then(|it| it.lines().next());
        let subject = run.input.as_ref().and_then(|it| {
            let input: Value = serde_json::from_str(it.get()).ok()?;
            input.get("tool_name")?.as_str().map(str::to_owned)
        });
        if self.examples.len() == EXAMPLES {
            self.examples.remove(0);
        }
        self.examples.push(ShadowExample {
            run_id: run.run_id.clone(),
            at: run.started_at.clone(),
            result: run.result,
            subject,
            reason: reason.or(failed).or_else(|| first_line.map(str::to_owned)),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::time_ago;

    /// HT-2: a time is given as a number with its unit.
    #[test]
    fn times_are_read() {
        assert!(time_ago("7d").is_ok_and(|it| it.ends_with('Z') && it.contains('T')));
        assert!(time_ago("12h").unwrap() > time_ago("1d").unwrap());
        for wrong in ["", "d", "7", "7w", "-", "x7d", "99999999999999999d"] {
            assert!(time_ago(wrong).is_err(), "{wrong}");
        }
    }
}
