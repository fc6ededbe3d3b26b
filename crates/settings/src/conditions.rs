//! Errors in the conditions of settings, with their places (HT-1).

use hookloop_hook::Position;
use hookloop_rules::{ConditionError, UseOfName};
use hookloop_text::shorten::excerpt;
use jsonc_parser::ast::Value;

use crate::file_text::FileText;
use crate::near::nearest;
use crate::syntax::start;

/// Loops over lists, which are called as functions and aren't.
const LOOPS: [&str; 5] = ["exists", "exists_one", "all", "filter", "map"];

/// Returns what is wrong with a condition, and what to do.
pub(crate) fn complaint(error: &ConditionError) -> (String, String) {
    (
        format!("the condition can't be parsed: {}", error.message),
        remedy(error),
    )
}

/// Returns what to write: what was probably meant by a name that doesn't exist, else all names that
/// exist.
fn remedy(error: &ConditionError) -> String {
    let Some(unknown) = &error.unknown else {
        return "write a condition in CEL, with ==, !=, &&, || and !, and texts in quotes, such as \
                tool.name == \"write_file\""
            .to_owned();
    };
    let name = unknown.name.as_str();
    if LOOPS.contains(&name) {
        let name = excerpt(name);
        return format!(
            "call it on a list, with a name for each element: paths.{name}(it, it.name == \"x\"); \
             to check whether a field exists, write has(tool.input.content)"
        );
    }
    let loops = match unknown.use_of {
        UseOfName::Function => &LOOPS[..],
        UseOfName::Value => &[],
    };
    let known = unknown.known.iter().chain(loops).copied();
    match (unknown.use_of, nearest(name, known)) {
        (_, Some(meant)) => format!("did you mean \"{meant}\"?"),
        (UseOfName::Function, None) => format!(
            "use {}; on a list also {}; and has(…), which checks whether a field exists",
            unknown.known.join(", "),
            LOOPS.join(", ")
        ),
        (UseOfName::Value, None) => format!("there are {}", unknown.known.join(", ")),
    }
}

/// Returns where a column of a condition is in the file.
pub(crate) fn position(file: &FileText, value: &Value<'_>, column: usize) -> usize {
    from(file, start(value), column)
}

/// Returns the byte of a column of a condition whose text begins in a file with the quote at a
/// place.
pub(crate) fn offset_of_column(file: &FileText, opening: Position, column: usize) -> usize {
    from(file, file.offset(opening), column)
}

fn from(file: &FileText, opening: usize, column: usize) -> usize {
    let inner = file.text().get(opening + 1..).unwrap_or("");
    let mut rest = inner;
    for _ in 1..column {
        // An escape is one character of the condition.
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
