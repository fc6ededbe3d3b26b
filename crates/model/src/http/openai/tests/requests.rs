//! Requests as they are written.

use std::sync::Arc;

use hookloop_events::llm::{ToolConfig, ToolMode};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::content::{Content, Speaker};
use crate::function::{FunctionCall, FunctionDeclaration};
use crate::http::exchange::Delivery;
use crate::http::openai::body;
use crate::http::openai::parameters::LimitName;
use crate::part::{Part, PartData};
use crate::request::{Request, RequestParts};

fn written(parts: RequestParts, delivery: Delivery) -> Value {
    let body = body::of(&Request::from(parts), delivery, LimitName::Older);
    serde_json::from_slice(&body).unwrap()
}

fn messages(contents: Vec<Content>) -> Vec<Value> {
    let parts = RequestParts {
        contents: contents.into_iter().map(Arc::new).collect(),
        ..RequestParts::default()
    };
    let mut body = written(parts, Delivery::Chunks);
    serde_json::from_value(body["messages"].take()).unwrap()
}

fn content(value: Value) -> Content {
    serde_json::from_value(value).unwrap()
}

fn object(value: Value) -> Map<String, Value> {
    serde_json::from_value(value).unwrap()
}

fn declaration(name: &str) -> Arc<FunctionDeclaration> {
    Arc::new(FunctionDeclaration {
        name: name.to_owned(),
        description: String::new(),
        parameters_json_schema: Value::Null,
    })
}

/// MO-2: the conversation, its calls and their results are translated; ids pair them, and are
/// created if there are none.
#[test]
fn a_conversation_is_translated() {
    let written = messages(vec![
        Content::user("hi"),
        content(json!({"role": "model", "parts": [
            {"text": "hm", "thought": true}, {"text": "I look."},
            {"functionCall": {"id": "a", "name": "glob", "args": {"pattern": "*"}}},
            {"functionCall": {"name": "glob", "args": {}}}]})),
        content(json!({"role": "user", "parts": [
            {"functionResponse": {"id": "a", "name": "glob", "response": {"output": "x.rs"}}}]})),
        content(json!({"role": "user", "parts": [{"text": "a note"},
            {"functionResponse": {"name": "glob", "response": {"error": "no"}}}]})),
        Content::model("Done."),
    ]);
    let call = |id: &str, arguments: &str| {
        json!({"id": id, "type": "function",
            "function": {"name": "glob", "arguments": arguments}})
    };
    assert_eq!(
        written,
        [
            json!({"role": "user", "content": "hi"}),
            json!({"role": "assistant", "content": "I look.",
                "tool_calls": [call("a", "{\"pattern\":\"*\"}"), call("call_1", "{}")]}),
            json!({"role": "tool", "tool_call_id": "a", "content": "x.rs"}),
            json!({"role": "tool", "tool_call_id": "call_1", "content": "{\"error\":\"no\"}"}),
            json!({"role": "user", "content": "a note"}),
            json!({"role": "assistant", "content": "Done."}),
        ]
    );
}

/// MO-2: a call without a response gets one, and a result without a call is kept.
#[test]
fn lonely_calls_and_results_are_kept() {
    let call = FunctionCall::new("glob", Map::new());
    let result = FunctionCall::new("replace", Map::new()).respond(object(json!({"output": "ok"})));
    let written = messages(vec![
        Content::new(
            Speaker::Model,
            vec![Part::new(PartData::FunctionCall(call))],
        ),
        Content::responses([result]),
    ]);
    assert_eq!(
        written[1..],
        [
            json!({"role": "tool", "tool_call_id": "call_0",
                "content": "The call wasn't answered."}),
            json!({"role": "user", "content": "Result of replace: ok"}),
        ]
    );
}

/// LO-3, MO-2: arguments that weren't JSON go back as an empty object, which every server can read;
/// the error contains the original text.
#[test]
fn unreadable_arguments_are_not_sent_again() {
    let call = json!({"functionCall": {"id": "a", "name": "glob", "args": {},
        "unreadableArgs": "{\"pat"}});
    let written = messages(vec![content(json!({"role": "model", "parts": [call]}))]);
    assert_eq!(
        written[0]["tool_calls"],
        json!([{"id": "a", "type": "function",
            "function": {"name": "glob", "arguments": "{}"}}])
    );
}

