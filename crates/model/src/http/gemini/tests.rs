use std::sync::Arc;

use hookloop_events::llm::{ToolConfig, ToolMode};
use hookloop_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::content::Content;
use crate::function::FunctionDeclaration;
use crate::http::tests::{KEY, gemini, gemini_last, gemini_reply, problem, stream};
use crate::native_tool::NativeTool;
use crate::request::RequestParts;
use crate::test_support::{asking, cleared};

fn declaration(name: &str) -> Arc<FunctionDeclaration> {
    Arc::new(FunctionDeclaration {
        name: name.to_owned(),
        description: format!("Does {name}."),
        parameters_json_schema: json!({"type": "object"}),
    })
}

fn written(parts: RequestParts) -> Value {
    serde_json::from_slice(&body::of(&Request::from(parts))).unwrap()
}

/// LO-3, MO-1: the original text of arguments that weren't JSON isn't sent: the API refuses fields
/// that it doesn't know.
#[test]
fn unreadable_arguments_are_not_sent() {
    let content = json!({"role": "model", "parts": [
        {"functionCall": {"name": "glob", "args": {}, "unreadableArgs": "{\"pat"}}]});
    let written = written(RequestParts {
        contents: vec![Arc::new(serde_json::from_value(content).unwrap())],
        ..RequestParts::default()
    });
    let part = &written["contents"][0]["parts"][0];
    assert_eq!(part, &json!({"functionCall": {"name": "glob", "args": {}}}));
}

/// MO-1, TS-1: the request contains everything that was configured, in the API's format.
#[test]
fn a_request_is_written() {
    let Value::Object(config) = json!({"temperature": 0, "thinkingConfig": {"thinkingBudget": 9},
        "safetySettings": [{"category": "X"}]})
    else {
        unreachable!()
    };
    let written = written(RequestParts {
        model: "gemini".to_owned(),
        contents: vec![Arc::new(Content::user("hi"))],
        system_instruction: Some(Arc::new(Content::system("Be brief."))),
        config,
        tools: vec![declaration("glob"), declaration("replace")],
        tool_config: Some(ToolConfig {
            mode: Some(ToolMode::Any),
            allowed_function_names: Some(vec!["GlobTool".to_owned()]),
        }),
        ..RequestParts::default()
    });
    let tool = |name: &str| {
        json!({"name": name, "description": format!("Does {name}."),
            "parametersJsonSchema": {"type": "object"}})
    };
    assert_eq!(
        written,
        json!({
            "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "tools": [{"functionDeclarations": [tool("glob"), tool("replace")]}],
            "toolConfig": {"functionCallingConfig":
                {"mode": "ANY", "allowedFunctionNames": ["glob"]}},
            "generationConfig": {"temperature": 0, "thinkingConfig": {"thinkingBudget": 9}},
            "safetySettings": [{"category": "X"}],
        })
    );
}

/// MO-1: a tool that the service runs itself is requested by its name, beside declared ones.
#[test]
fn native_tools_are_asked_for() {
    let mut parts = RequestParts {
        native_tools: vec![NativeTool::GoogleSearch],
        ..RequestParts::default()
    };
    assert_eq!(
        written(parts.clone())["tools"],
        json!([{"googleSearch": {}}])
    );
    parts.tools = vec![declaration("glob")];
    parts.native_tools = vec![NativeTool::UrlContext];
    let tools = written(parts)["tools"].clone();
    assert_eq!(tools[0]["functionDeclarations"][0]["name"], "glob");
    assert_eq!(tools[1], json!({"urlContext": {}}));
}

/// MO-1: what isn't set isn't written, and a missing role is the user's.
#[test]
fn a_bare_request_is_bare() {
    let contents = vec![Arc::new(Content::system("a")), Arc::new(Content::user("b"))];
    let parts = Request::new("gemini", contents).into_parts();
    assert_eq!(
        written(parts),
        json!({"contents": [{"role": "user", "parts": [{"text": "a"}, {"text": "b"}]}]})
    );
}

