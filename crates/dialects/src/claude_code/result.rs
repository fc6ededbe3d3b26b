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
        "Write" => json!({
            "type": "create",
            "filePath": call.argument("file_path"),
            "content": call.argument("content"),
        }),
        "Edit" => json!({
            "filePath": call.argument("file_path"),
            "oldString": call.argument("old_string"),
            "newString": call.argument("new_string"),
            "replaceAll": call.argument("replace_all") == Value::Bool(true),
        }),
        name if name.starts_with("mcp__") => json!([{"type": "text", "text": text}]),
        _ => Value::from(text),
    }
}
