//! What applies to every service (MO-1, MO-2): the same responses, ends and failures, each in its
//! own format.

use std::sync::Arc;

use hookloop_engine::{Ending, Executor as _, Invocation, Lifetime, StopCause, StopSignal};
use hookloop_events::{EventName, SessionIdentity};
use hookloop_hook::{Handler, HookDeclaration, PromptCall};
use serde_json::{Value, json};

use super::*;
use crate::content::Content;
use crate::hook_prompt::{AskedModel, PromptHooks};
use crate::http::{AnthropicClient, AnthropicOptions, ResponsesClient};
use crate::request::{Request, RequestParts};
use crate::test_support::{asking, cleared};

/// A service, with a response in its format: the text "Hello" in two pieces, a call, and the end.
pub(super) struct Service {
    pub(super) name: &'static str,
    pub(super) build: fn(&ModelServer) -> (Box<dyn ModelClient>, Waits),
    pub(super) events: Vec<Value>,
    pub(super) whole: Value,
    line: &'static str,
}

pub(super) fn services() -> [Service; 4] {
    [of_gemini(), of_chat(), of_responses(), of_anthropic()]
}

fn of_gemini() -> Service {
    let call = json!({"functionCall": {"id": "c1", "name": "glob", "args": {"pattern": "*"}}});
    let said = |parts: Value| json!({"content": {"role": "model", "parts": parts}, "index": 0});
    let last = |parts: Value| {
        let mut candidate = said(parts);
        candidate["finishReason"] = json!("STOP");
        json!({"candidates": [candidate], "usageMetadata":
            {"promptTokenCount": 9, "candidatesTokenCount": 4, "totalTokenCount": 13}})
    };
    Service {
        name: "gemini",
        build: |server| {
            let (client, waits) = gemini(server);
            (Box::new(client), waits)
        },
        events: vec![
            json!({"candidates": [said(json!([{"text": "Hel"}]))]}),
            json!({"candidates": [said(json!([{"text": "lo"}]))]}),
            last(json!([call])),
        ],
        whole: last(json!([{"text": "Hello"}, call])),
        line: "POST /v1beta/models/gemini:",
    }
}

fn of_chat() -> Service {
    let call = json!([{"index": 0, "id": "c1", "type": "function",
        "function": {"name": "glob", "arguments": "{\"pattern\":\"*\"}"}}]);
    let usage = json!({"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13});
    let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    Service {
        name: "chat completions",
        build: |server| {
            let (client, waits) = open_ai(server);
            (Box::new(client), waits)
        },
        events: vec![
            delta(json!({"content": "Hel"})),
            delta(json!({"content": "lo"})),
            delta(json!({"tool_calls": call})),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}],
                "usage": usage}),
        ],
        whole: json!({"choices": [{"message": {"content": "Hello", "tool_calls": call},
            "finish_reason": "tool_calls"}], "usage": usage}),
        line: "POST /v1/chat/completions",
    }
}

fn of_responses() -> Service {
    let message = json!({"type": "message", "role": "assistant",
        "content": [{"type": "output_text", "text": "Hello"}]});
    let call = json!({"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "glob",
        "arguments": "{\"pattern\":\"*\"}"});
    let whole = json!({"object": "response", "status": "completed", "output": [message, call],
        "usage": {"input_tokens": 9, "output_tokens": 4, "total_tokens": 13}});
    Service {
        name: "responses",
        build: |server| {
            let options = OpenAiOptions {
                api_key: Some(ApiKey::new(KEY)),
                ..OpenAiOptions::new(server.url() + "/v1")
            };
            let mut client = ResponsesClient::new(options).unwrap();
            let waits = paused(client.exchange_mut());
            (Box::new(client), waits)
        },
        events: vec![
            json!({"type": "response.output_text.delta", "delta": "Hel"}),
            json!({"type": "response.output_text.delta", "delta": "lo"}),
            json!({"type": "response.output_item.done", "item": message}),
            json!({"type": "response.output_item.done", "item": call}),
            json!({"type": "response.completed", "response": whole}),
        ],
        whole,
        line: "POST /v1/responses",
    }
}

