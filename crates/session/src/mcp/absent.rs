//! Stands in where this build has no MCP: servers that are configured are reported.

use std::sync::Arc;

use hookloop_settings::Settings;
use hookloop_tools::ToolSource;

use crate::environment::Environment;

/// The servers of a session: none.
#[derive(Clone)]
pub(crate) struct Mcp;

impl Mcp {
    /// Reports servers that this build can't connect.
    pub(crate) fn connect(
        settings: &Settings,
        allowed: &[String],
        _environment: &Environment,
        tell: impl Fn(&str) + Send + Sync + 'static,
    ) -> Self {
        let wanted = |name: &String| allowed.is_empty() || allowed.contains(name);
        let servers = settings.agent.mcp_servers.iter();
        for server in servers.filter(|it| wanted(&it.name)) {
            tell(&format!(
                "{}: MCP server \"{}\" is left out: this build has no MCP",
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

    /// Says that there are none.
    #[expect(clippy::unused_self, reason = "the same as with MCP")]
    #[cfg_attr(
        not(feature = "terminal"),
        expect(dead_code, reason = "only a terminal session lists them")
    )]
    pub(crate) fn listing(&self) -> String {
        "This build has no MCP.".to_owned()
    }

    /// Waits for nothing.
    #[expect(clippy::unused_async, reason = "the same as with MCP")]
    pub(crate) async fn ready(&self) {}

    /// Ends nothing.
    #[expect(clippy::unused_async, reason = "the same as with MCP")]
    pub(crate) async fn close(&self) {}
}
