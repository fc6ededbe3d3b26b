use std::sync::Arc;

use hookloop_events::llm::{ToolConfig, ToolMode};
use serde_json::{Map, Value, json};

use super::body;
use super::decoder::{AnthropicDecoder, read_whole};
use crate::chunk::Chunk;
use crate::content::Content;
use crate::function::FunctionDeclaration;
use crate::http::decode::Decoder as _;
use crate::http::exchange::Delivery;
use crate::http_error::HttpProblem;
use crate::request::{Request, RequestParts};

fn written(parts: RequestParts) -> Value {
    let body = body::of(&Request::from(parts), Delivery::Chunks);
    serde_json::from_slice(&body).unwrap()
}

fn contents(contents: Value) -> Vec<Arc<Content>> {
    serde_json::from_value(contents).unwrap()
}

fn tool(name: &str) -> Arc<FunctionDeclaration> {
    Arc::new(FunctionDeclaration {
        name: name.to_owned(),
        description: String::new(),
        parameters_json_schema: Value::Null,
    })
}

/// MO-2, HT-50: the schema of the response is requested as the service names it.
#[test]
fn the_schema_of_an_answer_is_said() {
    let config = json!({"responseMimeType": "application/json",
        "responseJsonSchema": {"type": "object"}});
    let config: Map<String, Value> = serde_json::from_value(config).unwrap();
    assert_eq!(body::unsayable(&config).count(), 0);
    let body = written(RequestParts {
        config,
        ..RequestParts::default()
    });
    let format = json!({"type": "json_schema", "schema": {"type": "object"}});
    assert_eq!(body["output_config"], json!({"format": format}));
    let config = json!({"responseMimeType": "application/json"});
    let config: Map<String, Value> = serde_json::from_value(config).unwrap();
    assert_eq!(
        body::unsayable(&config).collect::<Vec<_>>(),
        ["responseMimeType"]
    );
}

/// MO-2: a conversation is translated: thoughts go back with their signatures, results are first
/// after their calls, and a call without a response gets one.
#[test]
fn a_conversation_is_translated() {
    let body = written(RequestParts {
        model: "claude-x".to_owned(),
        contents: contents(json!([
            {"role": "user", "parts": [{"text": "hi"},
                {"inlineData": {"mimeType": "application/pdf", "data": "AA=="}}]},
            {"role": "model", "parts": [
                {"text": "hm", "thought": true, "thoughtSignature": "anthropic:sig"},
                {"text": "", "thought": true, "thoughtSignature": "anthropic-redacted:hidden"},
                {"text": "of another", "thought": true, "thoughtSignature": "CiQB"},
                {"text": "I look."},
                {"functionCall": {"id": "a.1", "name": "glob", "args": {"pattern": "*"}}},
                {"functionCall": {"id": "b", "name": "glob", "args": {}}}]},
            {"role": "user", "parts": [{"text": "a note"}, {"functionResponse":
                {"id": "a.1", "name": "glob", "response": {"error": "no"}}}]},
        ])),
        ..RequestParts::default()
    });
    let cached = json!({"type": "ephemeral"});
    assert_eq!(
        body["messages"],
        json!([
            {"role": "user", "content": [{"type": "text", "text": "hi"},
                {"type": "document", "source": {"type": "base64",
                    "media_type": "application/pdf", "data": "AA=="}}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": "sig"},
                {"type": "redacted_thinking", "data": "hidden"},
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "a_1", "name": "glob", "input": {"pattern": "*"}},
                {"type": "tool_use", "id": "b", "name": "glob", "input": {}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a_1", "content": "{\"error\":\"no\"}",
                    "is_error": true},
                {"type": "tool_result", "tool_use_id": "b",
                    "content": "The call wasn't answered.", "is_error": true},
                {"type": "text", "text": "a note", "cache_control": cached}]},
        ])
    );
}

