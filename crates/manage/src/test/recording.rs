//! Turns a recorded run into a test.

use std::path::{Path, PathBuf};

use hookloop_session::Workspace;
use serde_json::{Map, Value, json};

use super::write;
use crate::Task;
use crate::failure::{CommandFailure, FailureCode};
use crate::trace::{Recorded, find_recorded};

/// The fields of a payload that are specific to a session on one machine. They are left out, and
/// realistic values replace them.
const OF_THE_SESSION: [&str; 5] = [
    "session_id",
    "transcript_path",
    "cwd",
    "hook_event_name",
    "timestamp",
];

/// Where a new test is.
#[derive(Debug, Clone, Copy)]
pub struct TestPlace<'a> {
    /// The folder of the tests.
    pub folder: &'a Path,
    /// The test's name.
    pub name: &'a str,
}

/// Writes the payload of a recorded firing, and its result then, as a test.
pub fn record_test(
    task: Task<'_>,
    workspace: &Workspace,
    run_id: &str,
    place: TestPlace<'_>,
) -> Result<Vec<PathBuf>, CommandFailure> {
    let TestPlace { folder, name } = place;
    check_name(name)?;
    let recorded = find_recorded(workspace, task.environment, run_id)?;
    if recorded.runs.iter().any(|run| run["suppressed"] == true) {
        let message = "a hook of this run keeps its content out of the trace (suppressOutput), so \
                       its result isn't known";
        return Err(CommandFailure::bad_input(message));
    }
    let folder = folder.join(recorded.event.as_str()).join(name);
    if folder.exists() {
        let message = format!("{} exists, and won't be overwritten", folder.display());
        return Err(CommandFailure::new(FailureCode::AlreadyExists, message));
    }
    let expected = expectation(&recorded);
    let mut input = recorded.input;
    input.retain(|key, _| !OF_THE_SESSION.contains(&key.as_str()));
    let files = [
        (folder.join("input.json"), Value::Object(input)),
        (folder.join("expect.json"), expected),
    ];
    let mut written = Vec::new();
    for (file, value) in files {
        write(&file, &format!("{value:#}\n"))?;
        written.push(file);
    }
    Ok(written)
}

/// Rejects names that aren't a folder's name.
fn check_name(name: &str) -> Result<(), CommandFailure> {
    let is_plain = |it: char| it.is_alphanumeric() || "-_. ".contains(it);
    if !name.is_empty() && !name.starts_with('.') && name.chars().all(is_plain) {
        return Ok(());
    }
    let message = format!("\"{name}\" can't be the name of a folder; use letters, digits, - and _");
    Err(CommandFailure::bad_input(message))
}

/// Expects the result of the runs then: the verdict, and each hook's result, ending and reply.
fn expectation(recorded: &Recorded) -> Value {
    let has = |result: &str| recorded.runs.iter().any(|run| run["result"] == result);
    let verdict = if has("stopped") {
        "stopped"
    } else if has("refused") || has("ask") {
        "refused"
    } else {
        "proceed"
    };
    let mut hooks = Map::new();
    for run in &recorded.runs {
        let Some(label) = run["label"].as_str() else {
            continue;
        };
        let expected = json!({
            "result": run["result"],
            "ending": run["ending"],
            "reply": run["reply"],
        });
        hooks.insert(label.to_owned(), expected);
    }
    json!({ "verdict": verdict, "hooks": hooks })
}
