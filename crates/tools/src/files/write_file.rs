//! The tool `write_file`.

use std::sync::Arc;

use serde_json::json;

use super::edit::{self, Change, EditTool, Wording};
use super::encoding::Encoding;
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
    let mut encoding = Encoding::default();
    let old = match text::read(&place) {
        Ok(text) => {
            encoding = text.encoding;
            new = line_ends::with_line_ends_of(&text.content, &new).into_owned();
            Some(text.content)
        }
        Err(error) if error.kind == ErrorKind::FileNotFound => None,
        // A file that isn't text may be overwritten, but can't be shown.
        Err(error) if matches!(error.kind, ErrorKind::NotText | ErrorKind::FileTooLarge) => {
            Some("(the old content can't be shown as text)\n".to_owned())
        }
        Err(error) => return Err(error),
    };
    Ok(Change {
        place,
        old,
        new,
        encoding,
        replacements: 1,
    })
}

fn wording(change: &Change) -> Wording {
    let place = change.place.display();
    match change.old {
        None => Wording {
            for_model: format!("Successfully created and wrote to new file: {place}."),
            verb: "Created",
        },
        Some(_) => Wording {
            for_model: format!("Successfully overwrote file: {place}."),
            verb: "Overwrote",
        },
    }
}
