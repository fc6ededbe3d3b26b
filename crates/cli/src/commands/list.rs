//! `hooks list`: all hooks, where they come from, and whether they run (CM-1).

use hookloop_engine::HookStatus;
use hookloop_events::EventName;
use hookloop_hook::Grouping;
use hookloop_manage::{CommandFailure, ListView, ListedHooks, list_hooks};
use hookloop_session::recording::Statistics;
use hookloop_session::{
    Status, Workspace, cause_texts, duration, hooks_off, manner_texts, origin, result_word,
    short_label,
};
use hookloop_settings::LayerState;
use hookloop_text::{Cell, Indents, Style, Table, Terminal, counted, paragraph, visible};

use crate::commands::context::{AdditionalReport, Context};
use crate::output::Output;

/// Lists all hooks; runs nothing (TR-7).
pub(crate) fn list(context: &Context<'_>) -> Result<Output, CommandFailure> {
    let listed = list_hooks(context.task());
    let beside = AdditionalReport::all(&listed.workspace);
    let output = context.say(beside, ListView::new(&listed), |output| {
        describe(&listed, output)
    })?;
    Ok(output.warn(&listed.warnings))
}

const HEADINGS: [&str; 5] = ["HOOK", "STATUS", "MATCHER", "TIMEOUT", "SOURCE"];

/// The first of the columns that are shown below the row if the table is too wide, and the one from
/// which they are if it still is.
const FIRST_BELOW: [usize; 2] = [3, 2];

const INDENTS: Indents<'_> = Indents::new("      ", "        ");

/// Lists all hooks by event, with what keeps them from running.
fn describe(listed: &ListedHooks, terminal: Terminal) -> String {
    let ListedHooks {
        workspace,
        hooks,
        statistics,
        ..
    } = listed;
    let mut text = switch(workspace, terminal);
    if hooks.is_empty() {
        text.push_str("No hooks are configured. These files were searched for:\n");
        text.push_str(&layers(workspace, terminal));
        return text;
    }
    let headings = HEADINGS
        .map(|heading| Cell::new(heading, Style::Faint))
        .to_vec();
    let mut rows: Vec<Vec<Cell>> = std::iter::once(headings)
        .chain(hooks.iter().map(row))
        .collect();
    let (table, mut below) = Table::folding(&mut rows, &FIRST_BELOW, 2, terminal.width);
    let below_headings = below.remove(0);
    let mut event = None;
    for ((status, row), below) in hooks.iter().zip(&rows[1..]).zip(&below) {
        if event != Some(status.hook.event) {
            text.push_str(&heading(status.hook.event, event.is_none(), terminal));
            if event.is_none() {
                text.push_str(&table.row(&rows[0], terminal.palette));
            }
            event = Some(status.hook.event);
        }
        text.push_str(&table.row(row, terminal.palette));
        for (cell, heading) in below.iter().zip(&below_headings) {
            let heading = heading.text.to_lowercase();
            if heading == "source" {
                // A place isn't wrapped, so that a terminal can turn it into a link.
                text.extend([format!("      {heading}: {}\n", cell.text)]);
                continue;
            }
            let line = format!("{heading}: {}", cell.text);
            text.push_str(&paragraph(&line, INDENTS, terminal.width));
        }
        text.push_str(&details(status, hooks, terminal));
        if let Some(of_hook) = statistics.get(&status.hook.id) {
            text.push_str(&past(of_hook, terminal));
        }
    }
    text
}

fn switch(workspace: &Workspace, terminal: Terminal) -> String {
    match hooks_off(workspace) {
        Some(off) => terminal.palette.paint(Style::Warning, &off) + "\n\n",
        None => String::new(),
    }
}

fn layers(workspace: &Workspace, terminal: Terminal) -> String {
    let rows: Vec<Vec<Cell>> = workspace
        .settings
        .layers
        .iter()
        .map(|layer| {
            let state = match layer.state {
                LayerState::Loaded => "loaded",
                LayerState::Missing => "missing",
                LayerState::Invalid => "invalid",
                LayerState::Unreadable => "unreadable",
                LayerState::Untrusted => "untrusted",
            };
            let file = visible(&layer.file.to_string_lossy());
            let name = match &layer.extension {
                Some(extension) => format!("{} {}", layer.layer, visible(extension)),
                None => layer.layer.to_string(),
            };
            [name, state.to_owned(), file].map(Cell::plain).to_vec()
        })
        .collect();
    let table = Table::new(&rows, 2, terminal.width);
    rows.iter()
        .map(|row| table.row(row, terminal.palette))
        .collect()
}

fn heading(event: EventName, first: bool, terminal: Terminal) -> String {
    let space = if first { "" } else { "\n" };
    format!(
        "{space}{}\n",
        terminal.palette.paint(Style::Strong, event.as_str())
    )
}

fn row(status: &HookStatus) -> Vec<Cell> {
    let hook = &status.hook;
    let word = Status::of(status);
    let style = match word {
        Status::Enabled => Style::Good,
        Status::Disabled | Status::Elsewhere | Status::Shadowed => Style::Faint,
        Status::Untrusted | Status::Broken => Style::Warning,
    };
    vec![
        Cell::new(visible(&short_label(hook)), Style::Strong),
        Cell::new(word.to_string(), style),
        Cell::plain(visible(hook.matcher.as_deref().unwrap_or("*"))),
        Cell::plain(duration(hook)),
        Cell::plain(origin(&hook.source)),
    ]
}

/// Formats a hook's past runs (CM-1).
fn past(stats: &Statistics, terminal: Terminal) -> String {
    let mut runs = counted(stats.runs, "run");
    if let (Some(result), Some(at)) = (stats.last_result, &stats.last_run_at) {
        let word = result_word(result);
        runs.extend([format!(", the last one: {word}, at {}", visible(at))]);
    }
    if let (Some(p50), Some(p95)) = (stats.p50_ms, stats.p95_ms) {
        runs.extend([format!("; p50 {p50:.1} ms, p95 {p95:.1} ms")]);
    }
    let first_line = |text: &str| text.trim_start().lines().next().map(visible);
    let output = stats.last_output.as_deref().and_then(first_line);
    let error = stats.last_error.as_deref().and_then(first_line);
    let lines = [
        Some(runs),
        output.map(|line| format!("last output: {line}")),
        error.map(|line| format!("last error: {line}")),
    ];
    lines
        .iter()
        .flatten()
        .map(|line| paragraph(line, Indents::new("      ", "        "), terminal.width))
        .collect()
}

/// Formats what doesn't fit into the row.
fn details(status: &HookStatus, hooks: &[HookStatus], terminal: Terminal) -> String {
    let hook = &status.hook;
    let mut lines = Vec::new();
    lines.extend(hook.description.as_deref().map(visible));
    if let Some(runs) = hook.beside_label() {
        lines.push(format!(
            "{}: {}",
            visible(hook.handler.type_name()),
            visible(&runs)
        ));
    }
    if hook.grouping == Grouping::Sequential {
        lines.push("sequential".to_owned());
    }
    lines.extend(manner_texts(hook).iter().map(|text| visible(text)));
    for message in cause_texts(status, hooks) {
        lines.push(format!("{}: {}", Status::of(status), visible(&message)));
    }
    lines
        .iter()
        .map(|line| paragraph(line, Indents::new("      ", "        "), terminal.width))
        .collect()
}
