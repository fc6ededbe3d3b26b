//! `mcp list`, `add` and `remove`: the MCP servers of the settings, as the reference names them
//! (AG-CLI-7). Nothing is connected here.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use hookloop_hook::{Problem, ProblemCode};
use hookloop_manage::{Scope, near_matches};
use hookloop_session::{Environment, McpLogin, RunOptions, Workspace};
use hookloop_settings::{EditError, SettingsFile, SettingsText, read_bytes};
use hookloop_text::visible;
use serde_json::{Map, Value, json};

use crate::commands::Named;
use crate::commands::person::{Change, Effect};
use crate::commands::scope::ScopeArgument;
use crate::commands::text::warning;
use crate::output::{Exit, Output};

/// Holds a command for MCP servers.
#[derive(Debug, Clone, Args)]
pub(crate) struct McpArguments {
    /// What is to be done; the list without it
    #[command(subcommand)]
    command: Option<McpCommand>,
}

#[derive(Debug, Clone, Subcommand)]
enum McpCommand {
    /// List the servers that are configured, and where
    List,
    /// Add a server to the settings
    Add(AddArguments),
    /// Take a server out of the settings
    Remove(RemoveArguments),
    /// Log in at a server over HTTP, with a browser
    Auth(AuthArguments),
}

#[derive(Debug, Clone, Args)]
struct AddArguments {
    /// Its name
    name: String,
    /// Its command, or its address
    #[arg(value_name = "COMMAND|URL")]
    command: String,
    /// The arguments of the command
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<String>,
    /// Whose settings are written
    #[arg(short, long, value_enum, default_value = "project")]
    scope: ScopeArgument,
    /// How it is reached: a program, or an address; what the address says by default
    #[arg(short, long, value_enum, alias = "type")]
    transport: Option<Transport>,
    /// A variable of its environment
    // By this id it takes the place of `--extensions`, which has the same short name everywhere.
    #[arg(
        id = "extensions",
        short = 'e',
        long = "env",
        value_name = "NAME=VALUE"
    )]
    env: Vec<String>,
    /// A header of requests to it, such as "Authorization: Bearer abc"
    #[arg(short = 'H', long, value_name = "NAME: VALUE")]
    header: Vec<String>,
    /// How long an answer may take, in milliseconds
    #[arg(long, value_name = "MILLISECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
    /// Its tools need no confirmation
    #[arg(long)]
    trust: bool,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// The only tools of it that count
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    include_tools: Vec<String>,
    /// Tools of it that don't count
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    exclude_tools: Vec<String>,
}

/// Says how a server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Transport {
    /// A program that is started
    Stdio,
    /// An address that streams events, as servers had it before streamable HTTP
    Sse,
    /// An address that speaks streamable HTTP
    Http,
}

impl Transport {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Sse => "sse",
            Self::Http => "http",
        }
    }
}

#[derive(Debug, Clone, Args)]
struct RemoveArguments {
    /// Its name
    name: String,
    /// Whose settings are written
    #[arg(short, long, value_enum, default_value = "project")]
    scope: ScopeArgument,
}

#[derive(Debug, Clone, Args)]
struct AuthArguments {
    /// Its name
    name: String,
    /// Forget what was granted
    #[arg(long)]
    forget: bool,
}

impl McpArguments {
    /// Says what the command does to what guards are made of (TR-11). A new one has to decide.
    pub(crate) const fn effect(&self) -> Effect<'_> {
        let name = match &self.command {
            None | Some(McpCommand::List) => return Effect::Reads,
            Some(McpCommand::Add(_)) => Named("mcp add"),
            Some(McpCommand::Remove(_)) => Named("mcp remove"),
            Some(McpCommand::Auth(_)) => Named("mcp auth"),
        };
        Effect::Changes(Change {
            name,
            json: false,
            path: None,
        })
    }
}

/// Runs a command for MCP servers.
pub(crate) fn run(arguments: &McpArguments, environment: &Environment) -> Output {
    let workspace = Workspace::open(environment, &RunOptions::default());
    let done = match arguments.command.as_ref().unwrap_or(&McpCommand::List) {
        McpCommand::List => Ok(list(&workspace)),
        McpCommand::Auth(auth) => return authorise(auth, &workspace, environment),
        McpCommand::Add(added) => {
            let file = Scope::from(added.scope).settings_file(&workspace, environment);
            add(&file, added)
        }
        McpCommand::Remove(removed) => {
            let others = [Scope::Project, Scope::User].into_iter();
            let others = others.filter(|it| *it != removed.scope.into());
            let elsewhere = others.map(|it| (it, it.settings_file(&workspace, environment)));
            let file = Scope::from(removed.scope).settings_file(&workspace, environment);
            remove(&file, &removed.name, &elsewhere.collect::<Vec<_>>())
        }
    };
    match done {
        Ok(told) => Output {
            notices: not_started(&Workspace::open(environment, &RunOptions::default())),
            ..Output::of_text(told)
        },
        Err(why) => Output::of_error(&visible(&why), Exit::Failed),
    }
}

