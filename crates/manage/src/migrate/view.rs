//! The result of a migration, as JSON (CM-7).

use hookloop_dialects::Item;
use hookloop_events::EventName;
use hookloop_hook::{Position, Source};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Migrated, Writing};
use crate::view::texts;

/// What happened to each hook, and what is added, as JSON.
#[derive(Debug, Serialize)]
pub struct MigrationView<'a> {
    dry_run: bool,
    target: String,
    sources: Vec<String>,
    items: Vec<ItemView<'a>>,
    settings: &'a Map<String, Value>,
}

#[derive(Debug, Serialize)]
struct ItemView<'a> {
    result: &'static str,
    source: Source,
    event_from: Option<&'a str>,
    event_to: Option<EventName>,
    matcher_from: Option<&'a str>,
    matcher_to: Option<&'a str>,
    command: Option<&'a str>,
    message: Option<&'a str>,
}

impl<'a> MigrationView<'a> {
    /// Creates the view of a migration.
    pub fn new(migrated: &'a Migrated) -> Self {
        Self {
            dry_run: migrated.wishes.writing == Writing::Nothing,
            target: migrated.target.to_string_lossy().into_owned(),
            sources: texts(&migrated.sources),
            items: migrated.migration.items.iter().map(item).collect(),
            settings: &migrated.added,
        }
    }
}

fn item(item: &Item) -> ItemView<'_> {
    ItemView {
        result: item.result.as_str(),
        source: item_source(item),
        event_from: item.event_from.as_deref(),
        event_to: item.event_to,
        matcher_from: item.matcher_from.as_deref(),
        matcher_to: item.matcher_to.as_deref(),
        command: item.command.as_deref(),
        message: item.message.as_deref(),
    }
}

/// Returns the place of an item's hook or switch.
pub fn item_source(item: &Item) -> Source {
    Source::of_file(item.source.path.as_path()).at(Position {
        line: item.source.line,
        column: item.source.column,
    })
}
