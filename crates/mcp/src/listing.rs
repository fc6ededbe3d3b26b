//! What `/mcp list` shows, and the commands that call prompts.

use hookloop_hook::Source;

/// The state of a server (TO-3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpState {
    /// The server hasn't answered yet.
    Connecting,
    /// The server is connected.
    Ready,
    /// The server can't be used; the text gives the reason. A call tries to connect again.
    Failed(String),
}

/// A server with everything it offers (TO-3).
#[derive(Debug, Clone, PartialEq)]
pub struct McpServerListing {
    /// Its name in the settings.
    pub name: String,
    /// Where it is configured.
    pub source: Source,
    /// How it is reached: `stdio`, `http`, `sse`, or nothing if its configuration can't be used.
    pub transport: Option<&'static str>,
    /// Its state.
    pub state: McpState,
    /// Whether its tools are called without asking (`trust`).
    pub is_trusted: bool,
    /// Its tools.
    pub tools: Vec<McpToolListing>,
    /// The tools that the settings exclude, each with the reason.
    pub left_out: Vec<(String, &'static str)>,
    /// Its resources.
    pub resources: Vec<McpResourceListing>,
}

/// A tool of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpToolListing {
    /// The name that the model calls it by.
    pub name: String,
    /// Its name at the server.
    pub tool_name: String,
    /// The server's description.
    pub description: String,
}

/// A resource of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpResourceListing {
    /// Its address.
    pub uri: String,
    /// Its name.
    pub name: String,
}

/// A prompt of a server, and the command that calls it (TO-3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpPrompt {
    /// The name of the command, without the slash.
    pub command: String,
    /// The name of the server in the settings.
    pub server: String,
    /// The prompt's name at the server.
    pub name: String,
    /// The server's description.
    pub description: String,
    /// Its arguments.
    pub arguments: Vec<McpPromptArgument>,
}

/// An argument of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpPromptArgument {
    /// Its name.
    pub name: String,
    /// The server's description.
    pub description: String,
    /// Whether it is required.
    pub is_required: bool,
}
