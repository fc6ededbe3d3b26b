//! Results in the shapes that the tools of Claude Code have.

use serde_json::{Value, json};

use crate::foreign::call::Call;

/// Writes the result of a call in the shape of their tool.
pub(super) fn of(call: &Call<'_>) -> Value {
    let text = call.output();
    match call.name() {
        "Bash" => json!({
            "stdout": text,
            "stderr": "",
            "interrupted": false,
            "isImage": false,
        }),
        "Read" => json!({
            "type": "text",
            "file": {"filePath": call.argument("file_path"), "content": text},
        }),
        "Write" => {
            let before = before(call);
            json!({
                "type": if before.is_null() { "create" } else { "update" },
                "filePath": call.argument("file_path"),
                "content": call.argument("content"),
                "originalFile": before,
            })
        }
        "Edit" => {
            let mut result = json!({
                "filePath": call.argument("file_path"),
                "oldString": call.argument("old_string"),
                "newString": call.argument("new_string"),
                "replaceAll": call.argument("replace_all") == Value::Bool(true),
            });
            let before = before(call);
            if !before.is_null() {
                result["originalFile"] = before;
            }
            result
        }
        name if name.starts_with("mcp__") => json!([{"type": "text", "text": text}]),
        _ => Value::from(text),
    }
}

/// Returns what a file held before it was written; null where there was none, or nobody says.
fn before(call: &Call<'_>) -> Value {
    let was_there = call.shown("isNewFile") == Some(&Value::Bool(false));
    let content = call.shown("originalContent").filter(|_| was_there);
    content.cloned().unwrap_or(Value::Null)
}
