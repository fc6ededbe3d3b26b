//! Connects the configured servers.

use std::sync::Arc;
use std::time::Duration;

use hookloop_hook::Enablement;
use hookloop_mcp::{McpReport, McpServers, McpSurroundings};
use hookloop_settings::{McpServer, Settings};
use hookloop_tools::ToolSource;

use crate::environment::Environment;
use crate::mcp::listing;

/// How long the first prompt waits for servers: a slow one offers its tools when it is there.
const FIRST_WAIT: Duration = Duration::from_secs(10);

/// The servers of a session.
#[derive(Clone)]
pub(crate) struct Mcp(Option<McpServers>);

impl Mcp {
    /// Begins to connect the servers of the settings and of enabled extensions; where some are
    /// named, those alone. A server that
    /// fails is reported, and does not stop the start.
    pub(crate) fn connect(
        settings: &Settings,
        allowed: &[String],
        environment: &Environment,
        tell: impl Fn(&str) + Send + Sync + 'static,
    ) -> Self {
        let mut servers = configured(settings);
        servers.retain(|it| allowed.is_empty() || allowed.contains(&it.name));
        if servers.is_empty() {
            return Self(None);
        }
        let report = McpReport::new(move |problem| tell(&problem.to_string()));
        let surroundings = McpSurroundings {
            environment: environment.variables.clone(),
            directory: environment.current_dir.clone(),
            report,
        };
        Self(Some(McpServers::connect(&servers, surroundings)))
    }

    /// Returns where the tools of the servers come from, if there are servers.
    pub(crate) fn source(&self) -> Option<Arc<dyn ToolSource>> {
        let servers = self.0.clone()?;
        Some(Arc::new(servers))
    }

    /// Lists the servers with everything that they offer (`/mcp list`).
    pub(crate) fn listing(&self) -> String {
        let servers = self.0.as_ref().map(McpServers::list);
        listing::text(&servers.unwrap_or_default())
    }

    /// Waits for the servers, but not for ever.
    pub(crate) async fn ready(&self) {
        if let Some(servers) = &self.0 {
            servers.ready(FIRST_WAIT).await;
        }
    }

    /// Ends the servers.
    pub(crate) async fn close(&self) {
        if let Some(servers) = &self.0 {
            servers.close().await;
        }
    }
}

fn configured(settings: &Settings) -> Vec<McpServer> {
    let mut servers = settings.agent.mcp_servers.clone();
    for extension in &settings.extensions {
        if extension.origin.enablement == Enablement::Enabled {
            servers.extend(
                extension
                    .mcp_servers
                    .iter()
                    .map(|(name, configuration)| McpServer {
                        name: name.clone(),
                        configuration: configuration.clone(),
                        source: extension.source.clone(),
                    }),
            );
        }
    }
    servers
}
