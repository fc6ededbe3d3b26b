//! One run of a hook, for people (CM-5, CM-6).

use hookloop_engine::{RunEnding, RunRecord, RunResult, Truncation};
use hookloop_hook::{Mode, Source};
use hookloop_session::{milliseconds, origin, result_word, short_label};
use hookloop_text::shorten::beginning;
use hookloop_text::{Indents, Style, Terminal, paragraph, visible};

/// How much of a stream is shown: more would bury what came of it.
const MOST_BYTES: usize = 8 * 1024;
/// How many lines of it are shown.
const MOST_LINES: usize = 100;

const INDENTS: Indents<'_> = Indents::new("      ", "        ");

/// Holds what is shown of a run.
pub struct ShownRun<'a> {
    /// The hook's label.
    pub label: String,
    /// Where the hook is configured.
    pub source: &'a Source,
    /// What came of it.
    pub result: RunResult,
    /// How its program ended.
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
    /// Whether it was in shadow, so that what it says decides nothing (HT-2).
    pub in_shadow: bool,
}

impl<'a> ShownRun<'a> {
    /// Shows a run that has just ended.
    pub fn of_record(run: &'a RunRecord) -> Self {
        let content = &run.content;
        Self {
            label: short_label(&run.hook),
            source: &run.hook.source,
            result: run.result,
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
}

/// Shows a run with its ending, streams and reply.
pub fn run_text(run: &ShownRun<'_>, terminal: Terminal) -> String {
    let palette = terminal.palette;
    let label = palette.paint(Style::Strong, &visible(&run.label));
    let mut text = format!(
        "  {label}: {}, {} after {:.1} ms\n",
        palette.paint(result_style(run.result), result_word(run.result)),
        ending(run.ending),
        run.milliseconds
    );
    text.extend([format!("      {}\n", origin(run.source))]);
    if run.in_shadow {
        let shadow = "in shadow mode: what it says is recorded, and decides nothing";
        text.push_str(&paragraph(shadow, INDENTS, terminal.width));
    }
    if let Some(failure) = &run.failure {
        let failure = format!("failure: {}", visible(failure));
        text.push_str(&paragraph(&failure, INDENTS, terminal.width));
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

/// Says how a program ended.
pub fn ending(ending: &RunEnding) -> String {
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
    let (shown, left_out) = beginning(text, MOST_BYTES, MOST_LINES);
    let lines = shown
        .lines()
        .map(|line| paragraph(&visible(line), Indents::all("      | "), terminal.width));
    let mut shown = format!("      {name}:\n") + &lines.collect::<String>();
    if left_out > 0 {
        shown.extend([format!(
            "      | … {left_out} more bytes; --json prints all that was kept\n"
        )]);
    }
    shown
}
