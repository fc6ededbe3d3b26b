//! Tool results in the format of Claude Code.

use serde_json::{Map, Value, json};

use crate::foreign::call::Call;

/// Writes the result of a call in the shape of their tool.
pub(super) fn of(call: &Call<'_>) -> Value {
    match call.name() {
        "Bash" => {
            let mut result = json!({
                "stdout": null,
                "stderr": "",
                "interrupted": false,
                "isImage": false,
                "noOutputExpected": false,
            });
            // It may be long, and the macro would copy it.
            result["stdout"] = Value::from(call.output());
            result
        }
        "Read" => json!({"type": "text", "file": read(call)}),
        "Write" => {
            let before = previous_content(call);
            let mut result = json!({
                "type": if before.is_null() { "create" } else { "update" },
                "filePath": call.argument("file_path"),
                "content": call.argument("content"),
                "originalFile": before,
                "userModified": false,
            });
            let is_new = result["originalFile"].is_null();
            let hunks = if is_new { Some(json!([])) } else { hunks(call) };
            result["structuredPatch"] = hunks.unwrap_or_else(|| json!([]));
            result
        }
        "Edit" => {
            let mut result = json!({
                "filePath": call.argument("file_path"),
                "oldString": call.argument("old_string"),
                "newString": call.argument("new_string"),
                "userModified": false,
                "replaceAll": call.argument("replace_all") == Value::Bool(true),
            });
            let before = previous_content(call);
            if !before.is_null() {
                result["originalFile"] = before;
            }
            if let Some(hunks) = hunks(call) {
                result["structuredPatch"] = hunks;
            }
            result
        }
        "Agent" => json!({
            "status": "completed",
            "prompt": call.argument("prompt"),
            "content": [{"type": "text", "text": call.output()}],
        }),
        name if name.starts_with("mcp__") => json!([{"type": "text", "text": call.output()}]),
        _ => Value::from(call.output()),
    }
}

/// What separates the note about an excerpt from the excerpt.
const EXCERPT: &str = "--- FILE CONTENT (truncated) ---\n";

/// Returns what was read of a file: its text, without our tool's note about it, and where it is in
/// the file. For several files, the places of their lines aren't known.
fn read(call: &Call<'_>) -> Value {
    let output = call.output();
    let mut file = Map::from_iter([("filePath".to_owned(), call.argument("file_path"))]);
    if call.tool != "read_file" {
        file.insert("content".to_owned(), Value::from(output));
        return Value::Object(file);
    }
    let lines = |text: &str| text.split('\n').count() as u64;
    let (notice, content) = match output.split_once(EXCERPT) {
        Some((notice, content)) if notice.starts_with("IMPORTANT: ") => {
            // The line end of the last line that is shown isn't part of the excerpt there.
            (notice, content.strip_suffix('\n').unwrap_or(content))
        }
        _ if is_empty_file(&output) => ("", ""),
        _ => ("", output.as_str()),
    };
    let (first, total) = match shown_lines(notice) {
        Some((first, total)) => (first, Some(total)),
        None => (1, notice.is_empty().then(|| lines(content))),
    };
    file.insert("content".to_owned(), Value::from(content));
    file.insert("numLines".to_owned(), Value::from(lines(content)));
    file.insert("startLine".to_owned(), Value::from(first));
    file.extend(total.map(|total| ("totalLines".to_owned(), Value::from(total))));
    Value::Object(file)
}

/// Returns whether a text is our tool's note about an empty file.
fn is_empty_file(text: &str) -> bool {
    text.starts_with("(The file ") && text.ends_with(" is empty.)") && !text.contains('\n')
}

/// Reads from the note about an excerpt which line it begins with, and how many there are.
fn shown_lines(notice: &str) -> Option<(u64, u64)> {
    let (_, rest) = notice.split_once("Status: Showing lines ")?;
    let (first, rest) = rest.split_once('-')?;
    let (_, rest) = rest.split_once(" of ")?;
    let (total, _) = rest.split_once(' ')?;
    Some((first.parse().ok()?, total.parse().ok()?))
}

/// Returns what a file contained before it was written; null if there was none, or that isn't
/// known.
fn previous_content(call: &Call<'_>) -> Value {
    let was_there = call.shown("isNewFile") == Some(&Value::Bool(false));
    let content = call.shown("originalContent").filter(|_| was_there);
    content.cloned().unwrap_or(Value::Null)
}