/// Says which servers don't start because nobody trusts the folder that they stand in (TR-5), and why
/// what says so doesn't count: others could have written it (TR-9), or it can't be read.
fn not_started(workspace: &Workspace) -> String {
    let untrusted = workspace.problems.iter();
    let untrusted = untrusted.filter(|it| {
        matches!(
            it.code,
            ProblemCode::FolderUntrusted
                | ProblemCode::InsecureOwner
                | ProblemCode::TrustFileInvalid
        )
    });
    let line = |it: &Problem| warning(&format!("{}: {} ({})", it.source, it.message, it.help));
    untrusted.map(line).collect()
}

fn authorise(auth: &AuthArguments, workspace: &Workspace, environment: &Environment) -> Output {
    let wish = if auth.forget {
        McpLogin::Forget
    } else {
        McpLogin::Begin
    };
    match hookloop_session::log_in(workspace, environment, &auth.name, wish) {
        Ok(said) => Output::of_text(format!("{}\n", visible(&said))),
        Err(why) => {
            let mut output = Output::of_error(&visible(&why), Exit::Failed);
            output.notices.push_str(&not_started(workspace));
            output
        }
    }
}

fn list(workspace: &Workspace) -> String {
    let servers = &workspace.settings.agent.mcp_servers;
    if servers.is_empty() {
        return "No MCP servers are configured (\"mcpServers\" in settings.json).\n".to_owned();
    }
    let line = |(name, configuration, place): (&str, &Value, String)| {
        let text = |key: &str| configuration.get(key).and_then(Value::as_str);
        let (way, at) = match (text("httpUrl").or(text("url")), text("command")) {
            (Some(address), _) if text("type") == Some("sse") => ("sse", address.to_owned()),
            (Some(address), _) => ("http", address.to_owned()),
            (None, Some(command)) => (
                "stdio",
                [command.to_owned(), words(configuration)].join(" "),
            ),
            (None, None) => ("?", String::new()),
        };
        let kept_out = workspace.settings.agent.restrictions.of_mcp_server(name);
        let kept_out = kept_out.map_or_else(String::new, |it| {
            format!("    kept out of sessions by {}\n", visible(&it.place()))
        });
        format!(
            "{}: {} ({way})\n    from {}\n{kept_out}",
            visible(name),
            visible(at.trim_end()),
            visible(&place)
        )
    };
    let lines = servers
        .iter()
        .map(|it| line((&it.name, &it.configuration, it.source.to_string())));
    lines.collect()
}

/// Returns the arguments of a server's command.
fn words(configuration: &Value) -> String {
    let words = configuration.get("args").and_then(Value::as_array);
    let words = words.into_iter().flatten().filter_map(Value::as_str);
    words.collect::<Vec<_>>().join(" ")
}

fn add(file: &Path, added: &AddArguments) -> Result<String, String> {
    let (transport, server) = server_of(added)?;
    let name = &added.name;
    check_name(name)?;
    let worded = |error: EditError| error.to_string();
    let mut settings = SettingsFile::open_for_edit(file).map_err(worded)?;
    let known = servers_in(&settings)?;
    let changed = settings.set(&["mcpServers", name], &server);
    let _ = changed.map_err(|fault| worded(settings.error(fault)))?;
    settings.save().map_err(worded)?;
    let scope = Scope::from(added.scope).as_str();
    let done = match known.get(name) {
        // What stood there isn't lost with it.
        Some(before) if *before != server => format!(
            "MCP server \"{name}\" updated in {scope} settings; before it was {}",
            visible(&before.to_string())
        ),
        Some(_) => format!("MCP server \"{name}\" stands in {scope} settings already"),
        None => format!("MCP server \"{name}\" added to {scope} settings"),
    };
    let way = transport.as_str();
    Ok(format!("{done}. ({way})\n    in {}\n", file.display()))
}

/// Refuses names that the names of tools can't hold as they are: rules and matchers are written with
/// those (TO-3).
fn check_name(name: &str) -> Result<(), String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    if !name.is_empty() && name.chars().all(is_plain) && !name.contains("__") {
        return Ok(());
    }
    Err(format!(
        "\"{name}\" can't be the name of an MCP server: its tools are named mcp__<server>__<tool>, so it \
         is made of letters (A-Z, a-z), digits, `-` and single `_`"
    ))
}

/// Returns the servers of a file.
fn servers_in(settings: &SettingsFile) -> Result<Map<String, Value>, String> {
    let all = settings.to_value();
    let all = all.map_err(|fault| settings.error(fault).to_string())?;
    Ok(match all.get("mcpServers") {
        Some(Value::Object(servers)) => servers.clone(),
        _ => Map::new(),
    })
}

