//! Responses as servers write them: `OpenAI` exactly, the others nearly so.

use hookloop_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::chunk::Chunk;
use crate::client::ModelClient;
use crate::error::ModelError;
use crate::http::tests::{KEY, open_ai, problem, stream, texts};
use crate::http::{OpenAiClient, OpenAiOptions};
use crate::http_error::HttpProblem;
use crate::native_tool::NativeTool;
use crate::request::{Request, RequestParts};
use crate::test_support::{asking, cleared};

/// Streams the events from a server.
pub(super) async fn answer(events: &[Value]) -> (Vec<Chunk>, Option<HttpProblem>) {
    let events: Vec<String> = events
        .iter()
        .map(|event| {
            event
                .as_str()
                .map_or_else(|| event.to_string(), str::to_owned)
        })
        .collect();
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let server = ModelServer::start([Reply::events(&events)]);
    let (client, waits) = open_ai(&server);
    let (chunks, error) = stream(&client, &asking("hi").await).await;
    assert_eq!(waits.taken(), []);
    (chunks, error.map(|error| problem(Some(error))))
}

pub(super) fn delta(delta: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}], "usage": null})
}

pub(super) fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

pub(super) fn calls_of(chunks: &[Chunk]) -> Vec<Value> {
    let calls = chunks.iter().flat_map(Chunk::function_calls);
    calls
        .map(|call| json!([call.id, call.name, call.args]))
        .collect()
}

/// MO-2: text is passed on as it arrives; reason and token counts come with the last chunk.
#[tokio::test]
async fn text_is_streamed() {
    let (chunks, problem) = answer(&[
        delta(&json!({"role": "assistant", "content": ""})),
        delta(&json!({"reasoning_content": "Let me see.", "content": null})),
        delta(&json!({"content": "Hel"})),
        delta(&json!({"content": [{"type": "text", "text": "lo"}]})),
        finish("length"),
        json!({"choices": [], "model": "llama", "usage": {"prompt_tokens": 10,
            "completion_tokens": 7, "total_tokens": 17,
            "prompt_tokens_details": {"cached_tokens": 4},
            "completion_tokens_details": {"reasoning_tokens": 5}}}),
        json!("[DONE]"),
    ])
    .await;
    assert_eq!(problem, None);
    assert_eq!(texts(&chunks), ["Hel", "lo", ""]);
    assert_eq!(
        serde_json::to_value(&chunks[2]).unwrap(),
        json!({"candidates": [{"content": {"role": "model"}, "finishReason": "MAX_TOKENS",
            "index": 0}], "modelVersion": "llama", "usageMetadata": {"promptTokenCount": 10,
            "candidatesTokenCount": 2, "totalTokenCount": 17, "cachedContentTokenCount": 4,
            "thoughtsTokenCount": 5}})
    );
}

/// MO-2: every reason to end has its name in Gemini's API.
#[tokio::test]
async fn reasons_to_end_are_translated() {
    for (theirs, ours) in [
        ("stop", "STOP"),
        ("tool_calls", "STOP"),
        ("eos_token", "STOP"),
        ("model_length", "MAX_TOKENS"),
        ("content_filter", "SAFETY"),
        ("something", "something"),
    ] {
        let (chunks, _) = answer(&[finish(theirs)]).await;
        assert_eq!(chunks[0].finish_reason(), Some(ours));
    }
}

