//! Servers with the older HTTP transport: a stream of events, and an address for messages (TO-3).

use std::sync::{Mutex, mpsc};

use hookloop_mcp::McpState;
use hookloop_testkit::model_server::{ModelServer, ReceivedRequest, Reply};
use serde_json::{Value, json};

use super::scene::Stage;

/// Answers a message as a server with one tool does.
fn answer(message: &Value) -> Option<String> {
    let result = match message["method"].as_str()? {
        "initialize" => json!({
            "protocolVersion": "2024-11-05",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "s", "version": "1"},
        }),
        "tools/list" => json!({"tools": [{"name": "look", "inputSchema": {"type": "object"}}]}),
        "tools/call" => json!({"content": [{"type": "text", "text": "seen"}]}),
        _ => return None,
    };
    let id = message.get("id")?;
    Some(json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string())
}

/// Starts a server that names this address for messages.
fn older(endpoint: &str) -> ModelServer {
    let (say, said) = mpsc::channel();
    let said = Mutex::new(Some(said));
    let begin = format!(": hello\n\nevent: endpoint\ndata: {endpoint}\n\n");
    ModelServer::answering(
        move |request: &ReceivedRequest| match request.line.as_str() {
            "GET /sse" => match said.lock().expect("a lock").take() {
                Some(said) => Reply::stream().piece(&begin).follow(said),
                None => Reply::whole("503 Service Unavailable", &[], "one stream is enough"),
            },
            "POST /messages?session=1" => {
                if let Some(answer) = answer(&request.json()) {
                    let event = format!("event: message\ndata: {answer}\n\n");
                    say.send(event).expect("the stream is there");
                }
                Reply::whole("202 Accepted", &[], "Accepted")
            }
            _ => Reply::whole("405 Method Not Allowed", &[], "not here"),
        },
    )
}

fn lines(server: &ModelServer) -> Vec<String> {
    server.requests().into_iter().map(|it| it.line).collect()
}

/// TO-3: a server with the older transport is called, with its headers on stream and messages; if
/// the settings don't name the transport, it is detected.
#[tokio::test]
async fn a_server_of_events_is_called() {
    for (kind, way) in [(json!("sse"), "sse"), (Value::Null, "http")] {
        let server = older("/messages?session=1");
        let configuration = json!({
            "url": format!("{}/sse", server.url()), "type": kind,
            "headers": {"Authorization": "Bearer $SECRET"},
        });
        let scene = Stage::new().server("old", configuration).ready().await;
        assert_eq!(scene.notices(), Vec::<String>::new());
        let output = scene.call("mcp__old__look", json!({})).await;
        assert_eq!(output.llm_content, "seen");
        assert_eq!(scene.servers.list()[0].transport, Some(way));
        let requests = server.requests();
        assert!(
            requests
                .iter()
                .all(|it| it.header("authorization") == Some("Bearer hidden"))
        );
        let tried_first = lines(&server).contains(&"POST /sse".to_owned());
        assert_eq!(tried_first, way == "http", "{:?}", lines(&server));
    }
}

/// TO-3: an address for messages at another server gets nothing, and a stream without one is
/// reported.
#[tokio::test]
async fn messages_go_to_no_other_server() {
    let elsewhere = ModelServer::start([]);
    let luring = older(&format!("{}/messages", elsewhere.url()));
    let silent = ModelServer::start([Reply::events(&["hello"])]);
    let odd = ModelServer::start([Reply::json("200 OK", "{}")]);
    let closed = ModelServer::start([Reply::whole("401 Unauthorized", &[], "no")]);
    let configuration = |server: &ModelServer| {
        json!({
            "url": format!("{}/sse", server.url()), "type": "sse",
            "headers": {"X-Key": "$SECRET"},
        })
    };
    let scene = Stage::new()
        .server("lures", configuration(&luring))
        .server("silent", configuration(&silent))
        .server("odd", configuration(&odd))
        .server("closed", configuration(&closed))
        .ready()
        .await;
    scene.assert_told(&["settings.json:1:1", "\"lures\"", "another server"]);
    scene.assert_told(&["settings.json:2:1", "\"silent\"", "no address for messages"]);
    scene.assert_told(&[
        "settings.json:3:1",
        "\"odd\"",
        "something other than events",
    ]);
    scene.assert_told(&["settings.json:4:1", "\"closed\"", "401"]);
    assert_eq!(lines(&elsewhere), Vec::<String>::new());
    let states = scene.servers.list().into_iter().map(|it| it.state);
    assert!(
        states
            .into_iter()
            .all(|it| matches!(it, McpState::Failed(_)))
    );
}
