//! The end of the demo as text: totals, differences from the script, and how to continue.

use std::path::Path;

use hookloop_text::{Style, Terminal, shell_word, visible};

use crate::Performance;
use crate::page::{ATTENTION, Page};
use crate::story::STORY;

/// Formats the summary, and how to continue; `kept` is the project that was kept, with its home.
pub(crate) fn closing(
    performance: &Performance,
    kept: Option<(&Path, &Path)>,
    terminal: Terminal,
) -> String {
    let mut page = Page::new(terminal);
    page.heading("In numbers");
    numbers(&mut page, performance);
    let differences = performance.differences();
    if !differences.is_empty() {
        page.heading("What went differently");
        for difference in &differences {
            page.entry("", ATTENTION, difference, Style::Plain);
        }
        page.gap();
        page.paragraph(
            "A hook that can't run is never silently passed over: the warnings above are what you \
             would see.",
            Style::Plain,
        );
    }
    if performance.turns.len() < STORY.len() {
        page.gap();
        page.paragraph("The demo was interrupted.", Style::Warning);
    }
    page.heading("Try it yourself");
    if let Some((project, home)) = kept {
        page.paragraph(
            "The project is kept, and its hooks stay trusted:",
            Style::Plain,
        );
        page.verbatim(&format!("cd {}", quote_path(project)), Style::Good);
        page.verbatim(
            &format!("export GEMINI_CLI_HOME={}", quote_path(home)),
            Style::Good,
        );
    } else {
        page.paragraph(
            "The project has been removed. To keep one to try things out:",
            Style::Plain,
        );
        page.verbatim("hookloop demo --keep", Style::Good);
    }
    page.gap();
    for (command, purpose) in [
        ("hookloop hooks list", "all of them"),
        (
            "hookloop hooks why BeforeTool --tool replace",
            "which hooks run, and why",
        ),
        (
            "hookloop hooks fire BeforeTool --tool replace",
            "what they say",
        ),
        ("hookloop hooks check", "what is wrong"),
    ] {
        page.verbatim(&format!("{command:<47}{purpose}"), Style::Plain);
    }
    page.gap();
    page.paragraph(
        "The hooks are in the folder examples/hooks of the source, ready to copy.",
        Style::Plain,
    );
    page.into_text()
}

fn quote_path(path: &Path) -> String {
    shell_word(&path.to_string_lossy())
}

fn numbers(page: &mut Page, performance: &Performance) {
    let totals = performance.totals();
    let row = |label: &str, numbers: [String; 4]| {
        let [runs, refused, rewrote, time] = numbers;
        format!("{label:<20}{runs:>6}{refused:>10}{rewrote:>10}{time:>11}")
    };
    let count = |number: usize| match number {
        0 => "–".to_owned(),
        _ => number.to_string(),
    };
    let time = |milliseconds: f64| format!("{milliseconds:.0} ms");
    let names = ["runs", "refused", "rewrote", "time"].map(str::to_owned);
    page.verbatim(&row("hook", names), Style::Faint);
    for hook in &totals.by_hook {
        let numbers = [hook.runs, hook.refusals, hook.rewrites].map(count);
        let [runs, refused, rewrote] = numbers;
        let label = visible(&hook.label);
        page.verbatim(
            &row(&label, [runs, refused, rewrote, time(hook.total_ms)]),
            Style::Plain,
        );
    }
    let [runs, refused, rewrote] = [totals.hook_runs, totals.refusals, totals.rewrites].map(count);
    let label = format!("all, in {} events", totals.events);
    page.verbatim(
        &row(&label, [runs, refused, rewrote, time(totals.hooks_ms)]),
        Style::Strong,
    );
}
