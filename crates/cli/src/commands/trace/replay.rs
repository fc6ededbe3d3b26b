//! `hooks replay`: the current hooks on a recorded input (CM-6).

use hookloop_manage::text::{ShownRun, run_text, skipped_text};
use hookloop_manage::{CommandFailure, Interruption, ReplayView, Replayed, replay as replayed};
use hookloop_text::{Style, Terminal, paragraph, visible};
use hookloop_trace::replay::Change;
use serde_json::Value;

use super::ReplayArguments;
use super::words::INDENTS;
use crate::commands::context::{AdditionalReport, Context};
use crate::commands::fire::outcome_text;
use crate::output::{Exit, Output};

/// Runs all current hooks for a recorded run's event, on the payload that it was fired with, and
/// shows what changed.
pub(crate) fn replay(
    context: &Context<'_>,
    arguments: &ReplayArguments,
) -> Result<Output, CommandFailure> {
    let replayed = replayed(context.task(), &arguments.run_id)?;
    let beside = AdditionalReport::all(&replayed.workspace);
    let output = context.say(beside, ReplayView::new(&replayed), |output| {
        describe(&replayed, output)
    })?;
    let exit = match replayed.interruption {
        Interruption::Interrupted => Exit::Cancelled,
        Interruption::None => Exit::Done,
    };
    Ok(output.warn(&replayed.warnings).ending(exit))
}

/// Formats what the current hooks did on a recorded input, and the differences.
fn describe(replayed: &Replayed, terminal: Terminal) -> String {
    let recorded = &replayed.recorded;
    let heading = format!(
        "{} of {}, replayed",
        recorded.event,
        visible(&recorded.started_at)
    );
    let mut text = terminal.palette.paint(Style::Strong, &heading) + "\n";
    for run in &replayed.today {
        text.push_str(&run_text(
            &ShownRun::from_stored(run, &replayed.workspace),
            terminal,
        ));
    }
    text.push_str(&skipped_text(&replayed.explanation, terminal));
    text.push_str(&outcome_text(&replayed.outcome, terminal));
    if replayed.changes.is_empty() {
        text.push_str("Nothing changed.\n");
        return text;
    }
    text.push_str("Changed:\n");
    text.extend(replayed.changes.iter().map(|it| change(it, terminal)));
    text
}

fn change(change: &Change, terminal: Terminal) -> String {
    let palette = terminal.palette;
    let title = format!("  {}: {}\n", visible(&change.label), visible(&change.field));
    let value = |style, word: &str, value: &Value| {
        let line = format!("{}{}", word, visible(&value.to_string()));
        let line = paragraph(&line, INDENTS, terminal.width);
        line.lines()
            .map(|line| palette.paint(style, line) + "\n")
            .collect::<String>()
    };
    title + &value(Style::Error, "- ", &change.before) + &value(Style::Good, "+ ", &change.after)
}
