//! Connects the configured servers.

#[cfg(feature = "terminal")]
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookloop_agent::TurnEnd;
use hookloop_mcp::{McpPrompt, McpReport, McpServerListing, McpServers, McpState, McpSurroundings};
use hookloop_settings::{McpServer, Settings};
use hookloop_tools::{ErrorKind, ToolSource};
use tokio_util::sync::CancellationToken;

use crate::custom_commands::{Expanded, Unsent, call};
use crate::environment::Environment;
use crate::hosted_prompt::HostedCommand;
#[cfg(feature = "terminal")]
use crate::mcp::McpLogin;
#[cfg(feature = "terminal")]
use crate::mcp::listing;
use crate::mcp::login::{Login, configured};
use crate::mcp::{Offered, ToolReporter};

/// Returns the servers among these that a setting keeps out of sessions, with its place.
fn excluded_servers(settings: &Settings, servers: &[McpServer]) -> Vec<(String, String)> {
    let restrictions = &settings.agent.restrictions;
    let kept_out = servers.iter().filter_map(|server| {
        let restriction = restrictions.of_mcp_server(&server.name)?;
        Some((server.name.clone(), restriction.place()))
    });
    kept_out.collect()
}

/// Passes what servers offer to what says something of it.
fn offered_to(
    mut tell: ToolReporter,
) -> impl FnMut(&[McpServerListing], &[String]) + Send + 'static {
    move |servers, new| {
        let ready = servers.iter().filter(|it| it.state == McpState::Ready);
        let servers = ready.map(|it| {
            let tools = it.tools.iter().map(|tool| tool.name.clone());
            (it.name.clone(), tools.collect())
        });
        tell(&Offered {
            new: new.to_vec(),
            servers: servers.collect(),
        });
    }
}

/// How long the first prompt waits for servers: a slow one offers its tools when it is there.
const FIRST_WAIT: Duration = Duration::from_secs(10);

/// The servers of a session.
#[derive(Clone)]
pub(crate) struct Mcp {
    servers: Option<McpServers>,
    #[cfg(feature = "terminal")]
    login: Arc<Login>,
    #[cfg(feature = "terminal")]
    /// The servers that a setting keeps out, and which one (AG-CLI-9).
    kept_out: Vec<(String, String)>,
    /// The function that reports on their tools, until it is called.
    tool_reporter: Arc<Mutex<Option<ToolReporter>>>,
}

impl Mcp {
    /// Begins to connect the servers of the settings and of enabled extensions; if some are named,
    /// only those. A server that fails is reported, and doesn't stop the start.
    pub(crate) fn connect(
        settings: &Settings,
        allowed: &[String],
        environment: &Environment,
        tell: impl Fn(&str) + Send + Sync + 'static,
    ) -> Self {
        let mut servers = configured(settings);
        servers.retain(|it| allowed.is_empty() || allowed.contains(&it.name));
        let kept_out = excluded_servers(settings, &servers);
        // Reports why the server's tools are missing.
        for (name, why) in &kept_out {
            tell(&format!("{why} keeps the MCP server \"{name}\" out"));
        }
        servers.retain(|it| {
            settings
                .agent
                .restrictions
                .of_mcp_server(&it.name)
                .is_none()
        });
        let login = Arc::new(Login::new(settings, environment));
        if servers.is_empty() {
            return Self {
                servers: None,
                #[cfg(feature = "terminal")]
                login,
                #[cfg(feature = "terminal")]
                kept_out,
                tool_reporter: Arc::default(),
            };
        }
        let report = McpReport::new(move |problem| tell(&problem.to_string()));
        let surroundings = McpSurroundings {
            environment: environment.variables.clone(),
            directory: environment.current_dir.clone(),
            report,
            tokens: Some(login.tokens()),
        };
        Self {
            servers: Some(McpServers::connect(&servers, surroundings)),
            #[cfg(feature = "terminal")]
            login,
            #[cfg(feature = "terminal")]
            kept_out,
            tool_reporter: Arc::default(),
        }
    }

    /// Reports on the servers' tools as soon as the first prompt no longer needs to wait for them,
    /// and on later ones when they arrive (PL-5).
    pub(crate) fn on_tools_known(self, tell: impl FnOnce() -> ToolReporter) -> Self {
        if self.servers.is_some()
            && let Ok(mut tool_reporter) = self.tool_reporter.lock()
        {
            *tool_reporter = Some(tell());
        }
        self
    }

    /// Returns where the tools of the servers come from, if there are servers.
    pub(crate) fn source(&self) -> Option<Arc<dyn ToolSource>> {
        let servers = self.servers.clone()?;
        Some(Arc::new(servers))
    }

