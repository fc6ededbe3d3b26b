//! One script in four protocols, over real HTTP.
#![expect(clippy::unwrap_used, reason = "a test whose ground is missing fails")]

use std::io::{Read, Write};
use std::net::TcpStream;

use hookloop_rehearsal::agents::{AGENTS, Stage, patch};
use hookloop_rehearsal::{Protocol, ScriptedModel, ToolCall, Turn};
use serde_json::{Value, json};

const CHAT: &str = "/v1/chat/completions";
const MESSAGES: &str = "/v1/messages?beta=true";
const RESPONSES: &str = "/v1/responses";
const GEMINI: &str = "/v1beta/models/some-model:streamGenerateContent?alt=sse";

/// Sends a request and returns the status line and the body.
fn send(model: &ScriptedModel, line: &str, body: &str) -> (String, String) {
    let address = model.url().replace("http://", "");
    let mut connection = TcpStream::connect(&address).unwrap();
    // Half of it comes as chunks, as some clients send it.
    let (first, second) = body.split_at(body.len() / 2);
    let mut chunks = Vec::new();
    for chunk in [first, second]
        .into_iter()
        .filter(|chunk| !chunk.is_empty())
    {
        write!(chunks, "{:x}\r\n{chunk}\r\n", chunk.len()).unwrap();
    }
    write!(
        connection,
        "{line} HTTP/1.1\r\nhost: {address}\r\ntransfer-encoding: chunked\r\n\r\n{}0\r\n\r\n",
        String::from_utf8(chunks).unwrap()
    )
    .unwrap();
    connection.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.lines().next().unwrap().to_owned(), body.to_owned())
}

fn post(model: &ScriptedModel, target: &str, body: &Value) -> String {
    let (status, answer) = send(model, &format!("POST {target}"), &body.to_string());
    assert_eq!(status, "HTTP/1.1 200 OK");
    answer
}

/// Returns the data of a stream's events.
fn events(stream: &str) -> Vec<Value> {
    let data = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    data.filter(|data| *data != "[DONE]")
        .map(|data| serde_json::from_str(data).unwrap())
        .collect()
}

fn script() -> ScriptedModel {
    let call = ToolCall::new("shell", json!({"command": "true"}));
    ScriptedModel::start([Turn::Call(call), Turn::Say("done".to_owned())]).unwrap()
}

/// A request with a tool, in the format of each protocol.
fn asking(tool: &Value) -> Value {
    json!({"model": "some-model", "stream": true, "tools": [tool]})
}

