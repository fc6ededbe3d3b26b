//! The tool `read_many_files`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use globset::GlobMatcher;
use hookloop_events::McpContext;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::excerpt::{Excerpt, Lines};
use super::text;
use crate::arguments::texts;
use crate::filter::EntryKind;
use crate::filter::Rules;
use crate::search::{Case, compile};
use crate::walk::Walk;
use crate::wording::append;
use crate::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, Output, Preview, RunContext, Tool,
    ToolError, Workspace, blocking, schema,
};

/// The maximum number of bytes of content that one call returns.
const MAX_BYTES: usize = 1024 * 1024;

/// The maximum number of files that one call examines.
const MAX_FILES: usize = 10_000;

/// Reads all files that match patterns (`agent.md` §4).
pub(crate) struct ReadManyFiles {
    declaration: Declaration,
    workspace: Arc<Workspace>,
}

impl ReadManyFiles {
    pub(crate) fn new(workspace: Arc<Workspace>) -> Self {
        Self {
            declaration: Declaration {
                name: "read_many_files".to_owned(),
                description: "Reads several text files of the workspace at once: those that match \
                    one of the glob patterns, paths or folders in 'include' and none in 'exclude'."
                    .to_owned(),
                parameters: json!({
                    "type": "object",
                    "properties": {
                        "include": {
                            "type": "array",
                            "items": { "type": "string", "minLength": 1 },
                            "minItems": 1,
                            "description": "Glob patterns, paths or folders to read.",
                        },
                        "exclude": {
                            "type": "array",
                            "items": { "type": "string", "minLength": 1 },
                            "description": "Glob patterns to leave out.",
                        },
                    },
                    "required": ["include"],
                }),
                access: Access::Read,
            },
            workspace,
        }
    }
}

impl Tool for ReadManyFiles {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        schema::check(&self.declaration.parameters, arguments)?;
        parse_request(&self.workspace, arguments).map(drop)
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, arguments: &Arguments) -> Preview {
        Preview::info(format!("Read {}", texts(arguments, "include").join(", ")))
    }

    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        let workspace = Arc::clone(&self.workspace);
        blocking::reading(context.cancel, move |cancel| {
            read(&workspace, &arguments, cancel)
        })
    }
}

/// What a call requests.
struct ReadRequest {
    /// Files named by their paths.
    files: Vec<PathBuf>,
    /// Folders named by their paths: all files below.
    folders: Vec<PathBuf>,
    /// Patterns, each with the folder it starts at.
    patterns: Vec<(PathBuf, GlobMatcher)>,
    excluded: Vec<(PathBuf, GlobMatcher)>,
}

fn parse_request(workspace: &Workspace, arguments: &Arguments) -> Result<ReadRequest, ToolError> {
    let mut wanted = ReadRequest {
        files: Vec::new(),
        folders: Vec::new(),
        patterns: Vec::new(),
        excluded: compile_exclude(workspace, arguments)?,
    };
    for include in texts(arguments, "include") {
        let is_pattern = include.contains(['*', '?', '[', '{']);
        match workspace.resolve(include) {
            Ok(place) if place.is_dir() => wanted.folders.push(place),
            Ok(place) if place.exists() || !is_pattern => wanted.files.push(place),
            Err(error) if !is_pattern => return Err(error),
            _ => wanted.patterns.extend(patterns(workspace, &[include])?),
        }
    }
    Ok(wanted)
}

/// Compiles `exclude`: a name without a slash is excluded in any folder, and a folder with
/// everything below.
fn compile_exclude(
    workspace: &Workspace,
    arguments: &Arguments,
) -> Result<Vec<(PathBuf, GlobMatcher)>, ToolError> {
    let mut sources = Vec::new();
    for source in texts(arguments, "exclude") {
        let trimmed = source.trim_end_matches('/');
        let anywhere = if trimmed.contains('/') { "" } else { "**/" };
        sources.push(format!("{anywhere}{trimmed}"));
        sources.push(format!("{anywhere}{trimmed}/**"));
    }
    let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
    patterns(workspace, &sources)
}

fn patterns(
    workspace: &Workspace,
    sources: &[&str],
) -> Result<Vec<(PathBuf, GlobMatcher)>, ToolError> {
    let mut patterns = Vec::new();
    for source in sources {
        for folder in workspace.directories() {
            let matcher = compile(source, folder, Case::Sensitive)?;
            patterns.push((folder.clone(), matcher));
        }
    }
    Ok(patterns)
}

fn matches(patterns: &[(PathBuf, GlobMatcher)], path: &Path) -> bool {
    patterns.iter().any(|(folder, matcher)| {
        path.strip_prefix(folder)
            .is_ok_and(|rest| matcher.is_match(rest))
    })
}

