//! Tool calls and their results as hooks see them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::tool_name::MCP_PREFIX;

/// The arguments of a tool call: a JSON object.
pub type ToolArguments = Map<String, Value>;

/// Returns the argument that best describes a call, such as its command or its file, or `None` if
/// there is none (TU-1).
pub fn telling_argument(arguments: &ToolArguments) -> Option<&str> {
    // In order of preference.
    const TELLING: [&str; 10] = [
        "command",
        "file_path",
        "pattern",
        "dir_path",
        "prompt",
        "query",
        "objective",
        "name",
        "reason",
        "plan_filename",
    ];
    let mut named = TELLING.iter().filter_map(|name| arguments.get(*name));
    named.find_map(Value::as_str)
}

/// Returns how many bytes of text a value contains.
pub(crate) fn text_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(text_bytes).sum(),
        Value::Object(fields) => fields.values().map(text_bytes).sum(),
        _ => 0,
    }
}

/// A tool call that the model or a hook's tail call requests.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The id of the call in the session.
    pub id: String,
    /// The tool's own name.
    pub name: String,
    /// The arguments, shared by everything that reads or records the call.
    pub arguments: Arc<ToolArguments>,
    /// The origin of an MCP tool.
    pub mcp: Option<McpContext>,
    /// In a tail call, the tool that was called first (AT-3).
    pub original_request_name: Option<String>,
    /// The arguments that hooks changed, by name, in order (BT-4).
    pub changed_arguments: Vec<String>,
}

impl ToolCall {
    /// Creates a call by the model of a built-in tool. Other code fills in the remaining fields.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<Arc<ToolArguments>>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
            mcp: None,
            original_request_name: None,
            changed_arguments: Vec::new(),
        }
    }
}

/// The origin of an MCP tool, without headers and environment.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpContext {
    /// The server's name in the settings.
    pub server_name: String,
    /// The tool's name on the server.
    pub tool_name: String,
    /// The server's program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<String>>,
    /// Its working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The server's address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The server's TCP address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp: Option<String>,
}

impl McpContext {
    /// Returns the name that is composed of the server's and the tool's own names, or `None` if the
    /// tool is called by that name (PL-5).
    pub fn own_name(&self, called: &str) -> Option<String> {
        let (server, tool) = (self.server_name.as_str(), self.tool_name.as_str());
        let behind_server = called.strip_prefix(MCP_PREFIX);
        let behind_server = behind_server.and_then(|it| it.strip_prefix(server));
        let is_called_so = behind_server.and_then(|it| it.strip_prefix("__")) == Some(tool);
        let is_known = !server.is_empty() && !tool.is_empty();
        (is_known && !is_called_so).then(|| format!("{MCP_PREFIX}{server}__{tool}"))
    }
}

/// The result of a tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ToolResponse {
    /// The part for the model.
    pub llm_content: Value,
    /// The part for the user.
    pub return_display: Value,
    /// The error, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
}

impl ToolResponse {
    /// Creates a result that is the same text for the model and for the user.
    pub fn text(text: impl Into<String>) -> Self {
        let content = Value::String(text.into());
        Self {
            llm_content: content.clone(),
            return_display: content,
            error: None,
        }
    }
}

/// The tool that a hook runs next (AT-3).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TailCall {
    /// The tool's name.
    pub name: String,
    /// Its arguments.
    pub args: ToolArguments,
}

impl ToolCall {
    /// Replaces the arguments by those of hooks, and records which of them changed (BT-3, BT-4).
    pub fn rewrite(&mut self, arguments: Arc<ToolArguments>) {
        self.changed_arguments = arguments
            .iter()
            .filter(|(name, value)| self.arguments.get(*name) != Some(*value))
            .map(|(name, _)| name.clone())
            .collect();
        self.arguments = arguments;
    }
}
