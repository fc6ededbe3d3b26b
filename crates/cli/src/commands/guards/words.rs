//! The output of the commands for guards, as text for people.

use std::fmt::Write as _;

use hookloop_manage::{GuardJudgement, GuardView, MeasuredGuard, decision};
use hookloop_rules::Guard;
use hookloop_text::{Indents, Terminal, paragraph, visible};

/// How many missed lines are shown of each kind.
const MAX_SHOWN: usize = 10;

pub(super) fn list(guards: &[GuardView], terminal: Terminal) -> String {
    let broken = |text: &str, indents| paragraph(text, indents, terminal.width);
    let mut told = String::new();
    for guard in guards {
        let head = format!("{}: {}", guard.name, guard.description);
        told.push_str(&broken(&head, Indents::new("", "    ")));
        for option in &guard.options {
            let (name, default) = (&option.name, &option.default);
            let line = format!("--set {name}={default}  {}", option.description);
            told.push_str(&broken(&line, Indents::new("    ", "        ")));
        }
        for source in &guard.used_at {
            let _ = writeln!(told, "    in use: {}", visible(&source.to_string()));
        }
    }
    told.push_str("Add one with: hookloop guards add NAME\n");
    told
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
    let mut told = String::new();
    for MeasuredGuard { name, measured: it } in measured {
        let held_up = it.dangerous - it.missed.len();
        let _ = writeln!(
            told,
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
                let _ = writeln!(told, "    {what}: {}", visible(line));
            }
        }
    }
    told
}

/// Writes a share in percent, to a tenth.
fn share(part: usize, whole: usize) -> String {
    let tenths = (part * 1000).checked_div(whole).unwrap_or(0);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

pub(super) fn describe_judgements(said: &[GuardJudgement], terminal: Terminal) -> String {
    let broken = |text: &str, indents| paragraph(text, indents, terminal.width);
    let mut told = String::new();
    for GuardJudgement { guard, judgement } in said {
        let Some(strictest) = judgement.strictest() else {
            let _ = writeln!(told, "{}: no objection", guard.name);
            continue;
        };
        let _ = writeln!(told, "{}: {}", guard.name, decision(strictest));
        for verdict in &judgement.verdicts {
            let (rule, text) = (visible(&verdict.rule), visible(&verdict.text));
            let line = format!("{rule} ({}): {text}", decision(verdict));
            told.push_str(&broken(&line, Indents::new("    ", "        ")));
            for part in &verdict.because {
                let line = format!("since {}", visible(part));
                told.push_str(&broken(&line, Indents::new("        ", "            ")));
            }
        }
    }
    told
}