/// BR-41: a client of Anthropic Messages gets the call and the text as a stream that ends with a
/// reason.
#[test]
fn anthropic_messages_are_spoken() {
    let model = script();
    let body = asking(&json!({"name": "shell", "input_schema": {}}));
    let call = events(&post(&model, MESSAGES, &body));
    assert_eq!(call[1]["content_block"]["name"], "shell");
    assert_eq!(call[2]["delta"]["partial_json"], r#"{"command":"true"}"#);
    assert_eq!(call[4]["delta"]["stop_reason"], "tool_use");
    assert_eq!(call.last().unwrap()["type"], "message_stop");
    let text = post(&model, MESSAGES, &body);
    assert!(text.contains("event: message_stop\n"));
    let text = events(&text);
    assert_eq!(text[2]["delta"]["text"], "done");
    assert_eq!(text[4]["delta"]["stop_reason"], "end_turn");
    let count = post(&model, "/v1/messages/count_tokens", &body);
    assert_eq!(count, r#"{"input_tokens":10}"#);
}

/// BR-41: a client of chat completions gets the call and the text, streamed or as a whole.
#[test]
fn chat_completions_are_spoken() {
    let model = script();
    let mut body = asking(&json!({"type": "function", "function": {"name": "shell"}}));
    let stream = post(&model, CHAT, &body);
    assert!(stream.ends_with("data: [DONE]\n\n"));
    let call = events(&stream);
    let function = &call[0]["choices"][0]["delta"]["tool_calls"][0];
    assert_eq!(function["index"], 0);
    assert_eq!(function["function"]["arguments"], r#"{"command":"true"}"#);
    assert_eq!(call[1]["choices"][0]["finish_reason"], "tool_calls");
    body["stream"] = json!(false);
    let text: Value = serde_json::from_str(&post(&model, CHAT, &body)).unwrap();
    assert_eq!(text["choices"][0]["message"]["content"], "done");
    assert_eq!(text["choices"][0]["finish_reason"], "stop");
}

/// BR-41: a client of responses gets calls, free text for tools that take it, and text.
#[test]
fn responses_are_spoken() {
    let model = script();
    let body = asking(&json!({"type": "function", "name": "shell"}));
    let call = events(&post(&model, RESPONSES, &body));
    assert_eq!(call[2]["item"]["type"], "function_call");
    assert_eq!(call[2]["item"]["arguments"], r#"{"command":"true"}"#);
    assert_eq!(call[3]["type"], "response.completed");
    let text = events(&post(&model, RESPONSES, &body));
    assert_eq!(text[2]["delta"], "done");
    assert_eq!(text[3]["item"]["content"][0]["text"], "done");
    model.restart([Turn::Call(patch("*** Begin Patch"))]);
    let free = events(&post(&model, RESPONSES, &body));
    assert_eq!(free[2]["item"]["type"], "custom_tool_call");
    assert_eq!(free[2]["item"]["input"], "*** Begin Patch");
}

/// BR-41: a client of Gemini gets the call and the text with a finish reason.
#[test]
fn gemini_is_spoken() {
    let model = script();
    let body = json!({"tools": [{"functionDeclarations": [{"name": "shell"}]}]});
    let call = events(&post(&model, GEMINI, &body));
    let candidate = &call[0]["candidates"][0];
    assert_eq!(
        candidate["content"]["parts"][0]["functionCall"]["name"],
        "shell"
    );
    assert_eq!(candidate["finishReason"], "STOP");
    let whole = GEMINI.replace("streamGenerate", "generate");
    let text: Value = serde_json::from_str(&post(&model, &whole, &body)).unwrap();
    assert_eq!(text["candidates"][0]["content"]["parts"][0]["text"], "done");
}

/// BR-41: the content of a request is recorded, and requests on the side take no turn.
#[test]
fn requests_are_recorded_and_the_side_takes_no_turn() {
    let model = script();
    let side = json!({"model": "m", "messages": [{"role": "user", "content": "A title?"}]});
    post(&model, CHAT, &side);
    assert_eq!(send(&model, "GET /v1/models", "").0, "HTTP/1.1 200 OK");
    assert_eq!(
        send(&model, "GET /elsewhere", "").0,
        "HTTP/1.1 404 Not Found"
    );
    let mut asked = asking(&json!({"name": "shell"}));
    asked["messages"] = json!([{"role": "tool", "content": [{"text": "because of it"}]}]);
    post(&model, MESSAGES, &asked);
    let exchanges = model.exchanges();
    assert_eq!(exchanges.len(), 4);
    assert_eq!(exchanges[0].protocol, Some(Protocol::Chat));
    assert!(exchanges[0].turn.is_none() && exchanges[0].mentions("title"));
    let turns = model.turns_asked();
    assert_eq!(turns.len(), 1);
    assert_eq!(turns[0].tools(), ["shell"]);
    assert!(turns[0].mentions("because of it") && !turns[0].mentions("title"));
    assert!(matches!(&turns[0].turn, Some(Turn::Call(call)) if call.name == "shell"));
}

/// BR-41: when the script has ended the agent is told to end, whatever it asks.
#[test]
fn the_end_of_the_script_ends_the_turn() {
    let model = ScriptedModel::start([]).unwrap();
    let body = asking(&json!({"name": "shell"}));
    let text = events(&post(&model, MESSAGES, &body));
    assert_eq!(text[4]["delta"]["stop_reason"], "end_turn");
}

/// BR-3, BR-41: every agent is started only with the scripted model's address, and has a command
/// that its model can run.
#[test]
fn every_agent_asks_the_scripted_model_alone() {
    let stage = Stage {
        home: "/stage/home".into(),
        project: "/stage/project".into(),
        model: "http://127.0.0.1:4711".to_owned(),
    };
    for agent in AGENTS {
        let mut words: Vec<String> = Vec::new();
        words.extend(agent.environment(&stage).into_iter().map(|it| it.value));
        words.extend(agent.files(&stage).into_iter().map(|it| it.text));
        words.extend(agent.preparation(&stage).unwrap_or_default());
        let addresses = words.concat();
        assert!(addresses.contains(&stage.model), "{}", agent.name);
        let others = addresses.replace(&stage.model, "");
        assert!(!others.contains("://"), "{}", agent.name);
        for file in agent.files(&stage) {
            assert!(file.path.starts_with("/stage"), "{}", agent.name);
        }
        let arguments = agent.arguments("the prompt");
        assert!(
            arguments.contains(&"the prompt".to_owned()),
            "{}",
            agent.name
        );
        let call = serde_json::to_string(&format!("{:?}", agent.shell("a command"))).unwrap();
        assert!(call.contains("a command"), "{}", agent.name);
    }
}
