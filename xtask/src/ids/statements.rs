//! The statements of the specification: list items that begin with an id in bold, each with an
//! anchor that the documentation links to.

use std::fs;
use std::path::Path;

use super::lists::is_id;
use crate::violation::Violation;

/// One statement, and where it is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Statement {
    pub(crate) id: String,
    /// The page and the heading above it.
    pub(crate) section: String,
    pub(crate) file: String,
    /// Line, from 1.
    pub(crate) line: usize,
}

/// Reads all pages of a folder, in the order of their names.
pub(crate) fn read_statements(
    root: &Path,
    folder: &str,
    violations: &mut Vec<Violation>,
) -> Vec<Statement> {
    let mut names: Vec<String> = fs::read_dir(root.join(folder))
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| Path::new(name).extension().is_some_and(|it| it == "md"))
        .collect();
    names.sort();
    if names.is_empty() {
        let right = "the pages of the specification are committed";
        violations.push(Violation::new(folder, 0, "no page can be read", right));
    }
    let mut statements: Vec<Statement> = Vec::new();
    for name in names {
        let file = format!("{folder}/{name}");
        let text = fs::read_to_string(root.join(&file)).unwrap_or_default();
        for statement in statements_in(&file, &text, violations) {
            match statements.iter().find(|other| other.id == statement.id) {
                Some(first) => violations.push(Violation::new(
                    &file,
                    statement.line,
                    format!("{} is stated twice", statement.id),
                    format!("it is already in {}:{}", first.file, first.line),
                )),
                None => statements.push(statement),
            }
        }
    }
    statements
}

fn statements_in(file: &str, text: &str, violations: &mut Vec<Violation>) -> Vec<Statement> {
    let page = Path::new(file)
        .file_stem()
        .map(|it| it.to_string_lossy().into_owned())
        .unwrap_or_default();
    let mut section = String::new();
    let mut statements = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(heading) = line.strip_prefix('#') {
            let words = heading.trim_start_matches('#').trim();
            words
                .trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.')
                .trim()
                .clone_into(&mut section);
        }
        let Some(item) = line.strip_prefix("- ") else {
            continue;
        };
        let (anchor, rest) = match item.strip_prefix("<a id=\"") {
            Some(anchored) => anchored.split_once("\"></a>").unwrap_or(("", item)),
            None => ("", item),
        };
        let id = rest.strip_prefix("**").and_then(|it| it.split_once("**"));
        let Some((id, _)) = id.filter(|(id, _)| is_id(id)) else {
            continue;
        };
        if anchor != id.to_ascii_lowercase() {
            let right = format!("- <a id=\"{}\"></a>**{id}** …", id.to_ascii_lowercase());
            let wrong = format!("{id} has no anchor of its name");
            violations.push(Violation::new(file, index + 1, wrong, right));
        }
        statements.push(Statement {
            id: id.to_owned(),
            section: format!("{page}: {section}"),
            file: file.to_owned(),
            line: index + 1,
        });
    }
    statements
}
