//! The output of the commands for guards, as text for people.

use std::fmt::Write as _;

use hookloop_manage::{GuardJudgement, GuardView, MeasuredGuard, decision};
use hookloop_rules::Guard;
use hookloop_text::{Indents, Terminal, paragraph, visible};

/// How many missed lines are shown of each kind.
const MAX_SHOWN: usize = 10;

pub(super) fn list(guards: &[GuardView], terminal: Terminal) -> String {
    let broken = |text: &str, indents| paragraph(text, indents, terminal.width);
    let mut listing = String::new();
    for guard in guards {
        let head = format!("{}: {}", guard.name, guard.description);
        listing.push_str(&broken(&head, Indents::new("", "    ")));
        for option in &guard.options {
            let (name, default) = (&option.name, &option.default);
            let line = format!("--set {name}={default}  {}", option.description);
            listing.push_str(&broken(&line, Indents::new("    ", "        ")));
        }
        for source in &guard.used_at {
            let _ = writeln!(listing, "    in use: {}", visible(&source.to_string()));
        }
    }
    listing.push_str("Add one with: hookloop guards add NAME\n");
    listing
}

pub(super) fn describe_added(guard: &Guard, replaced: bool) -> String {
    let what = if replaced { "replaced" } else { "added" };
    format!(
        "The guard \"{}\" was {what}: {}\n",
        guard.name, guard.description
    )
}

pub(super) fn describe_removed(guard: &Guard) -> String {
    format!("The guard \"{}\" was removed.\n", guard.name)
}

pub(super) fn describe_measured(measured: &[MeasuredGuard]) -> String {
    let mut text = String::new();
    for MeasuredGuard { name, measured: it } in measured {
        let held_up = it.dangerous - it.missed.len();
        let _ = writeln!(
            text,
            "{name}: {held_up} of {} dangerous lines refused or asked about ({}), {} false alarms \
             on {} harmless lines ({})",
            it.dangerous,
            share(held_up, it.dangerous),
            it.false_alarms.len(),
            it.harmless,
            share(it.false_alarms.len(), it.harmless),
        );
        for (what, lines) in [("missed", &it.missed), ("false alarm", &it.false_alarms)] {
            for line in lines.iter().take(MAX_SHOWN) {
                let _ = writeln!(text, "    {what}: {}", visible(line));
            }
        }
    }
    text
}

/// Writes a share in percent, to a tenth.
fn share(part: usize, whole: usize) -> String {
    let tenths = (part * 1000).checked_div(whole).unwrap_or(0);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

pub(super) fn describe_judgements(said: &[GuardJudgement], terminal: Terminal) -> String {
    let broken = |text: &str, indents| paragraph(text, indents, terminal.width);
    let mut report = String::new();
    for GuardJudgement { guard, judgement } in said {
        let Some(strictest) = judgement.strictest() else {
            let _ = writeln!(report, "{}: no objection", guard.name);
            continue;
        };
        let _ = writeln!(report, "{}: {}", guard.name, decision(strictest));
        for verdict in &judgement.verdicts {
            let (rule, text) = (visible(&verdict.rule), visible(&verdict.text));
            let line = format!("{rule} ({}): {text}", decision(verdict));
            report.push_str(&broken(&line, Indents::new("    ", "        ")));
            for part in &verdict.because {
                let line = format!("since {}", visible(part));
                report.push_str(&broken(&line, Indents::new("        ", "            ")));
            }
        }
    }
    report
}
