//! All MCP servers of a session.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hookloop_settings::McpServer;
use hookloop_tools::{Tool, ToolSource};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::configuration::{self, Channel, Manner, Trust};
use crate::grant::McpTokens;
use crate::listing::{McpResourceListing, McpServerListing, McpState, McpToolListing};
use crate::naming::full_name;
use crate::problem::McpReport;
use crate::resources::{ListMcpResources, ReadMcpResource};
use crate::server::{Server, Shared, end_all};
use crate::tool::McpTool;

/// The surroundings of servers: environment, folder, tokens, and the receiver of problems.
#[derive(Debug, Clone)]
pub struct McpSurroundings {
    /// The environment of servers that are programs, to which their own `env` is added. It also
    /// contains the variables used in settings, and the proxies.
    pub environment: Vec<(OsString, OsString)>,
    /// The absolute path of the folder that servers start in, and to which a `cwd` is relative.
    pub directory: PathBuf,
    /// Receives each problem when it occurs.
    pub report: McpReport,
    /// The tokens for servers ([`authorise`](crate::authorise)); without them, no server gets a
    /// token.
    pub tokens: Option<McpTokens>,
}

/// All MCP servers of a session (TO-3).
///
/// Clones share the servers. Dropping the last clone ends all connections and processes;
/// [`McpServers::close`] also waits for that.
#[derive(Clone)]
pub struct McpServers(Arc<Inner>);

struct Inner {
    shared: Arc<Shared>,
    entries: Vec<Entry>,
    /// The names already reported as taken.
    reported: Mutex<HashSet<(String, String)>>,
}

enum Entry {
    Usable(Arc<Server>),
    /// Its configuration can't be used.
    Unusable(McpServer, String),
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.shared.closing.cancel();
    }
}

impl fmt::Debug for McpServers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.list()).finish()
    }
}

impl McpServers {
    /// Starts connecting to all servers concurrently, and returns at once (TO-3).
    ///
    /// If a name appears twice, the first server gets it; the other is reported and left out. Must
    /// be called within a Tokio runtime.
    pub fn connect(servers: &[McpServer], surroundings: McpSurroundings) -> Self {
        let shared = Arc::new(Shared {
            environment: surroundings.environment,
            report: surroundings.report,
            tokens: surroundings.tokens,
            revision: watch::Sender::new(0),
            closing: CancellationToken::new(),
            tasks: Mutex::default(),
        });
        let mut entries: Vec<Entry> = Vec::new();
        for declared in servers {
            let report =
                |message: String| shared.report_problem(&declared.name, &declared.source, message);
            if let Some(first) = entries.iter().find(|it| it.name() == declared.name) {
                let place = first.source();
                report(format!(
                    "it is left out, because {place} has a server of this name"
                ));
                continue;
            }
            let (read, notes) =
                configuration::read(declared, &shared.environment, &surroundings.directory);
            notes.into_iter().for_each(report);
            entries.push(match read {
                Ok(configuration) => {
                    let server = Arc::new(Server::new(configuration, Arc::clone(&shared)));
                    let connecting = Arc::clone(&server);
                    // The server itself reports problems.
                    shared.keep(tokio::spawn(
                        async move { drop(connecting.connection().await) },
                    ));
                    Entry::Usable(server)
                }
                Err(why) => {
                    report(why.clone());
                    Entry::Unusable(declared.clone(), why)
                }
            });
        }
        Self(Arc::new(Inner {
            shared,
            entries,
            reported: Mutex::default(),
        }))
    }

    /// Waits until every server has connected or failed, but no longer than `limit`, and reports
    /// those that did neither. Their tools appear when they connect.
    pub async fn ready(&self, limit: Duration) {
        let mut revision = self.0.shared.revision.subscribe();
        let settled = revision.wait_for(|_| self.connecting().next().is_none());
        if tokio::time::timeout(limit, settled).await.is_err() {
            for server in self.connecting() {
                server.report(format!(
                    "it hasn't answered for {limit:?}; its tools are missing until it does"
                ));
            }
        }
    }

