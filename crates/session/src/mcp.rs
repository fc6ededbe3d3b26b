//! The MCP servers of a session (TO-3).

#[cfg(feature = "mcp")]
mod connected;
#[cfg(feature = "mcp")]
mod listing;

#[cfg(feature = "mcp")]
pub(crate) use connected::Mcp;
#[cfg(all(feature = "mcp", feature = "terminal"))]
pub(crate) use hookloop_mcp::McpPrompt;

#[cfg(not(feature = "mcp"))]
mod absent;

#[cfg(not(feature = "mcp"))]
pub(crate) use absent::Mcp;
#[cfg(all(not(feature = "mcp"), feature = "terminal"))]
pub(crate) use absent::McpPrompt;
