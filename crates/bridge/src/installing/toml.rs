//! Tables in Kimi's TOML file.

use std::path::Path;

use hookloop_dialects::calls_bridge;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use super::NotInstalled;
use super::forms::TIMEOUT;
use super::wrapper::command_for;
use crate::agent::Agent;

/// Adds our tables.
pub(super) fn add(
    agent: Agent,
    before: Option<&str>,
    program: &Path,
) -> Result<String, NotInstalled> {
    let mut document = read(before.unwrap_or_default())?;
    let events = agent.profile().installing.registered;
    let wanted: Vec<(String, String)> = events
        .iter()
        .map(|event| ((*event).to_owned(), command_for(agent, event, program)))
        .collect();
    let tables = hooks(&mut document)?;
    let present: Vec<(String, String)> = tables.iter().filter(|it| is_ours(it)).map(said).collect();
    if present == wanted {
        return Ok(before.unwrap_or_default().to_owned());
    }
    tables.retain(|it| !is_ours(it));
    for (event, command) in wanted {
        let mut table = Table::new();
        table.insert("event", value(event));
        table.insert("command", value(command));
        let seconds = i64::try_from(TIMEOUT).unwrap_or(i64::MAX);
        table.insert("timeout", value(seconds));
        tables.push(table);
    }
    Ok(document.to_string())
}

/// Takes our tables out.
pub(super) fn remove(before: &str) -> Result<Option<String>, NotInstalled> {
    let mut document = read(before)?;
    let tables = hooks(&mut document)?;
    tables.retain(|it| !is_ours(it));
    if tables.is_empty() {
        document.remove("hooks");
    }
    Ok(Some(document.to_string()))
}

fn read(text: &str) -> Result<DocumentMut, NotInstalled> {
    text.parse()
        .map_err(|error: toml_edit::TomlError| NotInstalled::of(error.to_string()))
}

fn hooks(document: &mut DocumentMut) -> Result<&mut ArrayOfTables, NotInstalled> {
    let item = document
        .entry("hooks")
        .or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    item.as_array_of_tables_mut()
        .ok_or_else(|| NotInstalled::of("`hooks` must be a list of tables, `[[hooks]]`"))
}

fn said(table: &Table) -> (String, String) {
    let text = |name: &str| table.get(name).and_then(Item::as_str).unwrap_or_default();
    (text("event").to_owned(), text("command").to_owned())
}

fn is_ours(table: &Table) -> bool {
    calls_bridge(&said(table).1)
}
