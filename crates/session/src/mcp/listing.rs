//! What `/mcp` shows of the connected servers (TO-3).

use std::fmt::Write as _;

use hookloop_mcp::{McpPrompt, McpServerListing, McpState};

/// Describes the state of the servers, what they offer and where they are configured.
pub(crate) fn text(servers: &[McpServerListing], prompts: &[McpPrompt]) -> String {
    if servers.is_empty() {
        return "No MCP servers are configured (`mcpServers` in settings.json).".to_owned();
    }
    let mut text = String::from("MCP servers:");
    for server in servers {
        write_server(&mut text, server);
        let prompts = prompts.iter().filter(|it| it.server == server.name);
        let prompts: Vec<String> = prompts.map(line_of).collect();
        write_list(&mut text, "prompts", &prompts);
    }
    text
}

fn write_server(text: &mut String, server: &McpServerListing) {
    let (sign, state) = match &server.state {
        McpState::Connecting => ("○", "connecting".to_owned()),
        McpState::Ready => ("●", "ready".to_owned()),
        McpState::Failed(why) => ("✗", format!("failed: {why}")),
    };
    let transport = server.transport.map(|it| format!(" ({it})"));
    let trusted = if server.is_trusted {
        ", trusted: its tools run without asking"
    } else {
        ""
    };
    // Writing to a string can't fail.
    let _ = write!(
        text,
        "\n{sign} {}{} · {state}{trusted}\n    from {}",
        server.name,
        transport.unwrap_or_default(),
        server.source
    );
    let tools: Vec<&str> = server.tools.iter().map(|it| it.name.as_str()).collect();
    write_list(text, "tools", &tools);
    let left_out = server.left_out.iter();
    let left_out: Vec<String> = left_out
        .map(|(tool, setting)| format!("{tool} ({setting})"))
        .collect();
    write_list(text, "left out", &left_out);
    let resources: Vec<&str> = server.resources.iter().map(|it| it.uri.as_str()).collect();
    write_list(text, "resources", &resources);
}

/// Describes how a prompt is called.
fn line_of(prompt: &McpPrompt) -> String {
    let arguments = prompt.arguments.iter().map(|it| {
        if it.is_required {
            format!(" --{}=…", it.name)
        } else {
            format!(" [--{}=…]", it.name)
        }
    });
    format!("/{}{}", prompt.command, arguments.collect::<String>())
}

fn write_list<T: AsRef<str>>(text: &mut String, name: &str, items: &[T]) {
    if items.is_empty() {
        return;
    }
    let _ = write!(text, "\n    {name} ({}):", items.len());
    for item in items {
        let _ = write!(text, "\n      {}", item.as_ref());
    }
}
