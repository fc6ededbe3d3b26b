use std::sync::Arc;

use serde_json::{Value, json};

use super::body;
use super::decoder::read_whole;
use crate::content::Content;
use crate::http::exchange::Delivery;
use crate::request::{Request, RequestParts};

fn input(contents: Value) -> Value {
    let contents: Vec<Arc<Content>> = serde_json::from_value(contents).unwrap();
    let request = Request::from(RequestParts {
        contents,
        ..RequestParts::default()
    });
    let body: Value = serde_json::from_slice(&body::of(&request, Delivery::Chunks)).unwrap();
    assert_eq!(body["store"], false);
    body["input"].clone()
}

/// MO-2: a conversation is one list of items: thoughts go back encrypted, each call gets its result.
#[test]
fn a_conversation_is_translated() {
    let written = input(json!([
        {"role": "user", "parts": [{"text": "hi"},
            {"inlineData": {"mimeType": "image/png", "data": "AA=="}}]},
        {"role": "model", "parts": [
            {"text": "hm", "thought": true, "thoughtSignature": "openai:rs_1:enc"},
            {"text": "of another", "thought": true, "thoughtSignature": "anthropic:x"},
            {"text": "I look."},
            {"functionCall": {"id": "a", "name": "glob", "args": {"pattern": "*"}}},
            {"functionCall": {"name": "glob", "args": {}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"id": "a", "name": "glob", "response": {"output": "x.rs"}}}]},
    ]));
    assert_eq!(
        written,
        json!([
            {"type": "message", "role": "user", "content": [
                {"type": "input_text", "text": "hi"},
                {"type": "input_image", "image_url": "data:image/png;base64,AA=="}]},
            {"type": "reasoning", "id": "rs_1", "encrypted_content": "enc",
                "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "message", "role": "assistant",
                "content": [{"type": "output_text", "text": "I look."}]},
            {"type": "function_call", "call_id": "a", "name": "glob",
                "arguments": "{\"pattern\":\"*\"}"},
            {"type": "function_call", "call_id": "call_1", "name": "glob", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "a", "output": "x.rs"},
            {"type": "function_call_output", "call_id": "call_1",
                "output": "The call was not answered."},
        ])
    );
}

/// LO-3, MO-2: an answer that hit its bound says so, a failed one is an error, and thoughts are kept.
#[test]
fn ends_are_told_apart() {
    let answer = |status: &str, more: Value| {
        let mut answer = json!({"object": "response", "status": status, "output": [
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "enc"},
            {"type": "message", "content": [{"type": "output_text", "text": "Hel"}]}]});
        for (key, value) in more.as_object().unwrap() {
            answer[key] = value.clone();
        }
        read_whole(answer.to_string().as_bytes())
    };
    let details = json!({"incomplete_details": {"reason": "max_output_tokens"}});
    let cut = answer("incomplete", details).unwrap();
    assert_eq!(cut.finish_reason(), Some("MAX_TOKENS"));
    let part = &cut.content().unwrap().parts[0];
    assert_eq!(part.thought_signature.as_deref(), Some("openai:rs_1:enc"));
    assert_eq!(cut.visible_text(), "Hel");
    assert!(answer("failed", json!({"error": {"message": "no"}})).is_err());
}
