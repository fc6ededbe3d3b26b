//! What `/mcp list` shows, and the commands that call prompts.

use hookloop_hook::Source;

/// The state of a server (TO-3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpState {
    /// It has not answered yet.
    Connecting,
    /// It answers.
    Ready,
    /// It can't be used, or not any more; the text says why. A call tries to connect again.
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
    /// How it stands.
    pub state: McpState,
    /// Whether its tools are called without asking (`trust`).
    pub is_trusted: bool,
    /// The tools there are.
    pub tools: Vec<McpToolListing>,
    /// The tools that the settings leave out, each with the setting's words.
    pub left_out: Vec<(String, &'static str)>,
    /// The resources there are.
    pub resources: Vec<McpResourceListing>,
}

/// A tool of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpToolListing {
    /// The name that the model calls it by.
    pub name: String,
    /// Its name at the server.
    pub tool_name: String,
    /// What the server says it does.
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
    /// What the server says it is for.
    pub description: String,
    /// What it takes.
    pub arguments: Vec<McpPromptArgument>,
}

/// Something that a prompt takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpPromptArgument {
    /// Its name.
    pub name: String,
    /// What the server says of it.
    pub description: String,
    /// Whether the prompt can't do without it.
    pub is_required: bool,
}
