//! A run of a hook, as text for people (CM-5, CM-6).

use hookloop_engine::{RunEnding, RunRecord, RunResult, Truncation};
use hookloop_hook::{HookType, Mode, Source};
#[cfg(feature = "trace")]
use hookloop_session::Workspace;
use hookloop_session::{milliseconds, origin, result_word, short_label};
#[cfg(feature = "trace")]
use hookloop_text::shorten::one_line;
use hookloop_text::shorten::truncate;
use hookloop_text::{Indents, Style, Terminal, paragraph, visible};
#[cfg(feature = "trace")]
use hookloop_trace::StoredRun;

/// How many bytes of a stream are shown; more would bury the result.
const MAX_BYTES: usize = 8 * 1024;
/// How many lines of it are shown.
const MAX_LINES: usize = 100;

const INDENTS: Indents<'_> = Indents::new("      ", "        ");

/// The data of a run that are shown.
pub struct ShownRun<'a> {
    /// The hook's label.
    pub label: String,
    /// Where the hook is configured.
    pub source: &'a Source,
    /// Its result.
    pub result: RunResult,
    /// The hook's type; `None` if no longer known.
    pub kind: Option<HookType>,
    /// How it ended.
    pub ending: &'a RunEnding,
    /// How long it took, in milliseconds.
    pub milliseconds: f64,
    /// What went wrong.
    pub failure: Option<String>,
    /// What it wrote.
    pub stdout: &'a str,
    /// What it wrote to standard error.
    pub stderr: &'a str,
    /// Whether something was cut.
    pub is_cut: bool,
    /// The reply as understood, as JSON.
    pub reply: Option<String>,
    /// The names of the variables that were withheld.
    pub withheld: &'a [String],
    /// Whether it ran in shadow mode, so that its reply decided nothing (HT-2).
    pub in_shadow: bool,
}

impl<'a> ShownRun<'a> {
    /// Converts a run that has just ended.
    pub fn from_record(run: &'a RunRecord) -> Self {
        let content = &run.content;
        Self {
            label: short_label(&run.hook),
            source: &run.hook.source,
            result: run.result,
            kind: run.hook.handler.hook_type(),
            ending: &run.ending,
            milliseconds: milliseconds(run),
            failure: run.failure.as_ref().map(ToString::to_string),
            stdout: &content.stdout,
            stderr: &content.stderr,
            is_cut: content.truncation == Truncation::Cut,
            reply: content
                .reply
                .as_ref()
                .and_then(|reply| serde_json::to_string(reply).ok()),
            withheld: &run.withheld_env,
            in_shadow: run.hook.mode == Mode::Shadow,
        }
    }

    /// Converts a run from the trace.
    #[cfg(feature = "trace")]
    pub fn from_stored(run: &'a StoredRun, workspace: &Workspace) -> Self {
        Self {
            label: one_line(&run.label, 60),
            source: &run.source,
            result: run.result,
            kind: kind_of_stored(run, workspace),
            ending: &run.ending,
            milliseconds: run.duration_ms,
            failure: run.failure.as_ref().map(|it| it.message.clone()),
            stdout: run.stdout.as_deref().unwrap_or_default(),
            stderr: run.stderr.as_deref().unwrap_or_default(),
            is_cut: run.truncated,
            reply: run.reply.as_ref().map(|it| it.get().to_owned()),
            withheld: &run.withheld_env,
            in_shadow: run.shadow,
        }
    }
}

/// Returns the type of a recorded run's hook; `None` if that hook is no longer configured.
#[cfg(feature = "trace")]
pub fn kind_of_stored(run: &StoredRun, workspace: &Workspace) -> Option<HookType> {
    let hook = workspace.listed().find(&run.hook_id)?;
    hook.handler.hook_type()
}

/// Formats a run with its ending, streams and reply.
pub fn run_text(run: &ShownRun<'_>, terminal: Terminal) -> String {
    let palette = terminal.palette;
    let label = palette.paint(Style::Strong, &visible(&run.label));
    let mut text = format!(
        "  {label}: {}, {} after {:.1} ms\n",
        palette.paint(result_style(run.result), result_word(run.result)),
        ending(run.ending, run.kind),
        run.milliseconds
    );
    text.extend([format!("      {}\n", origin(run.source))]);
    if run.in_shadow {
        let shadow = "in shadow mode: what it says is recorded, but decides nothing";
        text.push_str(&paragraph(shadow, INDENTS, terminal.width));
    }
    if let Some(failure) = &run.failure {
        let mut lines = failure.lines();
        let first = format!("failure: {}", visible(lines.next().unwrap_or_default()));
        text.push_str(&paragraph(&first, INDENTS, terminal.width));
        for line in lines {
            text.push_str(&paragraph(
                &visible(line),
                Indents::all("        "),
                terminal.width,
            ));
        }
    }
    text.push_str(&stream("stdout", run.stdout, terminal));
    text.push_str(&stream("stderr", run.stderr, terminal));
    if run.is_cut {
        text.push_str("      the output was over the cap, and the rest was dropped\n");
    }
    if let Some(reply) = &run.reply {
        let reply = format!("reply: {}", visible(reply));
        text.push_str(&paragraph(&reply, INDENTS, terminal.width));
    }
    if !run.withheld.is_empty() {
        let withheld = format!("withheld variables: {}", visible(&run.withheld.join(", ")));
        text.push_str(&paragraph(&withheld, INDENTS, terminal.width));
    }
    text
}

/// Returns the style of a result.
pub const fn result_style(result: RunResult) -> Style {
    match result {
        RunResult::Proceed => Style::Good,
        RunResult::Ask | RunResult::Failed => Style::Warning,
        RunResult::Refused | RunResult::Stopped => Style::Error,
    }
}

/// Describes how a run ended. Only a command is a program that exits; for other types, an exit code
/// stands for their answer (HT-10, HT-15, HT-20, HT-25).
pub fn ending(ending: &RunEnding, kind: Option<HookType>) -> String {
    match (ending.exit_code(), ending.signal(), kind) {
        (Some(code), _, Some(HookType::Command)) => format!("exited with {code}"),
        (Some(_), _, Some(HookType::Rule)) => "evaluated".to_owned(),
        (Some(0 | 2), _, Some(_)) => "answered".to_owned(),
        (Some(_), _, Some(_)) => "answered with an error".to_owned(),
        (Some(code), _, None) => format!("ended with {code}"),
        (_, Some(signal), _) => format!("killed by {signal}"),
        _ => ending.kind().replace('_', " "),
    }
}

/// Formats a hook's output, line by line.
fn stream(name: &str, text: &str, terminal: Terminal) -> String {
    if text.is_empty() {
        return String::new();
    }
    let (shown, left_out) = truncate(text, MAX_BYTES, MAX_LINES);
    let lines = shown
        .lines()
        .map(|line| paragraph(&visible(line), Indents::all("      | "), terminal.width));
    let mut shown = format!("      {name}:\n") + &lines.collect::<String>();
    if left_out > 0 {
        shown.extend([format!(
            "      | … {left_out} more bytes; --json prints everything that was kept\n"
        )]);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-5, HT-10, HT-15, HT-20, HT-25: only programs are said to exit.
    #[test]
    fn only_commands_exit() {
        let exits = |kind| ending(&RunEnding::Exited(2), kind).contains("exited");
        assert!(exits(Some(HookType::Command)));
        for kind in HookType::ALL.iter().filter(|it| **it != HookType::Command) {
            assert!(!exits(Some(*kind)), "{kind:?}");
        }
        assert!(!exits(None));
    }
}
