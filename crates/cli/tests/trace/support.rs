//! What tests of the trace have in common.

use std::path::PathBuf;

use hookloop_testkit::Finished;
use serde_json::{Value, json};

use crate::world::World;

/// The fields of a run, in order (`cli-json.md` §2).
pub(crate) const RUN: [&str; 22] = [
    "run_id",
    "session_id",
    "origin",
    "event",
    "hook_id",
    "label",
    "source",
    "started_at",
    "duration_ms",
    "ending",
    "result",
    "failure",
    "input",
    "stdout",
    "stderr",
    "truncated",
    "reply",
    "withheld_env",
    "dialect",
    "unknown_fields",
    "lost_refusal",
    "suppressed",
];

/// A hook with a name.
pub(crate) fn hook(name: &str, command: &str) -> Value {
    json!({ "type": "command", "name": name, "command": command })
}

/// Settings that make `BeforeTool` run hooks, in parallel.
pub(crate) fn before_tool(hooks: &[Value]) -> Value {
    json!({ "BeforeTool": [{ "hooks": hooks }] })
}

/// Fires an event, whatever the result.
pub(crate) fn fire(world: &World, arguments: &[&str]) -> Finished {
    let finished = world.hooks(&[&["fire"], arguments].concat());
    assert_ne!(finished.code, Some(1), "{}", finished.stderr);
    finished
}

/// Returns the runs that `hooks trace` shows.
pub(crate) fn runs(world: &World, arguments: &[&str]) -> Vec<Value> {
    let printed = world.json(&[&["trace"], arguments].concat());
    assert_eq!(printed.code, 0, "{}", printed.json);
    printed.json["runs"].as_array().unwrap().clone()
}

/// Returns one field of runs, as texts.
pub(crate) fn texts<'a>(runs: &'a [Value], field: &str) -> Vec<&'a str> {
    runs.iter()
        .map(|run| run[field].as_str().unwrap())
        .collect()
}

/// Runs a headless session with one answer of the model.
pub(crate) fn session(world: &World) -> Finished {
    let answer = json!({ "method": "generateContentStream", "response": [{ "candidates": [{
        "content": { "role": "model", "parts": [{ "text": "Hello." }] },
        "finishReason": "STOP", "index": 0,
    }] }] });
    let file = world.sandbox.root().join("answers.jsonl");
    std::fs::write(&file, format!("{answer}\n")).unwrap();
    let file = file.to_str().unwrap();
    world.run_with(&["--fake-responses", file, "-p", "hi"], &[], "")
}

/// Returns the databases below the home folder.
pub(crate) fn databases(world: &World) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![world.sandbox.home().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|name| name == "trace.sqlite") {
                found.push(path);
            }
        }
    }
    found
}
