//! MCP servers that an editor provides, in the format of settings (TO-3).

use agent_client_protocol::v1::schema::{HttpHeader, McpServer};
use hookloop_session::HostedServer;
use serde_json::{Map, Value, json};

/// Takes over servers; of a kind that isn't known the editor's word for it is returned.
pub(crate) fn to_hosted_servers(servers: Vec<McpServer>) -> (Vec<HostedServer>, usize) {
    let count = servers.len();
    let known: Vec<HostedServer> = servers.into_iter().filter_map(to_hosted).collect();
    let unknown = count - known.len();
    (known, unknown)
}

fn to_hosted(server: McpServer) -> Option<HostedServer> {
    let (name, configuration) = match server {
        McpServer::Stdio(it) => {
            let variables = it.env.into_iter();
            let env: Map<String, Value> = variables
                .map(|it| (it.name, Value::from(it.value)))
                .collect();
            let command = it.command.to_string_lossy();
            (
                it.name,
                json!({"command": command, "args": it.args, "env": env}),
            )
        }
        McpServer::Http(it) => (
            it.name,
            json!({"httpUrl": it.url, "headers": headers(it.headers)}),
        ),
        McpServer::Sse(it) => (
            it.name,
            json!({"url": it.url, "headers": headers(it.headers)}),
        ),
        _ => return None,
    };
    Some(HostedServer {
        name,
        configuration,
    })
}

fn headers(headers: Vec<HttpHeader>) -> Map<String, Value> {
    let headers = headers.into_iter();
    headers.map(|it| (it.name, Value::from(it.value))).collect()
}
