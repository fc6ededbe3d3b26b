//! The web tools, against servers of model services on the loopback interface.
#![cfg(feature = "http")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that can't go on fails"
)]

use hookloop_testkit::model_server::{ModelServer, Reply};
use hookloop_testkit::{Finished, Sandbox};
use serde_json::{Value, json};

const KEY: &str = "a-key-of-a-test";

fn converse(sandbox: &Sandbox, variables: &[(&str, &str)]) -> Finished {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    command.args(["--yolo", "-p", "Does it rain?"]);
    command.envs(variables.iter().copied());
    sandbox.run(&mut command, b"")
}

fn chunk(part: &Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]})
}

fn stream(part: &Value) -> Reply {
    Reply::events(&[&chunk(part).to_string()])
}

/// Lets a Gemini model call a web tool, answers the tool's own request, and returns the bodies of
/// all requests with their methods.
fn through_gemini(call: &Value, answer: &Value) -> Vec<(String, Value)> {
    let server = ModelServer::start([
        stream(&json!({ "functionCall": call })),
        Reply::json("200 OK", &answer.to_string()),
        stream(&json!({"text": "Done."})),
    ]);
    let address = server.url();
    let sandbox = Sandbox::new();
    let finished = converse(
        &sandbox,
        &[
            ("GEMINI_API_KEY", KEY),
            ("GOOGLE_GEMINI_BASE_URL", &address),
        ],
    );
    assert_eq!(finished.stdout, "Done.\n", "{}", finished.stderr);
    let requests = server.requests();
    let sent = requests.iter().map(|request| {
        let method = request.line.rsplit(':').next().unwrap_or_default();
        (method.to_owned(), request.json())
    });
    sent.collect()
}

fn result(request: &Value) -> &Value {
    let contents = request["contents"].as_array().unwrap();
    &contents.last().unwrap()["parts"][0]["functionResponse"]["response"]
}

/// MO-1: `google_web_search` is a request for the API's own search, without any other tool; the
/// model gets the response with its sources, and none of the thoughts.
#[test]
fn gemini_searches() {
    let answer = json!({"candidates": [{
        "content": {"role": "model", "parts": [
            {"text": "Let me see.", "thought": true}, {"text": "It rains."}]},
        "finishReason": "STOP",
        "groundingMetadata": {
            "groundingChunks": [{"web": {"uri": "https://weather.example/", "title": "Weather"}}],
            "groundingSupports": [{"segment": {"endIndex": 9}, "groundingChunkIndices": [0]}],
        },
    }]});
    let call = json!({"name": "google_web_search", "args": {"query": "rain today"}});
    let requests = through_gemini(&call, &answer);
    let methods: Vec<&str> = requests.iter().map(|(method, _)| method.as_str()).collect();
    assert_eq!(
        methods,
        [
            "streamGenerateContent?alt=sse",
            "generateContent",
            "streamGenerateContent?alt=sse"
        ]
    );
    let (_, search) = &requests[1];
    assert_eq!(search["tools"], json!([{"googleSearch": {}}]));
    assert_eq!(
        search["contents"],
        json!([{"role": "user", "parts": [{"text": "rain today"}]}])
    );
    assert_eq!(search.get("toolConfig"), None);
    let text = "It rains.[1]\n\nSources:\n1. Weather (https://weather.example/)";
    assert_eq!(result(&requests[2].1), &json!({"output": text}));
}

/// MO-1: `web_fetch` is a request for the API's own reading of pages; pages that couldn't be read
/// are named, and if that is all of them the call failed.
#[test]
fn gemini_reads_pages() {
    let prompt = "Sum up https://a.example/x";
    let call = json!({"name": "web_fetch", "args": {"prompt": prompt}});
    for (status, field) in [("SUCCESS", "output"), ("PAYWALL", "error")] {
        let mut answer = chunk(&json!({"text": "A page."}));
        answer["candidates"][0]["urlContextMetadata"] = json!({"urlMetadata": [
            {"retrievedUrl": "https://a.example/x",
             "urlRetrievalStatus": format!("URL_RETRIEVAL_STATUS_{status}")}]});
        let requests = through_gemini(&call, &answer);
        let (method, fetch) = &requests[1];
        assert_eq!(method, "generateContent");
        assert_eq!(fetch["tools"], json!([{"urlContext": {}}]));
        assert_eq!(fetch["contents"][0]["parts"][0]["text"], prompt);
        let result = result(&requests[2].1);
        let text = result[field].as_str().unwrap_or_else(|| panic!("{result}"));
        assert!(text.contains("A page."), "{text}");
        assert_eq!(text.contains("https://a.example/x"), status == "PAYWALL");
    }
}

/// MO-2: a model without such tools isn't asked, and the model that called is told so.
#[test]
fn others_can_not_search() {
    let delta = |delta: Value, end: Value| {
        json!({"choices": [{"index": 0, "delta": delta, "finish_reason": end}]}).to_string()
    };
    let call = json!({"tool_calls": [{"index": 0, "id": "a", "type": "function", "function":
        {"name": "google_web_search", "arguments": "{\"query\": \"rain today\"}"}}]});
    let server = ModelServer::start([
        Reply::events(&[&delta(call, json!("tool_calls")), "[DONE]"]),
        Reply::events(&[&delta(json!({"content": "Done."}), json!("stop")), "[DONE]"]),
    ]);
    let address = server.url() + "/v1";
    let sandbox = Sandbox::new();
    let finished = converse(&sandbox, &[("OPENAI_BASE_URL", &address)]);
    assert_eq!(finished.stdout, "Done.\n", "{}", finished.stderr);
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    let sent = requests[1].json()["messages"].to_string();
    assert!(sent.contains("can't search the web"), "{sent}");
}
