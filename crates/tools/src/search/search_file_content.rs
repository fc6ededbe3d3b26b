//! The tool `search_file_content`, also known as `grep_search`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use globset::GlobMatcher;
use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::sinks::Lossy;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use hookloop_events::McpContext;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::pattern::{Case, compile};
use crate::arguments::{flag, required_text, text};
use crate::filter::EntryKind;
use crate::walk::{Walk, note};
use crate::wording::append;
use crate::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, ErrorKind, Output, Preview, RunContext,
    Tool, ToolError, Workspace, blocking, schema,
};

/// The maximum number of matching lines that are reported.
const MAX_MATCHES: usize = 500;

/// The maximum number of characters of a line that are reported.
const MAX_LINE_LENGTH: usize = 500;

/// The maximum number of bytes that one line may need; a file with a longer one is reported as not
/// read.
const MAX_MEMORY: usize = 16 * 1024 * 1024;

/// Finds text in files (`agent.md` §4).
pub(crate) struct SearchFileContent {
    declaration: Declaration,
    workspace: Arc<Workspace>,
}

impl SearchFileContent {
    pub(crate) fn new(workspace: Arc<Workspace>) -> Self {
        Self {
            declaration: Declaration {
                name: "search_file_content".to_owned(),
                description: "Finds lines in the workspace's files that match a regular \
                    expression, and returns them with path and line number."
                    .to_owned(),
                parameters: json!({
                    "type": "object",
                    "properties": {
                        "pattern": {
                            "type": "string",
                            "minLength": 1,
                            "description": "The regular expression.",
                        },
                        "dir_path": {
                            "type": "string",
                            "description": "The folder or file to search; the whole workspace by default.",
                        },
                        "include": {
                            "type": "string",
                            "description": "A glob pattern of the files to search, such as '*.{ts,tsx}'.",
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

impl Tool for SearchFileContent {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        schema::check(&self.declaration.parameters, arguments)?;
        matcher(arguments)?;
        for start in starts(&self.workspace, arguments)? {
            compile_include(arguments, &start)?;
        }
        Ok(())
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, arguments: &Arguments) -> Preview {
        let pattern = required_text(arguments, "pattern").unwrap_or_default();
        Preview::info(format!("Search for {pattern}"))
    }

    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        let workspace = Arc::clone(&self.workspace);
        blocking::reading(context.cancel, move |cancel| {
            search(&workspace, &arguments, cancel)
        })
    }
}

fn matcher(arguments: &Arguments) -> Result<RegexMatcher, ToolError> {
    let pattern = required_text(arguments, "pattern")?;
    RegexMatcherBuilder::new()
        .case_insensitive(!flag(arguments, "case_sensitive"))
        .multi_line(true)
        .crlf(true)
        .build(pattern)
        .map_err(|error| {
            ToolError::invalid(format!("invalid regular expression \"{pattern}\": {error}"))
        })
}

/// Returns the folders, or the file, to search.
fn starts(workspace: &Workspace, arguments: &Arguments) -> Result<Vec<PathBuf>, ToolError> {
    let Some(path) = text(arguments, "dir_path").filter(|path| !path.is_empty()) else {
        return Ok(workspace.directories().to_vec());
    };
    let place = workspace.resolve(path)?;
    match place.metadata() {
        Ok(metadata) if metadata.is_dir() || metadata.is_file() => Ok(vec![place]),
        Ok(_) => Err(ToolError::new(
            ErrorKind::NotADirectory,
            format!("{} is neither a directory nor a file", place.display()),
        )),
        Err(source) => Err(ToolError::new(
            ErrorKind::FileNotFound,
            format!("{} can't be searched: {source}", place.display()),
        )),
    }
}

/// Compiles `include`; without a slash it matches names in any folder.
fn compile_include(arguments: &Arguments, folder: &Path) -> Result<Option<GlobMatcher>, ToolError> {
    let Some(pattern) = text(arguments, "include").filter(|pattern| !pattern.is_empty()) else {
        return Ok(None);
    };
    let pattern = if pattern.contains('/') {
        pattern.to_owned()
    } else {
        format!("**/{pattern}")
    };
    compile(&pattern, folder, Case::Sensitive).map(Some)
}

/// The matching lines so far.
#[derive(Default)]
struct Matches {
    lines: Vec<String>,
    files: usize,
    /// Whether there were more than the maximum.
    overflow: bool,
    unreadable: Vec<String>,
}

fn search(
    workspace: &Workspace,
    arguments: &Arguments,
    cancel: &CancellationToken,
) -> Result<Output, ToolError> {
    let expression = matcher(arguments)?;
    let mut searcher = SearcherBuilder::new()
        .line_number(true)
        .line_terminator(LineTerminator::crlf())
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(MAX_MEMORY))
        .build();
    let mut matches = Matches::default();
    let mut notes = String::new();
    for start in starts(workspace, arguments)? {
        let included = compile_include(arguments, &start)?;
        let mut walk = Walk::new(workspace, &start, cancel);
        while !matches.overflow
            && let Some(entry) = walk.next_file()?
        {
            let rest = entry.path.strip_prefix(&start).unwrap_or(&entry.path);
            let is_wanted = rest.as_os_str().is_empty()
                || included.as_ref().is_none_or(|glob| glob.is_match(rest));
            if entry.kind == EntryKind::File && is_wanted {
                let name = workspace.relative(&entry.path).display().to_string();
                search_file(
                    &mut searcher,
                    &expression,
                    &entry.path,
                    &name,
                    &mut matches,
                    cancel,
                );
            }
        }
        notes.push_str(&walk.note());
    }
    if cancel.is_cancelled() {
        return Err(ToolError::cancelled());
    }
    notes.push_str(&note(&matches.unreadable, &[]));
    Ok(report(arguments, &matches, &notes))
}

fn search_file(
    searcher: &mut Searcher,
    expression: &RegexMatcher,
    path: &Path,
    name: &str,
    matches: &mut Matches,
    cancel: &CancellationToken,
) {
    let before = matches.lines.len();
    let lines = &mut matches.lines;
    let overflow = &mut matches.overflow;
    let sink = Lossy(|number, line| {
        if lines.len() == MAX_MATCHES {
            *overflow = true;
            return Ok(false);
        }
        lines.push(format!("{name}:{number}: {}", shortened(line)));
        Ok(!cancel.is_cancelled())
    });
    if let Err(error) = searcher.search_path(expression, path, sink) {
        matches.unreadable.push(format!("{name}: {error}"));
    }
    if matches.lines.len() > before {
        matches.files += 1;
    }
}

fn shortened(line: &str) -> String {
    let line = line.trim_end_matches(['\r', '\n']);
    match line.char_indices().nth(MAX_LINE_LENGTH) {
        Some((end, _)) => format!("{}... [truncated]", &line[..end]),
        None => line.to_owned(),
    }
}

fn report(arguments: &Arguments, matches: &Matches, notes: &str) -> Output {
    let pattern = required_text(arguments, "pattern").unwrap_or_default();
    let mut filter = String::new();
    if let Some(path) = text(arguments, "dir_path") {
        append(&mut filter, format_args!(" in path \"{path}\""));
    }
    if let Some(include) = text(arguments, "include") {
        append(&mut filter, format_args!(" (filter: \"{include}\")"));
    }
    if matches.lines.is_empty() {
        return Output::new(
            format!("No matches found for pattern \"{pattern}\"{filter}.{notes}"),
            "No matches found",
        );
    }
    let count = matches.lines.len();
    let word = if count == 1 { "match" } else { "matches" };
    let mut text = format!(
        "Found {count} {word} for pattern \"{pattern}\"{filter}:\n---\n{}\n---",
        matches.lines.join("\n")
    );
    let mut display = format!("Found {count} {word} in {} file(s)", matches.files);
    if matches.overflow {
        append(
            &mut text,
            format_args!(
                "\n… only the first {MAX_MATCHES} matches are shown; narrow the pattern, the \
             folder or 'include' …"
            ),
        );
        display.push_str(" (limited)");
    }
    text.push_str(notes);
    Output::new(text, display)
}
