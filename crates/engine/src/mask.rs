//! Takes content out of a record that hooks took back from everybody (AT-1, AM-2).

use std::sync::Arc;

use hookloop_events::Reply;
use serde_json::{Map, Value};

use crate::record::RunRecord;

/// What stands in a record for content that was taken out.
const MARK: &str = "[withheld by a hook]";

/// The shortest text that is also looked for in what the hook wrote: shorter ones would hit
/// words of its own.
const SHORTEST_TRACE: usize = 6;

/// Replaces fields of the record's input by a mark, and their text wherever the hook repeated
/// it.
pub(crate) fn withhold(record: &mut RunRecord, fields: &[&str]) {
    let content = &mut record.content;
    let Ok(mut input) = serde_json::from_str::<Map<String, Value>>(&content.input) else {
        content.input = Arc::from("{}");
        return;
    };
    let mut texts = Vec::new();
    for field in fields {
        if let Some(value) = input.get_mut(*field) {
            collect_texts(value, &mut texts);
            *value = Value::from(MARK);
        }
    }
    content.input = Value::Object(input).to_string().into();
    let given = given_texts(content.reply.as_ref());
    texts.retain(|text| {
        text.len() >= SHORTEST_TRACE && !given.iter().any(|given| given.contains(text.as_str()))
    });
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    for text in &texts {
        scrub(&mut content.stdout, text);
        scrub(&mut content.stderr, text);
    }
    if let Some(reply) = &mut content.reply {
        let own_texts = [&mut reply.system_message, &mut reply.reason, &mut reply.stop_reason];
        for own in own_texts.into_iter().flatten() {
            texts.iter().for_each(|text| scrub(own, text));
        }
        reply.specific.values_mut().for_each(|value| scrub_value(value, &texts));
    }
}

/// Returns the texts that the hook gave in the place of the content: what of it they keep is
/// no secret.
fn given_texts(reply: Option<&Reply>) -> Vec<String> {
    let mut given = Vec::new();
    if let Some(response) = reply.and_then(|reply| reply.specific.get("llm_response")) {
        collect_texts(response, &mut given);
    }
    given
}

fn collect_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.trim().to_owned()),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Object(fields) => fields.values().for_each(|item| collect_texts(item, texts)),
        _ => {}
    }
}

/// Replaces a text, as it is and as it looks inside a JSON string.
fn scrub(place: &mut String, text: &str) {
    let quoted = Value::from(text).to_string();
    let escaped = quoted.trim_matches('"');
    for form in [text, escaped] {
        if place.contains(form) {
            *place = place.replace(form, MARK);
        }
    }
}

fn scrub_value(value: &mut Value, texts: &[String]) {
    match value {
        Value::String(place) => texts.iter().for_each(|text| scrub(place, text)),
        Value::Array(items) => items.iter_mut().for_each(|item| scrub_value(item, texts)),
        Value::Object(fields) => fields.values_mut().for_each(|item| scrub_value(item, texts)),
        _ => {}
    }
}
