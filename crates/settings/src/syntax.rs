//! From text to a syntax tree with places: JSON with comments and trailing commas (ST-1).

use std::collections::HashMap;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::{CollectOptions, ParseOptions, ParseStringErrorKind, parse_to_ast};

/// Deepest nesting that is read; what is deeper isn't a settings file, and could exhaust the stack.
const MAX_DEPTH: usize = 200;

const STRICT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The error that a text isn't JSON, with the first byte that can't be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    pub(crate) offset: usize,
    pub(crate) message: String,
}

/// What the scan for dangers found, and at which byte.
enum Finding {
    TooDeep(usize),
    OpenString(usize),
}

/// Reads a text.
pub(crate) fn parse(text: &str) -> Result<Value<'_>, SyntaxError> {
    let open_string = match scan(text) {
        Some(Finding::TooDeep(offset)) => {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(SyntaxError { offset, message });
        }
        Some(Finding::OpenString(offset)) => Some(SyntaxError {
            offset,
            message: "the line ends inside a string".to_owned(),
        }),
        None => None,
    };
    let parsed = match parse_to_ast(text, &CollectOptions::default(), &STRICT) {
        Ok(result) => result.value.ok_or_else(|| SyntaxError {
            offset: text.len(),
            message: "the file is empty".to_owned(),
        }),
        Err(error) => Err(locate(text, &error)),
    };
    match (parsed, open_string) {
        // An error before it comes first; the parser itself would read on to the next quote.
        (Err(error), Some(open))
            if error.offset < open.offset && !error.message.contains("string literal") =>
        {
            Err(error)
        }
        (_, Some(open)) => Err(open),
        (parsed, None) => parsed,
    }
}

fn locate(text: &str, error: &jsonc_parser::errors::ParseError) -> SyntaxError {
    let range = error.range();
    let offset = match error.kind() {
        // The parser points to what was opened; the end is what can't be read.
        ParseErrorKind::UnterminatedObject
        | ParseErrorKind::UnterminatedArray
        | ParseErrorKind::UnterminatedCommentBlock
        | ParseErrorKind::String(ParseStringErrorKind::UnterminatedStringLiteral) => text.len(),
        ParseErrorKind::ExpectedComma => next_token(text, range.start),
        _ => range.start,
    };
    SyntaxError {
        offset,
        message: error.kind().to_string().to_lowercase(),
    }
}

/// Skips white space and comments.
pub(crate) fn next_token(text: &str, from: usize) -> usize {
    let mut rest = &text[from..];
    loop {
        rest = rest.trim_start();
        let comment_end = match rest.get(..2) {
            Some("//") => rest.find(['\n', '\r']),
            Some("/*") => rest.find("*/").map(|end| end + 2),
            _ => return text.len() - rest.len(),
        };
        rest = &rest[comment_end.unwrap_or(rest.len())..];
    }
}

/// Looks for what the parser accepts: unbounded nesting, lines that end inside a string.
fn scan(text: &str) -> Option<Finding> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut index = 0;
    while index < bytes.len() {
        match bytes[index] {
            b'"' => {
                index = end_of_string(bytes, index);
                if matches!(bytes.get(index), Some(b'\n' | b'\r')) {
                    return Some(Finding::OpenString(index));
                }
            }
            b'/' if bytes.get(index + 1) == Some(&b'/') => {
                index += text[index..].find(['\n', '\r'])?;
            }
            b'/' if bytes.get(index + 1) == Some(&b'*') => {
                index += 2 + text[index + 2..].find("*/")? + 1;
            }
            b'{' | b'[' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Some(Finding::TooDeep(index));
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        index += 1;
    }
    None
}

/// Returns the byte at which a string ends: its closing quote, a line's end, or the text's.
fn end_of_string(bytes: &[u8], opening: usize) -> usize {
    let mut index = opening + 1;
    while index < bytes.len() && !matches!(bytes[index], b'"' | b'\n' | b'\r') {
        index += if bytes[index] == b'\\' { 2 } else { 1 };
    }
    index
}

/// Returns the members of an object, the last of each name, and those that an equal key repeats.
pub(crate) fn members<'v, 't>(
    object: &'v Object<'t>,
) -> (Vec<&'v ObjectProp<'t>>, Vec<Repetition<'v, 't>>) {
    let mut last: HashMap<&str, usize> = HashMap::with_capacity(object.properties.len());
    let mut kept: Vec<Option<&ObjectProp<'_>>> = Vec::with_capacity(object.properties.len());
    let mut repeated = Vec::new();
    for property in &object.properties {
        let name = property.name.as_str();
        if let Some(index) = last.insert(name, kept.len())
            && let Some(earlier) = kept[index].take()
        {
            repeated.push(Repetition {
                earlier,
                later: property,
            });
        }
        kept.push(Some(property));
    }
    (kept.into_iter().flatten().collect(), repeated)
}

/// Two members of an object with the same name.
pub(crate) struct Repetition<'v, 't> {
    pub(crate) earlier: &'v ObjectProp<'t>,
    pub(crate) later: &'v ObjectProp<'t>,
}

/// Returns the last member of a name; the last one counts (ST-5).
pub(crate) fn member<'v, 't>(object: &'v Object<'t>, name: &str) -> Option<&'v ObjectProp<'t>> {
    object
        .properties
        .iter()
        .rev()
        .find(|property| property.name.as_str() == name)
}

/// Returns the byte at which a node begins.
pub(crate) fn start(node: &impl Ranged) -> usize {
    node.range().start
}

/// Returns the byte at which a member's key begins.
pub(crate) fn key_start(property: &ObjectProp<'_>) -> usize {
    property.range.start
}

/// Names the type of a value, for messages.
pub(crate) fn kind_of(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "a boolean",
        Value::Object(_) => "an object",
        Value::Array(_) => "a list",
        Value::NullKeyword(_) => "null",
    }
}

/// Returns the value without places.
pub(crate) fn to_json(value: &Value<'_>) -> serde_json::Value {
    match value {
        Value::StringLit(text) => serde_json::Value::String(text.value.to_string()),
        Value::NumberLit(number) => number
            .value
            .parse()
            .map_or(serde_json::Value::Null, serde_json::Value::Number),
        Value::BooleanLit(boolean) => serde_json::Value::Bool(boolean.value),
        Value::Object(object) => object_to_json(object),
        Value::Array(array) => array.elements.iter().map(to_json).collect(),
        Value::NullKeyword(_) => serde_json::Value::Null,
    }
}

/// Returns an object without places.
pub(crate) fn object_to_json(object: &Object<'_>) -> serde_json::Value {
    object
        .properties
        .iter()
        .map(|property| (property.name.as_str().to_owned(), to_json(&property.value)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

/// Returns whether a value is null, which counts as absent.
pub(crate) const fn is_null(value: &Value<'_>) -> bool {
    matches!(value, Value::NullKeyword(_))
}
