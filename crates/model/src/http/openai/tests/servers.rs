//! Responses in the exact format of well-known servers.

use hookloop_testkit::model_server::{ModelServer, Reply};
use serde_json::{Value, json};

use super::answers::{answer, calls_of, delta, finish};
use crate::chunk::Chunk;
use crate::http::tests::{open_ai, problem, stream, texts};
use crate::http_error::HttpProblem;
use crate::test_support::asking;

/// Streams a response that a server writes in these pieces.
async fn written(pieces: &[&str]) -> (Vec<Chunk>, Option<HttpProblem>) {
    let reply = pieces.iter().fold(Reply::stream(), Reply::piece);
    let server = ModelServer::start([reply.end()]);
    let (client, _) = open_ai(&server);
    let (chunks, error) = stream(&client, &asking("hi").await).await;
    (chunks, error.map(|error| problem(Some(error))))
}

/// MO-2: Ollama gives a complete call in one chunk, at index 0 or none, and ends with any reason,
/// depending on its version; token counts come last, without choices.
#[tokio::test]
async fn ollama_is_understood() {
    let call = |name: &str, id: Value, index: Value| {
        let mut call = json!({"id": id, "index": index, "type": "function",
            "function": {"name": name, "arguments": "{\"pattern\":\"*\"}"}});
        if call["index"].is_null() {
            call.as_object_mut().unwrap().remove("index");
        }
        json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1,
            "model": "qwen3", "system_fingerprint": "fp_ollama",
            "choices": [{"index": 0, "delta": {"role": "assistant", "content": "",
                "tool_calls": [call]}, "finish_reason": null}]})
    };
    let thought = json!({"choices": [{"index": 0, "delta": {"role": "assistant",
        "content": "", "reasoning": "I think."}, "finish_reason": null}]});
    let counts = json!({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4,
        "total_tokens": 7}});
    for (ids, index, reason) in [
        ([json!("call_a"), json!("call_b")], json!(0), "tool_calls"),
        ([json!(""), json!("")], json!(0), "stop"),
        ([Value::Null, Value::Null], Value::Null, "stop"),
    ] {
        let events = [
            thought.clone(),
            call("glob", ids[0].clone(), index.clone()),
            call("glob", ids[1].clone(), index.clone()),
            finish(reason),
            counts.clone(),
            json!("[DONE]"),
        ];
        let (chunks, problem) = answer(&events).await;
        assert_eq!(problem, None, "{reason}");
        let said = |id: &Value| {
            json!([id.as_str().filter(|id| !id.is_empty()), "glob",
            {"pattern": "*"}])
        };
        assert_eq!(calls_of(&chunks), [said(&ids[0]), said(&ids[1])]);
        assert_eq!(texts(&chunks), [""], "thoughts aren't text");
        let usage = chunks[0].usage_metadata.as_ref().unwrap();
        assert_eq!(usage.total_token_count, Some(7));
    }
}

/// MO-2: llama.cpp streams a call in pieces, thinks in `reasoning_content`, keeps the
/// connection alive with comments, and may leave out `[DONE]`.
#[tokio::test]
async fn llama_cpp_is_understood() {
    let piece = |value: Value| format!("data: {value}\n\n");
    let call = |call: Value| piece(delta(&json!({ "tool_calls": [call] })));
    let pieces = [
        ": \n\n".to_owned(),
        piece(delta(&json!({"role": "assistant", "content": null}))),
        piece(delta(&json!({"reasoning_content": "Files, "}))),
        ":\n\n".to_owned(),
        piece(delta(&json!({"reasoning_content": "then."}))),
        piece(delta(&json!({"content": "I look."}))),
        call(json!({"index": 0, "id": "x1", "type": "function",
            "function": {"name": "glob", "arguments": "{"}})),
        call(json!({"index": 0, "function": {"arguments": "\"pattern\":"}})),
        call(json!({"index": 0, "function": {"arguments": "\"*\"}"}})),
        piece(
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}],
            "timings": {"prompt_n": 1}, "usage": {"prompt_tokens": 3}}),
        ),
    ];
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let (chunks, problem) = written(&pieces).await;
    assert_eq!(problem, None);
    assert_eq!(texts(&chunks), ["I look.", ""]);
    assert_eq!(calls_of(&chunks), [json!(["x1", "glob", {"pattern": "*"}])]);
    assert!(
        !serde_json::to_string(&chunks).unwrap().contains("then."),
        "thoughts go nowhere"
    );
}

/// MO-2: an error that llama.cpp sends in the middle of a stream is reported in its words, in the
/// form of its older versions too.
#[tokio::test]
async fn errors_of_llama_cpp_are_reported() {
    let text = format!("data: {}\n\n", delta(&json!({"content": "Hel"})));
    let error = json!({"code": 500, "message": "context is full", "type": "server_error"});
    let newer = format!("data: {}\n\n", json!({ "error": error }));
    let older = format!("error: {error}\n\n");
    for told in [newer, older] {
        let (chunks, problem) = written(&[&text, &told]).await;
        assert_eq!(texts(&chunks), ["Hel"]);
        let expected = HttpProblem::Reported("context is full".to_owned());
        assert_eq!(problem, Some(expected), "{told}");
    }
}

/// LO-3, MO-2: arguments that aren't a JSON object are kept as they are, beside calls that can be
/// read; they don't end the response.
#[tokio::test]
async fn unreadable_arguments_are_kept() {
    for bad in ["{\"pattern\": ", "[1]", "pattern=*"] {
        let calls = json!({"tool_calls": [
            {"index": 0, "id": "a", "function": {"name": "glob", "arguments": bad}},
            {"index": 1, "id": "b", "function": {"name": "glob", "arguments": "{}"}}]});
        let (chunks, problem) = answer(&[delta(&calls), finish("tool_calls")]).await;
        assert_eq!(problem, None);
        let calls: Vec<_> = chunks.iter().flat_map(Chunk::function_calls).collect();
        assert_eq!(calls[0].unreadable_args.as_deref(), Some(bad.trim()));
        assert_eq!(calls[1].unreadable_args, None);
        assert!(calls[0].args.is_empty());
    }
}