/// MO-2: instruction, tools and conversation are marked, so that the next request finds them
/// cached; names of tools restrict what is declared (TS-1).
#[test]
fn what_stays_the_same_is_cached() {
    let body = written(RequestParts {
        model: "claude-x".to_owned(),
        contents: contents(json!([{"role": "user", "parts": [{"text": "hi"}]}])),
        system_instruction: Some(Arc::new(Content::system("be brief"))),
        tools: vec![tool("glob"), tool("replace"), tool("write_file")],
        tool_config: Some(ToolConfig {
            mode: Some(ToolMode::Any),
            allowed_function_names: Some(vec!["glob".to_owned(), "replace".to_owned()]),
        }),
        ..RequestParts::default()
    });
    let cached = json!({"type": "ephemeral"});
    assert_eq!(
        body["system"],
        json!([{"type": "text", "text": "be brief", "cache_control": cached}])
    );
    let names: Vec<&Value> = body["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["name"])
        .collect();
    assert_eq!(names, ["glob", "replace"]);
    assert_eq!(body["tools"][1]["cache_control"], cached);
    assert_eq!(body["tool_choice"], json!({"type": "any"}));
}

/// MO-2: parameters are renamed, the amount of thinking respects the limit, and what isn't
/// supported is reported.
#[test]
fn parameters_are_translated() {
    let config: Map<String, Value> = serde_json::from_value(json!({
        "temperature": 0.5, "maxOutputTokens": 2000, "stopSequences": ["x"], "seed": 1,
        "thinkingConfig": {"thinkingBudget": 4000},
    }))
    .unwrap();
    let unsaid: Vec<&str> = body::unsayable(&config).collect();
    assert_eq!(unsaid, ["seed"]);
    let body = written(RequestParts {
        model: "claude-x".to_owned(),
        contents: contents(json!([{"role": "user", "parts": [{"text": "hi"}]}])),
        config,
        ..RequestParts::default()
    });
    assert_eq!(
        body["thinking"],
        json!({"type": "enabled", "budget_tokens": 4000})
    );
    assert!(body["max_tokens"].as_u64() > Some(4000) && body["temperature"].is_null());
    assert_eq!(body["stop_sequences"], json!(["x"]));
}

/// MO-1, MO-2: thoughts arrive with their signatures, in pieces and complete; what is streamed goes
/// back as it came.
#[test]
fn thoughts_keep_their_signatures() {
    let mut decoder = AnthropicDecoder::default();
    let delta = |delta: Value| {
        json!({"type": "content_block_delta", "index": 0, "delta": delta}).to_string()
    };
    let mut streamed = Vec::new();
    for event in [
        json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "thinking", "thinking": "", "signature": ""}})
        .to_string(),
        delta(json!({"type": "thinking_delta", "thinking": "h"})),
        delta(json!({"type": "thinking_delta", "thinking": "m"})),
        delta(json!({"type": "signature_delta", "signature": "sig"})),
        json!({"type": "content_block_stop", "index": 0}).to_string(),
        json!({"type": "content_block_start", "index": 1,
            "content_block": {"type": "redacted_thinking", "data": "hidden"}})
        .to_string(),
    ] {
        streamed.extend(decoder.event(&event).unwrap());
    }
    let parts: Vec<_> = streamed
        .iter()
        .filter_map(|it| it.content())
        .flat_map(|it| it.parts.clone())
        .collect();
    let whole = json!({"type": "message", "stop_reason": "end_turn", "content": [
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "redacted_thinking", "data": "hidden"},
    ]});
    let whole = read_whole(whole.to_string().as_bytes()).unwrap();
    assert_eq!(whole.content().unwrap().parts, parts);
    assert!(whole.visible_text().is_empty(), "thoughts are never shown");
    assert_eq!(
        json!(parts),
        json!([
            {"text": "hm", "thought": true, "thoughtSignature": "anthropic:sig"},
            {"text": "", "thought": true, "thoughtSignature": "anthropic-redacted:hidden"},
        ])
    );
}

fn decoded(events: &[Value]) -> (Vec<Chunk>, Result<Option<Chunk>, HttpProblem>) {
    let mut decoder = AnthropicDecoder::default();
    let chunks = events.iter().filter_map(|event| {
        let chunk = decoder.event(&event.to_string());
        chunk.unwrap()
    });
    let chunks = chunks.collect();
    let end = decoder.end();
    (chunks, end)
}

/// LO-3: a reason to end while a call is still being written doesn't count: the response was cut,
/// and is recognised as such, whatever came before. So is one that breaks off before anything is
/// complete.
#[test]
fn an_answer_with_an_open_call_was_cut() {
    let start = json!({"type": "message_start", "message": {"content": []}});
    let text = json!({"type": "content_block_start", "index": 0,
        "content_block": {"type": "text", "text": "I will."}});
    let call = json!({"type": "content_block_start", "index": 1,
        "content_block": {"type": "tool_use", "id": "a", "name": "glob", "input": {}}});
    let end = |reason: &str| json!({"type": "message_delta", "delta": {"stop_reason": reason}});
    let stop = json!({"type": "message_stop"});
    let said = [start.clone(), text, call.clone(), end("tool_use"), stop];
    let (chunks, ended) = decoded(&said);
    assert!(chunks.iter().all(|it| it.finish_reason().is_none()));
    assert_eq!(chunks.len(), 1);
    assert_eq!(ended, Ok(None));
    for begun in [vec![start.clone()], vec![start.clone(), call.clone()]] {
        let (chunks, ended) = decoded(&begun);
        assert!(chunks.is_empty());
        let cut = ended
            .unwrap()
            .expect("a chunk that says that the model began");
        assert!(cut.finish_reason().is_none() && cut.function_calls().next().is_none());
    }
    let (chunks, _) = decoded(&[start, call, end("max_tokens")]);
    assert_eq!(chunks[0].finish_reason(), Some("MAX_TOKENS"));
}

/// LO-3: a complete response without a reason to end is recognised as cut, as in a stream: a
/// refusal that can be read in it must not be lost.
#[test]
fn a_whole_answer_without_a_reason_was_cut() {
    let whole = json!({"type": "message", "content": [{"type": "text", "text": "half"}]});
    let read = read_whole(whole.to_string().as_bytes());
    assert_eq!(read.unwrap().finish_reason(), None);
    let empty = json!({"type": "message", "content": []});
    let read = read_whole(empty.to_string().as_bytes());
    assert_eq!(read, Err(HttpProblem::Empty));
}