/// Writes a server as settings have it.
///
/// # Errors
/// An option has no use for a server that is reached so, or can't be read.
fn server_of(added: &AddArguments) -> Result<(Transport, Value), String> {
    let is_address = ["http://", "https://"]
        .iter()
        .any(|it| added.command.starts_with(it));
    let usual = if is_address {
        Transport::Http
    } else {
        Transport::Stdio
    };
    let transport = added.transport.unwrap_or(usual);
    let without_use = |option: &str| {
        let transport = transport.as_str();
        Err(format!("{option} has no use for a server over {transport}"))
    };
    let mut server = match transport {
        Transport::Stdio if !added.header.is_empty() => return without_use("--header"),
        Transport::Stdio => {
            let env = pairs(&added.env, '=', "--env", "NAME=VALUE")?;
            let mut server = json!({"command": added.command, "args": added.args});
            if !env.is_empty() {
                server["env"] = Value::Object(env);
            }
            server
        }
        Transport::Sse | Transport::Http if !is_address => {
            return Err(format!(
                "\"{}\" isn't an address: it begins with neither http:// nor https://",
                added.command
            ));
        }
        Transport::Sse | Transport::Http if !added.env.is_empty() => return without_use("--env"),
        Transport::Sse | Transport::Http if !added.args.is_empty() => {
            return without_use("what follows the address");
        }
        Transport::Sse | Transport::Http => {
            let mut server = match transport {
                Transport::Sse => json!({"url": added.command, "type": "sse"}),
                _ => json!({"httpUrl": added.command}),
            };
            let headers = pairs(&added.header, ':', "--header", "NAME: VALUE")?;
            if !headers.is_empty() {
                server["headers"] = Value::Object(headers);
            }
            server
        }
    };
    let lists = [
        ("includeTools", &added.include_tools),
        ("excludeTools", &added.exclude_tools),
    ];
    for (name, tools) in lists.into_iter().filter(|(_, tools)| !tools.is_empty()) {
        server[name] = json!(tools);
    }
    if let Some(timeout) = added.timeout {
        server["timeout"] = json!(timeout);
    }
    if added.trust {
        server["trust"] = json!(true);
    }
    if let Some(description) = &added.description {
        server["description"] = json!(description);
    }
    Ok((transport, server))
}

/// Reads names with their values.
fn pairs(
    texts: &[String],
    between: char,
    option: &str,
    form: &str,
) -> Result<Map<String, Value>, String> {
    let read = |text: &String| {
        let (name, value) = text.split_once(between).unwrap_or_default();
        let name = name.trim();
        if name.is_empty() {
            // It may hold a secret, so it isn't repeated.
            return Err(format!("{option} isn't of the form {form}"));
        }
        let value = if between == ':' { value.trim() } else { value };
        Ok((name.to_owned(), json!(value)))
    };
    texts.iter().map(read).collect()
}

fn remove(file: &Path, name: &str, elsewhere: &[(Scope, PathBuf)]) -> Result<String, String> {
    let worded = |error: EditError| error.to_string();
    let mut settings = SettingsFile::open_for_edit(file).map_err(worded)?;
    let servers = servers_in(&settings)?;
    let holds = |file: &Path| {
        let bytes = read_bytes(file).ok().flatten();
        let text = bytes.and_then(|it| String::from_utf8(it).ok());
        let read = text.and_then(|text| SettingsText::new(text).ok()?.to_value().ok());
        let servers = read.as_ref().and_then(|all| all.get("mcpServers"));
        servers.is_some_and(|it| it.get(name).is_some())
    };
    let others = elsewhere
        .iter()
        .filter(|(_, other)| other != file && holds(other));
    let others: Vec<String> = others
        .map(|(scope, other)| format!("{} (--scope {})", other.display(), scope.as_str()))
        .collect();
    if !servers.contains_key(name) {
        let known: Vec<&str> = servers.keys().map(String::as_str).collect();
        let near = near_matches(name, &known);
        let meant = near.first().map(|it| format!("; did you mean \"{it}\"?"));
        let there = (!others.is_empty()).then(|| format!("; it stands in {}", others.join(", ")));
        return Err(format!(
            "{} names no MCP server \"{name}\"{}",
            file.display(),
            there.or(meant).unwrap_or_default()
        ));
    }
    let changed = settings.remove_member("mcpServers", name);
    let _ = changed.map_err(|fault| worded(settings.error(fault)))?;
    settings.save().map_err(worded)?;
    let mut told = format!("removed: {} ({})\n", visible(name), file.display());
    for other in others {
        let _ = writeln!(told, "    it still stands in {other}");
    }
    Ok(told)
}
