//! Tables in Kimi's TOML file.

use std::path::Path;

use hookloop_dialects::calls_bridge;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, TableLike, value};

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
    let sorted = |mut all: Vec<(String, String)>| {
        all.sort();
        all
    };
    let present = tables
        .iter()
        .filter(|it| is_ours(it))
        .map(describe)
        .collect();
    if sorted(present) == sorted(wanted.clone()) {
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
    Ok(in_lines_of(
        before.unwrap_or_default(),
        document.to_string(),
    ))
}

/// Uses the line ends of the person's text.
fn in_lines_of(before: &str, after: String) -> String {
    if before.contains("\r\n") {
        after.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        after
    }
}

/// Removes our tables.
pub(super) fn remove(before: &str) -> Result<Option<String>, NotInstalled> {
    let mut document = read(before)?;
    let tables = document.get_mut("hooks");
    let Some(tables) = tables.and_then(Item::as_array_of_tables_mut) else {
        return Ok(Some(before.to_owned()));
    };
    if !tables.iter().any(is_ours) {
        return Ok(Some(before.to_owned()));
    }
    tables.retain(|it| !is_ours(it));
    if tables.is_empty() {
        document.remove("hooks");
    }
    Ok(Some(in_lines_of(before, document.to_string())))
}

fn read(text: &str) -> Result<DocumentMut, NotInstalled> {
    text.parse()
        .map_err(|error: toml_edit::TomlError| NotInstalled::of(error.to_string()))
}

fn hooks(document: &mut DocumentMut) -> Result<&mut ArrayOfTables, NotInstalled> {
    let item = document
        .entry("hooks")
        .or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    if item.as_array().is_some_and(toml_edit::Array::is_empty) {
        *item = Item::ArrayOfTables(ArrayOfTables::new());
    }
    item.as_array_of_tables_mut()
        .ok_or_else(|| NotInstalled::of("`hooks` must be a list of tables, `[[hooks]]`"))
}

fn describe(table: &Table) -> (String, String) {
    let text = |name: &str| table.get(name).and_then(Item::as_str).unwrap_or_default();
    (text("event").to_owned(), text("command").to_owned())
}

fn is_ours(table: &Table) -> bool {
    calls_bridge(&describe(table).1)
}

/// Finds the key in a `config.toml` that switches off Codex's hooks, in any spelling: for all, or
/// in a profile (BR-3).
///
/// # Errors
/// The text isn't TOML.
pub fn codex_switch(text: &str) -> Result<Option<String>, NotInstalled> {
    let document = read(text)?;
    let in_features = |table: &dyn TableLike, before: &str| {
        let features = table.get("features")?.as_table_like()?;
        let is_off = |name: &&str| {
            let value = features.get(name);
            value.is_some_and(|it| it.as_bool() != Some(true))
        };
        let off = ["hooks", "codex_hooks"].into_iter().find(is_off)?;
        Some(format!("{before}features.{off}"))
    };
    let of_all = in_features(document.as_table(), "");
    let profiles = document.get("profiles").and_then(Item::as_table_like);
    let of_profile = || {
        let mut profiles = profiles.into_iter().flat_map(|it| it.iter());
        profiles.find_map(|(name, profile)| {
            in_features(profile.as_table_like()?, &format!("profiles.{name}."))
        })
    };
    Ok(of_all.or_else(of_profile))
}