fn of_anthropic() -> Service {
    let call = json!({"type": "tool_use", "id": "c1", "name": "glob", "input": {}});
    let delta = |index: u32, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let mut whole_call = call.clone();
    whole_call["input"] = json!({"pattern": "*"});
    Service {
        name: "anthropic",
        build: |server| {
            let options = AnthropicOptions {
                api_key: Some(ApiKey::new(KEY)),
                ..AnthropicOptions::new(server.url())
            };
            let mut client = AnthropicClient::new(options).unwrap();
            let waits = paused(client.exchange_mut());
            (Box::new(client), waits)
        },
        events: vec![
            json!({"type": "message_start", "message": {"model": "claude", "usage":
                {"input_tokens": 2, "cache_read_input_tokens": 7, "output_tokens": 1}}}),
            json!({"type": "content_block_start", "index": 0,
                "content_block": {"type": "text", "text": ""}}),
            json!({"type": "ping"}),
            delta(0, json!({"type": "text_delta", "text": "Hel"})),
            delta(0, json!({"type": "text_delta", "text": "lo"})),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "content_block_start", "index": 1, "content_block": call}),
            delta(
                1,
                json!({"type": "input_json_delta", "partial_json": "{\"patt"}),
            ),
            delta(
                1,
                json!({"type": "input_json_delta", "partial_json": "ern\":\"*\"}"}),
            ),
            json!({"type": "content_block_stop", "index": 1}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"},
                "usage": {"output_tokens": 4}}),
            json!({"type": "message_stop"}),
        ],
        whole: json!({"type": "message", "role": "assistant",
            "content": [{"type": "text", "text": "Hello"}, whole_call],
            "stop_reason": "tool_use",
            "usage": {"input_tokens": 2, "cache_read_input_tokens": 7, "output_tokens": 4}}),
        line: "POST /v1/messages",
    }
}

pub(super) fn streamed(events: &[Value]) -> Reply {
    let events: Vec<String> = events.iter().map(Value::to_string).collect();
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    Reply::events(&events)
}

fn calls(chunks: &[Chunk]) -> Vec<(String, Value)> {
    let calls = chunks.iter().flat_map(Chunk::function_calls);
    calls.map(|it| (it.name.clone(), json!(it.args))).collect()
}

/// MO-1, MO-2: every service gives the same response, in pieces and complete: text as it arrives,
/// the call, the reason to end, and the token counts.
#[tokio::test]
async fn every_service_gives_the_same_answer() {
    for service in services() {
        let name = service.name;
        let whole = Reply::json("200 OK", &service.whole.to_string());
        let server = ModelServer::start([streamed(&service.events), whole]);
        let (client, _) = (service.build)(&server);
        let request = asking("hi").await;
        let (chunks, error) = stream(&*client, &request).await;
        assert!(error.is_none(), "{name}: {error:?}");
        let said: Vec<String> = texts(&chunks)
            .into_iter()
            .filter(|it| !it.is_empty())
            .collect();
        assert_eq!(said, ["Hel", "lo"], "{name}");
        let whole = client.generate(&request, CancellationToken::new()).await;
        let whole = whole.unwrap();
        assert_eq!(whole.visible_text(), "Hello", "{name}");
        let expected = vec![("glob".to_owned(), json!({"pattern": "*"}))];
        let last = chunks.last().unwrap();
        for (got, ending) in [
            (calls(&chunks), last),
            (calls(std::slice::from_ref(&whole)), &whole),
        ] {
            assert_eq!(got, expected, "{name}");
            assert_eq!(ending.finish_reason(), Some("STOP"), "{name}");
            let usage = ending.usage_metadata.as_ref().unwrap();
            let counts = (usage.prompt_token_count, usage.candidates_token_count);
            assert_eq!(counts, (Some(9), Some(4)), "{name}");
            assert_eq!(usage.total_token_count, Some(13), "{name}");
        }
        let lines: Vec<String> = server.requests().into_iter().map(|it| it.line).collect();
        assert_eq!(lines.len(), 2);
        assert!(
            lines.iter().all(|it| it.starts_with(service.line)),
            "{lines:?}"
        );
    }
}

