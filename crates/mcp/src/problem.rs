//! Problems of MCP servers.

use std::fmt;
use std::sync::Arc;

use hookloop_hook::Source;

/// A problem of an MCP server, with the place where the server is configured (TO-3).
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{source_of_server}: MCP server \"{server}\": {message}")]
pub struct McpProblem {
    /// The server's name in the settings.
    pub server: String,
    /// Where it is configured.
    pub source_of_server: Source,
    /// What is wrong.
    pub message: String,
}

/// Receives problems, at any time during the session.
#[derive(Clone)]
pub struct McpReport(Arc<dyn Fn(&McpProblem) + Send + Sync>);

impl McpReport {
    /// Wraps a function, which must not block.
    pub fn new(receiver: impl Fn(&McpProblem) + Send + Sync + 'static) -> Self {
        Self(Arc::new(receiver))
    }

    pub(crate) fn send(&self, problem: &McpProblem) {
        (self.0)(problem);
    }
}

impl fmt::Debug for McpReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("McpReport")
    }
}
