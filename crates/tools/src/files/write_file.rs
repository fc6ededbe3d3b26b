//! The tool `write_file`.

use std::sync::Arc;

use serde_json::json;

use super::edit::{self, Change};
use super::text;
use crate::arguments::required_text;
use crate::{
    Access, Arguments, BoxFuture, Declaration, ErrorKind, Output, Preview, RunContext, Tool,
    ToolError, Workspace, blocking, schema,
};

/// Writes a whole file (`agent.md` §4).
pub(crate) struct WriteFile {
    declaration: Declaration,
    workspace: Arc<Workspace>,
}

impl WriteFile {
    pub(crate) fn new(workspace: Arc<Workspace>) -> Self {
        Self {
            declaration: Declaration {
                name: "write_file".to_owned(),
                description:
                    "Writes a text file of the workspace: creates it with its folders, or \
                    overwrites all of it."
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
                            "description": "The whole content of the file.",
                        },
                    },
                    "required": ["file_path", "content"],
                }),
                access: Access::Edit,
            },
            workspace,
        }
    }
}

impl Tool for WriteFile {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        schema::check(&self.declaration.parameters, arguments)?;
        edit::target(&self.workspace, arguments).map(drop)
    }

    fn preview(&self, arguments: &Arguments) -> Preview {
        edit::preview(
            &self.workspace,
            arguments,
            change(&self.workspace, arguments),
        )
    }

    fn run<'a>(&'a self, arguments: Arguments, context: RunContext<'a>) -> BoxFuture<'a, Output> {
        let workspace = Arc::clone(&self.workspace);
        blocking::writing(context.cancel, move || write(&workspace, &arguments))
    }
}

fn change(workspace: &Workspace, arguments: &Arguments) -> Result<Change, ToolError> {
    let place = edit::target(workspace, arguments)?;
    let new = required_text(arguments, "content")?.to_owned();
    let old = match text::read(&place) {
        Ok(text) => Some(text.content),
        Err(error) if error.kind == ErrorKind::FileNotFound => None,
        // What is no text may be overwritten all the same; it can only not be shown.
        Err(error) if matches!(error.kind, ErrorKind::NotText | ErrorKind::FileTooLarge) => {
            Some("(the old content can't be shown as text)\n".to_owned())
        }
        Err(error) => return Err(error),
    };
    Ok(Change {
        place,
        old,
        new,
        mark: "",
        replacements: 1,
    })
}

fn write(workspace: &Workspace, arguments: &Arguments) -> Result<Output, ToolError> {
    let change = change(workspace, arguments)?;
    change.make()?;
    let place = change.place.display();
    let name = workspace.relative(&change.place).display();
    let (told, shown) = match change.old {
        None => (
            format!("Successfully created and wrote to new file: {place}."),
            format!("Created {name}"),
        ),
        Some(_) => (
            format!("Successfully overwrote file: {place}."),
            format!("Overwrote {name}"),
        ),
    };
    Ok(Output::new(told, format!("{shown}\n{}", change.diff())))
}
