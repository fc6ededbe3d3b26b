//! Files that are ours alone.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::forms::TIMEOUT;
use super::wrapper::command_for;
use crate::agent::Agent;
use crate::placing::Form;

/// The plugin for opencode; it is given the program and the agent's word.
const MODULE: &str = include_str!("opencode.js");

/// What a plugin of ours says of itself.
pub(super) const DESCRIPTION: &str = "Calls the person's hooks";

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

fn by_event(agent: Agent, entry: impl Fn(&str) -> Value) -> Map<String, Value> {
    let events = agent.profile().installing.registered.iter();
    events
        .map(|event| ((*event).to_owned(), entry(event)))
        .collect()
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