    /// Lists the servers with everything that they offer (`/mcp list`).
    #[cfg(feature = "terminal")]
    pub(crate) fn listing(&self, is_taken: &dyn Fn(&str) -> bool) -> String {
        let servers = self.servers.as_ref().map(McpServers::list);
        let mut text = listing::text(&servers.unwrap_or_default(), &self.prompts(is_taken));
        for (name, why) in &self.kept_out {
            let _ = write!(text, "\n{name} is disabled by {why}");
        }
        text
    }

    /// Returns the commands that call prompts of the servers.
    #[cfg(feature = "terminal")]
    pub(crate) fn commands(
        &self,
        is_taken: &dyn Fn(&str) -> bool,
    ) -> Vec<hookloop_tui::CustomCommand> {
        let prompts = self.prompts(is_taken).into_iter();
        let commands = prompts.map(|prompt| {
            let about = prompt.description.lines().next().unwrap_or_default();
            hookloop_tui::CustomCommand {
                note: format!("[{}] {about}", prompt.server).trim_end().to_owned(),
                name: prompt.command,
                arguments: prompt.arguments.into_iter().map(|it| it.name).collect(),
            }
        });
        commands.collect()
    }

    /// Returns the prompts of the servers; other commands keep their names.
    pub(crate) fn prompts(&self, is_taken: &dyn Fn(&str) -> bool) -> Vec<McpPrompt> {
        let servers = self.servers.as_ref();
        servers.map_or_else(Vec::new, |it| it.prompts(is_taken))
    }

    /// Returns the commands that call prompts of the servers, for another screen.
    pub(crate) fn hosted_commands(&self, is_taken: &dyn Fn(&str) -> bool) -> Vec<HostedCommand> {
        let prompts = self.prompts(is_taken).into_iter();
        let commands = prompts.map(|prompt| {
            let about = prompt.description.lines().next().unwrap_or_default();
            let names: Vec<String> = prompt.arguments.into_iter().map(|it| it.name).collect();
            HostedCommand {
                description: format!("[{}] {about}", prompt.server).trim_end().to_owned(),
                name: prompt.command,
                hint: (!names.is_empty()).then(|| names.join(", ")),
            }
        });
        commands.collect()
    }

    /// Finds the prompt that a command calls.
    pub(crate) fn prompt(&self, name: &str, is_taken: &dyn Fn(&str) -> bool) -> Option<McpPrompt> {
        let mut prompts = self.prompts(is_taken).into_iter();
        prompts.find(|it| it.command == name)
    }

    /// Finds the prompt that a text calls, with what was written after its name.
    pub(crate) fn match_prompt<'p>(
        &self,
        text: &'p str,
        is_taken: &dyn Fn(&str) -> bool,
    ) -> Option<(McpPrompt, &'p str)> {
        let (name, arguments) = call(text)?;
        Some((self.prompt(name, is_taken)?, arguments))
    }

    /// Asks the server for a prompt's text. No file is attached: what the server wrote is material,
    /// and what was typed is meant for the server.
    pub(crate) async fn expand(
        &self,
        prompt: &McpPrompt,
        arguments: &str,
        cancel: &CancellationToken,
    ) -> Result<Expanded, Unsent> {
        let Some(servers) = &self.servers else {
            return Err(Unsent::Refused("there are no MCP servers".to_owned()));
        };
        match servers.prompt_text(prompt, arguments, cancel).await {
            Ok(prompt) => Ok(Expanded {
                prompt,
                typed: String::new(),
            }),
            Err(error) if error.kind == ErrorKind::Cancelled => {
                Err(Unsent::Ended(TurnEnd::Cancelled))
            }
            Err(error) => Err(Unsent::Refused(error.message)),
        }
    }

    /// Logs in to a server because a person wants it, or logs out, and connects it again; returns
    /// the message (TO-3).
    #[cfg(feature = "terminal")]
    pub(crate) async fn log_in(
        &self,
        name: &str,
        wish: McpLogin,
        show: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<String, String> {
        let outcome = self.login.carry_out(name, wish, show).await?;
        match &self.servers {
            Some(servers) => match servers.renew(name).await {
                Ok(()) => Ok(outcome),
                // Problems of the server are reported separately.
                Err(_) if wish == McpLogin::Forget => Ok(outcome),
                Err(why) => Err(format!("{outcome} It still can't be used: {why}")),
            },
            None => Ok(outcome),
        }
    }

    /// Waits for the servers, but not forever.
    pub(crate) async fn ready(&self) {
        if let Some(servers) = &self.servers {
            servers.ready(FIRST_WAIT).await;
            let tool_reporter = self.tool_reporter.lock().ok().and_then(|mut it| it.take());
            if let Some(tell) = tool_reporter {
                servers.observe_tools(offered_to(tell));
            }
        }
    }

    /// Ends the servers.
    pub(crate) async fn close(&self) {
        if let Some(servers) = &self.servers {
            servers.close().await;
        }
    }
}
