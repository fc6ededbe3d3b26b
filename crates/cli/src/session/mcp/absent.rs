//! Stands in where this build has no MCP: servers that are configured are reported.

use std::sync::Arc;

use hookloop_settings::Settings;
use hookloop_tools::ToolSource;

use crate::environment::Environment;
use crate::session::notices;

/// The servers of a session: none.
pub(crate) struct Mcp;

impl Mcp {
    /// Reports servers that this build can't connect.
    pub(crate) fn connect(settings: &Settings, _environment: &Environment) -> Self {
        for server in &settings.agent.mcp_servers {
            notices::print(&format!(
                "warning: {}: MCP server \"{}\" is left out: this build has no MCP",
                server.source, server.name
            ));
        }
        Self
    }

    /// Returns nothing.
    #[expect(clippy::unused_self, reason = "the same as with MCP")]
    pub(crate) fn source(&self) -> Option<Arc<dyn ToolSource>> {
        None
    }

    /// Waits for nothing.
    #[expect(clippy::unused_async, reason = "the same as with MCP")]
    pub(crate) async fn ready(&self) {}

    /// Ends nothing.
    #[expect(clippy::unused_async, reason = "the same as with MCP")]
    pub(crate) async fn close(&self) {}
}
