//! The tool `save_memory`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookloop_events::McpContext;
use serde_json::json;

use crate::arguments::required_text;
use crate::files::edit::encode;
use crate::files::encoding::Encoding;
use crate::files::{atomic, text};
use crate::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, ErrorKind, FileChange, Output, Preview,
    RunContext, Subject, Tool, ToolError, blocking, schema,
};

/// The heading of the section with facts.
const HEADING: &str = "## Gemini Added Memories";

/// Appends a fact to the user's context file (`agent.md` §4).
pub struct SaveMemory {
    declaration: Declaration,
    file: PathBuf,
}

impl SaveMemory {
    /// Creates the tool for a context file, usually `~/.gemini/GEMINI.md`. The file need not exist.
    pub fn new(file: PathBuf) -> Self {
        Self {
            declaration: Declaration {
                name: "save_memory".to_owned(),
                description: "Remembers a fact about the user or their preferences for all later \
                    sessions. Use it only if the user asks for it or states something of \
                    lasting value; not for what only concerns this session."
                    .to_owned(),
                parameters: json!({
                    "type": "object",
                    "properties": {
                        "fact": {
                            "type": "string",
                            "minLength": 1,
                            "description": "The fact, as one self-contained sentence.",
                        },
                    },
                    "required": ["fact"],
                }),
                access: Access::Edit,
            },
            file,
        }
    }
}

impl Tool for SaveMemory {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        schema::check(&self.declaration.parameters, arguments)?;
        one_line(required_text(arguments, "fact")?).map(drop)
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, arguments: &Arguments) -> Preview {
        let fact = required_text(arguments, "fact");
        let change = fact.and_then(|fact| change(&self.file, fact));
        let file_change = change.as_ref().ok().map(|change| {
            let change = FileChange::compute(&self.file, Some(&change.old), &change.new);
            Box::new(change)
        });
        let subject = Subject::Edit {
            file_path: self.file.clone(),
            diff: file_change
                .as_ref()
                .map(|it| it.diff.clone())
                .unwrap_or_default(),
            change: file_change,
        };
        let mut preview = Preview::new("Confirm Memory Save", subject);
        preview.problem = change.err();
        preview
    }

    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        let file = self.file.clone();
        blocking::writing(context.cancel, move || {
            let fact = remember(&file, required_text(&arguments, "fact")?)?;
            let text = format!("Okay, I've remembered that: \"{fact}\"");
            Ok(Output::new(text.clone(), text))
        })
    }
}

/// Adds a fact to a context file, which need not exist, and returns the line that was added
/// (`agent.md` §4).
///
/// # Errors
/// The fact contains no words, or the file can't be read as text or written. The file is unchanged
/// then.
pub fn remember(file: &Path, fact: &str) -> Result<String, ToolError> {
    let change = change(file, fact)?;
    let bytes = encode(&change.place, change.encoding, &change.new)?;
    atomic::write(&change.place, &bytes)?;
    Ok(change.fact)
}

struct Change {
    place: PathBuf,
    encoding: Encoding,
    old: String,
    new: String,
    fact: String,
}

fn change(file: &Path, fact: &str) -> Result<Change, ToolError> {
    let fact = one_line(fact)?;
    // Replacing a link would separate it from the file that the user keeps elsewhere.
    let place = fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    let old = match text::read(&place) {
        Ok(text) => text,
        Err(error) if error.kind == ErrorKind::FileNotFound => text::Text::default(),
        Err(error) => return Err(error),
    };
    Ok(Change {
        place,
        encoding: old.encoding,
        new: with_fact(&old.content, &fact),
        old: old.content,
        fact,
    })
}

/// Makes a single line of a fact: an additional line could be read as another instruction.
fn one_line(fact: &str) -> Result<String, ToolError> {
    let words: Vec<&str> = fact.split_whitespace().collect();
    let line = words.join(" ");
    let line = line.trim_start_matches(['-', '#', ' ']);
    if line.is_empty() {
        return Err(ToolError::invalid("params/fact must contain text"));
    }
    Ok(line.to_owned())
}

/// Adds a fact at the end of its section, which is created at the end of the text if necessary.
fn with_fact(text: &str, fact: &str) -> String {
    let end_of_line = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let entry = format!("- {fact}{end_of_line}");
    let Some(begin) = heading(text) else {
        let before = text.trim_end();
        let gap = if before.is_empty() {
            String::new()
        } else {
            end_of_line.repeat(2)
        };
        return format!("{before}{gap}{HEADING}{end_of_line}{entry}");
    };
    let section = begin + HEADING.len();
    let length = text[section..].find("\n## ").map(|end| end + 1);
    let end = length.map_or(text.len(), |length| section + length);
    let (before, after) = (text[..end].trim_end(), &text[end..]);
    let gap = if after.is_empty() { "" } else { end_of_line };
    format!("{before}{end_of_line}{entry}{gap}{after}")
}

/// Returns where the heading is, on a line of its own.
fn heading(text: &str) -> Option<usize> {
    text.match_indices(HEADING)
        .map(|(begin, _)| begin)
        .find(|&begin| {
            let is_start = begin == 0 || text[..begin].ends_with('\n');
            let rest = text[begin + HEADING.len()..].lines().next();
            is_start && rest.is_none_or(|rest| rest.trim().is_empty())
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `save_memory` appends under its heading, as upstream does, and keeps everything else.
    #[test]
    fn facts_stand_under_their_heading() {
        let first = with_fact("", "one");
        assert_eq!(first, "## Gemini Added Memories\n- one\n");
        assert_eq!(
            with_fact(&first, "two"),
            "## Gemini Added Memories\n- one\n- two\n"
        );
        assert_eq!(
            with_fact("# Rules\r\nx\r\n", "one"),
            "# Rules\r\nx\r\n\r\n## Gemini Added Memories\r\n- one\r\n"
        );
        assert_eq!(
            with_fact("## Gemini Added Memories\n- one\n\n## Other\ntext\n", "two"),
            "## Gemini Added Memories\n- one\n- two\n\n## Other\ntext\n"
        );
    }

    /// A fact is one line, whatever it contains.
    #[test]
    fn a_fact_is_one_line() {
        assert_eq!(one_line("- a\n\n## b\r\nc").expect("words"), "a ## b c");
        assert!(one_line(" - \n").is_err());
    }

    proptest! {
        /// Nothing that was in the file before is lost, and the fact occurs once more.
        #[test]
        fn nothing_is_lost(text in "(## Gemini Added Memories|## x|- a|\n|\r\n| |é){0,12}") {
            let new = with_fact(&text, "fact");
            let words = |text: &str| -> Vec<String> {
                text.split_whitespace().map(str::to_owned).collect()
            };
            let kept: Vec<String> = words(&text);
            let mut rest = words(&new).into_iter();
            for word in kept {
                prop_assert!(rest.any(|it| it == word), "{word} of {text:?} in {new:?}");
            }
            prop_assert!(new.contains("- fact"));
        }
    }
}