    /// Calls `observe` with the servers and the names of their tools that are new: with those
    /// available now at once, and again whenever a server changes what it offers (PL-5). This
    /// includes a server that was too slow for the first prompt.
    pub fn observe_tools(
        &self,
        mut observe: impl FnMut(&[McpServerListing], &[String]) + Send + 'static,
    ) {
        let shared = Arc::clone(&self.0.shared);
        let mut revision = shared.revision.subscribe();
        let mut known = HashSet::new();
        revision.borrow_and_update();
        let servers = self.list();
        observe(&servers, &new_tools(&servers, &mut known));
        // Weak, so that the task doesn't keep the servers alive.
        let inner = Arc::downgrade(&self.0);
        let closing = shared.closing.clone();
        shared.keep(tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = closing.cancelled() => return,
                    changed = revision.changed() => if changed.is_err() { return },
                }
                let Some(inner) = inner.upgrade() else { return };
                let servers = Self(inner).list();
                observe(&servers, &new_tools(&servers, &mut known));
            }
        }));
    }

    fn connecting(&self) -> impl Iterator<Item = &Arc<Server>> {
        self.usable()
            .filter(|it| it.state() == McpState::Connecting)
    }

    pub(crate) fn usable(&self) -> impl Iterator<Item = &Arc<Server>> {
        self.0.entries.iter().filter_map(|entry| match entry {
            Entry::Usable(server) => Some(server),
            Entry::Unusable(..) => None,
        })
    }

    /// Returns all servers with what they offer, in the order of the settings (TO-3, `/mcp list`).
    pub fn list(&self) -> Vec<McpServerListing> {
        self.0.entries.iter().map(Entry::listing).collect()
    }

    /// Connects to a server again, because its tokens have changed (TO-3).
    ///
    /// # Errors
    /// There is no server of this name, or it can't be used; the text gives the reason.
    pub async fn renew(&self, name: &str) -> Result<(), String> {
        let mut servers = self.usable();
        let server = servers.find(|it| it.configuration.name == name).cloned();
        let server = server.ok_or("there is no such server in this session")?;
        server.renew().await
    }

    /// Ends all connections and processes, and waits until they have ended.
    pub async fn close(&self) {
        let shared = &self.0.shared;
        shared.closing.cancel();
        end_all(shared).await;
    }

    /// Reports once that something of a server is left out because its name is taken.
    pub(crate) fn report_taken_name(&self, server: &Server, what: String, name: &str) {
        let message =
            format!("its {what} is left out, because another one is already named {name}");
        let key = (server.configuration.name.clone(), what);
        let mut reported = self
            .0
            .reported
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if reported.insert(key) {
            server.report(message);
        }
    }
}

/// Returns the names of the tools that weren't reported yet.
fn new_tools(servers: &[McpServerListing], known: &mut HashSet<String>) -> Vec<String> {
    let tools = servers.iter().flat_map(|it| &it.tools);
    let names = tools.map(|it| it.name.clone());
    names.filter(|it| known.insert(it.clone())).collect()
}

impl ToolSource for McpServers {
    fn revision(&self) -> u64 {
        *self.0.shared.revision.borrow()
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        let mut names = HashSet::new();
        let mut with_resources = Vec::new();
        for server in self.usable() {
            let catalogue = server.catalogue();
            for offered in &catalogue.tools {
                let tool = McpTool::new(server, offered);
                let name = tool.declaration().name.clone();
                if names.insert(name.clone()) {
                    tools.push(Arc::new(tool));
                } else {
                    let what = format!("tool \"{}\"", offered.name);
                    self.report_taken_name(server, what, &name);
                }
            }
            if catalogue.has_resources {
                with_resources.push(Arc::clone(server));
            }
        }
        if !with_resources.is_empty() {
            tools.push(Arc::new(ListMcpResources::new(with_resources.clone())));
            tools.push(Arc::new(ReadMcpResource::new(with_resources)));
        }
        tools
    }
}

impl Entry {
    fn name(&self) -> &str {
        match self {
            Self::Usable(server) => &server.configuration.name,
            Self::Unusable(declared, _) => &declared.name,
        }
    }

    fn source(&self) -> &hookloop_hook::Source {
        match self {
            Self::Usable(server) => &server.configuration.source,
            Self::Unusable(declared, _) => &declared.source,
        }
    }

    fn listing(&self) -> McpServerListing {
        let mut listing = McpServerListing {
            name: self.name().to_owned(),
            source: self.source().clone(),
            transport: None,
            state: McpState::Connecting,
            is_trusted: false,
            tools: Vec::new(),
            left_out: Vec::new(),
            resources: Vec::new(),
        };
        let server = match self {
            Self::Usable(server) => server,
            Self::Unusable(_, why) => {
                listing.state = McpState::Failed(why.clone());
                return listing;
            }
        };
        let configuration = &server.configuration;
        let catalogue = server.catalogue();
        listing.state = server.state();
        listing.is_trusted = configuration.trust == Trust::Trusted;
        listing.transport = Some(match &configuration.channel {
            Channel::Stdio(_) => "stdio",
            Channel::Http(address) if address.manner == Manner::Events => "sse",
            Channel::Http(_) => "http",
        });
        let tools = catalogue.tools.iter().map(|tool| McpToolListing {
            name: full_name(&configuration.name, &tool.name),
            tool_name: tool.name.clone(),
            description: tool.description.clone(),
        });
        listing.tools = tools.collect();
        listing.left_out.clone_from(&catalogue.left_out);
        let resources = catalogue
            .resources
            .iter()
            .map(|resource| McpResourceListing {
                uri: resource.uri.clone(),
                name: resource.name.clone(),
            });
        listing.resources = resources.collect();
        listing
    }
}
