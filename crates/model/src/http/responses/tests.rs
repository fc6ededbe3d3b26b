use std::sync::Arc;

use serde_json::{Value, json};

use super::body;
use super::decoder::{ResponsesDecoder, read_whole};
use crate::chunk::Chunk;
use crate::content::Content;
use crate::http::decode::Decoder as _;
use crate::http::exchange::Delivery;
use crate::http_error::HttpProblem;
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

/// MO-2: a conversation is one list of items: thoughts go back encrypted, each call gets its
/// result.
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
                "output": "The call wasn't answered."},
        ])
    );
}

/// MO-2, HT-50: the format of the response is requested as the service names it.
#[test]
fn the_form_of_an_answer_is_said() {
    let written = |config: Value| -> Value {
        let request = Request::from(RequestParts {
            config: serde_json::from_value(config).unwrap(),
            ..RequestParts::default()
        });
        serde_json::from_slice(&body::of(&request, Delivery::Whole)).unwrap()
    };
    let schema = json!({"type": "object"});
    let body =
        written(json!({"responseMimeType": "application/json", "responseJsonSchema": schema}));
    let format = json!({"type": "json_schema", "name": "answer", "schema": schema});
    assert_eq!(body["text"], json!({"format": format}));
    let body = written(json!({"responseMimeType": "application/json"}));
    assert_eq!(body["text"]["format"]["type"], "json_object");
    assert_eq!(written(json!({})).get("text"), None);
}

/// LO-3, MO-2: a response that reached its limit says so, a failed one is an error, and thoughts
/// are kept.
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

fn streamed(events: &[Value]) -> Result<Vec<Chunk>, HttpProblem> {
    let mut decoder = ResponsesDecoder::default();
    let mut chunks = Vec::new();
    for event in events {
        chunks.extend(decoder.event(&event.to_string())?);
    }
    chunks.extend(decoder.end()?);
    Ok(chunks)
}

/// LO-3, MO-2: a response that failed is an error, even without a reason.
#[test]
fn a_failed_answer_is_an_error_without_a_reason_too() {
    for kind in [
        "response.failed",
        "response.cancelled",
        "response.completed",
    ] {
        let status = if kind == "response.cancelled" {
            "cancelled"
        } else {
            "failed"
        };
        let response = json!({"status": status, "error": null, "output": []});
        let delta = json!({"type": "response.output_text.delta", "delta": "half"});
        let read = streamed(&[delta, json!({"type": kind, "response": response})]);
        assert!(
            matches!(read, Err(HttpProblem::Reported(_))),
            "{kind}: {read:?}"
        );
    }
    let whole = json!({"object": "response", "status": "failed", "error": null, "output": []});
    assert!(read_whole(whole.to_string().as_bytes()).is_err());
}

/// MO-2: what a server says is passed on once, whether it streams it, sends complete items, or
/// sends it only at the end.
#[test]
fn text_comes_once_however_it_is_said() {
    let delta = |text: &str| json!({"type": "response.output_text.delta", "delta": text});
    let message =
        |text: &str| json!({"type": "message", "content": [{"type": "output_text", "text": text}]});
    let call =
        || json!({"type": "function_call", "call_id": "a", "name": "glob", "arguments": "{}"});
    let done = |item: Value| json!({"type": "response.output_item.done", "item": item});
    let end = |output: Value| json!({"type": "response.completed", "response": {"status": "completed", "output": output}});
    for events in [
        vec![
            delta("He"),
            delta("llo"),
            done(message("Hello")),
            done(call()),
            end(json!([])),
        ],
        vec![
            delta("He"),
            done(message("Hello")),
            end(json!([message("Hello"), call()])),
        ],
        vec![
            done(message("Hello")),
            done(call()),
            end(json!([message("Hello"), call()])),
        ],
        vec![delta("Hel"), end(json!([message("Hello"), call()]))],
        vec![end(json!([message("Hello"), call()]))],
    ] {
        let chunks = streamed(&events).unwrap();
        let text: String = chunks.iter().map(Chunk::visible_text).collect();
        assert_eq!(text, "Hello", "{events:?}");
        let calls = chunks.iter().flat_map(Chunk::function_calls).count();
        assert_eq!(calls, 1, "{events:?}");
        assert_eq!(chunks.last().unwrap().finish_reason(), Some("STOP"));
    }
}
