//! Used if this build doesn't support MCP: configured servers are reported.

use std::sync::Arc;

use hookloop_settings::Settings;
use hookloop_tools::ToolSource;
use tokio_util::sync::CancellationToken;

use crate::custom_commands::{Expanded, Unsent};
use crate::environment::Environment;
use crate::hosted_prompt::HostedCommand;
use crate::mcp::{McpLogin, Offered, ToolReporter};
use crate::workspace::Workspace;

/// A server's prompt: there is none.
#[derive(Debug, Clone)]
pub(crate) enum McpPrompt {}

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
        let restrictions = &settings.agent.restrictions;
        let wanted = |name: &String| {
            (allowed.is_empty() || allowed.contains(name))
                && restrictions.of_mcp_server(name).is_none()
        };
        let servers = settings.agent.mcp_servers.iter();
        for server in servers.filter(|it| wanted(&it.name)) {
            tell(&format!(
                "{}: MCP server \"{}\" is left out: this build has no MCP",
                server.source, server.name
            ));
        }
        Self
    }

    /// Reports nothing: there are no tools.
    pub(crate) fn on_tools_known(self, tell: impl FnOnce() -> ToolReporter) -> Self {
        tell()(&Offered::default());
        self
    }

    /// Returns nothing.
    #[expect(clippy::unused_self, reason = "the same as with MCP")]
    pub(crate) fn source(&self) -> Option<Arc<dyn ToolSource>> {
        None
    }

    /// Returns the text that there are none.
    #[expect(clippy::unused_self, reason = "the same as with MCP")]
    #[cfg_attr(
        not(feature = "terminal"),
        expect(dead_code, reason = "only a terminal session lists them")
    )]
    pub(crate) fn listing(&self, _is_taken: &dyn Fn(&str) -> bool) -> String {
        "This build has no MCP.".to_owned()
    }

    /// Returns nothing.
    #[cfg(feature = "terminal")]
    #[expect(clippy::unused_self, reason = "the same as with MCP")]
    pub(crate) fn commands(
        &self,
        _is_taken: &dyn Fn(&str) -> bool,
    ) -> Vec<hookloop_tui::CustomCommand> {
        Vec::new()
    }

    /// Returns nothing.
    #[expect(clippy::unused_self, reason = "the same as with MCP")]
    pub(crate) fn hosted_commands(&self, _is_taken: &dyn Fn(&str) -> bool) -> Vec<HostedCommand> {
        Vec::new()
    }

    /// Finds nothing.
    #[cfg(feature = "terminal")]
    #[expect(clippy::unused_self, reason = "the same as with MCP")]
    pub(crate) fn prompt(
        &self,
        _name: &str,
        _is_taken: &dyn Fn(&str) -> bool,
    ) -> Option<McpPrompt> {
        None
    }

    /// Finds nothing.
    #[expect(clippy::unused_self, reason = "the same as with MCP")]
    pub(crate) fn match_prompt<'p>(
        &self,
        _text: &'p str,
        _is_taken: &dyn Fn(&str) -> bool,
    ) -> Option<(McpPrompt, &'p str)> {
        None
    }

    /// Is never called.
    #[expect(clippy::unused_async, reason = "the same as with MCP")]
    pub(crate) async fn expand(
        &self,
        prompt: &McpPrompt,
        _arguments: &str,
        _cancel: &CancellationToken,
    ) -> Result<Expanded, Unsent> {
        match *prompt {}
    }

    /// Logs in nowhere.
    #[cfg(feature = "terminal")]
    #[expect(
        clippy::unused_self,
        clippy::unused_async,
        reason = "the same as with MCP"
    )]
    pub(crate) async fn log_in(
        &self,
        _name: &str,
        _wish: McpLogin,
        _show: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<String, String> {
        Err("this build has no MCP".to_owned())
    }

    /// Waits for nothing.
    #[expect(clippy::unused_async, reason = "the same as with MCP")]
    pub(crate) async fn ready(&self) {}

    /// Ends nothing.
    #[expect(clippy::unused_async, reason = "the same as with MCP")]
    pub(crate) async fn close(&self) {}
}

/// Logs in nowhere.
///
/// # Errors
/// This build has no MCP.
pub fn log_in(
    _workspace: &Workspace,
    _environment: &Environment,
    _name: &str,
    _wish: McpLogin,
) -> Result<String, String> {
    Err("this build has no MCP".to_owned())
}
