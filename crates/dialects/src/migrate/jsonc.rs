//! JSON with comments and trailing commas.

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::tree::{Member, Node, Shape, Tree};

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

/// Parses a text; an error is the byte that can't be read, and why.
pub(super) fn parse(text: &str) -> Result<Tree, (usize, String)> {
    if let Some(offset) = too_deep(text) {
        return Err((
            offset,
            format!("it is nested deeper than {MAX_DEPTH} levels"),
        ));
    }
    match parse_to_ast(text, &CollectOptions::default(), &STRICT) {
        Ok(parsed) => Ok(parsed.value.as_ref().map(node)),
        Err(error) => Err((
            error.range().start,
            format!("it isn't JSON: {}", error.kind().to_string().to_lowercase()),
        )),
    }
}

/// Returns the bracket that is nested too deep; brackets in strings and comments don't count.
fn too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut index = 0;
    while let Some(byte) = bytes.get(index) {
        match byte {
            b'"' => index = end_of_string(bytes, index),
            b'/' if bytes.get(index + 1) == Some(&b'/') => {
                index += text[index..].find(['\n', '\r'])?;
            }
            b'/' if bytes.get(index + 1) == Some(&b'*') => {
                index += 2 + text[index + 2..].find("*/")? + 1;
            }
            b'{' | b'[' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Some(index);
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        index += 1;
    }
    None
}

/// Returns the byte at which a string ends; the parser, too, reads on to the next quote.
fn end_of_string(bytes: &[u8], opening: usize) -> usize {
    let mut index = opening + 1;
    while index < bytes.len() && bytes[index] != b'"' {
        index += if bytes[index] == b'\\' { 2 } else { 1 };
    }
    index
}

fn node(value: &Value<'_>) -> Node {
    let shape = match value {
        Value::NullKeyword(_) => Shape::Null,
        Value::BooleanLit(boolean) => Shape::Boolean(boolean.value),
        Value::NumberLit(number) => Shape::Number(number.value.parse().unwrap_or(f64::NAN)),
        Value::StringLit(text) => Shape::Text(text.value.to_string()),
        Value::Array(list) => Shape::List(list.elements.iter().map(node).collect()),
        Value::Object(object) => {
            let members = object.properties.iter().map(|property| Member {
                key: property.name.as_str().to_owned(),
                offset: property.range.start,
                value: node(&property.value),
            });
            Shape::Object(members.collect())
        }
    };
    Node {
        offset: value.range().start,
        shape,
    }
}
