//! Servers over streamable HTTP (TO-3).

use hookloop_mcp::McpState;
use hookloop_testkit::model_server::{ModelServer, Reply};
use hookloop_tools::ToolSource as _;
use serde_json::{Value, json};

use super::scene::Stage;

fn result(id: u32, result: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string()
}

fn greeting() -> Reply {
    let greeting = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "s", "version": "1"},
    });
    Reply::json("200 OK", &result(0, &greeting))
}

fn accepted() -> Reply {
    Reply::whole("202 Accepted", &[], "")
}

fn tools() -> Reply {
    let tools = json!({"tools": [{"name": "look", "inputSchema": {"type": "object"}}]});
    Reply::events(&[&result(1, &tools)])
}

fn said(id: u32, text: &str) -> String {
    result(id, &json!({"content": [{"type": "text", "text": text}]}))
}

/// TO-3: a server over HTTP gets its headers, answers with JSON or events, and hooks learn the
/// address as it is written.
#[tokio::test]
async fn a_server_over_http_is_called() {
    let http = ModelServer::start([
        greeting(),
        accepted(),
        tools(),
        Reply::json("200 OK", &said(2, "seen")),
        Reply::events(&[&said(3, "seen again")]),
    ]);
    let configuration = json!({
        "httpUrl": format!("{}/mcp", http.url()),
        "headers": {"Authorization": "Bearer $SECRET"},
    });
    let scene = Stage::new().server("web", configuration).ready().await;
    assert_eq!(scene.notices(), Vec::<String>::new());
    for expected in ["seen", "seen again"] {
        let output = scene.call("mcp__web__look", json!({})).await;
        assert_eq!(output.llm_content, expected);
    }
    let requests = http.requests();
    assert!(requests.iter().all(|it| it.line == "POST /mcp"));
    assert!(
        requests
            .iter()
            .all(|it| it.header("authorization") == Some("Bearer hidden"))
    );
    let tool = scene.servers.tools().remove(0);
    let context = tool.mcp_context().expect("a context");
    assert_eq!(
        context.url.as_deref(),
        Some(format!("{}/mcp", http.url()).as_str())
    );
    let written = serde_json::to_string(context).expect("text");
    assert!(
        !written.contains("hidden") && !written.contains("Bearer"),
        "{written}"
    );
    assert_eq!(scene.servers.list()[0].transport, Some("http"));
}

/// TO-3: a refusal, a redirect to elsewhere and an address without a server are reported.
#[tokio::test]
async fn failures_over_http_are_reported() {
    let refusing = ModelServer::start([Reply::whole("401 Unauthorized", &[], "no")]);
    let elsewhere = ModelServer::start([]);
    let target = format!("{}/mcp", elsewhere.url());
    let redirecting = ModelServer::start([Reply::whole(
        "307 Temporary Redirect",
        &[("location", &target)],
        "",
    )]);
    let headers = json!({"X-Key": "$SECRET"});
    let scene = Stage::new()
        .server("refuses", json!({"url": refusing.url()}))
        .server(
            "redirects",
            json!({"url": redirecting.url(), "headers": headers}),
        )
        .server("nobody", json!({"url": "http://127.0.0.1:1/"}))
        .server("odd", json!({"url": "file:///etc/passwd"}))
        .ready()
        .await;
    scene.assert_told(&["settings.json:1:1", "\"refuses\"", "401"]);
    scene.assert_told(&["settings.json:2:1", "\"redirects\"", "redirect"]);
    scene.assert_told(&["settings.json:3:1", "\"nobody\""]);
    scene.assert_told(&["settings.json:4:1", "\"odd\"", "not with http: or https:"]);
    assert_eq!(
        elsewhere.requests().len(),
        0,
        "the headers went nowhere else"
    );
    let states = scene.servers.list().into_iter().map(|it| it.state);
    assert!(
        states
            .into_iter()
            .all(|it| matches!(it, McpState::Failed(_)))
    );
}

/// TO-3: a server that breaks off during a call gives a clear error; the next call connects again.
#[tokio::test]
async fn a_broken_connection_is_made_again() {
    let http = ModelServer::start([
        greeting(),
        accepted(),
        tools(),
        Reply::new().close(),
        greeting(),
        accepted(),
        tools(),
        Reply::json("200 OK", &said(2, "back")),
    ]);
    let scene = Stage::new()
        .server("web", json!({"url": http.url()}))
        .ready()
        .await;
    let message = scene.fault("mcp__web__look", json!({})).await;
    assert!(
        message.contains("MCP server \"web\" was lost during the call"),
        "{message}"
    );
    let output = scene.call("mcp__web__look", json!({})).await;
    assert_eq!(output.llm_content, "back");
}

/// TO-3: an endless answer, in JSON or as an event, does no harm and is reported; no error contains
/// the key in the address.
#[tokio::test]
async fn a_flood_over_http_does_no_harm() {
    let flood = "x".repeat(1 << 20);
    let endless = |kind: &str| {
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n"
        );
        (0..20).fold(Reply::new().send(head), |reply, _| reply.piece(&flood))
    };
    let http = ModelServer::start([
        greeting(),
        accepted(),
        tools(),
        endless("application/json"),
        greeting(),
        accepted(),
        tools(),
        endless("text/event-stream"),
    ]);
    let address = json!({"url": format!("{}/?key=$SECRET", http.url()), "timeout": 20_000});
    let scene = Stage::new().server("web", address).ready().await;
    for cause in [
        "message of more than 16777216 bytes",
        "the connection broke",
    ] {
        let message = scene.fault("mcp__web__look", json!({})).await;
        assert!(message.contains("MCP server \"web\" was lost during the call"));
        assert!(message.contains(cause), "{message}");
        assert!(!message.contains("hidden"), "{message}");
    }
    let reported = scene.notices().join("\n");
    assert!(!reported.contains("hidden"), "{reported}");
    let requests = http.requests();
    assert!(requests.iter().any(|it| it.line == "POST /?key=hidden"));
}
