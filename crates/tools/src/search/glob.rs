//! The tool `glob`.

use std::cmp::Reverse;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use hookloop_events::McpContext;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::pattern::{Case, compile};
use crate::arguments::{flag, required_text, text};
use crate::filter::EntryKind;
use crate::walk::{Entry, Walk};
use crate::wording::append;
use crate::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, Output, Preview, RunContext, Tool,
    ToolError, Workspace, blocking, schema,
};

/// The maximum number of files that are reported.
const MAX_FILES: usize = 1000;

/// Finds files by their names (`agent.md` §4).
pub(crate) struct Glob {
    declaration: Declaration,
    workspace: Arc<Workspace>,
}

impl Glob {
    pub(crate) fn new(workspace: Arc<Workspace>) -> Self {
        Self {
            declaration: Declaration {
                name: "glob".to_owned(),
                description:
                    "Finds files of the workspace whose path matches a glob pattern, such as \
                    'src/**/*.rs'; the newest come first."
                        .to_owned(),
                parameters: json!({
                    "type": "object",
                    "properties": {
                        "pattern": {
                            "type": "string",
                            "minLength": 1,
                            "description": "The glob pattern.",
                        },
                        "dir_path": {
                            "type": "string",
                            "description": "The folder to search; the whole workspace by default.",
                        },
                        "case_sensitive": {
                            "type": "boolean",
                            "description": "Whether the search is case-sensitive; by default it \
                                isn't.",
                        },
                    },
                    "required": ["pattern"],
                }),
                access: Access::Read,
            },
            workspace,
        }
    }
}

impl Tool for Glob {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        schema::check(&self.declaration.parameters, arguments)?;
        let folder = self
            .workspace
            .resolve_directory(text(arguments, "dir_path"))?;
        compile(
            required_text(arguments, "pattern")?,
            &folder,
            case(arguments),
        )
        .map(drop)
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, arguments: &Arguments) -> Preview {
        let pattern = required_text(arguments, "pattern").unwrap_or_default();
        Preview::info(format!("Find files {pattern}"))
    }

    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        let workspace = Arc::clone(&self.workspace);
        blocking::reading(context.cancel, move |cancel| {
            find(&workspace, &arguments, cancel)
        })
    }
}

fn case(arguments: &Arguments) -> Case {
    if flag(arguments, "case_sensitive") {
        Case::Sensitive
    } else {
        Case::Insensitive
    }
}

/// A file that was found.
struct FoundFile {
    path: PathBuf,
    modified: SystemTime,
}

fn find(
    workspace: &Workspace,
    arguments: &Arguments,
    cancel: &CancellationToken,
) -> Result<Output, ToolError> {
    let pattern = required_text(arguments, "pattern")?;
    let folders = match text(arguments, "dir_path").filter(|path| !path.is_empty()) {
        Some(path) => vec![workspace.resolve_directory(Some(path))?],
        None => workspace.directories().to_vec(),
    };
    let mut found = Vec::new();
    let mut note = String::new();
    for folder in &folders {
        let matcher = compile(pattern, folder, case(arguments))?;
        let mut walk = Walk::new(workspace, folder, cancel);
        while let Some(entry) = walk.next_file()? {
            let rest = entry.path.strip_prefix(folder).unwrap_or(&entry.path);
            if matcher.is_match(rest) {
                found.extend(look_at(workspace, entry));
            }
        }
        note.push_str(&walk.note());
    }
    found.sort_by(|one, other| {
        (Reverse(one.modified), &one.path).cmp(&(Reverse(other.modified), &other.path))
    });
    found.dedup_by(|one, other| one.path == other.path);
    let within: Vec<String> = folders
        .iter()
        .map(|folder| folder.display().to_string())
        .collect();
    Ok(report(pattern, &within.join(", "), &found, &note))
}

/// Reads a file's time; a link counts if it leads to a file inside the workspace.
fn look_at(workspace: &Workspace, entry: Entry) -> Option<FoundFile> {
    if entry.kind == EntryKind::Link {
        workspace.resolve(entry.path.to_str()?).ok()?;
    }
    let metadata = entry
        .path
        .metadata()
        .ok()
        .filter(std::fs::Metadata::is_file)?;
    Some(FoundFile {
        path: entry.path,
        modified: metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
    })
}

fn report(pattern: &str, within: &str, found: &[FoundFile], note: &str) -> Output {
    if found.is_empty() {
        return Output::new(
            format!("No files found matching pattern \"{pattern}\" within {within}{note}"),
            "No files found",
        );
    }
    let mut text = format!(
        "Found {} file(s) matching \"{pattern}\" within {within}, sorted by modification time \
         (newest first):",
        found.len()
    );
    for file in found.iter().take(MAX_FILES) {
        text.push('\n');
        text.push_str(&file.path.to_string_lossy());
    }
    if found.len() > MAX_FILES {
        let more = found.len() - MAX_FILES;
        append(&mut text, format_args!("\n… {more} more files left out …"));
    }
    text.push_str(note);
    Output::new(text, format!("Found {} matching file(s)", found.len()))
}
