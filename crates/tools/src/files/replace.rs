//! The tool `replace`.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;

use super::edit::{self, Before, Change, EditTool, Wording};
use super::text;
use crate::arguments::{flag, required_text, whole_number};
use crate::{Access, Arguments, Declaration, ErrorKind, ToolError, Workspace};

pub(super) mod line_ends;

/// Makes the tool: it replaces text in a file (`agent.md` §4).
pub(crate) fn tool(workspace: Arc<Workspace>) -> EditTool {
    EditTool {
        declaration: Declaration {
            name: "replace".to_owned(),
            description:
                "Replaces text in a file of the workspace. 'old_string' must be the exact \
                    text with its whitespace, and occur in the file as often as \
                    'expected_replacements' says (once by default). An empty 'old_string' creates \
                    a new file with 'new_string' as content."
                    .to_owned(),
            parameters: parameters(),
            access: Access::Edit,
        },
        workspace,
        change,
        wording,
    }
}

fn parameters() -> serde_json::Value {
    json!({
        "type": "object",
        "properties": {
            "file_path": {
                "type": "string",
                "minLength": 1,
                "description": "The file to change.",
            },
            "instruction": {
                "type": "string",
                "description": "What the change is for.",
            },
            "old_string": {
                "type": "string",
                "description": "The exact text to replace.",
            },
            "new_string": {
                "type": "string",
                "description": "The replacement text.",
            },
            "expected_replacements": {
                "type": "integer",
                "minimum": 1,
                "description": "How often 'old_string' occurs in the file; 1 by default.",
            },
            "allow_multiple": {
                "type": "boolean",
                "description": "Replace 'old_string' however often it occurs in the file.",
            },
        },
        "required": ["file_path", "old_string", "new_string"],
    })
}

fn change(workspace: &Workspace, arguments: &Arguments) -> Result<Change, ToolError> {
    let place = edit::target(workspace, arguments)?;
    let old_string = required_text(arguments, "old_string")?;
    let new_string = required_text(arguments, "new_string")?;
    if old_string.is_empty() {
        return creation(place, new_string);
    }
    let text = text::read(&place)?;
    let (new, found) = line_ends::replace_all(&text.content, old_string, new_string);
    check_count(&place.display().to_string(), found, arguments)?;
    if new == text.content {
        return Err(ToolError::new(
            ErrorKind::EditNoChange,
            format!(
                "No changes to apply: old_string and new_string are the same for {}.",
                place.display()
            ),
        ));
    }
    Change::new(place, Before::Text(text), new, found)
}

fn creation(place: PathBuf, content: &str) -> Result<Change, ToolError> {
    match place.try_exists() {
        Ok(false) => Change::new(place, Before::Nothing, content.to_owned(), 1),
        Ok(true) => Err(ToolError::new(
            ErrorKind::CreateExisting,
            format!(
                "Failed to edit, attempted to create a file that already exists: {}. An empty \
                 old_string only creates new files.",
                place.display()
            ),
        )),
        Err(error) => Err(text::io_error(&place, &error)),
    }
}

fn check_count(place: &str, found: usize, arguments: &Arguments) -> Result<(), ToolError> {
    if found == 0 {
        return Err(ToolError::new(
            ErrorKind::EditNoOccurrence,
            format!(
                "Failed to edit, 0 occurrences found for old_string in {place}. No edits made. \
                 Check whitespace, indentation and escaping; read the file with read_file."
            ),
        ));
    }
    let expected = match whole_number(arguments, "expected_replacements") {
        Some(expected) => expected,
        None if flag(arguments, "allow_multiple") => return Ok(()),
        None => 1,
    };
    if found == expected {
        return Ok(());
    }
    let word = if expected == 1 {
        "occurrence"
    } else {
        "occurrences"
    };
    Err(ToolError::new(
        ErrorKind::EditOccurrenceMismatch,
        format!(
            "Failed to edit, expected {expected} {word} but found {found} for old_string in \
             {place}. No edits made. Give more context around the text, or set \
             expected_replacements."
        ),
    ))
}

fn wording(change: &Change) -> Wording {
    let place = change.place.display();
    match change.old {
        Before::Nothing => Wording {
            for_model: format!("Created new file: {place} with provided content."),
            verb: "Created",
        },
        Before::Text(_) | Before::Unreadable(_) => Wording {
            for_model: format!(
                "Successfully modified file: {place} ({} replacements).",
                change.replacements
            ),
            verb: "Changed",
        },
    }
}
