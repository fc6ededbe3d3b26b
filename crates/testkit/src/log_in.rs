//! An MCP server that requires logging in, and the browser that returns from there.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::json;

use crate::model_server::{ModelServer, ReceivedRequest, Reply};

/// The code that consent returns.
const CODE: &str = "the-code";

/// Starts a server at `/mcp` that issues a token for its code, and requires the token.
pub fn server_with_log_in() -> ModelServer {
    ModelServer::answering(|request: &ReceivedRequest| match request.line.as_str() {
        "POST /register" => {
            Reply::json("201 Created", r#"{"client_id": "us", "redirect_uris": []}"#)
        }
        "POST /token" => {
            let body = String::from_utf8_lossy(&request.body).into_owned();
            assert!(body.contains(&format!("code={CODE}")) && body.contains("code_verifier="));
            let token = r#"{"access_token": "the-token", "token_type": "bearer"}"#;
            Reply::json("200 OK", token)
        }
        "POST /mcp" if request.header("authorization") != Some("Bearer the-token") => {
            Reply::whole("401 Unauthorized", &[], "")
        }
        "POST /mcp" => {
            let message = request.json();
            let result = match message["method"].as_str() {
                Some("initialize") => json!({
                    "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "s", "version": "1"},
                }),
                Some("tools/list") => json!({"tools": [
                    {"name": "look", "inputSchema": {"type": "object"}},
                ]}),
                _ => return Reply::whole("202 Accepted", &[], ""),
            };
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
            Reply::json("200 OK", &answer.to_string())
        }
        _ => Reply::whole("404 Not Found", &[], ""),
    })
}

/// Acts as the browser of a person who consents at this address, and returns the final page.
pub fn consent(question: &str) -> String {
    let parameter = |name: &str| {
        let (_, rest) = question
            .split_once(&format!("{name}="))
            .expect("a parameter of the address");
        rest.split('&').next().unwrap_or_default().to_owned()
    };
    let redirect = parameter("redirect_uri")
        .replace("%3A", ":")
        .replace("%2F", "/");
    let (host, path) = redirect
        .strip_prefix("http://")
        .and_then(|it| it.split_once('/'))
        .expect("an address on this machine");
    let mut browser = TcpStream::connect(host).expect("somebody listens");
    let state = parameter("state");
    let request = format!("GET /{path}?code={CODE}&state={state} HTTP/1.1\r\nhost: h\r\n\r\n");
    browser.write_all(request.as_bytes()).expect("a request");
    let mut page = String::new();
    browser.read_to_string(&mut page).expect("a page");
    page
}