/// MO-1: thoughts, signatures and calls go back as they came, next to their responses.
#[tokio::test]
async fn signatures_come_and_go_unchanged() {
    let parts = json!([
        {"text": "Let me see.", "thought": true},
        {"functionCall": {"name": "glob", "args": {"pattern": "*"}}, "thoughtSignature": "c2ln"},
        {"functionCall": {"id": "7", "name": "glob", "args": {}}},
        {"text": "", "thoughtSignature": "bGFzdA=="},
    ]);
    let chunk = json!({"candidates": [{"content": {"role": "model", "parts": parts},
        "finishReason": "STOP"}]});
    let server = ModelServer::start([Reply::events(&[&chunk.to_string()])]);
    let (client, _) = gemini(&server);
    let (chunks, error) = stream(&client, &asking("hi").await).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(chunks[0].visible_text(), "", "thoughts are never shown");
    let content = chunks[0].content().unwrap().clone();
    let responses: Vec<_> = content
        .function_calls()
        .map(|call| call.respond(serde_json::Map::new()))
        .collect();
    let contents = [Content::user("hi"), content, Content::responses(responses)];
    let sent = written(Request::new("m", contents.map(Arc::new).into()).into_parts());
    assert_eq!(
        sent["contents"][1],
        json!({"role": "model", "parts": parts})
    );
    assert_eq!(
        sent["contents"][2]["parts"].as_array().map(Vec::len),
        Some(2)
    );
}

/// MO-1: method, model and key are where the API expects them; the connection is reused.
#[tokio::test]
async fn the_api_is_asked() {
    let server = ModelServer::start([gemini_reply(), Reply::json("200 OK", &gemini_last("Hello"))]);
    let (client, _) = gemini(&server);
    let request = asking("hi").await;
    let (chunks, error) = stream(&client, &request).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(
        chunks[1].usage_metadata.as_ref().unwrap().total_token_count,
        Some(5)
    );
    let whole = client
        .generate(&request, CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(whole.visible_text(), "Hello");
    let requests = server.requests();
    let lines: Vec<_> = requests
        .iter()
        .map(|request| request.line.as_str())
        .collect();
    assert_eq!(
        lines,
        [
            "POST /v1beta/models/gemini:streamGenerateContent?alt=sse",
            "POST /v1beta/models/gemini:generateContent",
        ]
    );
    for request in &requests {
        assert_eq!(request.header("x-goog-api-key"), Some(KEY));
        assert_eq!(request.header("content-type"), Some("application/json"));
    }
    assert_eq!(server.connections(), 1);
}

/// MO-1: a model's name can't lead elsewhere, and a full name isn't prefixed twice.
#[tokio::test]
async fn the_model_is_one_segment_of_the_address() {
    let names = [
        ("models/gemini", "/v1beta/models/gemini:generateContent"),
        ("tunedModels/x", "/v1beta/tunedModels/x:generateContent"),
        (
            "../../x?y#z",
            "/v1beta/models/..%2F..%2Fx%3Fy%23z:generateContent",
        ),
    ];
    for (name, target) in names {
        let server = ModelServer::start([Reply::json("200 OK", &gemini_last("Hello"))]);
        let (client, _) = gemini(&server);
        let request = cleared(Request::new(name, vec![Arc::new(Content::user("hi"))])).await;
        client
            .generate(&request, CancellationToken::new())
            .await
            .unwrap();
        assert_eq!(server.requests()[0].line, format!("POST {target}"));
    }
}

/// MO-1: an unusable complete response is reported.
#[tokio::test]
async fn a_bad_whole_answer_is_reported() {
    for (body, begin) in [
        ("", "the answer is empty"),
        (
            "{\"candi",
            "the answer can't be read: expected an answer of Gemini's API",
        ),
        (
            "{\"promptFeedback\":{\"blockReason\":\"OTHER\"}}",
            "the prompt was refused: OTHER",
        ),
    ] {
        let server = ModelServer::start([Reply::json("200 OK", body)]);
        let (client, _) = gemini(&server);
        let answer = client
            .generate(&asking("hi").await, CancellationToken::new())
            .await;
        let text = problem(answer.err()).to_string();
        assert!(text.starts_with(begin), "{text}");
    }
}
