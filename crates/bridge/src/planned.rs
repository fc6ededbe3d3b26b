//! Tool calls in our format.

use serde_json::{Map, Value};

/// A tool call in our format.
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
    /// These calls of the agent's own tools, by name and arguments.
    Theirs(Vec<(String, Map<String, Value>)>),
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

    /// Returns what a call of ours lacks without which nobody can judge it.
    pub(crate) fn lacks(&self) -> Option<&'static str> {
        match self.tool.as_str() {
            "run_shell_command" if self.text("command").is_none() => Some("command"),
            "write_file" | "replace" if self.text("file_path").is_none() => Some("path of a file"),
            _ => None,
        }
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).and_then(Value::as_str)
    }
}

/// How the parts of an edit are called in a list of them.
pub(crate) struct EditWords<'w> {
    /// The text that must be there.
    pub(crate) old: &'w str,
    /// The text in its place.
    pub(crate) new: &'w str,
    /// The file, where a part names one of its own.
    pub(crate) file: Option<&'w str>,
}

/// Takes a list of edits of a file apart: one call of ours for each (BR-10).
pub(crate) fn split_edits(path: Option<&Value>, edits: &Value, words: &EditWords<'_>) -> Split {
    let one = std::slice::from_ref(edits);
    let edits = edits.as_array().map_or(one, Vec::as_slice);
    let call = |path: &Value, edit: &Value| {
        let text = |name: &str| edit.get(name).cloned().unwrap_or_default();
        PlannedCall {
            tool: "replace".to_owned(),
            arguments: Map::from_iter([
                ("file_path".to_owned(), path.clone()),
                ("old_string".to_owned(), text(words.old)),
                ("new_string".to_owned(), text(words.new)),
            ]),
        }
    };
    let calls = edits.iter().flat_map(|edit| {
        let own = words.file.and_then(|name| edit.get(name));
        let own = own.filter(|it| Some(*it) != path);
        path.into_iter()
            .chain(own)
            .map(move |path| call(path, edit))
    });
    Split::Calls(calls.collect())
}
