//! A call's arguments in one line.

use hookloop_events::{ToolArguments, telling_argument};

use hookloop_text::visible_row;
use serde_json::Value;

/// Returns what a call is about, in a line.
pub(crate) fn summary(arguments: &ToolArguments) -> String {
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

/// Returns what a list of things to do says is being done; nothing where that isn't reported.
fn current_todo(todos: &Value) -> Option<&str> {
    let mut items = todos.as_array()?.iter();
    let current = items.find(|it| it["status"] == "in_progress");
    current.map_or(Some(""), |it| it["description"].as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::summary;

    /// TU-1: a call shows what it is about, on one line.
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
}
