//! The tool `write_file`.

use std::sync::Arc;

use serde_json::json;

use super::edit::{self, Before, Change, EditTool, Wording};
use super::replace::line_ends;
use super::text;
use crate::arguments::required_text;
use crate::{Access, Arguments, Declaration, ErrorKind, ToolError, Workspace};

/// Makes the tool: it writes a whole file (`agent.md` §4).
pub(crate) fn tool(workspace: Arc<Workspace>) -> EditTool {
    EditTool {
        declaration: Declaration {
            name: "write_file".to_owned(),
            description: "Writes a text file in the workspace: creates it, with its folders, or \
                          overwrites it completely."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "file_path": {
                        "type": "string",
                        "minLength": 1,
                        "description": "The file to write.",
                    },
                    "content": {
                        "type": "string",
                        "description": "The complete content of the file.",
                    },
                },
                "required": ["file_path", "content"],
            }),
            access: Access::Edit,
        },
        workspace,
        change,
        wording,
    }
}

fn change(workspace: &Workspace, arguments: &Arguments) -> Result<Change, ToolError> {
    let place = edit::target(workspace, arguments)?;
    let mut new = required_text(arguments, "content")?.to_owned();
    let old = match text::read(&place) {
        Ok(text) => {
            new = line_ends::with_line_ends_of(&text.content, &new).into_owned();
            Before::Text(text)
        }
        Err(error) if error.kind == ErrorKind::FileNotFound => Before::Nothing,
        // A file that isn't text may be overwritten, but can't be shown.
        Err(error) if matches!(error.kind, ErrorKind::NotText | ErrorKind::FileTooLarge) => {
            Before::Unreadable(error.message)
        }
        Err(error) => return Err(error),
    };
    Change::new(place, old, new, 1)
}

fn wording(change: &Change) -> Wording {
    let place = change.place.display();
    match &change.old {
        Before::Nothing => Wording {
            for_model: format!("Successfully created and wrote to new file: {place}."),
            verb: "Created",
        },
        Before::Text(_) => Wording {
            for_model: format!("Successfully overwrote file: {place}."),
            verb: "Overwrote",
        },
        Before::Unreadable(why) => Wording {
            for_model: format!(
                "Successfully overwrote file: {place}. It is text in UTF-8 now, and wasn't \
                 before: {why}."
            ),
            verb: "Overwrote",
        },
    }
}