/// MO-2: calls are assembled from their pieces and keep their ids.
#[tokio::test]
async fn calls_are_assembled() {
    let piece = |index: usize, arguments: &str| {
        delta(&json!({"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}))
    };
    let begin = |index: usize, id: &str| {
        delta(
            &json!({"tool_calls": [{"index": index, "id": id, "type": "function",
            "function": {"name": "glob", "arguments": ""}}]}),
        )
    };
    let (chunks, problem) = answer(&[
        delta(&json!({"role": "assistant", "content": "I look."})),
        begin(0, "a"),
        piece(0, "{\"pat"),
        piece(0, "tern\":\"*\"}"),
        begin(1, "b"),
        piece(1, "{}"),
        finish("tool_calls"),
        json!("[DONE]"),
    ])
    .await;
    assert_eq!(problem, None);
    assert_eq!(texts(&chunks), ["I look.", ""]);
    assert_eq!(
        calls_of(&chunks),
        [
            json!(["a", "glob", {"pattern": "*"}]),
            json!(["b", "glob", {}])
        ]
    );
}

/// MO-2: servers leave out ids and indexes, repeat names, and write arguments as they like.
#[tokio::test]
async fn calls_of_lax_servers_are_understood() {
    let glob = |arguments: Value| json!({"name": "glob", "arguments": arguments});
    let one = json!({"pattern": "*"});
    let no_id = vec![
        json!([{"function": glob(json!(one.to_string()))}]),
        json!([{"function": glob(json!("{}"))}]),
    ];
    let one_index = vec![json!([
        {"index": 0, "id": "", "function": glob(one.clone())},
        {"index": 0, "id": "", "function": glob(json!({}))}])];
    let ids_at_one_index = vec![json!([
        {"index": 0, "id": "a", "function": glob(json!(one.to_string()))},
        {"index": 0, "id": "b", "function": glob(json!(""))}])];
    let repeated = vec![
        json!([{"index": 0, "id": "a", "function": glob(json!("{\"pattern\":"))}]),
        json!([{"index": 0, "id": "a", "function": glob(json!("\"*\"}"))}]),
        json!([{"id": "b", "function": glob(Value::Null)}]),
    ];
    let cases = [
        (no_id, [Value::Null, Value::Null]),
        (one_index, [Value::Null, Value::Null]),
        (ids_at_one_index, [json!("a"), json!("b")]),
        (repeated, [json!("a"), json!("b")]),
    ];
    for (pieces, ids) in cases {
        let mut events: Vec<Value> = pieces
            .iter()
            .map(|calls| delta(&json!({"tool_calls": calls})))
            .collect();
        events.push(finish("stop"));
        let (chunks, problem) = answer(&events).await;
        assert_eq!(problem, None, "{pieces:?}");
        let expected = [json!([ids[0], "glob", one]), json!([ids[1], "glob", {}])];
        assert_eq!(calls_of(&chunks), expected, "{pieces:?}");
    }
}

/// MO-2, LO-3: the model's end is determined by its reason, not by the end of the stream: without a
/// reason, the response is recognised as cut.
#[tokio::test]
async fn an_end_is_needed() {
    let text = delta(&json!({"content": "Hel"}));
    let call = delta(&json!({"tool_calls": [{"function": {"name": "x"}}]}));
    let cases = [
        (vec![text.clone(), finish("stop")], 2, Some("STOP"), None),
        (vec![text.clone(), json!("[DONE]")], 1, None, None),
        (vec![text], 1, None, None),
        (vec![call], 1, None, None),
        (vec![json!("[DONE]")], 0, None, Some(HttpProblem::Empty)),
        (
            vec![delta(&json!({"role": "assistant"}))],
            0,
            None,
            Some(HttpProblem::Empty),
        ),
    ];
    for (events, chunks, reason, expected) in cases {
        let (answered, problem) = answer(&events).await;
        assert_eq!((answered.len(), problem), (chunks, expected), "{events:?}");
        let last = answered.last().and_then(Chunk::finish_reason);
        assert_eq!(last, reason, "{events:?}");
        let ran = answered.iter().flat_map(Chunk::function_calls);
        assert!(reason.is_some() || ran.count() == 0, "{events:?}");
    }
}

/// MO-2: what can't be read is reported: garbage, and errors in the stream.
#[tokio::test]
async fn bad_answers_are_reported() {
    let cases = [
        (
            vec![json!("nonsense")],
            "the answer can't be read: expected a chat completion, got",
        ),
        (
            vec![json!({"a": 1})],
            "the answer can't be read: expected a chat completion, got",
        ),
        (
            vec![json!({"error": {"message": "out of memory"}})],
            "the server reports: out of memory",
        ),
        (
            vec![json!({"object": "error", "message": "too long", "code": 400})],
            "the server reports: too long",
        ),
    ];
    for (events, begin) in cases {
        let (_, problem) = answer(&events).await;
        let text = problem.unwrap().to_string();
        assert!(text.starts_with(begin), "{text}");
    }
}

/// MO-2: a complete response from a server that doesn't stream is accepted.
#[tokio::test]
async fn a_whole_answer_in_place_of_a_stream_is_taken() {
    let body = json!({"choices": [{"message": {"role": "assistant", "content": "Hello"},
        "finish_reason": "stop"}]});
    let server = ModelServer::start([Reply::json("200 OK", &body.to_string())]);
    let (client, _) = open_ai(&server);
    let (chunks, error) = stream(&client, &asking("hi").await).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(texts(&chunks), ["Hello", ""]);
    assert_eq!(chunks[1].finish_reason(), Some("STOP"));
}

/// MO-2: a complete response is one chunk, with its text, calls and counts.
#[tokio::test]
async fn a_whole_answer_is_one_chunk() {
    let body = json!({"choices": [{"message": {"content": "I look.", "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "glob", "arguments": "{}"}}]},
        "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 3}});
    let server = ModelServer::start([
        Reply::json("200 OK", &body.to_string()),
        Reply::json("200 OK", "{\"choices\":[]}"),
    ]);
    let (client, _) = open_ai(&server);
    let request = asking("hi").await;
    let chunk = client
        .generate(&request, CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(chunk.visible_text(), "I look.");
    assert_eq!(
        calls_of(std::slice::from_ref(&chunk)),
        [json!(["a", "glob", {}])]
    );
    assert_eq!(chunk.usage_metadata.unwrap().prompt_token_count, Some(3));
    assert_eq!(
        server.requests()[0].header("authorization"),
        Some(format!("Bearer {KEY}").as_str())
    );
    let none = client.generate(&request, CancellationToken::new()).await;
    assert_eq!(problem(none.err()), HttpProblem::Empty);
}

/// MO-2: without a key none is sent, and a wrong address gets a hint.
#[tokio::test]
async fn a_server_without_a_key_is_asked() {
    let server = ModelServer::start([Reply::whole("404 Not Found", &[], "404 page not found")]);
    let client = OpenAiClient::new(OpenAiOptions::new(server.url())).unwrap();
    let (_, error) = stream(&client, &asking("hi").await).await;
    assert_eq!(
        problem(error).to_string(),
        "404: 404 page not found (is the model's name \"gemini\" right? does the base URL end \
         with the API's version, such as /v1?)"
    );
    assert_eq!(server.requests()[0].header("authorization"), None);
}

/// MO-2: the connection is reused after a stream, and `[DONE]` is the end even if the server says
/// more.
#[tokio::test]
async fn the_connection_is_used_again() {
    // In a single write, as servers do.
    let whole = "HTTP/1.1 200 OK\r\ncontent-length: 88\r\n\r\n\
         data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"},\"finish_reason\":\"stop\"}]}\n\n\
         data: [DONE]\n\n";
    let text = r#"{"choices":[{"delta":{"content":"Hello"},"finish_reason":"stop"}]}"#;
    let server = ModelServer::start([
        Reply::new().send(whole),
        Reply::new().send(whole),
        Reply::stream().event(text).event("[DONE]").event("more"),
    ]);
    let (client, _) = open_ai(&server);
    let request = asking("hi").await;
    for _ in 0..3 {
        let (chunks, error) = stream(&client, &request).await;
        assert!(error.is_none(), "{error:?}");
        assert_eq!(texts(&chunks), ["Hello", ""]);
    }
    assert_eq!(server.connections(), 1);
}

/// MO-2: a server without tools of its own isn't asked for one, which is reported.
#[tokio::test]
async fn native_tools_are_refused() {
    let server = ModelServer::start([]);
    let (client, _) = open_ai(&server);
    let request = cleared(Request::from(RequestParts {
        model: "llama".to_owned(),
        native_tools: vec![NativeTool::GoogleSearch],
        ..RequestParts::default()
    }))
    .await;
    let whole = client.generate(&request, CancellationToken::new()).await;
    let error = whole.unwrap_err();
    assert!(matches!(error, ModelError::NoNativeTool { .. }), "{error}");
    let streamed = client.stream(&request, CancellationToken::new()).await;
    assert!(streamed.is_err());
    assert_eq!(server.requests().len(), 0);
}
