//! A call's arguments in one line.

use hookloop_events::{ToolArguments, telling_argument};

use hookloop_text::shorten::{path_to_columns, to_columns};
use hookloop_text::visible_row;
use serde_json::Value;

/// What a call is about, in a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    text: String,
    subject: Subject,
}

/// What a summary consists of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Subject {
    /// The path of a file or folder: its end says the most.
    Path,
    #[default]
    Other,
}

/// The arguments that are paths.
const PATHS: [&str; 2] = ["file_path", "dir_path"];

impl Summary {
    /// Sums up the arguments of a call.
    pub(crate) fn of(arguments: &ToolArguments) -> Self {
        let telling = telling_argument(arguments);
        let paths = PATHS.iter().filter_map(|it| arguments.get(*it)?.as_str());
        let is_path = telling.is_some_and(|it| paths.into_iter().any(|path| path == it));
        Self {
            text: summary(arguments),
            subject: if is_path {
                Subject::Path
            } else {
                Subject::Other
            },
        }
    }

    /// Returns as much as fits, with a blank in front; nothing if there is nothing to say.
    pub(crate) fn within(&self, columns: usize) -> String {
        let room = columns.saturating_sub(1);
        if self.text.is_empty() || room == 0 {
            return String::new();
        }
        let short = match self.subject {
            Subject::Path => path_to_columns(&self.text, room),
            Subject::Other => to_columns(&self.text, room),
        };
        format!(" {short}")
    }
}

#[cfg(test)]
impl From<&str> for Summary {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            subject: Subject::Other,
        }
    }
}

fn summary(arguments: &ToolArguments) -> String {
    let telling = telling_argument(arguments)
        .or_else(|| {
            // The model's first question.
            let question = arguments.get("questions")?.get(0)?.get("question")?;
            question.as_str()
        })
        .or_else(|| current_todo(arguments.get("todos")?));
    match telling {
        Some(text) => visible_row(text.trim()),
        None if arguments.is_empty() => String::new(),
        None => visible_row(&serde_json::to_string(arguments).unwrap_or_default()),
    }
}

/// Returns the current item of a to-do list; `None` if there isn't one.
fn current_todo(todos: &Value) -> Option<&str> {
    let mut items = todos.as_array()?.iter();
    let current = items.find(|it| it["status"] == "in_progress");
    current.map_or(Some(""), |it| it["description"].as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// TU-1: a call shows its most informative argument, on one line.
    #[test]
    fn the_telling_argument_is_shown() {
        for (arguments, expected) in [
            (
                json!({"description": "x", "command": "ls\n-la\x1b"}),
                "ls⏎-la\\u{1b}",
            ),
            (json!({"content": "x", "file_path": "a.txt"}), "a.txt"),
            (json!({"fact": "x"}), "{\"fact\":\"x\"}"),
            (json!({"questions": [{"question": "Why?"}]}), "Why?"),
            (
                json!({"todos": [
                    {"description": "a", "status": "completed"},
                    {"description": "b", "status": "in_progress"},
                ]}),
                "b",
            ),
            (json!({"todos": []}), ""),
            (json!({}), ""),
        ] {
            assert_eq!(summary(arguments.as_object().unwrap()), expected);
        }
    }

    /// TU-1, TU-4: of a long path the file's name is seen, and of anything else the beginning.
    #[test]
    fn the_end_of_a_path_is_shown() {
        let of = |arguments: Value| Summary::of(arguments.as_object().unwrap());
        let path = "/home/ana/shop/src/of the shop/total.rs";
        for name in PATHS {
            let mut arguments = json!({"content": "x"});
            arguments[name] = json!(path);
            let shown = of(arguments).within(24);
            assert!(shown.starts_with(" /home"), "{shown}");
            assert!(shown.ends_with("/total.rs"), "{shown}");
        }
        let shown = of(json!({"command": path})).within(24);
        assert!(shown.ends_with('…'), "{shown}");
        assert_eq!(of(json!({"file_path": "a.rs"})).within(24), " a.rs");
        assert_eq!(of(json!({})).within(24), "");
    }
}
