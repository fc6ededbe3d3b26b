//! Parses a Codex patch into the changes to each file (BR-10).

use std::fmt;

/// The change to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Patched {
    /// The file is created or overwritten.
    Added {
        /// The path, as it is written.
        path: String,
        /// The whole content.
        content: String,
    },
    /// Parts of the file are changed. The parts of all hunks are joined.
    Changed {
        /// The path, as it is written.
        path: String,
        /// The lines that must be there.
        old: String,
        /// The lines that replace them.
        new: String,
    },
    /// The file is deleted.
    Deleted {
        /// The path, as it is written.
        path: String,
    },
    /// The file is moved to another path.
    Moved {
        /// The path, as it is written.
        from: String,
        /// The new path.
        to: String,
    },
}

/// Why a patch can't be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// What is wrong, as a sentence without its full stop.
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
const ADD: &str = "*** Add File:";
const UPDATE: &str = "*** Update File:";
const DELETE: &str = "*** Delete File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";
const UNENDED: &str = "\\ No newline at end of file";

/// Finds the patches in a text, wherever they begin. The content that a patch writes may contain
/// end markers, too, so a patch ends at the last one before the next patch begins, or at the start
/// of that patch if there is no end marker.
pub fn embedded(text: &str) -> Vec<&str> {
    let begins: Vec<usize> = text.match_indices(BEGIN).map(|(place, _)| place).collect();
    let ends = begins.iter().skip(1).copied().chain([text.len()]);
    let patches = begins.iter().zip(ends).map(|(begin, end)| {
        let part = &text[*begin..end];
        let end = part.match_indices(END).map(|(place, _)| place + END.len());
        end.last().map_or(part, |end| &part[..end])
    });
    patches.collect()
}

/// Parses a patch, in the order of its files. The whole text counts, including whatever follows an
/// end marker, because parsers differ in which marker they accept.
///
/// # Errors
/// It contains a line that doesn't belong to such a patch, or names no file, so its effect isn't
/// known.
pub fn read(patch: &str) -> Result<Vec<Patched>, Unread> {
    let mut reader = Reader::default();
    for line in without_heredoc(patch)
        .lines()
        .map(|line| line.trim_end_matches('\r'))
    {
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

/// Removes the shell lines that some models write around a patch, as readers do.
fn without_heredoc(patch: &str) -> &str {
    let text = patch.trim();
    let inner = || {
        let (first, rest) = text.split_once('\n')?;
        let first = first.trim();
        let first = first.strip_prefix("cat").map_or(first, str::trim_start);
        let word = first.strip_prefix("<<")?.trim_matches(['\'', '"']);
        let (body, last) = rest.rsplit_once('\n')?;
        (!word.is_empty() && last.trim() == word).then_some(body)
    };
    inner().unwrap_or(text)
}

/// Trims what parsers in any language count as space.
fn trim(text: &str) -> &str {
    text.trim_matches(|sign: char| sign.is_whitespace() || sign == '\u{feff}')
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
        // A marker may be indented if no file is open, or in an added file, whose lines all begin
        // with a mark. In a change, a space marks an unchanged line.
        let is_kept = matches!(self.open, Some(Open::Changed { .. })) && line.starts_with(' ');
        let mark = trim(line);
        if is_kept {
            return self.content(line, mark);
        }
        if let Some(path) = mark.strip_prefix(ADD) {
            self.end_file();
            self.open = Some(Open::Added {
                path: path_of(path)?,
                content: String::new(),
            });
        } else if let Some(path) = mark.strip_prefix(UPDATE) {
            self.end_file();
            self.open = Some(Open::Changed {
                path: path_of(path)?,
                old: String::new(),
                new: String::new(),
                is_changed: false,
                moved_to: None,
            });
        } else if let Some(path) = mark.strip_prefix(DELETE) {
            self.end_file();
            let path = path_of(path)?;
            self.files.push(Patched::Deleted { path });
        } else if [BEGIN, END].contains(&mark) {
            self.end_file();
        } else if mark != END_OF_FILE && !mark.starts_with("*** Environment ID:") {
            return self.content(line, mark);
        }
        Ok(())
    }

    fn content(&mut self, line: &str, mark: &str) -> Result<(), Unread> {
        let unread = || Unread {
            message: format!("the patch has an invalid line: {mark}"),
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
                    *moved_to = Some(path_of(path)?);
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

/// Returns the path after a mark.
fn path_of(text: &str) -> Result<String, Unread> {
    let path = trim(text);
    if path.is_empty() {
        return Err(Unread {
            message: "the patch has a marker without a path".to_owned(),
        });
    }
    Ok(path.to_owned())
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

#[cfg(test)]
mod tests;
