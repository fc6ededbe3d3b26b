//! Files that we own completely.

use std::path::Path;

use hookloop_dialects::calls_bridge;
use serde_json::{Map, Value, json};

use super::forms::TIMEOUT;
use super::wrapper::command_for;
use crate::agent::Agent;
use crate::placing::Form;

/// The plugin for opencode; it gets the program and the agent's name.
const MODULE: &str = include_str!("opencode.js");

/// What our plugin says about itself.
pub(super) const DESCRIPTION: &str = "Calls the user's hooks";

/// Returns the text of a file of ours.
pub(super) fn text(agent: Agent, path: &Path, program: &Path) -> String {
    let installing = &agent.profile().installing;
    match installing.form {
        Form::GoosePlugin if path.ends_with("plugin.json") => pretty(&json!({
            "name": "hookloop",
            "version": "1.0.0",
            "description": DESCRIPTION,
        })),
        Form::GoosePlugin => {
            let hooks = by_event(agent, |event| {
                let mut handler = Map::from_iter([
                    ("type".to_owned(), Value::from("command")),
                    (
                        "command".to_owned(),
                        Value::from(command_for(agent, event, program)),
                    ),
                    ("timeout".to_owned(), Value::from(TIMEOUT)),
                ]);
                if agent.is_wrapped(event) {
                    handler.insert("on_failure".to_owned(), Value::from("block"));
                }
                json!([{ "hooks": [handler] }])
            });
            pretty(&json!({ "hooks": hooks }))
        }
        Form::Scripts => {
            let event = path.file_name().unwrap_or_default().to_string_lossy();
            format!("#!/bin/sh\n{}\n", command_for(agent, &event, program))
        }
        Form::Module => {
            let program = Value::from(program.to_string_lossy().into_owned());
            MODULE.replace("\"@program@\"", &program.to_string())
        }
        _ => {
            let hooks = by_event(agent, |event| {
                let command = command_for(agent, event, program);
                json!([{ "type": "command", "bash": command, "timeoutSec": TIMEOUT }])
            });
            pretty(&json!({ "version": 1, "hooks": hooks }))
        }
    }
}

/// Returns whether a text instead of one of our files is such a file, of any version: it does
/// nothing but call the bridge.
pub(super) fn is_ours(agent: Agent, path: &Path, text: &str) -> bool {
    match agent.profile().installing.form {
        Form::GoosePlugin if path.ends_with("plugin.json") => {
            let value: Value = serde_json::from_str(text).unwrap_or_default();
            value.get("description") == Some(&Value::from(DESCRIPTION))
                && has_only(&value, &["name", "version", "description"])
        }
        Form::Scripts => text
            .strip_prefix("#!/bin/sh\n")
            .is_some_and(|it| calls_bridge(it.trim())),
        Form::Module => text.starts_with(MODULE.lines().next().unwrap_or(MODULE)),
        _ => {
            let value: Value = serde_json::from_str(text).unwrap_or_default();
            has_only(&value, &["version", "hooks"]) && does_nothing_else(&value["hooks"])
        }
    }
}

fn has_only(value: &Value, keys: &[&str]) -> bool {
    let mut fields = value.as_object().into_iter().flatten();
    value.is_object() && fields.all(|(key, _)| keys.contains(&key.as_str()))
}

/// Returns whether there are commands, and each calls the bridge.
fn does_nothing_else(hooks: &Value) -> bool {
    let mut commands = Vec::new();
    collect(hooks, &mut commands);
    !commands.is_empty() && commands.into_iter().all(calls_bridge)
}

fn collect<'v>(value: &'v Value, commands: &mut Vec<&'v str>) {
    match value {
        Value::Array(all) => all.iter().for_each(|it| collect(it, commands)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if name == "bash" || name == "command" => {
                        commands.push(text);
                    }
                    other => collect(other, commands),
                }
            }
        }
        _ => {}
    }
}

fn by_event(agent: Agent, entry: impl Fn(&str) -> Value) -> Map<String, Value> {
    let events = agent.profile().installing.registered.iter();
    events
        .map(|event| ((*event).to_owned(), entry(event)))
        .collect()
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
