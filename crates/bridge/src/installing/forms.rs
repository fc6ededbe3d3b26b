//! Entries in an agent's JSON files.

use std::path::Path;

use hookloop_dialects::calls_bridge;
use hookloop_settings::{Changed, EntryPlace, SettingsText};
use serde_json::{Map, Value, json};

use super::NotInstalled;
use super::wrapper::command_for;
use crate::agent::Agent;
use crate::placing::Form;

/// How long a call may take, in seconds: fixed, since a changed entry is an untrusted one (BR-22).
pub(super) const TIMEOUT: u64 = 600;

/// Adds our entries; what already exists and is correct stays where it is.
pub(super) fn add(
    agent: Agent,
    before: Option<&str>,
    program: &Path,
) -> Result<String, NotInstalled> {
    let mut text = read(before.unwrap_or_default())?;
    set_entries(agent, &mut text, entries(agent, program))?;
    Ok(text.as_str().to_owned())
}

/// Puts our entries into a text, by event, and removes any others of ours.
pub(super) fn set_entries(
    agent: Agent,
    text: &mut SettingsText,
    wanted: Vec<(String, Value)>,
) -> Result<(), NotInstalled> {
    let place = match agent.profile().installing.form {
        Form::Groups { first: true, .. } => EntryPlace::First,
        _ => EntryPlace::Last,
    };
    if is_whole(text, &wanted, place)? {
        return Ok(());
    }
    drop_ours(text)?;
    if agent.profile().installing.form == Form::Flat {
        let has_version = fault(text.to_value())?.get("version").is_some();
        if !has_version {
            let _ = fault(text.set(&["version"], &json!(1)))?;
        }
    }
    for (event, entry) in wanted {
        let _: Changed = fault(text.add_entry(&["hooks", &event], &entry, place))?;
    }
    Ok(())
}

/// Returns whether our entries are in a text, each once and in its place. The person decides the
/// order of the events.
fn is_whole(
    text: &SettingsText,
    wanted: &[(String, Value)],
    place: EntryPlace,
) -> Result<bool, NotInstalled> {
    let sorted = |entries: &[(String, Value)]| {
        let texts = entries
            .iter()
            .map(|(event, entry)| (event.clone(), entry.to_string()));
        let mut texts: Vec<(String, String)> = texts.collect();
        texts.sort();
        texts
    };
    if sorted(&our_entries(text)?) != sorted(wanted) {
        return Ok(false);
    }
    // Ours comes first, because an index may be part of the agent's trust.
    let value = fault(text.to_value())?;
    let is_first = |(event, _): &(String, Value)| {
        let first = value.pointer(&format!("/hooks/{event}/0"));
        let first = first.map(|it| it.pointer("/hooks/0").unwrap_or(it));
        first.is_some_and(is_call)
    };
    Ok(place == EntryPlace::Last || wanted.iter().all(is_first))
}

/// Removes our entries.
pub(super) fn remove(before: &str) -> Result<Option<String>, NotInstalled> {
    let mut text = read(before)?;
    drop_ours(&mut text)?;
    Ok(Some(text.as_str().to_owned()))
}

/// Removes our entries from a text.
pub(super) fn drop_ours(text: &mut SettingsText) -> Result<(), NotInstalled> {
    let _: Changed = fault(text.remove_entries("hooks", is_ours))?;
    // A person may have added handlers beside ours.
    let _: Changed = fault(text.remove_hooks_where(is_call))?;
    Ok(())
}

/// Returns our entries in a text, in order; a group as if it only contained ours.
fn our_entries(text: &SettingsText) -> Result<Vec<(String, Value)>, NotInstalled> {
    let value = fault(text.to_value())?;
    let events = value.get("hooks").and_then(Value::as_object);
    let mut found = Vec::new();
    for (event, list) in events.into_iter().flatten() {
        let ours = list.as_array().into_iter().flatten();
        let ours = ours.filter_map(our_part);
        found.extend(ours.map(|it| (event.clone(), it)));
    }
    Ok(found)
}

/// Returns the part of an entry that calls the bridge; `None` if none does.
fn our_part(entry: &Value) -> Option<Value> {
    let mut entry = entry.clone();
    let Some(handlers) = entry.get_mut("hooks").and_then(Value::as_array_mut) else {
        return is_call(&entry).then_some(entry);
    };
    handlers.retain(is_call);
    (!handlers.is_empty()).then_some(entry)
}

/// Returns whether an entry does nothing but call the bridge.
fn is_ours(entry: &Value) -> bool {
    match entry.get("hooks").and_then(Value::as_array) {
        Some(handlers) => !handlers.is_empty() && handlers.iter().all(is_call),
        None => is_call(entry),
    }
}

/// Returns whether a handler does nothing but call the bridge.
fn is_call(handler: &Value) -> bool {
    let command = handler.get("command").and_then(Value::as_str);
    command.is_some_and(calls_bridge)
}

/// Returns the entries of an agent, by event.
pub(super) fn entries(agent: Agent, program: &Path) -> Vec<(String, Value)> {
    let installing = &agent.profile().installing;
    let entry = |event: &&str| {
        let command = command_for(agent, event, program);
        let entry = match installing.form {
            Form::Groups { units, .. } => {
                let handler = Map::from_iter([
                    ("type".to_owned(), Value::from("command")),
                    ("command".to_owned(), Value::from(command)),
                    ("timeout".to_owned(), Value::from(TIMEOUT * units)),
                ]);
                json!({ "hooks": [handler] })
            }
            _ => json!({ "command": command, "timeout": TIMEOUT }),
        };
        ((*event).to_owned(), entry)
    };
    installing.registered.iter().map(entry).collect()
}

/// Reads the text of a file.
pub(super) fn read(text: &str) -> Result<SettingsText, NotInstalled> {
    if text.starts_with('\u{feff}') {
        let what = "the file begins with a byte order mark, which may keep the agent from reading \
                    it; save it as UTF-8 without one";
        return Err(NotInstalled::of(what));
    }
    fault(SettingsText::new(text))
}

/// Adds why an edit failed.
pub(super) fn fault<T>(result: Result<T, hookloop_settings::EditFault>) -> Result<T, NotInstalled> {
    result.map_err(|fault| NotInstalled::of(fault.to_string()))
}
