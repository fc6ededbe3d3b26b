//! What a model sent is judged in itself (LO-3).

use hookloop_model::Chunk;
use serde_json::{Value, json};

use super::*;

fn arrived(chunks: &[Value]) -> Arrived {
    let mut arrived = Arrived::default();
    for chunk in chunks {
        let chunk: Chunk = serde_json::from_value(chunk.clone()).unwrap();
        arrived.note(&chunk);
    }
    arrived
}

fn chunk(parts: &Value, reason: Option<&str>) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}});
    if let Some(reason) = reason {
        candidate["finishReason"] = json!(reason);
    }
    json!({"candidates": [candidate]})
}

fn call() -> Value {
    json!({"functionCall": {"name": "glob", "args": {}}})
}

fn thought() -> Value {
    json!({"text": "hm", "thought": true})
}

/// LO-3: text, calls and images with an end are complete, whatever the end is called.
#[test]
fn an_answer_with_an_end_is_whole() {
    for parts in [
        json!([{"text": "hello"}]),
        json!([call()]),
        json!([thought(), {"text": "hello"}]),
        json!([{"inlineData": {"mimeType": "image/png", "data": ""}}]),
    ] {
        for reason in ["STOP", "MAX_TOKENS", "SAFETY"] {
            assert_eq!(arrived(&[chunk(&parts, Some(reason))]).flaw(), None);
        }
        let empty = chunk(&json!([{"text": ""}]), Some("STOP"));
        assert_eq!(arrived(&[chunk(&parts, None), empty]).flaw(), None);
    }
}

/// LO-3: a response without an end was cut, and its calls aren't run: others may be missing.
#[test]
fn an_answer_without_an_end_was_cut() {
    for parts in [
        json!([{"text": "hello"}]),
        json!([call()]),
        json!([thought()]),
    ] {
        assert_eq!(
            arrived(&[chunk(&parts, None)]).flaw(),
            Some(Flaw::Cut(None))
        );
    }
}

/// LO-3: thoughts, nothing, or white space don't count as a response.
#[test]
fn thoughts_and_nothing_are_no_answer() {
    let thoughts = arrived(&[chunk(&json!([thought()]), Some("STOP"))]);
    assert_eq!(thoughts.flaw(), Some(Flaw::ThoughtsOnly));
    for parts in [json!([]), json!([{"text": ""}]), json!([{"text": " \n"}])] {
        let nothing = arrived(&[chunk(&parts, Some("STOP"))]);
        assert_eq!(nothing.flaw(), Some(Flaw::Empty(None)));
    }
    assert_eq!(arrived(&[]).flaw(), Some(Flaw::Empty(None)));
    let blocked = arrived(&[json!({"promptFeedback": {"blockReason": "SAFETY"}})]);
    let flaw = blocked.flaw().unwrap();
    assert_eq!(flaw, Flaw::Empty(Some("SAFETY".to_owned())));
    assert!(flaw.to_string().contains("SAFETY"));
    let stopped = arrived(&[chunk(&json!([]), Some("RECITATION"))]);
    assert_eq!(
        stopped.flaw(),
        Some(Flaw::Empty(Some("RECITATION".to_owned())))
    );
}

/// LO-3: a response with a call that the model couldn't write doesn't count, whatever else it
/// contains.
#[test]
fn a_call_that_could_not_be_written_is_reported() {
    for reason in UNREADABLE_CALL {
        let answer = arrived(&[chunk(&json!([{"text": "I call:"}]), Some(reason))]);
        assert_eq!(answer.flaw(), Some(Flaw::UnreadableCall(reason.to_owned())));
    }
}

/// TE-2: the counts of the last chunk that has any are those of the response.
#[test]
fn the_last_counts_are_those_of_the_answer() {
    let counted = |tokens: u64| json!({"usageMetadata": {"promptTokenCount": tokens}});
    let answer = arrived(&[counted(1), counted(2), chunk(&json!([]), None)]);
    assert_eq!(answer.usage.unwrap().prompt_token_count, Some(2));
}