/// Returns the change of a file in parts, as their tools report it; nothing if the change isn't
/// shown completely.
fn hunks(call: &Call<'_>) -> Option<Value> {
    let diff = call.shown("fileDiff")?.as_str()?;
    let mut hunks: Vec<Value> = Vec::new();
    for line in diff.split_terminator('\n') {
        if let Some(header) = line.strip_prefix("@@ -") {
            let (old, rest) = header.split_once(" +")?;
            let (new, _) = rest.split_once(" @@")?;
            let ((old_start, old_lines), (new_start, new_lines)) = (range(old)?, range(new)?);
            hunks.push(json!({
                "oldStart": old_start,
                "oldLines": old_lines,
                "newStart": new_start,
                "newLines": new_lines,
                "lines": [],
            }));
        } else if let Some(hunk) = hunks.last_mut() {
            // A long diff ends with a note about what was left out.
            let is_part = line.starts_with([' ', '-', '+', '\\']);
            hunk["lines"]
                .as_array_mut()
                .filter(|_| is_part)?
                .push(line.into());
        }
    }
    Some(Value::Array(hunks))
}

/// Reads `3,2`, or `3` for one line.
fn range(text: &str) -> Option<(u64, u64)> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claude_code::TABLES;

    fn result(tool: &str, input: &Value, response: &Value) -> Value {
        let ours = json!({"tool_name": tool, "tool_input": input, "tool_response": response,
            "cwd": "/p"});
        of(&Call::of(ours.as_object().unwrap(), TABLES.tools))
    }

    /// FD-10: what changed in a file is reported line by line, as it was measured.
    #[test]
    fn changes_are_told_in_parts() {
        let input = json!({"file_path": "a", "old_string": "alpha", "new_string": "beta"});
        let display = |diff: &str| {
            json!({"llmContent": "done", "returnDisplay": {"fileDiff": diff,
            "originalContent": "alpha\n", "isNewFile": false}})
        };
        let translated = result(
            "replace",
            &input,
            &display("--- a\n+++ a\n@@ -1 +1 @@\n-alpha\n+beta\n"),
        );
        let part = json!([{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1,
            "lines": ["-alpha", "+beta"]}]);
        assert_eq!(translated["structuredPatch"], part);
        assert_eq!(translated["userModified"], false);
        // A diff that was cut isn't passed on as if it were complete.
        let cut = "--- a\n+++ a\n@@ -1 +1 @@\n-alpha\n\n… 9 bytes of the diff left out …\n";
        assert_eq!(
            result("replace", &input, &display(cut)).get("structuredPatch"),
            None
        );
        let input = json!({"file_path": "a", "content": "beta\n"});
        let made = json!({"llmContent": "done", "returnDisplay": {"fileDiff": "@@ -0,0 +1 @@\n+beta\n",
            "originalContent": "", "isNewFile": true}});
        assert_eq!(
            result("write_file", &input, &made)["structuredPatch"],
            json!([])
        );
    }

    /// FD-10: what a sub-agent answered is among the parts of its answer, as in Claude Code.
    #[test]
    fn answers_of_sub_agents_have_parts() {
        let input = json!({"agent_name": "reviewer", "objective": "Look"});
        let translated = result("delegate_to_agent", &input, &json!({"llmContent": "Fine."}));
        assert_eq!(
            translated["content"],
            json!([{"type": "text", "text": "Fine."}])
        );
        assert_eq!(translated["prompt"], "Look");
    }

    /// FD-10: what was read is reported without our tool's note about it, with its place in the
    /// file.
    #[test]
    fn what_was_read_is_told_with_its_place() {
        let file = |text: &str| {
            let translated = result(
                "read_file",
                &json!({"file_path": "a"}),
                &json!({"llmContent": text}),
            );
            translated["file"].clone()
        };
        let whole = json!({"filePath": "/p/a", "content": "alpha\n", "numLines": 2, "startLine": 1,
            "totalLines": 2});
        assert_eq!(file("alpha\n"), whole);
        for end in ["", "\n"] {
            let excerpt = file(&format!(
                "IMPORTANT: The file content has been truncated.\nStatus: Showing lines 3-4 of 9 \
                 total lines.\n\n--- FILE CONTENT (truncated) ---\nthree\nfour{end}"
            ));
            let expected = json!({"filePath": "/p/a", "content": "three\nfour", "numLines": 2,
                "startLine": 3, "totalLines": 9});
            assert_eq!(excerpt, expected);
        }
        assert_eq!(file("(The file a is empty.)")["content"], "");
        // A file may contain the same text as our tool's markers.
        let posing = "text\n--- FILE CONTENT (truncated) ---\nmore";
        assert_eq!(file(posing)["content"], posing);
    }
}
