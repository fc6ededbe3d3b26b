//! A hook's streams as text, and the JSON objects in it.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::port::Captured;

/// A whole stream as text (IO-16).
#[derive(Debug)]
pub(crate) struct Text<'s> {
    pub(crate) text: Cow<'s, str>,
    /// Whether bytes weren't UTF-8 and became U+FFFD.
    pub(crate) had_invalid_bytes: bool,
}

impl<'s> Text<'s> {
    /// Decodes a stream as a whole, so that a character split over two reads survives. A
    /// character that the cap cut is left out.
    pub(crate) fn decode(captured: &'s Captured) -> Self {
        if let Some(read) = unit_reader(&captured.bytes) {
            let units = captured.bytes.chunks_exact(2);
            let text = Self::from_units(units.map(|it| read([it[0], it[1]])));
            // Something else may follow a mark: a reply that only bytes contain isn't lost in pairs
            // of them.
            if text.text.contains('{') || !holds_object(&captured.bytes) {
                return text;
            }
            return Self::without_mark(&captured.bytes);
        }
        let bytes = captured
            .bytes
            .strip_prefix(BYTE_ORDER_MARK)
            .unwrap_or(&captured.bytes);
        let (text, had_invalid_bytes) = match std::str::from_utf8(bytes) {
            Ok(text) => (Cow::Borrowed(text), false),
            Err(error) if captured.is_cut() && error.error_len().is_none() => (
                String::from_utf8_lossy(&bytes[..error.valid_up_to()]),
                false,
            ),
            Err(_) => (String::from_utf8_lossy(bytes), true),
        };
        Self {
            text,
            had_invalid_bytes,
        }
    }
}

impl Text<'_> {
    /// Decodes what begins with the byte order mark of UTF-16, but isn't that: zeros belong to
    /// parts that are.
    fn without_mark(bytes: &[u8]) -> Self {
        let bytes: Vec<u8> = bytes[2..].iter().copied().filter(|it| *it != 0).collect();
        Self {
            text: Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
            had_invalid_bytes: true,
        }
    }

    /// Decodes UTF-16, which shells of Windows write.
    fn from_units(units: impl Iterator<Item = u16>) -> Self {
        let mut had_invalid_bytes = false;
        let signs = char::decode_utf16(units).map(|sign| {
            sign.unwrap_or_else(|_| {
                had_invalid_bytes = true;
                char::REPLACEMENT_CHARACTER
            })
        });
        let text: String = signs.skip_while(|sign| *sign == '\u{feff}').collect();
        Self {
            text: Cow::Owned(text),
            had_invalid_bytes,
        }
    }
}

/// Returns how the units of UTF-16 are read, if a stream is that: recognised by its byte order
/// mark, or by the zero beside a first character that begins JSON.
fn unit_reader(bytes: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    match bytes {
        [0xFF, 0xFE, 0, 0, ..] => None,
        [0xFF, 0xFE, ..] | [b'{' | b'"', 0, _, 0, ..] => Some(u16::from_le_bytes),
        [0xFE, 0xFF, ..] | [0, b'{' | b'"', 0, _, ..] => Some(u16::from_be_bytes),
        _ => None,
    }
}

/// Returns whether bytes contain the beginning of a JSON object with a key, one byte a character.
fn holds_object(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(brace) = rest.iter().position(|it| *it == b'{') {
        rest = &rest[brace + 1..];
        let next = rest.iter().find(|it| !it.is_ascii_whitespace());
        if next == Some(&b'"') {
            return true;
        }
    }
    false
}

/// Turns a stream into its text, without a copy if nothing has to be left out or replaced.
pub(crate) fn into_text(captured: Captured) -> String {
    let mut text = match Text::decode(&captured).text {
        Cow::Borrowed(text) if text.len() < captured.bytes.len() => text.to_owned(),
        Cow::Owned(text) => text,
        Cow::Borrowed(_) => String::from_utf8(captured.bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
    };
    // Records live long, so the buffer's spare capacity is freed.
    text.shrink_to_fit();
    text
}

/// What some programs write before UTF-8; it isn't part of the text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads JSON. Half a surrogate pair, which JSON may escape and text can't contain, becomes U+FFFD:
/// a text that was cut in the middle of an emoji spoils no reply. Of repeated keys of an object,
/// the last one counts.
pub(crate) fn parse(text: &str) -> serde_json::Result<Value> {
    match serde_json::from_str(text) {
        Ok(value) => Ok(value),
        Err(error) => match without_lone_surrogates(text) {
            Some(mended) => serde_json::from_str(&mended),
            None => Err(error),
        },
    }
}

/// Replaces escaped halves of surrogate pairs; nothing if there are none.
fn without_lone_surrogates(text: &str) -> Option<String> {
    let mut mended = String::with_capacity(text.len());
    let mut found = false;
    let mut rest = text;
    while let Some(start) = rest.find('\\') {
        mended.push_str(&rest[..start]);
        rest = &rest[start..];
        let length = match (escaped_unit(rest), rest.get(6..).and_then(escaped_unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                found = true;
                mended.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            (Some(_), _) => 6,
            (None, _) => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
        };
        mended.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    mended.push_str(rest);
    found.then_some(mended)
}

/// Reads the unit of UTF-16 that an escape at the start of a text stands for.
fn escaped_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

/// Reads a text that is one JSON object, or a JSON string that contains one (IO-12).
pub(crate) fn object_in(text: &str) -> Option<Map<String, Value>> {
    match parse(text.trim()).ok()? {
        Value::Object(fields) => Some(fields),
        Value::String(inner) => match parse(inner.trim()).ok()? {
            Value::Object(fields) => Some(fields),
            _ => None,
        },
        _ => None,
    }
}

/// Names a JSON value that is neither an object nor a text, for people.
pub(crate) fn scalar_name(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "a list",
        Value::Number(_) => "a number",
        Value::Bool(_) => "true or false",
        _ => "null",
    }
}

#[cfg(test)]
mod tests;
