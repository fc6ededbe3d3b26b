//! `mcp list`, `add`, `remove`, `enable` and `disable`: the MCP servers of the settings, as the
//! reference names them (AG-CLI-7). Nothing is connected here.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use hookloop_manage::{
    AddedServer, CommandFailure, ConfiguredServer, KeptOut, Scope, ServerConfirmation,
    ServerWishes, Task, Transport, add_server, configured_servers, remove_server,
    servers_not_started,
};
use hookloop_session::{Environment, McpLogin, RunOptions, Workspace};
use hookloop_text::visible;
use tokio_util::sync::CancellationToken;

use crate::commands::kept_out::{EnableArguments, disable, enable};
use crate::commands::person::Effect;
use crate::output::{Exit, Output};

/// Contains a command for MCP servers.
#[derive(Debug, Clone, Args)]
pub(crate) struct McpArguments {
    /// What to do; the list without it
    #[command(subcommand)]
    command: Option<McpCommand>,
}

#[derive(Debug, Clone, Subcommand)]
enum McpCommand {
    /// List the configured servers, and where they are configured
    List,
    /// Add a server to the settings
    Add(AddArguments),
    /// Remove a server from the settings
    Remove {
        /// The server's name
        name: String,
        /// Whose settings to write
        #[arg(short, long, value_enum, default_value = "project")]
        scope: Scope,
    },
    /// Let a server into sessions again
    Enable(EnableArguments),
    /// Keep a server out of sessions
    Disable {
        /// The server's name
        name: String,
        /// Whose settings to write
        #[arg(short, long, value_enum, default_value = "user")]
        scope: Scope,
    },
    /// Log in to a server over HTTP, with a browser
    Auth {
        /// The server's name
        name: String,
        /// Delete the stored login
        #[arg(long)]
        forget: bool,
    },
}

#[derive(Debug, Clone, Args)]
struct AddArguments {
    /// The server's name
    name: String,
    /// The command that starts the server, or its address
    #[arg(value_name = "COMMAND|URL")]
    command: String,
    /// The arguments of the command
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<String>,
    /// Whose settings to write
    #[arg(short, long, value_enum, default_value = "project")]
    scope: Scope,
    /// How to reach the server (default: depends on whether a command or an address is given)
    #[arg(short, long, value_enum, alias = "type")]
    transport: Option<Transport>,
    /// An environment variable for the server; may be given several times
    // With this id, it replaces the global `--extensions`, which has the same short name.
    #[arg(
        id = "extensions",
        short = 'e',
        long = "env",
        value_name = "NAME=VALUE"
    )]
    env: Vec<String>,
    /// A header for requests to the server, such as "Authorization: Bearer abc"
    #[arg(short = 'H', long, value_name = "NAME: VALUE")]
    header: Vec<String>,
    /// How long a response may take, in milliseconds
    #[arg(long, value_name = "MILLISECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
    /// Ask for no confirmation of the server's tools
    #[arg(long)]
    trust: bool,
    /// What the server is for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// Offer only these of the server's tools
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    include_tools: Vec<String>,
    /// Don't offer these of the server's tools
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    exclude_tools: Vec<String>,
}

impl McpArguments {
    /// Returns the command's effect on files that guards depend on (TR-11). Every new command has
    /// to define it.
    pub(crate) const fn effect(&self) -> Effect<'_> {
        match &self.command {
            None | Some(McpCommand::List) => Effect::Reads,
            Some(
                McpCommand::Add(_)
                | McpCommand::Remove { .. }
                | McpCommand::Enable(_)
                | McpCommand::Disable { .. }
                | McpCommand::Auth { .. },
            ) => Effect::on_settings(false),
        }
    }
}

