//! `hooks shadow`: what hooks in shadow would have done (HT-2).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;

use hookloop_engine::RunResult;
use hookloop_session::{Workspace, recording};
use hookloop_text::visible;
use hookloop_trace::{RunFilter, StoredRun};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::Value;

use super::ShadowArguments;
use crate::commands::{CommandFailure, Context, Format, text, views};
use crate::output::{Exit, Output};

/// How many of the reasons a hook gave are shown.
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

/// Shows what hooks in shadow would have done.
#[derive(Serialize)]
struct ShadowView {
    since: String,
    hooks: Vec<HookView>,
}

/// Shows what a hook in shadow would have done at an event.
#[derive(Debug, Default, Serialize)]
struct HookView {
    label: String,
    event: String,
    runs: u64,
    refused: u64,
    asked: u64,
    stopped: u64,
    changed: u64,
    failed: u64,
    /// What it said last, the newest last.
    examples: Vec<Example>,
}

/// One run that would have had an effect.
#[derive(Debug, Serialize)]
struct Example {
    run_id: String,
    at: String,
    result: RunResult,
    subject: Option<String>,
    reason: Option<String>,
}

/// Tells what hooks in shadow would have refused, changed or asked, and how often; runs nothing.
pub(crate) fn shadow(
    context: &Context<'_>,
    arguments: &ShadowArguments,
) -> Result<Output, CommandFailure> {
    let workspace = Workspace::open(context.environment, context.run);
    let since = since(&arguments.since)?;
    let mut hooks: BTreeMap<(String, String), HookView> = BTreeMap::new();
    if let Some(store) = recording::open(&workspace, context.environment)? {
        store.visit(&RunFilter::default(), |run| {
            if run.shadow && run.started_at >= since {
                let key = (run.label.clone(), run.event.as_str().to_owned());
                hooks.entry(key).or_default().count(&run);
            }
            ControlFlow::Continue(())
        })?;
    }
    let view = ShadowView {
        since,
        hooks: hooks.into_values().collect(),
    };
    let (result, notices) = match context.format {
        Format::Json => {
            let root = &workspace.project_root;
            let document = views::document(context.name, root, view, &workspace.problems)?;
            (document, String::new())
        }
        Format::Text { notices, .. } => {
            let told = text::diagnostics(&workspace.problems, notices);
            (words(&view, &arguments.since), told)
        }
    };
    Ok(Output {
        result,
        notices,
        exit: Exit::Done,
    })
}

/// Reads `7d`, `12h` or `30m`, and returns the time that long ago.
fn since(text: &str) -> Result<String, CommandFailure> {
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

impl HookView {
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
        let said = run.stderr.as_ref().and_then(|it| it.lines().next());
        let subject = run.input.as_ref().and_then(|it| {
            let input: Value = serde_json::from_str(it.get()).ok()?;
            input.get("tool_name")?.as_str().map(str::to_owned)
        });
        if self.examples.len() == EXAMPLES {
            self.examples.remove(0);
        }
        self.examples.push(Example {
            run_id: run.run_id.clone(),
            at: run.started_at.clone(),
            result: run.result,
            subject,
            reason: reason.or(failed).or_else(|| said.map(str::to_owned)),
        });
    }
}

const fn word(result: RunResult) -> &'static str {
    match result {
        RunResult::Proceed => "changed",
        RunResult::Ask => "asked",
        RunResult::Refused => "refused",
        RunResult::Stopped => "stopped",
        RunResult::Failed => "failed",
    }
}

fn words(view: &ShadowView, since: &str) -> String {
    if view.hooks.is_empty() {
        return format!(
            "No hook in shadow ran in the last {since}. \"mode\": \"shadow\" on a hook tries it out.\n"
        );
    }
    let mut told = String::new();
    for hook in &view.hooks {
        let counts = [
            ("refused", hook.refused),
            ("asked", hook.asked),
            ("stopped", hook.stopped),
            ("changed something", hook.changed),
            ("failed", hook.failed),
        ];
        let counts: Vec<String> = counts
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(what, count)| format!("{what} {count}"))
            .collect();
        let would = if counts.is_empty() {
            "would have had no effect".to_owned()
        } else {
            format!("would have {}", counts.join(", "))
        };
        let (label, event) = (visible(&hook.label), &hook.event);
        let _ = writeln!(told, "{label} ({event}): ran {} times, {would}", hook.runs);
        for example in &hook.examples {
            let subject = example.subject.as_deref().unwrap_or("");
            let reason = example.reason.as_deref().unwrap_or("");
            let _ = writeln!(
                told,
                "  {} {} {}: {}",
                example.at,
                word(example.result),
                visible(subject),
                visible(reason)
            );
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::since;

    /// HT-2: a time is given as a number with its unit.
    #[test]
    fn times_are_read() {
        assert!(since("7d").is_ok_and(|it| it.ends_with('Z') && it.contains('T')));
        assert!(since("12h").unwrap() > since("1d").unwrap());
        for wrong in ["", "d", "7", "7w", "-", "x7d", "99999999999999999d"] {
            assert!(since(wrong).is_err(), "{wrong}");
        }
    }
}
