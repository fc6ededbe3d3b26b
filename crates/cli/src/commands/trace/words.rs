//! Recorded runs, as text for people (CM-6).

use hookloop_hook::Dialect;
use hookloop_manage::text::{ShownRun, ending, kind_of_stored, result_style, run_text};
use hookloop_session::{Workspace, result_word};
use hookloop_text::{Cell, Indents, Style, Table, Terminal, paragraph, visible};
use hookloop_trace::{Loss, Origin, StoredRun};
use serde_json::Value;

const HEADINGS: [&str; 7] = [
    "RUN", "EVENT", "HOOK", "RESULT", "ENDING", "TIME", "STARTED",
];

/// The first of the columns that are shown below the row if the table is too wide.
const FIRST_BELOW: [usize; 1] = [4];

/// How many characters of an id are shown: enough to identify the run.
const SHORT_ID: usize = 8;

/// Lists runs by session, with the first line of what each said.
pub(crate) fn recorded_runs(
    runs: &[StoredRun],
    workspace: &Workspace,
    terminal: Terminal,
) -> String {
    if runs.is_empty() {
        return "The trace of this project contains no such run.\n".to_owned();
    }
    let headings = HEADINGS
        .map(|heading| Cell::new(heading, Style::Faint))
        .to_vec();
    let mut rows: Vec<Vec<Cell>> = std::iter::once(headings)
        .chain(runs.iter().map(|run| row(run, workspace).to_vec()))
        .collect();
    let (table, below) = Table::folding(&mut rows, &FIRST_BELOW, 2, terminal.width);
    let mut text = table.row(&rows[0], terminal.palette);
    let mut session = None;
    for ((run, row), below) in runs.iter().zip(&rows[1..]).zip(&below[1..]) {
        let belongs_to = (run.session_id.as_str(), run.origin, run.agent.as_deref());
        if session.replace(belongs_to) != Some(belongs_to) {
            let whose = match (run.origin, &run.agent) {
                (Origin::Session, None) => String::new(),
                (Origin::Session, Some(agent)) => format!(" ({})", visible(agent)),
                (other, _) => format!(" ({})", other.as_str()),
            };
            let heading = format!("Session {}{whose}", visible(&run.session_id));
            text.push_str(&terminal.palette.paint(Style::Strong, &heading));
            text.push('\n');
        }
        text.push_str(&table.row(row, terminal.palette));
        if !below.is_empty() {
            let cells: Vec<&str> = below.iter().map(|it| it.text.as_str()).collect();
            text.push_str(&paragraph(&cells.join(", "), INDENTS, terminal.width));
        }
        text.push_str(&describe_reply(run, terminal));
    }
    text
}

/// Lists what hooks lost in other agents (BR-21).
pub(crate) fn recorded_losses(losses: &[Loss], terminal: Terminal) -> String {
    let mut text = String::new();
    if losses.is_empty() {
        return text;
    }
    let heading = "Lost in other agents";
    text.push_str(&terminal.palette.paint(Style::Strong, heading));
    text.push('\n');
    for loss in losses {
        let line = format!(
            "{} {} (session {}): {}",
            visible(&loss.lost_at),
            loss.event,
            visible(&loss.session_id),
            visible(&loss.text)
        );
        text.push_str(&paragraph(
            &line,
            Indents::new("  ", "    "),
            terminal.width,
        ));
    }
    text
}

pub(super) const INDENTS: Indents<'_> = Indents::new("      ", "        ");

fn row(run: &StoredRun, workspace: &Workspace) -> [Cell; 7] {
    [
        Cell::new(visible(short(&run.run_id)), Style::Faint),
        Cell::plain(run.event.to_string()),
        Cell::plain(visible(&run.label)),
        Cell::new(result_word(run.result), result_style(run.result)),
        Cell::plain(ending(&run.ending, kind_of_stored(run, workspace))),
        Cell::plain(format!("{:.1} ms", run.duration_ms)),
        Cell::new(visible(&run.started_at), Style::Faint),
    ]
}

/// Returns an abbreviated id.
fn short(run_id: &str) -> &str {
    run_id.get(..SHORT_ID).unwrap_or(run_id)
}

/// Formats a hook's dialect, and the first line of its reply.
fn describe_reply(run: &StoredRun, terminal: Terminal) -> String {
    let dialect = foreign(run).map(|dialect| format!("dialect {dialect}"));
    let dialect = dialect.map(|it| paragraph(&visible(&it), INDENTS, terminal.width));
    let shown = if run.suppressed {
        Some("(its content isn't in the trace)".to_owned())
    } else {
        run.summary_line()
    };
    let shown = shown.map(|shown| paragraph(&visible(&shown), INDENTS, terminal.width));
    dialect.into_iter().chain(shown).collect()
}

/// Returns the dialect of a run's hook, if it isn't ours (FD-1).
fn foreign(run: &StoredRun) -> Option<&str> {
    let dialect = run.dialect.as_str();
    (dialect != Dialect::Hookloop.as_str()).then_some(dialect)
}

/// Shows a run on separate lines, for `--follow`.
pub(crate) fn followed_run(run: &StoredRun, workspace: &Workspace, terminal: Terminal) -> String {
    let cells = row(run, workspace);
    let words: Vec<String> = cells
        .iter()
        .map(|cell| terminal.palette.paint(cell.style, &cell.text))
        .collect();
    words.join("  ") + "\n" + &describe_reply(run, terminal)
}

/// Shows one run in full.
pub(crate) fn describe_run(run: &StoredRun, workspace: &Workspace, terminal: Terminal) -> String {
    let heading = format!("{} at {}", run.event, visible(&run.started_at));
    let mut text = terminal.palette.paint(Style::Strong, &heading) + "\n";
    text.push_str(&run_text(&ShownRun::from_stored(run, workspace), terminal));
    let facts = [
        ("run", run.run_id.as_str()),
        ("session", run.session_id.as_str()),
        ("origin", run.origin.as_str()),
    ];
    for (name, fact) in facts {
        text.extend([format!("      {name}: {}\n", visible(fact))]);
    }
    if let Some(dialect) = foreign(run) {
        let note = format!(
            "dialect: {dialect}; the input is shown in Hookloop's dialect, although the hook read \
             it in its own; its output is shown unchanged, and the reply as Hookloop understood it"
        );
        text.push_str(&paragraph(&visible(&note), INDENTS, terminal.width));
    }
    if run.suppressed {
        text.push_str("      its hook keeps its input and output out of the trace\n");
    }
    if let Some(input) = &run.input {
        text.push_str("      input:\n");
        for line in pretty(input.get()).lines() {
            let indents = Indents::all("      | ");
            text.push_str(&paragraph(&visible(line), indents, terminal.width));
        }
    }
    text
}

/// Indents JSON for people.
fn pretty(json: &str) -> String {
    serde_json::from_str::<Value>(json)
        .and_then(|value| serde_json::to_string_pretty(&value))
        .unwrap_or_else(|_| json.to_owned())
}
