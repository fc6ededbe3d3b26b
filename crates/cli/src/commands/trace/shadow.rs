//! `hooks shadow`: what hooks in shadow would have done (HT-2).

use std::fmt::Write as _;

use hookloop_engine::RunResult;
use hookloop_manage::{CommandFailure, ShadowOf, in_shadow_since};
use hookloop_session::Workspace;
use hookloop_text::visible;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::ShadowArguments;
use crate::commands::{Beside, Context};
use crate::output::Output;

/// Shows what hooks in shadow would have done.
#[derive(Serialize)]
struct ShadowView {
    since: String,
    hooks: Vec<ShadowOf>,
}

/// Tells what hooks in shadow would have refused, changed or asked, and how often; runs nothing.
pub(crate) fn shadow(
    context: &Context<'_>,
    arguments: &ShadowArguments,
) -> Result<Output, CommandFailure> {
    let workspace = Workspace::open(context.environment, context.run);
    let since = since(&arguments.since)?;
    let hooks = in_shadow_since(context.task(), &workspace, &since)?;
    let view = ShadowView { since, hooks };
    context.say(Beside::all(&workspace), &view, |_| {
        words(&view, &arguments.since)
    })
}

/// Reads `7d`, `12h` or `30m`, and returns the time that long ago.
fn since(text: &str) -> Result<String, CommandFailure> {
    let wrong = || {
        let message = format!("--since {text}: write a number with d, h or m, such as 7d");
        CommandFailure::bad_input(message)
    };
    let last = text.char_indices().last();
    let (number, unit) = text.split_at(last.map_or(0, |(at, _)| at));
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
