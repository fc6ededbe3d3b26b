//! What firing an event came to, for people (CM-5).

use std::sync::Arc;

use hookloop_engine::{Explanation, RunRecord, RunResult, Truncation};
use hookloop_events::{Decision, Verdict};

use crate::terminal::Terminal;
use crate::text::escape::visible;
use crate::text::explanation::causes;
use crate::text::list::origin;
use crate::text::style::Style;
use crate::text::wrap::paragraph;
use crate::views::{OutcomeView, milliseconds};

/// Shows each hook's ending, streams, reply and time, what was skipped, and the outcome.
pub(crate) fn fired(
    heading: &str,
    explanation: &Explanation,
    (runs, outcome): (&[Arc<RunRecord>], &OutcomeView),
    terminal: Terminal,
) -> String {
    let mut text = format!("{}\n", terminal.palette.paint(Style::Strong, heading));
    for run in runs {
        text.push_str(&run_text(run, terminal));
    }
    for status in explanation
        .hooks
        .iter()
        .filter(|status| !status.causes.is_empty())
    {
        let word = terminal.palette.paint(Style::Faint, "skipped");
        text.extend([format!("  {word}: {}\n", visible(status.hook.label()))]);
        text.push_str(&causes(status, explanation, terminal));
    }
    text + &outcome_text(outcome, terminal)
}

fn run_text(run: &RunRecord, terminal: Terminal) -> String {
    let (word, style) = match run.result {
        RunResult::Proceed => ("proceed", Style::Good),
        RunResult::Ask => ("ask", Style::Warning),
        RunResult::Refused => ("refused", Style::Error),
        RunResult::Stopped => ("stopped", Style::Error),
        RunResult::Failed => ("failed", Style::Warning),
    };
    let palette = terminal.palette;
    let milliseconds = milliseconds(run);
    let label = palette.paint(Style::Strong, &visible(run.hook.label()));
    let mut text = format!(
        "  {label}: {}, {} after {milliseconds:.1} ms\n",
        palette.paint(style, word),
        ending(run)
    );
    text.extend([format!("      {}\n", origin(&run.hook.source))]);
    if let Some(failure) = &run.failure {
        let failure = format!("failure: {}", visible(&failure.to_string()));
        text.push_str(&paragraph(&failure, ("      ", "        "), terminal.width));
    }
    let content = &run.content;
    text.push_str(&stream("stdout", &content.stdout, terminal));
    text.push_str(&stream("stderr", &content.stderr, terminal));
    if content.truncation == Truncation::Cut {
        text.push_str("      the output was over the cap, and the rest was dropped\n");
    }
    if let Some(reply) = content
        .reply
        .as_ref()
        .and_then(|reply| serde_json::to_string(reply).ok())
    {
        text.push_str(&paragraph(
            &format!("reply: {}", visible(&reply)),
            ("      ", "        "),
            terminal.width,
        ));
    }
    if !run.withheld_env.is_empty() {
        let withheld = format!(
            "withheld variables: {}",
            visible(&run.withheld_env.join(", "))
        );
        text.push_str(&paragraph(
            &withheld,
            ("      ", "        "),
            terminal.width,
        ));
    }
    text
}

fn ending(run: &RunRecord) -> String {
    let ending = &run.ending;
    match (ending.exit_code(), ending.signal()) {
        (Some(code), _) => format!("exited with {code}"),
        (_, Some(signal)) => format!("killed by {signal}"),
        _ => ending.kind().replace('_', " "),
    }
}

/// Shows what a hook wrote, line by line.
fn stream(name: &str, text: &str, terminal: Terminal) -> String {
    if text.is_empty() {
        return String::new();
    }
    let lines = text
        .lines()
        .map(|line| paragraph(&visible(line), ("      | ", "      | "), terminal.width));
    format!("      {name}:\n") + &lines.collect::<String>()
}

fn outcome_text(outcome: &OutcomeView, terminal: Terminal) -> String {
    let (word, style) = match outcome.verdict {
        Verdict::Proceed => ("proceed", Style::Good),
        Verdict::Refused => ("refused", Style::Error),
        Verdict::Stopped => ("stopped", Style::Error),
    };
    let mut text = format!("Outcome: {}\n", terminal.palette.paint(style, word));
    let decision = outcome.decision.map(|decision| match decision {
        Decision::Allow => "allow".to_owned(),
        Decision::Ask => "ask; nobody is here to answer".to_owned(),
        Decision::Deny => "deny".to_owned(),
    });
    let changes = serde_json::to_string(&outcome.changes).unwrap_or_default();
    let said = [
        ("decision", decision),
        ("reason", outcome.reason.clone()),
        ("stop reason", outcome.stop_reason.clone()),
        ("context", outcome.additional_context.clone()),
        ("changes", (!outcome.changes.is_empty()).then_some(changes)),
    ];
    let messages = outcome
        .system_messages
        .iter()
        .map(|it| ("message", Some(it.clone())));
    for (name, value) in said.into_iter().chain(messages) {
        let Some(value) = value else { continue };
        let mut lines = value.lines();
        let first = format!("{name}: {}", visible(lines.next().unwrap_or_default()));
        text.push_str(&paragraph(&first, ("  ", "    "), terminal.width));
        for line in lines {
            text.push_str(&paragraph(&visible(line), ("    ", "    "), terminal.width));
        }
    }
    text + &paragraph(
        &format!("agent: {}", visible(&outcome.action)),
        ("  ", "    "),
        terminal.width,
    )
}
