//! Translates edits to the patches that Codex writes, and back.

mod reading;

use serde_json::{Map, Value};

use crate::foreign::tools::on_one_line;

pub use reading::{Patched, Unread, embedded, read};

const BEGIN: &str = "*** Begin Patch\n";
const END: &str = "*** End Patch\n";
const ADD: &str = "*** Add File: ";
const UPDATE: &str = "*** Update File: ";
/// The mark that the text ends without a line end.
const UNENDED: &str = "\\ No newline at end of file";

/// Writes the arguments of one of our editing tools as a patch. Returns `None` for other tools, and
/// for a path that a patch can't contain: a line break in it would start the section of another
/// file.
pub fn of(tool: &str, arguments: &Map<String, Value>) -> Option<String> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let path = text("file_path").unwrap_or_default();
    if on_one_line(path) != path {
        return None;
    }
    let body = match tool {
        "write_file" => format!("{ADD}{path}\n{}", lines('+', text("content")?)),
        "replace" => format!(
            "{UPDATE}{path}\n@@\n{}{}",
            lines('-', text("old_string")?),
            lines('+', text("new_string")?)
        ),
        _ => return None,
    };
    Some(format!("{BEGIN}{body}{END}"))
}

/// Writes them as a hook reads them: the path without detours, and on one line whatever it
/// contains.
pub(super) fn to_text(tool: &str, arguments: &Map<String, Value>) -> Option<String> {
    let mut arguments = arguments.clone();
    if let Some(Value::String(path)) = arguments.get_mut("file_path") {
        *path = on_one_line(&without_detours(path));
    }
    of(tool, &arguments)
}

/// Normalises a path, without looking at any file.
fn without_detours(path: &str) -> String {
    let mut components: Vec<&str> = Vec::new();
    for component in path.split('/') {
        match (component, components.last()) {
            ("" | ".", _) => {}
            ("..", Some(&last)) if last != ".." => _ = components.pop(),
            ("..", None) if path.starts_with('/') => {}
            _ => components.push(component),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", components.join("/"))
}

/// Reads the arguments of one of our editing tools from a patch for exactly one file; nothing if it
/// is another kind of patch.
pub(super) fn arguments(tool: &str, text: &str) -> Option<Map<String, Value>> {
    let text = text.trim_end_matches('\n');
    let body = text.strip_prefix(BEGIN)?.strip_suffix(END.trim_end())?;
    let mut ours = Map::new();
    let mut put = |name: &str, text: &str| ours.insert(name.to_owned(), Value::from(text));
    match tool {
        "write_file" => {
            let (path, rest) = body.strip_prefix(ADD)?.split_once('\n')?;
            put("file_path", path);
            put("content", &text_of('+', rest)?);
        }
        "replace" => {
            let (path, rest) = body.strip_prefix(UPDATE)?.split_once('\n')?;
            let rest = rest.strip_prefix("@@\n")?;
            let removed = rest
                .split_inclusive('\n')
                .take_while(|line| !line.starts_with('+'))
                .map(str::len)
                .sum();
            let (old, new) = rest.split_at(removed);
            put("file_path", path);
            put("old_string", &text_of('-', old)?);
            put("new_string", &text_of('+', new)?);
        }
        _ => return None,
    }
    Some(ours)
}

/// Writes a text as lines with a mark before each.
fn lines(sign: char, text: &str) -> String {
    let mut lines = String::new();
    for line in text.split_inclusive('\n') {
        lines.push(sign);
        lines.push_str(line);
    }
    if !text.is_empty() && !text.ends_with('\n') {
        lines.push('\n');
        lines.push_str(UNENDED);
        lines.push('\n');
    }
    lines
}

/// Reads a text from such lines; nothing if there are others among them.
fn text_of(sign: char, lines: &str) -> Option<String> {
    let mut text = String::new();
    for line in lines.split_inclusive('\n') {
        if line.trim_end() == UNENDED {
            text.pop();
        } else {
            text.push_str(line.strip_prefix(sign)?);
        }
    }
    Some(text)
}
