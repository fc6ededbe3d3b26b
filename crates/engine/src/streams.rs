//! A hook's streams as text, and the JSON objects in it.

use serde_json::{Map, Value};

use crate::port::Captured;

/// A whole stream as text (IO-16).
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    /// Whether bytes were no UTF-8 and became U+FFFD.
    pub(crate) had_invalid_bytes: bool,
}

impl Text {
    /// Decodes a stream as a whole, so that a character split over two reads survives. A
    /// character that the cap cut is left out.
    pub(crate) fn decode(captured: &Captured) -> Self {
        match std::str::from_utf8(&captured.bytes) {
            Ok(text) => Self { text: text.to_owned(), had_invalid_bytes: false },
            Err(error) if captured.is_cut() && error.error_len().is_none() => {
                let whole = &captured.bytes[..error.valid_up_to()];
                let text = String::from_utf8_lossy(whole).into_owned();
                Self { text, had_invalid_bytes: false }
            }
            Err(_) => Self {
                text: String::from_utf8_lossy(&captured.bytes).into_owned(),
                had_invalid_bytes: true,
            },
        }
    }
}

/// Returns the first line that says something.
pub(crate) fn first_line(text: &str) -> Option<String> {
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}

/// Reads a text that is one JSON object, or a JSON string that holds one (IO-12).
pub(crate) fn object_in(text: &str) -> Option<Map<String, Value>> {
    match serde_json::from_str(text.trim()).ok()? {
        Value::Object(fields) => Some(fields),
        Value::String(inner) => match serde_json::from_str(inner.trim()).ok()? {
            Value::Object(fields) => Some(fields),
            _ => None,
        },
        _ => None,
    }
}

/// Finds the JSON objects in a text, from left to right.
pub(crate) fn objects_in(text: &str) -> impl Iterator<Item = Map<String, Value>> {
    /// How many opening braces are tried: a flood of them must not cost a quadratic time.
    const ATTEMPTS: usize = 256;
    let mut rest = text;
    let mut attempts = 0;
    std::iter::from_fn(move || {
        while attempts < ATTEMPTS {
            attempts += 1;
            let start = rest.find('{')?;
            let candidate = &rest[start..];
            let mut values =
                serde_json::Deserializer::from_str(candidate).into_iter::<Map<String, Value>>();
            if let Some(Ok(fields)) = values.next() {
                rest = &candidate[values.byte_offset()..];
                return Some(fields);
            }
            rest = &candidate[1..];
        }
        None
    })
}
