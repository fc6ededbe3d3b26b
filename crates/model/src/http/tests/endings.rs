//! How responses end, in the words of every service (LO-3): what isn't the ordinary end is never
//! read as one.

use serde_json::{Value, json};

use super::services::{Service, services, streamed};
use super::*;
use crate::test_support::asking;

/// An end, and how it is read; without a reason the response is recognised as cut.
struct Case {
    /// The service's word; `None` if it says nothing about its end.
    word: Option<&'static str>,
    reads: Option<&'static str>,
}

const fn ends(word: &'static str, reads: &'static str) -> Case {
    Case {
        word: Some(word),
        reads: Some(reads),
    }
}

const CUT: Case = Case {
    word: None,
    reads: None,
};

/// All the ends that a service documents, an unknown one, and none.
fn cases(service: &Service) -> Vec<Case> {
    let mut cases = match service.name {
        "gemini" => vec![
            ends("STOP", "STOP"),
            ends("MAX_TOKENS", "MAX_TOKENS"),
            ends("SAFETY", "SAFETY"),
            ends("RECITATION", "RECITATION"),
            ends("LANGUAGE", "LANGUAGE"),
            ends("OTHER", "OTHER"),
            ends("BLOCKLIST", "BLOCKLIST"),
            ends("PROHIBITED_CONTENT", "PROHIBITED_CONTENT"),
            ends("SPII", "SPII"),
            ends("MALFORMED_FUNCTION_CALL", "MALFORMED_FUNCTION_CALL"),
            ends("FINISH_REASON_UNSPECIFIED", "FINISH_REASON_UNSPECIFIED"),
        ],
        "chat completions" => vec![
            ends("stop", "STOP"),
            ends("tool_calls", "STOP"),
            ends("function_call", "STOP"),
            ends("length", "MAX_TOKENS"),
            ends("content_filter", "SAFETY"),
            ends("error", "error"),
        ],
        "responses" => vec![
            ends("completed", "STOP"),
            ends("max_output_tokens", "MAX_TOKENS"),
            ends("content_filter", "SAFETY"),
            // A response that isn't complete, for a reason that sounds as if it were.
            ends("stop", "incomplete"),
        ],
        _ => vec![
            ends("end_turn", "STOP"),
            ends("tool_use", "STOP"),
            ends("stop_sequence", "STOP"),
            ends("max_tokens", "MAX_TOKENS"),
            ends("model_context_window_exceeded", "MAX_TOKENS"),
            ends("refusal", "SAFETY"),
            ends("pause_turn", "pause_turn"),
        ],
    };
    cases.extend([ends("of_tomorrow", "of_tomorrow"), CUT]);
    cases
}

/// Writes an end into a response, complete or the last event of a stream.
fn put(service: &Service, answer: &mut Value, word: Option<&str>) {
    let word = word.map_or(Value::Null, |word| json!(word));
    match service.name {
        "gemini" => {
            let candidate = answer["candidates"][0].as_object_mut().unwrap();
            candidate.insert("finishReason".to_owned(), word);
        }
        "chat completions" => answer["choices"][0]["finish_reason"] = word,
        "responses" => {
            let response = match answer.get("response") {
                Some(_) => &mut answer["response"],
                None => answer,
            };
            response["status"] = match word.as_str() {
                None => Value::Null,
                Some("completed") => word.clone(),
                Some(_) => json!("incomplete"),
            };
            if !matches!(word.as_str(), None | Some("completed")) {
                response["incomplete_details"] = json!({"reason": word});
            }
        }
        _ if answer["type"] == "message" => answer["stop_reason"] = word,
        _ => answer["delta"]["stop_reason"] = word,
    }
}

/// Makes a stream end in a way.
fn ending(service: &Service, word: Option<&str>) -> Reply {
    let mut events = service.events.clone();
    if service.name == "responses" {
        let last = events.last_mut().unwrap();
        match word {
            None => drop(events.pop()),
            Some("completed") => {}
            Some(_) => last["type"] = json!("response.incomplete"),
        }
    }
    let says_end = |it: &&mut Value| match service.name {
        "gemini" => it["candidates"][0].get("finishReason").is_some(),
        "chat completions" => it["choices"][0].get("finish_reason").is_some(),
        "responses" => it.get("response").is_some(),
        _ => it["type"] == "message_delta",
    };
    for event in events.iter_mut().filter(says_end) {
        put(service, event, word);
    }
    if service.name == "chat completions" {
        let mut reply = Reply::stream();
        for event in &events {
            reply = reply.event(&event.to_string());
        }
        return reply.event("[DONE]").end();
    }
    streamed(&events)
}