/// MO-2: images and sounds are included; what the format can't express is named.
#[test]
fn data_is_translated() {
    let written = messages(vec![content(json!({"role": "user", "parts": [
        {"text": "see"}, {"inlineData": {"mimeType": "image/png", "data": "AA=="}},
        {"inlineData": {"mimeType": "audio/wav", "data": "BB=="}},
        {"inlineData": {"mimeType": "application/pdf", "data": "CC=="}},
        {"fileData": {"fileUri": "gs://x"}}]}))]);
    assert_eq!(
        written[0]["content"],
        json!([
            {"type": "text", "text": "see"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
            {"type": "input_audio", "input_audio": {"data": "BB==", "format": "wav"}},
            {"type": "text", "text": "[application/pdf: not shown]"},
            {"type": "text", "text": "[gs://x: not shown]"},
        ])
    );
}

/// MO-2: instruction and parameters are translated; unknown ones are included, Gemini's own aren't.
#[test]
fn parameters_are_translated() {
    let parts = RequestParts {
        model: "llama".to_owned(),
        system_instruction: Some(Arc::new(Content::system("Be brief."))),
        config: object(
            json!({"temperature": 0.5, "topP": 1, "topK": 3, "maxOutputTokens": 9,
            "stopSequences": ["x"], "presencePenalty": 1, "frequencyPenalty": 2, "seed": 4,
            "thinkingConfig": {}, "candidateCount": 2, "reasoning_effort": "low",
            "responseMimeType": "application/json", "stream": "no"}),
        ),
        ..RequestParts::default()
    };
    let expected = |stream: bool| {
        let mut expected = json!({"model": "llama",
            "messages": [{"role": "system", "content": "Be brief."}],
            "stream": stream, "temperature": 0.5, "top_p": 1, "top_k": 3, "max_tokens": 9,
            "stop": ["x"], "presence_penalty": 1, "frequency_penalty": 2, "seed": 4,
            "reasoning_effort": "low", "response_format": {"type": "json_object"}});
        if stream {
            expected["stream_options"] = json!({"include_usage": true});
        }
        expected
    };
    assert_eq!(written(parts.clone(), Delivery::Chunks), expected(true));
    assert_eq!(written(parts, Delivery::Whole), expected(false));
}

/// TS-1, TS-2, MO-2: modes become tool choices, and names leave only those tools.
#[test]
fn tool_choices_are_translated() {
    let cases = [
        (None, None, Value::Null, 2),
        (Some(ToolMode::Auto), None, json!("auto"), 2),
        (Some(ToolMode::None), None, json!("none"), 2),
        (Some(ToolMode::Any), None, json!("required"), 2),
        (Some(ToolMode::Any), Some("glob"), json!("required"), 1),
        (Some(ToolMode::Any), Some("unknown"), json!("none"), 2),
    ];
    for (mode, name, choice, tools) in cases {
        let parts = RequestParts {
            tools: vec![declaration("glob"), declaration("replace")],
            tool_config: Some(ToolConfig {
                mode,
                allowed_function_names: name.map(|name| vec![name.to_owned()]),
            }),
            ..RequestParts::default()
        };
        let written = written(parts, Delivery::Chunks);
        assert_eq!(written["tool_choice"], choice, "{mode:?} {name:?}");
        assert_eq!(
            written["tools"].as_array().map(Vec::len),
            Some(tools),
            "{mode:?} {name:?}"
        );
        assert_eq!(
            written["tools"][0],
            json!({"type": "function", "function": {"name": "glob", "description": "",
                "parameters": {"type": "object", "properties": {}}}})
        );
    }
}

fn any_part() -> impl Strategy<Value = Part> {
    let id = prop::option::of("[ab]?");
    let name = prop::sample::select(vec!["glob", "replace"]);
    prop_oneof![
        "[xy]{0,2}".prop_map(Part::text),
        (id.clone(), name.clone()).prop_map(|(id, name)| {
            let call = FunctionCall::new(name, Map::new());
            Part::new(PartData::FunctionCall(FunctionCall { id, ..call }))
        }),
        (id, name).prop_map(|(id, name)| {
            let response = FunctionCall::new(name, Map::new()).respond(Map::new());
            Part::new(PartData::FunctionResponse(
                crate::function::FunctionResponse { id, ..response },
            ))
        }),
    ]
}

proptest! {
    /// MO-2: whatever the conversation is, each call has a unique id and gets exactly one response,
    /// right after it; servers refuse anything else.
    #[test]
    fn every_call_is_answered_once(
        turns in prop::collection::vec(
            (any::<bool>(), prop::collection::vec(any_part(), 0..5)), 0..6)
    ) {
        let contents = turns.into_iter().map(|(model, parts)| {
            Content::new(if model { Speaker::Model } else { Speaker::User }, parts)
        });
        let mut open: Vec<String> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for message in messages(contents.collect()) {
            if message["role"] == "tool" {
                let id = message["tool_call_id"].as_str().unwrap();
                let place = open.iter().position(|other| other == id);
                prop_assert!(place.is_some(), "nobody asked for {}", id);
                open.remove(place.unwrap());
                continue;
            }
            prop_assert!(open.is_empty(), "{:?} aren't answered", open);
            for call in message["tool_calls"].as_array().into_iter().flatten() {
                let id = call["id"].as_str().unwrap().to_owned();
                prop_assert!(!id.is_empty() && seen.insert(id.clone()));
                open.push(id);
            }
        }
        prop_assert!(open.is_empty());
    }
}
