//! The MCP servers of a session (TO-3).

use std::collections::BTreeMap;

#[cfg(feature = "mcp")]
mod connected;
#[cfg(all(feature = "mcp", feature = "terminal"))]
mod listing;
#[cfg(feature = "mcp")]
mod login;

#[cfg(feature = "mcp")]
pub(crate) use connected::Mcp;
#[cfg(all(feature = "mcp", feature = "terminal"))]
pub(crate) use hookloop_mcp::McpPrompt;
#[cfg(feature = "mcp")]
pub use login::log_in;

#[cfg(not(feature = "mcp"))]
mod absent;

#[cfg(not(feature = "mcp"))]
pub(crate) use absent::Mcp;
#[cfg(all(not(feature = "mcp"), feature = "terminal"))]
pub(crate) use absent::McpPrompt;
#[cfg(not(feature = "mcp"))]
pub use absent::log_in;

/// A function that reports on the tools of servers.
pub(crate) type ToolReporter = Box<dyn FnMut(&Offered) + Send>;

/// What the servers of a session offer at a moment.
#[derive(Debug, Default)]
pub(crate) struct Offered {
    /// The names of the tools that weren't there before.
    pub(crate) new: Vec<String>,
    /// The servers that are connected, each with the names by which its tools are called.
    pub(crate) servers: BTreeMap<String, Vec<String>>,
}

/// What a person requests for an MCP server (TO-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpLogin {
    /// Log in.
    Begin,
    /// Forget the stored login.
    Forget,
}
