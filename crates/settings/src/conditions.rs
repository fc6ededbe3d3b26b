//! Conditions in settings: what is wrong with one, and where (HT-1).

use hookloop_rules::ConditionError;
use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;

use crate::file_text::FileText;
use crate::syntax::start;

/// Says what is wrong with a condition, and what to do.
pub(crate) fn complaint(error: &ConditionError) -> (String, String) {
    (
        format!("the condition can't be read: {}", error.message),
        "write a condition in CEL, such as tool.name == \"write_file\"".to_owned(),
    )
}

/// Returns where a column of a condition is in the file.
pub(crate) fn place(file: &FileText, value: &Value<'_>, column: usize) -> usize {
    let opening = start(value);
    let literal = file.text().get(opening..value.range().end).unwrap_or("");
    let inner = literal.get(1..).unwrap_or("");
    let mut rest = inner;
    for _ in 1..column {
        // What is escaped is one character of the condition.
        let length = match rest.as_bytes() {
            [b'\\', b'u', ..] => 6,
            [b'\\', ..] => 2,
            _ => rest.chars().next().map_or(0, char::len_utf8),
        };
        match rest.get(length..) {
            Some(behind) if length > 0 => rest = behind,
            _ => break,
        }
    }
    opening + 1 + (inner.len() - rest.len())
}
