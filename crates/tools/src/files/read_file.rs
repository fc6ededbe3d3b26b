//! The tool `read_file`.

use std::path::PathBuf;
use std::sync::Arc;

use hookloop_events::McpContext;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::excerpt::{Excerpt, Lines};
use super::text::{self, Readable};
use crate::arguments::{required_text, whole_number};
use crate::filter::Rules;
use crate::wording::append;
use crate::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, Opened, Output, Preview, RunContext,
    Tool, ToolError, Workspace, blocking, schema,
};

/// Reads a text file, or some of its lines, or an image or a PDF document (`agent.md` §4).
pub(crate) struct ReadFile {
    declaration: Declaration,
    workspace: Arc<Workspace>,
}

impl ReadFile {
    pub(crate) fn new(workspace: Arc<Workspace>) -> Self {
        Self {
            declaration: Declaration {
                name: "read_file".to_owned(),
                description: "Reads a text file, an image or a PDF document of the workspace. A \
                    long text is cut off; the answer then says how to continue with 'offset' and \
                    'limit'."
                    .to_owned(),
                parameters: json!({
                    "type": "object",
                    "properties": {
                        "file_path": {
                            "type": "string",
                            "minLength": 1,
                            "description": "The file to read.",
                        },
                        "offset": {
                            "type": "integer",
                            "minimum": 0,
                            "description": "The line to start at, counted from 0.",
                        },
                        "limit": {
                            "type": "integer",
                            "minimum": 1,
                            "description": "The maximum number of lines to read.",
                        },
                        "start_line": {
                            "type": "integer",
                            "minimum": 1,
                            "description": "The first line to read, counted from 1.",
                        },
                        "end_line": {
                            "type": "integer",
                            "minimum": 1,
                            "description": "The last line to read, counted from 1.",
                        },
                    },
                    "required": ["file_path"],
                }),
                access: Access::Read,
            },
            workspace,
        }
    }
}

impl Tool for ReadFile {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        schema::check(&self.declaration.parameters, arguments)?;
        requested_lines(arguments)?;
        let place = self
            .workspace
            .resolve(required_text(arguments, "file_path")?)?;
        self.workspace.refuse_ignored(&place, Rules::Reading)
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, arguments: &Arguments) -> Preview {
        let path = required_text(arguments, "file_path").unwrap_or_default();
        Preview::info(format!("Read {path}"))
    }

    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        let workspace = Arc::clone(&self.workspace);
        Box::pin(async move {
            let opened = match resolve_path(&workspace, &arguments) {
                Ok(place) => workspace.editor().text(&place, &context.cancel).await,
                Err(_) => Opened::Nothing,
            };
            let work = move |_: &CancellationToken| read(&workspace, &arguments, opened);
            blocking::reading(context.cancel, work).await
        })
    }
}

/// Takes the wanted lines from either spelling.
fn requested_lines(arguments: &Arguments) -> Result<Lines, ToolError> {
    let first = whole_number(arguments, "start_line").map(|line| line.saturating_sub(1));
    let offset = whole_number(arguments, "offset").or(first).unwrap_or(0);
    let mut limit = whole_number(arguments, "limit");
    if let (None, Some(end)) = (limit, whole_number(arguments, "end_line")) {
        if end <= offset {
            return Err(ToolError::invalid(
                "params/end_line must not be less than params/start_line",
            ));
        }
        limit = Some(end - offset);
    }
    Ok(Lines { offset, limit })
}

/// Returns the file that a call reads, which the agent may see (TO-1).
fn resolve_path(workspace: &Workspace, arguments: &Arguments) -> Result<PathBuf, ToolError> {
    let place = workspace.resolve(required_text(arguments, "file_path")?)?;
    workspace.refuse_ignored(&place, Rules::Reading)?;
    Ok(place)
}

/// Reads a file; the editor's version counts, if there is one (TU-7).
fn read(workspace: &Workspace, arguments: &Arguments, opened: Opened) -> Result<Output, ToolError> {
    let place = resolve_path(workspace, arguments)?;
    let lines = requested_lines(arguments)?;
    let name = workspace.relative(&place).display().to_string();
    let text = match text::read_for_model(&place, &name)? {
        Readable::Text(text) => match opened {
            Opened::Text(opened) => opened,
            Opened::Nothing | Opened::Unknown(_) => text.content,
        },
        Readable::Media(media) => {
            let for_model = format!("Binary content provided: {}", media.describe());
            let display = format!("Read {} file: {name}", media.kind());
            return Ok(Output {
                media: vec![media],
                ..Output::new(for_model, display)
            });
        }
    };
    let excerpt = Excerpt::take(&text, lines);
    if lines.offset > 0 && lines.offset >= excerpt.total {
        return Err(ToolError::invalid(format!(
            "params/offset {} is past the end: {name} has {} lines",
            lines.offset, excerpt.total
        )));
    }
    if excerpt.total == 0 {
        return Ok(Output::new(
            format!("(The file {name} is empty.)"),
            format!("{name} is empty"),
        ));
    }
    if excerpt.is_whole() {
        let plural = if excerpt.total == 1 { "" } else { "s" };
        let display = format!("Read {} line{plural} of {name}", excerpt.total);
        return Ok(Output::new(excerpt.text, display));
    }
    let display = format!(
        "Read lines {}-{} of {} of {name}",
        excerpt.before + 1,
        excerpt.before + excerpt.shown,
        excerpt.total
    );
    Ok(Output::new(truncation_note(&excerpt), display))
}

fn truncation_note(excerpt: &Excerpt) -> String {
    let mut notice = format!(
        "IMPORTANT: The file content has been truncated.\n\
         Status: Showing lines {}-{} of {} total lines.\n",
        excerpt.before + 1,
        excerpt.before + excerpt.shown,
        excerpt.total
    );
    if excerpt.cut > 0 {
        notice.push_str("Status: Some lines were longer than 2000 characters and are cut.\n");
    }
    if let Some(next) = excerpt.next_offset() {
        append(
            &mut notice,
            format_args!(
                "Action: To read more of the file, use the 'offset' and 'limit' parameters in a \
             subsequent 'read_file' call. For the next section, use offset: {next}.\n"
            ),
        );
    }
    format!(
        "{notice}\n--- FILE CONTENT (truncated) ---\n{}",
        excerpt.text
    )
}
