//! The tool `list_directory`.

use std::sync::Arc;

use globset::{Glob, GlobSet, GlobSetBuilder};
use hookloop_events::McpContext;
use serde_json::json;

use crate::arguments::{required_text, texts};
use crate::filter::{EntryKind, Rules};
use crate::walk::{Entry, entries, note};
use crate::wording::append;
use crate::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, ErrorKind, Output, Preview, RunContext,
    Tool, ToolError, Workspace, blocking, schema,
};

/// The maximum number of entries that are listed.
const MAX_ENTRIES: usize = 2000;

/// Lists a folder (`agent.md` §4).
pub(crate) struct ListDirectory {
    declaration: Declaration,
    workspace: Arc<Workspace>,
}

impl ListDirectory {
    pub(crate) fn new(workspace: Arc<Workspace>) -> Self {
        Self {
            declaration: Declaration {
                name: "list_directory".to_owned(),
                description: "Lists the files and folders directly inside a folder of the \
                    workspace."
                    .to_owned(),
                parameters: json!({
                    "type": "object",
                    "properties": {
                        "dir_path": {
                            "type": "string",
                            "minLength": 1,
                            "description": "The folder to list.",
                        },
                        "ignore": {
                            "type": "array",
                            "items": { "type": "string" },
                            "description": "Glob patterns of names to leave out.",
                        },
                    },
                    "required": ["dir_path"],
                }),
                access: Access::Read,
            },
            workspace,
        }
    }
}

impl Tool for ListDirectory {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        schema::check(&self.declaration.parameters, arguments)?;
        compile_ignore(arguments)?;
        self.workspace
            .resolve(required_text(arguments, "dir_path")?)
            .map(drop)
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, arguments: &Arguments) -> Preview {
        let path = required_text(arguments, "dir_path").unwrap_or_default();
        Preview::info(format!("List {path}"))
    }

    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        let workspace = Arc::clone(&self.workspace);
        blocking::reading(context.cancel, move |_| list(&workspace, &arguments))
    }
}

fn compile_ignore(arguments: &Arguments) -> Result<GlobSet, ToolError> {
    let invalid =
        |error| ToolError::invalid(format!("params/ignore has an invalid pattern: {error}"));
    let mut set = GlobSetBuilder::new();
    for pattern in texts(arguments, "ignore") {
        set.add(Glob::new(pattern).map_err(invalid)?);
    }
    set.build().map_err(invalid)
}

fn list(workspace: &Workspace, arguments: &Arguments) -> Result<Output, ToolError> {
    let folder = workspace.resolve_directory(Some(required_text(arguments, "dir_path")?))?;
    workspace.refuse_ignored(&folder, Rules::Reading)?;
    let left_out = compile_ignore(arguments)?;
    let mut entries = entries(&folder).map_err(|error| {
        ToolError::new(
            ErrorKind::ReadFailed,
            format!("can't list {}: {error}", folder.display()),
        )
    })?;
    let all = entries.len();
    let mut filter = workspace.path_filter(Rules::Reading);
    entries.retain(|entry| {
        let is_left_out = entry
            .path
            .file_name()
            .is_some_and(|name| left_out.is_match(name));
        !is_left_out && !filter.ignores(&entry.path, entry.kind)
    });
    entries.sort_by_key(|entry| entry.kind != EntryKind::Directory);
    let hidden = all - entries.len();
    let mut text = format!("Directory listing for {}:", folder.display());
    if entries.is_empty() {
        text = format!("Directory {} is empty.", folder.display());
    }
    for entry in entries.iter().take(MAX_ENTRIES) {
        text.push('\n');
        text.push_str(&line(entry));
    }
    if entries.len() > MAX_ENTRIES {
        let more = entries.len() - MAX_ENTRIES;
        append(
            &mut text,
            format_args!("\n… {more} more entries left out …"),
        );
    }
    let mut display = format!("Listed {} item(s).", entries.len().min(MAX_ENTRIES));
    if hidden > 0 {
        append(&mut text, format_args!("\n\n({hidden} ignored)"));
        append(&mut display, format_args!(" ({hidden} ignored)"));
    }
    text.push_str(&note(&[], filter.problems()));
    Ok(Output::new(text, display))
}

fn line(entry: &Entry) -> String {
    let name = entry
        .path
        .file_name()
        .map(|name| name.to_string_lossy())
        .unwrap_or_default();
    match entry.kind {
        EntryKind::Directory => format!("[DIR] {name}"),
        EntryKind::Link => format!("{name} (symbolic link)"),
        EntryKind::Special => format!("{name} (not a regular file)"),
        EntryKind::File => match entry.path.metadata() {
            Ok(metadata) => format!("{name} ({} bytes)", metadata.len()),
            Err(_) => name.into_owned(),
        },
    }
}