/// Runs a command for MCP servers.
pub(crate) fn run(arguments: &McpArguments, environment: &Environment) -> Output {
    let run = RunOptions::default();
    let open = || Workspace::open(environment, &run);
    let task = Task {
        environment,
        run: &run,
        stop: &CancellationToken::new(),
    };
    let done = match arguments.command.as_ref().unwrap_or(&McpCommand::List) {
        McpCommand::List => Ok(list(&configured_servers(&open()))),
        McpCommand::Auth { name, forget } => {
            let wish = if *forget {
                McpLogin::Forget
            } else {
                McpLogin::Begin
            };
            return authorise(name, wish, &open(), environment);
        }
        McpCommand::Add(wanted) => add(task, wanted),
        McpCommand::Remove { name, scope } => remove(task, name, *scope),
        McpCommand::Enable(wanted) => return enable(task, KeptOut::Server, wanted),
        McpCommand::Disable { name, scope } => {
            return disable(task, KeptOut::Server, name, *scope);
        }
    };
    match done {
        Ok(told) => Output::from_text(told).warn(servers_not_started(&open())),
        Err(failure) => Output::from_error(&visible(&failure.message), Exit::Failed),
    }
}

fn authorise(
    name: &str,
    wish: McpLogin,
    workspace: &Workspace,
    environment: &Environment,
) -> Output {
    match hookloop_session::log_in(workspace, environment, name, wish) {
        Ok(said) => Output::from_text(format!("{}\n", visible(&said))),
        Err(why) => {
            Output::from_error(&visible(&why), Exit::Failed).warn(servers_not_started(workspace))
        }
    }
}

fn list(servers: &[ConfiguredServer]) -> String {
    if servers.is_empty() {
        return "No MCP servers are configured (\"mcpServers\" in settings.json).\n".to_owned();
    }
    let line = |server: &ConfiguredServer| {
        let way = server.transport.map_or("?", Transport::as_str);
        let kept_out = server.kept_out.as_ref();
        let kept_out = kept_out.map_or_else(String::new, |it| {
            format!("    disabled by {}\n", visible(it))
        });
        format!(
            "{}: {} ({way})\n    from {}\n{kept_out}",
            visible(&server.name),
            visible(server.at.trim_end()),
            visible(&server.place)
        )
    };
    servers.iter().map(line).collect()
}

fn add(task: Task<'_>, wanted: &AddArguments) -> Result<String, CommandFailure> {
    let name = &wanted.name;
    let wishes = ServerWishes {
        name,
        command: &wanted.command,
        args: &wanted.args,
        transport: wanted.transport,
        env: &wanted.env,
        headers: &wanted.header,
        timeout: wanted.timeout,
        confirmation: if wanted.trust {
            ServerConfirmation::NotNeeded
        } else {
            ServerConfirmation::AsConfigured
        },
        description: wanted.description.as_deref(),
        include_tools: &wanted.include_tools,
        exclude_tools: &wanted.exclude_tools,
    };
    let scope = wanted.scope;
    let AddedServer {
        file,
        transport,
        before,
        now,
    } = add_server(task, &wishes, scope)?;
    let scope = scope.as_str();
    let done = match before {
        // The earlier entry is shown, so that it isn't lost.
        Some(before) if before != now => format!(
            "MCP server \"{name}\" updated in {scope} settings; previously {}",
            visible(&before.to_string())
        ),
        Some(_) => format!("MCP server \"{name}\" is already in the {scope} settings"),
        None => format!("MCP server \"{name}\" added to {scope} settings"),
    };
    let way = transport.as_str();
    Ok(format!("{done}. ({way})\n    in {}\n", file.display()))
}

fn remove(task: Task<'_>, name: &str, scope: Scope) -> Result<String, CommandFailure> {
    let removed = remove_server(task, name, scope)?;
    let file = removed.file.display();
    let mut text = format!("removed: {} ({file})\n", visible(name));
    for other in removed.places() {
        // Writing to a string can't fail.
        let _ = writeln!(text, "    it is still in {other}");
    }
    Ok(text)
}