/// LO-3, MO-1, MO-2: every end of every service is read the same in a stream and complete; an
/// unknown word is kept as it is, and no reason counts as none.
#[tokio::test]
async fn every_end_reads_alike_whole_and_streamed() {
    for service in services() {
        for Case { word, reads } in cases(&service) {
            let case = format!("{} {word:?}", service.name);
            let mut whole = service.whole.clone();
            put(&service, &mut whole, word);
            let whole = Reply::json("200 OK", &whole.to_string());
            let server = ModelServer::start([ending(&service, word), whole]);
            let (client, _) = (service.build)(&server);
            let request = asking("hi").await;
            let (chunks, error) = stream(&*client, &request).await;
            assert!(error.is_none(), "{case}: {error:?}");
            assert!(texts(&chunks).concat().starts_with("Hello"), "{case}");
            let mut reasons = chunks.iter().filter_map(Chunk::finish_reason);
            assert_eq!(reasons.next_back(), reads, "streamed: {case}");
            let whole = client.generate(&request, CancellationToken::new()).await;
            let whole = whole.unwrap();
            assert_eq!(whole.visible_text(), "Hello", "{case}");
            assert_eq!(whole.finish_reason(), reads, "whole: {case}");
        }
    }
}

/// LO-3, MO-2: a model that says that it won't answer ends the same way with every service, even if
/// the service reports the refusal beside an ordinary end; its words are kept.
#[tokio::test]
async fn a_refusal_is_no_ordinary_end() {
    let part = json!({"type": "refusal", "refusal": "I can't."});
    let message = json!({"type": "message", "role": "assistant", "content": [part]});
    let response = json!({"object": "response", "status": "completed", "output": [message]});
    let end =
        json!({"type": "response.completed", "response": {"status": "completed", "output": []}});
    let chat = |message: Value| json!({"choices": [{"message": message, "finish_reason": "stop"}]});
    let delta =
        |delta: Value, end: Value| json!({"choices": [{"delta": delta, "finish_reason": end}]});
    let chat_end = || delta(json!({}), json!("stop"));
    let cases = [
        (
            of_name("chat completions"),
            vec![
                vec![
                    delta(json!({"refusal": "I can't."}), Value::Null),
                    chat_end(),
                ],
                vec![delta(json!({"content": [part]}), Value::Null), chat_end()],
            ],
            vec![
                chat(json!({"content": null, "refusal": "I can't."})),
                chat(json!({"content": [part]})),
            ],
        ),
        (
            of_name("responses"),
            vec![
                vec![
                    json!({"type": "response.refusal.delta", "delta": "I can't."}),
                    end.clone(),
                ],
                vec![
                    json!({"type": "response.output_item.done", "item": message}),
                    end,
                ],
                vec![json!({"type": "response.completed", "response": response})],
            ],
            vec![response],
        ),
    ];
    for (service, streams, wholes) in cases {
        let replies = streams.iter().map(|events| streamed(events));
        let bodies = wholes
            .iter()
            .map(|it| Reply::json("200 OK", &it.to_string()));
        let server = ModelServer::start(replies.chain(bodies).collect::<Vec<_>>());
        let (client, _) = (service.build)(&server);
        let request = asking("hi").await;
        for events in &streams {
            let (chunks, error) = stream(&*client, &request).await;
            assert!(error.is_none(), "{error:?}");
            assert_eq!(texts(&chunks).concat(), "I can't.", "{events:?}");
            let last = chunks.last().and_then(Chunk::finish_reason);
            assert_eq!(last, Some("SAFETY"), "{events:?}");
        }
        for body in &wholes {
            let whole = client.generate(&request, CancellationToken::new()).await;
            let whole = whole.unwrap();
            assert_eq!(whole.visible_text(), "I can't.", "{body}");
            assert_eq!(whole.finish_reason(), Some("SAFETY"), "{body}");
        }
    }
}

fn of_name(name: &str) -> Service {
    let mut found = services().into_iter().filter(|it| it.name == name);
    found.next().unwrap()
}

/// TU-2: every service is asked for its models at its own address, with its key, and without a
/// body.
#[tokio::test]
async fn models_are_listed() {
    for service in services() {
        let body = match service.name {
            "gemini" => json!({"models": [{"name": "models/one"}, {"name": "models/two"}]}),
            _ => json!({"data": [{"id": "one"}, {"id": "two"}]}),
        };
        let server = ModelServer::start([
            Reply::json("200 OK", &body.to_string()),
            Reply::json("404 Not Found", r#"{"error": {"message": "no list"}}"#),
        ]);
        let (client, _) = (service.build)(&server);
        let models = client.models(CancellationToken::new()).await.unwrap();
        assert_eq!(models, ["one", "two"], "{}", service.name);
        let request = &server.requests()[0];
        let path = request.line.split_whitespace().nth(1).unwrap().to_owned();
        assert!(request.line.starts_with("GET "), "{}", request.line);
        assert!(
            path.split('?').next().unwrap().ends_with("/models"),
            "{path}"
        );
        let refused = client.models(CancellationToken::new()).await;
        assert!(refused.is_err(), "{}", service.name);
    }
}
