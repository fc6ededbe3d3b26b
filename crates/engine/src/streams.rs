//! A hook's streams as text, and the JSON objects in it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Deserializer, Map, Value};

use crate::port::Captured;
use crate::repeats;

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
            text: text.into_owned(),
            had_invalid_bytes,
        }
    }
}

/// What some programs write in front of UTF-8; it is no part of the text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Returns the first line that says something.
pub(crate) fn first_line(text: &str) -> Option<String> {
    text.lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .map(str::to_owned)
}

/// Reads JSON. Half a surrogate pair, which JSON may escape and text can't hold, becomes U+FFFD:
/// a text that was cut in the middle of an emoji spoils no reply. Of keys that an object repeats
/// the last one counts, but for those that refuse.
pub(crate) fn parse(text: &str) -> serde_json::Result<Value> {
    match read_value(text) {
        Ok(value) => Ok(value),
        Err(error) => match without_lone_surrogates(text) {
            Some(mended) => read_value(&mended),
            None => Err(error),
        },
    }
}

fn read_value(text: &str) -> serde_json::Result<Value> {
    let mut value = serde_json::from_str(text)?;
    if let Value::Object(fields) = &mut value {
        repeats::settle(text, fields);
    }
    Ok(value)
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

/// Reads a text that is one JSON object, or a JSON string that holds one (IO-12).
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
            if let Some((fields, length)) = leading_object(candidate) {
                rest = &candidate[length..];
                return Some(fields);
            }
            rest = &candidate[1..];
        }
        None
    })
}

/// Reads the object that a text begins with, and its length in bytes. A field that can't be
/// read on its own (nested too deeply, a number out of range) is left out: it must not hide a
/// refusal that stands beside it.
fn leading_object(text: &str) -> Option<(Map<String, Value>, usize)> {
    let mut strict = Deserializer::from_str(text).into_iter::<Map<String, Value>>();
    match strict.next()? {
        Ok(mut fields) => {
            let length = strict.byte_offset();
            repeats::settle(&text[..length], &mut fields);
            return Some((fields, length));
        }
        Err(error) if error.is_eof() => return None,
        Err(_) => {}
    }
    let mut lenient = Deserializer::from_str(text).into_iter::<BTreeMap<String, Box<RawValue>>>();
    let fields = lenient.next()?.ok()?;
    let readable = fields
        .into_iter()
        .filter_map(|(key, raw)| Some((key, parse(raw.get()).ok()?)));
    let (mut fields, length) = (readable.collect(), lenient.byte_offset());
    repeats::settle(&text[..length], &mut fields);
    Some((fields, length))
}

#[cfg(test)]
mod tests;