/// The content so far, and what is missing from it.
#[derive(Default)]
struct Gathered {
    text: String,
    read: usize,
    skipped: Vec<String>,
}

/// The files that a call reads.
struct Selection {
    /// In the order in which they are read.
    paths: Vec<PathBuf>,
    /// The folders that were named.
    folders: Vec<PathBuf>,
    /// What couldn't be read.
    note: String,
}

/// Returns the files that a call of `read_many_files` will read, in order, by their absolute real
/// paths. Hooks that judge the call get these paths instead of patterns (FD-10).
///
/// # Errors
/// The same as for the call itself.
pub fn files_to_read(
    workspace: &Workspace,
    arguments: &Arguments,
) -> Result<Vec<PathBuf>, ToolError> {
    find(workspace, arguments, &CancellationToken::new()).map(|found| found.paths)
}

fn find(
    workspace: &Workspace,
    arguments: &Arguments,
    cancel: &CancellationToken,
) -> Result<Selection, ToolError> {
    let wanted = parse_request(workspace, arguments)?;
    let mut paths = wanted.files.clone();
    let mut note = String::new();
    for folder in workspace.directories() {
        if wanted.patterns.is_empty() && wanted.folders.is_empty() {
            break;
        }
        let mut walk = Walk::new(workspace, folder, cancel);
        while let Some(entry) = walk.next_file()? {
            let is_wanted = matches(&wanted.patterns, &entry.path)
                || wanted
                    .folders
                    .iter()
                    .any(|folder| entry.path.starts_with(folder));
            if entry.kind == EntryKind::File && is_wanted {
                paths.push(entry.path);
            }
        }
        note.push_str(&walk.note());
    }
    paths.sort();
    paths.dedup();
    paths.retain(|path| !matches(&wanted.excluded, path));
    if paths.len() > MAX_FILES {
        let more = paths.len() - MAX_FILES;
        append(
            &mut note,
            format_args!("\n[{more} more files weren't looked at: narrow the patterns]"),
        );
        paths.truncate(MAX_FILES);
    }
    Ok(Selection {
        paths,
        folders: wanted.folders,
        note,
    })
}

fn read(
    workspace: &Workspace,
    arguments: &Arguments,
    cancel: &CancellationToken,
) -> Result<Output, ToolError> {
    let Selection {
        paths,
        folders,
        note,
    } = find(workspace, arguments, cancel)?;
    let mut gathered = Gathered::default();
    for folder in &folders {
        // An ignored folder was requested by name and skipped, which is reported.
        if let Err(error) = workspace.refuse_ignored(folder, Rules::Reading) {
            gathered.skipped.push(error.message);
        }
    }
    for path in &paths {
        if cancel.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        gathered.add(workspace, path);
    }
    Ok(gathered.output(&note))
}

impl Gathered {
    fn add(&mut self, workspace: &Workspace, path: &Path) {
        let name = workspace.relative(path).display().to_string();
        if self.text.len() > MAX_BYTES {
            self.skipped
                .push(format!("{name}: no room left, read it separately"));
            return;
        }
        let text = workspace
            .refuse_ignored(path, Rules::Reading)
            .and_then(|()| text::read(path));
        match text {
            Ok(text) => {
                let excerpt = Excerpt::take(&text.content, Lines::default());
                append(
                    &mut self.text,
                    format_args!("--- {name} ---\n\n{}", excerpt.text),
                );
                if !excerpt.is_whole() {
                    append(
                        &mut self.text,
                        format_args!(
                            "\n[File content truncated: {} of {} lines shown; read it with read_file]",
                            excerpt.shown, excerpt.total
                        ),
                    );
                }
                self.text.push_str("\n\n");
                self.read += 1;
            }
            Err(error) => self.skipped.push(format!("{name}: {}", error.message)),
        }
    }

    fn output(mut self, note: &str) -> Output {
        let mut display = format!("Read {} file(s)", self.read);
        if self.read == 0 {
            self.text
                .push_str("No files matching the criteria were found or all were skipped.\n");
        } else {
            self.text.push_str("--- End of content ---\n");
        }
        if !self.skipped.is_empty() {
            append(
                &mut display,
                format_args!(", skipped {}", self.skipped.len()),
            );
            append(
                &mut self.text,
                format_args!("\nSkipped {} file(s):", self.skipped.len()),
            );
            for skipped in self.skipped.iter().take(50) {
                append(&mut self.text, format_args!("\n- {skipped}"));
            }
            if self.skipped.len() > 50 {
                append(
                    &mut self.text,
                    format_args!("\n- … {} more", self.skipped.len() - 50),
                );
            }
        }
        self.text.push_str(note);
        Output::new(self.text, display)
    }
}
