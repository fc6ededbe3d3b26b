//! Calls in our words.

use hookloop_dialects::patch::Patched;
use hookloop_shell::quote;
use serde_json::{Map, Value};

/// A call in our words.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedCall {
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub arguments: Map<String, Value>,
}

/// What a call of theirs is here.
#[derive(Debug)]
pub(crate) enum Split {
    /// One call, by the table of tools.
    Whole,
    /// These calls, in the order in which they happen.
    Calls(Vec<PlannedCall>),
    /// Nobody knows what it would do, for this reason.
    Unclear(String),
}

impl PlannedCall {
    /// Makes a call of a tool with texts for arguments.
    pub(crate) fn of(tool: &str, arguments: &[(&str, &str)]) -> Self {
        let arguments = arguments.iter();
        Self {
            tool: tool.to_owned(),
            arguments: arguments
                .map(|(name, text)| ((*name).to_owned(), Value::from(*text)))
                .collect(),
        }
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).and_then(Value::as_str)
    }
}

/// Makes our calls of what a patch does to files (BR-10).
pub(crate) fn of_patch(files: Vec<Patched>) -> Vec<PlannedCall> {
    let calls = files.into_iter().map(|file| match file {
        Patched::Added { path, content } => {
            PlannedCall::of("write_file", &[("file_path", &path), ("content", &content)])
        }
        Patched::Changed { path, old, new } => PlannedCall::of(
            "replace",
            &[
                ("file_path", &path),
                ("old_string", &old),
                ("new_string", &new),
            ],
        ),
        Patched::Deleted { path } => shell(&["rm", "--", &path]),
        Patched::Moved { from, to } => shell(&["mv", "--", &from, &to]),
    });
    calls.collect()
}

fn shell(words: &[&str]) -> PlannedCall {
    let words: Vec<String> = words.iter().map(|word| quote(word).to_string()).collect();
    PlannedCall::of("run_shell_command", &[("command", &words.join(" "))])
}
