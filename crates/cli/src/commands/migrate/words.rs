//! The result of a migration, as text for people (CM-7).

use hookloop_dialects::{Item, MigrationResult};
use hookloop_manage::{Migrated, Scope, Writing, item_source};
use hookloop_text::{Indents, Style, Terminal, counted, paragraph, visible};

/// The results, best first, with their wording.
const RESULTS: [(MigrationResult, &str, Style); 5] = [
    (MigrationResult::Converted, "Converted", Style::Good),
    (
        MigrationResult::Approximated,
        "Approximated",
        Style::Warning,
    ),
    (
        MigrationResult::WillNotWork,
        "Won't work unchanged",
        Style::Error,
    ),
    (MigrationResult::NotPossible, "Not possible", Style::Error),
    (MigrationResult::AlreadyThere, "Already there", Style::Faint),
];

/// Formats for every hook what happened to it, and why.
pub(crate) fn migrated(migrated: &Migrated, terminal: Terminal) -> String {
    let mut text = String::new();
    for (result, heading, style) in RESULTS {
        let items = migrated.migration.items.iter();
        let items: Vec<&Item> = items.filter(|item| item.result == result).collect();
        if items.is_empty() {
            continue;
        }
        let heading = terminal.palette.paint(style, heading);
        text.extend([format!("{heading} ({})\n", items.len())]);
        for item in items {
            text.push_str(&describe_item(item, terminal));
        }
    }
    if migrated.migration.items.is_empty() {
        text.push_str("No hooks were found.\n");
    }
    text + &ending(migrated)
}

fn describe_item(item: &Item, terminal: Terminal) -> String {
    let events = match (&item.event_from, item.event_to) {
        (Some(from), Some(to)) if from == to.as_str() => visible(from),
        (Some(from), Some(to)) => format!("{} -> {to}", visible(from)),
        (Some(from), None) => visible(from),
        (None, _) => "setting".to_owned(),
    };
    let mut text = format!("  {events}");
    match (&item.matcher_from, &item.matcher_to) {
        (Some(from), Some(to)) if from != to => {
            text.extend([format!(" ({} -> {})", visible(from), visible(to))]);
        }
        (Some(matcher), _) | (None, Some(matcher)) => {
            text.extend([format!(" ({})", visible(matcher))]);
        }
        (None, None) => {}
    }
    if let Some(command) = &item.command {
        text.extend([format!(": {}", visible(command))]);
    }
    text.push('\n');
    let place = visible(&item_source(item).to_string());
    text.push_str(&paragraph(&place, Indents::all("      "), terminal.width));
    if let Some(message) = &item.message {
        text.push_str(&paragraph(
            &visible(message),
            Indents::all("      "),
            terminal.width,
        ));
    }
    text
}

fn ending(migrated: &Migrated) -> String {
    let target = visible(&migrated.target.to_string_lossy());
    let count = migrated.migration.additions().count();
    let hooks = counted(count, "hook");
    let next = match migrated.wishes.scope {
        Scope::User => {
            "They run in every project from now on; list them with `hookloop hooks list`"
        }
        Scope::Project => {
            "They don't run until they are trusted: review them with `hookloop hooks review`, \
             then run `hookloop hooks trust`"
        }
    };
    match (count, migrated.wishes.writing) {
        (0, _) => format!("Nothing to add to {target}\n"),
        (_, Writing::Nothing) => {
            format!("{hooks} would be added to {target}; nothing was written\n")
        }
        (_, Writing::Settings) => format!("{hooks} added to {target}\n{next}\n"),
    }
}
