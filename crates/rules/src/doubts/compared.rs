//! Texts that a condition compares literally, but that were meant as something else.

use cel::IdedExpr;
use cel::common::ast::{CallExpr, Expr, LiteralValue, operators};

use super::{Doubt, Meant, collect_texts};

/// Fields with names of files and programs, which contain no characters of patterns.
const NAMES: [&str; 16] = [
    "tool_name",
    "name",
    "file_path",
    "path",
    "paths",
    "absolute_path",
    "dir_path",
    "directory",
    "folder",
    "file",
    "filename",
    "cwd",
    "url",
    "host",
    "program",
    "subcommand",
];

/// Returns what a comparison with a text can't mean.
pub(super) fn doubt(call: &CallExpr) -> Option<Doubt> {
    let mut parts = call.target.iter().map(|it| &**it).chain(&call.args);
    let (one, other) = (parts.next()?, parts.next()?);
    let (of, texts) = match (text_or_list(one), text_or_list(other)) {
        (None, Some(texts)) => (one, texts),
        (Some(texts), None) => (other, texts),
        _ => return None,
    };
    let operation = call.func_name.as_str();
    if ![
        operators::EQUALS,
        operators::IN,
        "startsWith",
        "endsWith",
        "contains",
    ]
    .contains(&operation)
    {
        return None;
    }
    if let Some(text) = texts.iter().find(|it| has_other_case(of, it)) {
        return Some(Doubt::Compared(text.clone(), Meant::OtherCase));
    }
    let field = last_name(of)?;
    let is_command = field == "command";
    if !is_command && !is_name(field) {
        return None;
    }
    texts.into_iter().find_map(|text| {
        if is_command {
            check_command(operation, text)
        } else {
            check_name(operation, text)
        }
    })
}

/// Returns whether a field names files or programs.
pub(super) fn is_name(field: &str) -> bool {
    NAMES.contains(&field)
}

/// Judges a text that the name of something is compared with.
fn check_name(operation: &str, text: String) -> Option<Doubt> {
    let is_whole_or_begins = operation != "endsWith";
    let begins_with_variable = text
        .strip_prefix('$')
        .is_some_and(|it| it.starts_with(|it: char| it == '{' || it.is_ascii_uppercase()));
    if is_wildcard(operation, &text) {
        Some(Doubt::Compared(text, Meant::Wildcard))
    } else if is_expression(operation, &text) {
        Some(Doubt::Compared(text, Meant::Expression))
    } else if is_whole_or_begins && (text.starts_with("~/") || begins_with_variable) {
        Some(Doubt::Compared(text, Meant::Folder))
    } else if is_whole_or_begins && operation != "contains" && text.starts_with("./") {
        Some(Doubt::Compared(text, Meant::Relative))
    } else {
        None
    }
}

fn is_wildcard(operation: &str, text: &str) -> bool {
    match operation {
        "startsWith" => text.starts_with('*'),
        _ => text.contains('*') && !text.starts_with('^'),
    }
}

fn is_expression(operation: &str, text: &str) -> bool {
    let begins = operation != "endsWith" && text.starts_with('^');
    let ends = operation != "startsWith" && text.len() > 1 && text.ends_with('$');
    begins || ends || text.contains("[^") || text.contains("\\.") || text.contains('|')
}

/// Judges a text that a command is compared with: commands may contain shell patterns.
fn check_command(operation: &str, text: String) -> Option<Doubt> {
    /// What occurs in regular expressions, but in no command that somebody looks for.
    const SIGNS: [&str; 5] = ["(?i)", "\\s", "\\b", "\\d", "\\w"];
    match operation {
        _ if SIGNS.iter().any(|it| text.contains(it)) => {
            Some(Doubt::Compared(text, Meant::Expression))
        }
        "startsWith" if text.starts_with('*') => Some(Doubt::Compared(text, Meant::Wildcard)),
        "contains" if text == ".*" => Some(Doubt::Compared(text, Meant::Wildcard)),
        "startsWith" | operators::EQUALS if text.len() > 1 && text.starts_with('^') => {
            Some(Doubt::Compared(text, Meant::Expression))
        }
        _ => None,
    }
}