/// LO-3, MO-1, MO-2: a response that is cut before it announces its end is an error, and never
/// counts as complete.
#[tokio::test]
async fn a_cut_answer_is_an_error_of_every_service() {
    for service in services() {
        let mut reply = Reply::stream();
        for event in &service.events[..service.events.len() - 2] {
            reply = reply.event(&event.to_string());
        }
        let server = ModelServer::start([reply.close()]);
        let (client, _) = (service.build)(&server);
        let (chunks, error) = stream(&*client, &asking("hi").await).await;
        assert!(
            texts(&chunks).concat().starts_with("Hel"),
            "{}",
            service.name
        );
        let problem = problem(error);
        assert!(
            matches!(problem, HttpProblem::CutOff(_)),
            "{}: {problem:?}",
            service.name
        );
    }
}

/// MO-1, MO-2: a busy server is called again; one that refuses the key isn't, and no message shows
/// the key.
#[tokio::test]
async fn failures_are_the_same_for_every_service() {
    for service in services() {
        let busy = Reply::json("529 Overloaded", r#"{"error": {"message": "busy"}}"#);
        let refused = format!(r#"{{"error": {{"message": "wrong key {KEY}"}}}}"#);
        let server = ModelServer::start([
            busy,
            streamed(&service.events),
            Reply::json("401 Unauthorized", &refused),
        ]);
        let (client, waits) = (service.build)(&server);
        let request = asking("hi").await;
        let (chunks, error) = stream(&*client, &request).await;
        assert!(error.is_none(), "{}: {error:?}", service.name);
        assert_eq!(texts(&chunks).concat(), "Hello");
        assert_eq!(waits.taken().len(), 1);
        let error = http_error(stream(&*client, &request).await.1);
        assert!(matches!(error.problem, HttpProblem::KeyRefused { .. }));
        assert!(!format!("{error} {error:?}").contains(KEY));
    }
}

/// Returns a complete response with a text, in the format of a service.
fn saying(service: &Service, text: &str) -> Value {
    let mut whole = service.whole.clone();
    match service.name {
        "gemini" => whole["candidates"][0]["content"]["parts"] = json!([{ "text": text }]),
        "chat completions" => {
            whole["choices"] = json!([{"message": {"content": text}, "finish_reason": "stop"}]);
        }
        "responses" => {
            whole["output"] = json!([{"type": "message", "role": "assistant",
                "content": [{"type": "output_text", "text": text}]}]);
        }
        _ => {
            whole["content"] = json!([{"type": "text", "text": text}]);
            whole["stop_reason"] = json!("end_turn");
        }
    }
    whole
}

fn asked_hook(stop: &StopSignal) -> Invocation {
    let mut hook = HookDeclaration::in_process(EventName::BeforeTool, "hook");
    hook.handler = Handler::Prompt(PromptCall {
        prompt: "Is it safe?".to_owned(),
        ..PromptCall::default()
    });
    Invocation {
        hook: Arc::new(hook),
        event: EventName::BeforeTool,
        session: Arc::new(SessionIdentity {
            session_id: String::new(),
            transcript_path: "/t".into(),
            cwd: "/".into(),
            agent: None,
        }),
        input: r#"{"tool_name":"glob"}"#.into(),
        max_output_bytes: 1024,
        stop: stop.clone(),
        lifetime: Lifetime::Bound,
        first_line: None,
        is_alone: true,
        run_id: String::new(),
        trace_parent: None,
        agreed: None,
    }
}

/// HT-50: every service answers a hook's question under the schema, without tools; a refusal
/// refuses, a response in another format and a service that fails are failures, and cancelling it
/// takes effect at once.
#[tokio::test]
async fn every_service_answers_a_hooks_question() {
    for service in services() {
        let name = service.name;
        let answer = |text: &str| Reply::json("200 OK", &saying(&service, text).to_string());
        let never = Gate::new();
        let server = ModelServer::start([
            answer(r#"{"ok": true}"#),
            answer(r#"{"ok": false, "reason": "too much"}"#),
            answer("fine"),
            Reply::json(
                "404 Not Found",
                r#"{"error": {"message": "no such model"}}"#,
            ),
            Reply::new().wait(&never),
        ]);
        let (client, _) = (service.build)(&server);
        let asked = AskedModel {
            client: client.into(),
            model: "session".to_owned(),
        };
        let hooks = PromptHooks::new(move || Ok(asked.clone()));
        let stop = StopSignal::new();
        let mut endings = Vec::new();
        for _ in 0..4 {
            let completion = hooks.execute(asked_hook(&stop)).await;
            let reason = String::from_utf8_lossy(&completion.stderr.bytes).into_owned();
            endings.push((completion.ending, reason));
        }
        assert_eq!(endings[0], (Ending::Exited(0), String::new()), "{name}");
        assert_eq!(
            endings[1],
            (Ending::Exited(2), "too much".to_owned()),
            "{name}"
        );
        assert!(
            matches!(endings[2].0, Ending::Failed(_)),
            "{name}: {endings:?}"
        );
        assert!(
            matches!(endings[3].0, Ending::NotStarted(_)),
            "{name}: {endings:?}"
        );
        let (stopped, ()) = tokio::join!(hooks.execute(asked_hook(&stop)), async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            stop.stop(StopCause::TimedOut);
        });
        assert_eq!(stopped.ending, Ending::Stopped, "{name}");
        never.open();
        let sent = server.requests()[0].json().to_string();
        for part in [
            "additionalProperties",
            "\"ok\"",
            "Is it safe?",
            "payload-",
            "glob",
        ] {
            assert!(sent.contains(part), "{name}: {part} in {sent}");
        }
        for part in ["functionDeclarations", "\"tools\""] {
            assert!(!sent.contains(part), "{name}: {part} in {sent}");
        }
    }
}

/// MO-6: what is set for a model reaches every service in its own words; nothing is left out
/// silently.
#[tokio::test]
async fn settings_of_a_model_reach_every_service() {
    let config = json!({"temperature": 0.5, "topP": 0.9, "maxOutputTokens": 20_000,
        "thinkingConfig": {"thinkingBudget": 8_000}});
    let expected = [
        ("gemini", json!({"generationConfig": config})),
        (
            "chat completions",
            json!({"temperature": 0.5, "top_p": 0.9, "max_tokens": 20_000, "reasoning_effort": "medium"}),
        ),
        (
            "responses",
            json!({"temperature": 0.5, "top_p": 0.9, "max_output_tokens": 20_000,
                "reasoning": {"effort": "medium"}}),
        ),
        // Its API takes no temperature beside a budget for thoughts.
        (
            "anthropic",
            json!({"top_p": 0.9, "max_tokens": 20_000,
                "thinking": {"type": "enabled", "budget_tokens": 8_000}}),
        ),
    ];
    for (service, (name, expected)) in services().into_iter().zip(expected) {
        assert_eq!(service.name, name);
        let server = ModelServer::start([streamed(&service.events)]);
        let (client, _) = (service.build)(&server);
        let request = cleared(Request::from(RequestParts {
            model: "gemini".to_owned(),
            contents: vec![Arc::new(Content::user("hi"))],
            config: serde_json::from_value(config.clone()).unwrap(),
            ..RequestParts::default()
        }));
        let (_, error) = stream(&*client, &request.await).await;
        assert!(error.is_none(), "{name}: {error:?}");
        let sent: Value = serde_json::from_slice(&server.requests()[0].body).unwrap();
        for (parameter, value) in expected.as_object().unwrap() {
            assert_eq!(sent[parameter], *value, "{name}: {sent}");
        }
    }
}
