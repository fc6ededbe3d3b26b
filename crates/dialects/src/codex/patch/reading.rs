//! Reads a patch of Codex: what becomes of each file (BR-10).

use std::fmt;

/// What a patch does to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Patched {
    /// It makes a file, or writes it anew.
    Added {
        /// The path, as it is written.
        path: String,
        /// The whole content.
        content: String,
    },
    /// It changes parts of a file; the parts of all hunks follow each other.
    Changed {
        /// The path, as it is written.
        path: String,
        /// The lines that must be there.
        old: String,
        /// The lines that take their place.
        new: String,
    },
    /// It deletes a file.
    Deleted {
        /// The path, as it is written.
        path: String,
    },
    /// It gives a file another path.
    Moved {
        /// The path, as it is written.
        from: String,
        /// The new path.
        to: String,
    },
}

/// Why a patch can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// What is wrong, as a sentence without its end.
    pub message: String,
}

impl fmt::Display for Unread {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Unread {}

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File: ";
const UPDATE: &str = "*** Update File: ";
const DELETE: &str = "*** Delete File: ";
const MOVE: &str = "*** Move to: ";
const END_OF_FILE: &str = "*** End of File";
const UNENDED: &str = "\\ No newline at end of file";

/// Finds the patches that stand in a shell command, such as those in the text that it gives to
/// `apply_patch`.
pub fn embedded(command: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = command;
    while let Some(begin) = rest.find(BEGIN) {
        rest = &rest[begin..];
        let end = rest.find(END).map_or(rest.len(), |end| end + END.len());
        let (patch, after) = rest.split_at(end);
        found.push(patch);
        rest = after;
    }
    found
}

/// Reads a patch, in the order of its files.
///
/// # Errors
/// It has a line that no such patch has, or says nothing of any file: nobody knows then what it
/// would do.
pub fn read(patch: &str) -> Result<Vec<Patched>, Unread> {
    let mut reader = Reader::default();
    for line in patch.lines().map(|line| line.trim_end_matches('\r')) {
        reader.line(line)?;
    }
    reader.end_file();
    if reader.files.is_empty() {
        return Err(Unread {
            message: "the patch names no file".to_owned(),
        });
    }
    Ok(reader.files)
}

/// A file that is being read.
enum Open {
    Added {
        path: String,
        content: String,
    },
    Changed {
        path: String,
        old: String,
        new: String,
        is_changed: bool,
        moved_to: Option<String>,
    },
}

#[derive(Default)]
struct Reader {
    files: Vec<Patched>,
    open: Option<Open>,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), Unread> {
        // The marks may be indented; lines of content begin with a sign.
        let mark = line.trim();
        if let Some(path) = mark.strip_prefix(ADD) {
            self.end_file();
            self.open = Some(Open::Added {
                path: path.trim().to_owned(),
                content: String::new(),
            });
        } else if let Some(path) = mark.strip_prefix(UPDATE) {
            self.end_file();
            self.open = Some(Open::Changed {
                path: path.trim().to_owned(),
                old: String::new(),
                new: String::new(),
                is_changed: false,
                moved_to: None,
            });
        } else if let Some(path) = mark.strip_prefix(DELETE) {
            self.end_file();
            self.files.push(Patched::Deleted {
                path: path.trim().to_owned(),
            });
        } else if [BEGIN, END, END_OF_FILE].contains(&mark)
            || mark.starts_with("*** Environment ID:")
        {
            if mark == END {
                self.end_file();
            }
        } else {
            return self.content(line, mark);
        }
        Ok(())
    }

    fn content(&mut self, line: &str, mark: &str) -> Result<(), Unread> {
        let unread = || Unread {
            message: format!("the patch has a line that can't be understood: {mark}"),
        };
        match self.open.as_mut() {
            Some(Open::Added { content, .. }) => match line.strip_prefix('+') {
                Some(text) => push_line(content, text),
                None if mark == UNENDED => {
                    content.pop();
                }
                None => return Err(unread()),
            },
            Some(Open::Changed {
                old,
                new,
                is_changed,
                moved_to,
                ..
            }) => {
                if let Some(path) = mark.strip_prefix(MOVE) {
                    *moved_to = Some(path.trim().to_owned());
                } else if mark == UNENDED {
                    new.pop();
                } else if let Some(text) = line.strip_prefix('+') {
                    *is_changed = true;
                    push_line(new, text);
                } else if let Some(text) = line.strip_prefix('-') {
                    *is_changed = true;
                    push_line(old, text);
                } else if let Some(text) = line.strip_prefix(' ') {
                    push_line(old, text);
                    push_line(new, text);
                } else if line.is_empty() {
                    push_line(old, "");
                    push_line(new, "");
                } else if !mark.starts_with("@@") {
                    return Err(unread());
                }
            }
            None if mark.is_empty() => {}
            None => return Err(unread()),
        }
        Ok(())
    }

    fn end_file(&mut self) {
        match self.open.take() {
            None => {}
            Some(Open::Added { path, content }) => {
                self.files.push(Patched::Added { path, content });
            }
            Some(Open::Changed {
                path,
                old,
                new,
                is_changed,
                moved_to,
            }) => {
                if is_changed || moved_to.is_none() {
                    self.files.push(Patched::Changed {
                        path: path.clone(),
                        old,
                        new,
                    });
                }
                if let Some(to) = moved_to {
                    self.files.push(Patched::Moved { from: path, to });
                }
            }
        }
    }
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

#[cfg(test)]
mod tests;