/// Returns whether a text has letters that can't occur in what it is compared with, because its
/// case is changed.
fn has_other_case(of: &IdedExpr, text: &str) -> bool {
    let Expr::Call(call) = &of.expr else {
        return false;
    };
    match call.func_name.as_str() {
        "lower" | "lowerAscii" => text.contains(|it: char| it.is_ascii_uppercase()),
        "upperAscii" => text.contains(|it: char| it.is_ascii_lowercase()),
        _ => false,
    }
}

/// Returns whether one of the parts joined by `&&` is false for every name, or contradicts another
/// one.
pub(super) fn is_never_true(expression: &IdedExpr) -> bool {
    let mut parts = Vec::new();
    collect_conjuncts(expression, &mut parts);
    let mut equal: Vec<(String, &str)> = Vec::new();
    parts.into_iter().any(|part| {
        let Expr::Call(call) = &part.expr else {
            return false;
        };
        let [one, other] = &call.args[..] else {
            return false;
        };
        match (call.func_name.as_str(), &other.expr) {
            (operators::IN, Expr::List(list)) => list.elements.is_empty(),
            (operators::EQUALS, Expr::Literal(LiteralValue::String(text))) => {
                let Some(path) = path_of(one) else {
                    return false;
                };
                let text = text.inner();
                let contradicts = equal.iter().any(|it| it.0 == path && it.1 != text);
                equal.push((path, text));
                contradicts
            }
            (
                operators::EQUALS,
                Expr::Literal(
                    LiteralValue::Boolean(_) | LiteralValue::Int(_) | LiteralValue::Double(_),
                ),
            ) => last_name(one).is_some_and(|it| it == "command" || NAMES.contains(&it)),
            _ => false,
        }
    })
}

fn collect_conjuncts<'e>(expression: &'e IdedExpr, parts: &mut Vec<&'e IdedExpr>) {
    match &expression.expr {
        Expr::Call(call) if call.func_name == operators::LOGICAL_AND => {
            call.args.iter().for_each(|it| collect_conjuncts(it, parts));
        }
        _ => parts.push(expression),
    }
}

/// Returns what is read, if that consists of names alone: `tool.input.file_path`.
fn path_of(expression: &IdedExpr) -> Option<String> {
    match &expression.expr {
        Expr::Ident(name) => Some(name.clone()),
        Expr::Select(select) => Some(format!("{}.{}", path_of(&select.operand)?, select.field)),
        _ => None,
    }
}

/// Returns the texts of a literal, or of a list of them.
fn text_or_list(expression: &IdedExpr) -> Option<Vec<String>> {
    let is_literal = matches!(
        &expression.expr,
        Expr::Literal(LiteralValue::String(_)) | Expr::List(_)
    );
    let mut texts = Vec::new();
    collect_texts(&expression.expr, &mut texts);
    is_literal.then_some(texts)
}

/// Returns the last name of what is read: `file_path` of `tool.input.file_path`, even if its case
/// is changed first.
pub(super) fn last_name(expression: &IdedExpr) -> Option<&str> {
    match &expression.expr {
        Expr::Ident(name) => Some(name),
        Expr::Select(select) => Some(&select.field),
        Expr::Call(call)
            if ["lower", "lowerAscii", "upperAscii", "trim"].contains(&call.func_name.as_str()) =>
        {
            last_name(call.target.as_deref().or(call.args.first())?)
        }
        Expr::Call(call) if call.func_name == operators::INDEX => match &call.args.get(1)?.expr {
            Expr::Literal(LiteralValue::String(key)) => Some(key.inner()),
            _ => None,
        },
        _ => None,
    }
}
