//! Lists of ids: one per line, a tab, and words about it.

use std::fs;
use std::path::Path;

use crate::violation::Violation;

/// One line of a list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) id: String,
    /// What follows the id: a section's name, or a reason.
    pub(crate) text: String,
    /// Line, from 1.
    pub(crate) line: usize,
}

/// Reads a list; wrong lines are reported, and the others count.
pub(crate) fn read_list(root: &Path, file: &str, violations: &mut Vec<Violation>) -> Vec<Entry> {
    if let Ok(text) = fs::read_to_string(root.join(file)) {
        parse_list(file, &text, violations)
    } else {
        violations.push(Violation::new(
            file,
            0,
            "the list can't be read",
            "it is committed",
        ));
        Vec::new()
    }
}

fn parse_list(file: &str, text: &str, violations: &mut Vec<Violation>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (id, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let wrong = if !is_id(id) {
            format!("`{id}` isn't an id")
        } else if entries.iter().any(|entry| entry.id == id) {
            format!("{id} is listed twice")
        } else {
            let (id, text) = (id.to_owned(), words.trim().to_owned());
            entries.push(Entry {
                id,
                text,
                line: index + 1,
            });
            continue;
        };
        violations.push(Violation::new(
            file,
            index + 1,
            wrong,
            "an id, a tab, and a reason",
        ));
    }
    entries
}

/// Returns whether the word has the form of an id: capitals in groups, and a number (`IO-10`,
/// `AG-CLI-1`).
pub(crate) fn is_id(word: &str) -> bool {
    let Some((family, number)) = word.rsplit_once('-') else {
        return false;
    };
    let capitals =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_uppercase());
    family.split('-').all(capitals)
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
}
