//! Removes from records and other texts the content that hooks withheld from everybody (AT-1,
//! AM-2).

use std::fmt::Write as _;

use hookloop_events::Malformed;
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::record::RunRecord;

/// What replaces content that was removed.
const MARK: &str = "[withheld by a hook]";

/// The shortest text that is searched for: shorter ones would hit words that hooks use themselves.
const MIN_TRACE_LENGTH: usize = 6;

/// How much is compared at most, in bytes of a place times texts to look for.
const MAX_COMPARED_BYTES: usize = 256 * 1024 * 1024;

/// Withdraws content from records: replaces fields of their inputs by a mark, and their text
/// wherever a hook repeated it. What the replacing value keeps of it isn't a secret. Returns the
/// removed texts, for other reports about the runs.
///
/// What one hook read, another one that read it rewritten may repeat, so all records lose what any
/// of them loses.
pub(crate) fn withhold(records: &mut [RunRecord], fields: &[&str], kept: Option<&Value>) -> Traces {
    let mut removed = Vec::new();
    for record in &mut *records {
        for value in taken_out(record, fields) {
            if !removed.contains(&value) {
                removed.push(value);
            }
        }
    }
    let traces = Traces::of(&removed, kept);
    for record in records {
        scrub(record, &traces);
    }
    traces
}

/// Replaces fields of a record's input by the mark, and returns what was there.
fn taken_out(record: &mut RunRecord, fields: &[&str]) -> Vec<Value> {
    let content = &mut record.content;
    let Ok(mut input) = serde_json::from_str::<Map<String, Value>>(&content.input.text()) else {
        content.input = "{}".into();
        return Vec::new();
    };
    let mut removed = Vec::new();
    for field in fields {
        if let Some(value) = input.get_mut(*field) {
            removed.push(std::mem::replace(value, Value::from(MARK)));
        }
    }
    content.input = Value::Object(input).to_string().into();
    removed
}

/// Removes texts from what a hook said.
fn scrub(record: &mut RunRecord, traces: &Traces) {
    let content = &mut record.content;
    traces.scrub(&mut content.stdout);
    traces.scrub(&mut content.stderr);
    if let Some(reply) = &mut content.reply {
        let texts = [
            &mut reply.system_message,
            &mut reply.reason,
            &mut reply.stop_reason,
        ];
        for text in texts.into_iter().flatten() {
            traces.scrub(text);
        }
        traces.scrub_fields(&mut reply.specific);
    }
    for field in &mut record.unknown_fields {
        traces.scrub(field);
    }
    match &mut record.failure {
        Some(Failure::ExitCode {
            line: Some(line), ..
        }) => traces.scrub(line),
        Some(Failure::MalformedReply(malformed)) => {
            let mut text = malformed.to_string();
            traces.scrub(&mut text);
            *malformed = Malformed::new(text);
        }
        _ => {}
    }
}

/// The texts of content that was withdrawn, to be found where somebody repeated them.
pub(crate) struct Traces(Vec<String>);

impl Traces {
    /// Collects the texts of values, except those that another value keeps.
    pub(crate) fn of(removed: &[Value], kept: Option<&Value>) -> Self {
        let mut texts = Vec::new();
        for value in removed {
            collect_texts(value, &mut texts);
        }
        let mut given = Vec::new();
        if let Some(kept) = kept {
            collect_texts(kept, &mut given);
        }
        texts.retain(|text| {
            text.len() >= MIN_TRACE_LENGTH
                && !given.iter().any(|given| given.contains(text.as_str()))
        });
        // Longest first: a part must not be masked before the text that contains it is found.
        texts.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        texts.dedup();
        Self(texts)
    }

    /// Replaces the texts, as they are and as they look inside a JSON string. If that would be too
    /// much work, everything in that place is removed.
    pub(crate) fn scrub(&self, place: &mut String) {
        if place.len().saturating_mul(self.0.len()) > MAX_COMPARED_BYTES {
            MARK.clone_into(place);
            return;
        }
        for text in &self.0 {
            let quoted = Value::from(text.as_str()).to_string();
            let escaped = quoted.trim_matches('"');
            let ascii = ascii_only(escaped);
            for form in [text, escaped, &ascii] {
                if place.contains(form) {
                    *place = place.replace(form, MARK);
                }
            }
        }
    }

    /// Replaces the texts in all texts of an object.
    pub(crate) fn scrub_fields(&self, fields: &mut Map<String, Value>) {
        for value in fields.values_mut() {
            self.scrub_value(value);
        }
    }

    fn scrub_value(&self, value: &mut Value) {
        match value {
            Value::String(place) => self.scrub(place),
            Value::Array(items) => items.iter_mut().for_each(|item| self.scrub_value(item)),
            Value::Object(fields) => self.scrub_fields(fields),
            _ => {}
        }
    }
}

/// Escapes what isn't ASCII, as many programs do when they write JSON.
fn ascii_only(escaped: &str) -> String {
    let mut ascii = String::with_capacity(escaped.len());
    for character in escaped.chars() {
        if character.is_ascii() {
            ascii.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a string can't fail.
                let _ = write!(ascii, "\\u{unit:04x}");
            }
        }
    }
    ascii
}

/// Collects the texts in a value, as a whole and line by line: a hook may repeat a part.
fn collect_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            texts.push(text.trim().to_owned());
            texts.extend(text.lines().map(|line| line.trim().to_owned()));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(fields) => fields.values().for_each(|item| collect_texts(item, texts)),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
