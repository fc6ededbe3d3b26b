//! `hooks shadow`: what hooks in shadow would have done (HT-2).

use std::fmt::Write as _;

use hookloop_engine::RunResult;
use hookloop_manage::{CommandFailure, ShadowView, in_shadow};
use hookloop_session::Workspace;
use hookloop_text::visible;

use super::ShadowArguments;
use crate::commands::context::{AdditionalReport, Context};
use crate::output::Output;

/// Reports what hooks in shadow would have refused, changed or asked, and how often; runs nothing.
pub(crate) fn shadow(
    context: &Context<'_>,
    arguments: &ShadowArguments,
) -> Result<Output, CommandFailure> {
    let workspace = Workspace::open(context.environment, context.run);
    let view = in_shadow(context.task(), &workspace, &arguments.since)?;
    context.say(AdditionalReport::all(&workspace), &view, |_| {
        describe(&view, &arguments.since)
    })
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

fn describe(view: &ShadowView, since: &str) -> String {
    if view.hooks.is_empty() {
        return format!(
            "No hook ran in shadow mode in the last {since}. Set \"mode\": \"shadow\" on a hook to try it out.\n"
        );
    }
    let mut report = String::new();
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
        let _ = writeln!(
            report,
            "{label} ({event}): ran {} times, {would}",
            hook.runs
        );
        for example in &hook.examples {
            let subject = example.subject.as_deref().unwrap_or("");
            let reason = example.reason.as_deref().unwrap_or("");
            let _ = writeln!(
                report,
                "  {} {} {}: {}",
                example.at,
                word(example.result),
                visible(subject),
                visible(reason)
            );
        }
    }
    report
}
