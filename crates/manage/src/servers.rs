//! The MCP servers in the settings, as in Gemini CLI (AG-CLI-7). This code connects to none of
//! them.

use std::path::{Path, PathBuf};

use hookloop_hook::ProblemCode;
use hookloop_session::Workspace;
use hookloop_settings::{Restriction, SettingsFile, SettingsText, read_bytes};
use serde_json::{Map, Value, json};

use crate::Task;
use crate::failure::{CommandFailure, FailureCode};
use crate::near_matches::near_matches;
use crate::scope::Scope;

/// How a server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Transport {
    /// A program to start.
    Stdio,
    /// An address that streams events, the predecessor of streamable HTTP.
    Sse,
    /// An address that uses streamable HTTP.
    Http,
}

impl Transport {
    /// Returns its name in settings.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Sse => "sse",
            Self::Http => "http",
        }
    }
}

/// A configured server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfiguredServer {
    /// Its name.
    pub name: String,
    /// How it is reached; `None` if its settings don't say that.
    pub transport: Option<Transport>,
    /// Its command with its arguments, or its address.
    pub at: String,
    /// Where it is configured.
    pub place: String,
    /// What excludes it from sessions.
    pub kept_out: Option<String>,
}

/// Returns the configured servers, last those that no session starts because their folder isn't
/// trusted (TR-5).
pub fn configured_servers(workspace: &Workspace) -> Vec<ConfiguredServer> {
    let agent = &workspace.settings.agent;
    let server = |server: &hookloop_settings::McpServer| {
        let (transport, at) = way_to(&server.configuration);
        let kept_out = agent.restrictions.of_mcp_server(&server.name);
        ConfiguredServer {
            name: server.name.clone(),
            transport,
            at,
            place: server.source.to_string(),
            kept_out: kept_out.map(Restriction::place),
        }
    };
    let untrusted = agent.untrusted_servers.iter().map(|it| ConfiguredServer {
        kept_out: Some("the folder, which nobody trusts".to_owned()),
        ..server(it)
    });
    agent
        .mcp_servers
        .iter()
        .map(server)
        .chain(untrusted)
        .collect()
}

/// Returns how a server is reached, and where.
fn way_to(configuration: &Value) -> (Option<Transport>, String) {
    let text = |key: &str| configuration.get(key).and_then(Value::as_str);
    match (text("httpUrl").or(text("url")), text("command")) {
        (Some(address), _) if text("type") == Some("sse") => {
            (Some(Transport::Sse), address.to_owned())
        }
        (Some(address), _) => (Some(Transport::Http), address.to_owned()),
        (None, Some(command)) => {
            let words = configuration.get("args").and_then(Value::as_array);
            let words = words.into_iter().flatten().filter_map(Value::as_str);
            let line = std::iter::once(command).chain(words).collect::<Vec<_>>();
            (Some(Transport::Stdio), line.join(" "))
        }
        (None, None) => (None, String::new()),
    }
}

/// Returns messages about servers that don't start because their folder isn't trusted (TR-5), and
/// about a list of trusted folders that doesn't count, because others could have written it (TR-9)
/// or it can't be read.
pub fn servers_not_started(workspace: &Workspace) -> Vec<String> {
    let untrusted = workspace.problems.iter().filter(|it| {
        matches!(
            it.code,
            ProblemCode::FolderUntrusted
                | ProblemCode::InsecureOwner
                | ProblemCode::TrustFileInvalid
        )
    });
    untrusted
        .map(|it| format!("{}: {} ({})", it.source, it.message, it.help))
        .collect()
}

/// The requested server.
#[derive(Debug, Clone, Default)]
pub struct ServerWishes<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its command, or its address.
    pub command: &'a str,
    /// The arguments of the command.
    pub args: &'a [String],
    /// How it is reached; by default, this depends on `command`.
    pub transport: Option<Transport>,
    /// The variables of its environment, each `NAME=VALUE`.
    pub env: &'a [String],
    /// The headers of requests to it, each `NAME: VALUE`.
    pub headers: &'a [String],
    /// The timeout of a response, in milliseconds.
    pub timeout: Option<u64>,
    /// Whether its tools need confirmation.
    pub confirmation: ServerConfirmation,
    /// Its description.
    pub description: Option<&'a str>,
    /// The only tools that are offered.
    pub include_tools: &'a [String],
    /// Tools that aren't offered.
    pub exclude_tools: &'a [String],
}

/// Whether the tools of a server need confirmation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ServerConfirmation {
    /// As the approval mode and the policy determine.
    #[default]
    AsConfigured,
    /// Never: the server is trusted.
    NotNeeded,
}

/// The result of adding a server.
#[derive(Debug, Clone, PartialEq)]
pub struct AddedServer {
    /// The settings file that contains it.
    pub file: PathBuf,
    /// How it is reached.
    pub transport: Transport,
    /// The earlier entry with its name.
    pub before: Option<Value>,
    /// The new entry.
    pub now: Value,
}

/// Adds a server to the settings of a scope, and replaces one with the same name.
pub fn add_server(
    task: Task<'_>,
    wishes: &ServerWishes<'_>,
    scope: Scope,
) -> Result<AddedServer, CommandFailure> {
    let (transport, now) = server_of(wishes)?;
    let name = wishes.name;
    check_name(name)?;
    let workspace = Workspace::open(task.environment, task.run);
    if transport == Transport::Stdio {
        check_program(wishes.command, &workspace.project_root)?;
    }
    let file = scope.settings_file(&workspace, task.environment);
    let mut settings = SettingsFile::open_for_edit(&file)?;
    let before = servers_in(&settings)?.remove(name);
    let changed = settings.set(&["mcpServers", name], &now);
    let _ = changed.map_err(|fault| settings.error(fault))?;
    settings.save()?;
    Ok(AddedServer {
        file,
        transport,
        before,
        now,
    })
}

/// The result of removing a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedServer {
    /// The settings file that contained it.
    pub file: PathBuf,
    /// Other files that contain it, with their scopes.
    pub elsewhere: Vec<(Scope, PathBuf)>,
}

/// Removes a server from the settings of a scope.
pub fn remove_server(
    task: Task<'_>,
    name: &str,
    scope: Scope,
) -> Result<RemovedServer, CommandFailure> {
    let workspace = Workspace::open(task.environment, task.run);
    let file = scope.settings_file(&workspace, task.environment);
    let mut settings = SettingsFile::open_for_edit(&file)?;
    let servers = servers_in(&settings)?;
    let others = [Scope::Project, Scope::User].into_iter();
    let others = others.filter(|it| *it != scope);
    let others = others.map(|it| (it, it.settings_file(&workspace, task.environment)));
    let elsewhere: Vec<(Scope, PathBuf)> = others
        .filter(|(_, other)| *other != file && holds(other, name))
        .collect();
    if !servers.contains_key(name) {
        return Err(not_configured(&file, name, &servers, &elsewhere));
    }
    let changed = settings.remove_member("mcpServers", name);
    let _ = changed.map_err(|fault| settings.error(fault))?;
    settings.save()?;
    Ok(RemovedServer { file, elsewhere })
}

/// Returns whether a file configures a server with a name.
fn holds(file: &Path, name: &str) -> bool {
    let bytes = read_bytes(file).ok().flatten();
    let text = bytes.and_then(|it| String::from_utf8(it).ok());
    let read = text.and_then(|text| SettingsText::new(text).ok()?.to_value().ok());
    let servers = read.as_ref().and_then(|all| all.get("mcpServers"));
    servers.is_some_and(|it| it.get(name).is_some())
}

/// Creates the failure for a server that a file doesn't configure, with suggestions.
fn not_configured(
    file: &Path,
    name: &str,
    servers: &Map<String, Value>,
    elsewhere: &[(Scope, PathBuf)],
) -> CommandFailure {
    let known: Vec<&str> = servers.keys().map(String::as_str).collect();
    let near = near_matches(name, &known);
    let places = elsewhere.iter().map(|(scope, file)| place_of(*scope, file));
    let places: Vec<String> = places.collect();
    let hint = match (places.as_slice(), near.first()) {
        ([], None) => String::new(),
        ([], Some(near)) => format!("; did you mean \"{near}\"?"),
        (places, _) => format!("; it is in {}", places.join(", ")),
    };
    let message = format!("{} names no MCP server \"{name}\"{hint}", file.display());
    CommandFailure::new(FailureCode::NoSource, message).with_candidates(near)
}

impl RemovedServer {
    /// Returns the other files that contain it, for people.
    pub fn places(&self) -> impl Iterator<Item = String> {
        let places = self.elsewhere.iter();
        places.map(|(scope, file)| place_of(*scope, file))
    }
}

fn place_of(scope: Scope, file: &Path) -> String {
    format!("{} (--scope {})", file.display(), scope.as_str())
}

/// Checks that a server's name can be used unchanged in the names of its tools, because rules and
/// matchers are written with those (TO-3).
fn check_name(name: &str) -> Result<(), CommandFailure> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    if !name.is_empty() && name.chars().all(is_plain) && !name.contains("__") {
        return Ok(());
    }
    Err(CommandFailure::bad_input(format!(
        "\"{name}\" can't be the name of an MCP server: its tools are named mcp__<server>__<tool>, \
         so it may contain only letters (A-Z, a-z), digits, `-` and single `_`"
    )))
}

/// Returns the servers of a file.
fn servers_in(settings: &SettingsFile) -> Result<Map<String, Value>, CommandFailure> {
    let all = settings.to_value().map_err(|fault| settings.error(fault))?;
    Ok(match all.get("mcpServers") {
        Some(Value::Object(servers)) => servers.clone(),
        _ => Map::new(),
    })
}

/// Returns the settings entry of a server.
///
/// # Errors
/// An option doesn't apply to the server's transport, or can't be parsed.
fn server_of(added: &ServerWishes<'_>) -> Result<(Transport, Value), CommandFailure> {
    let is_address = is_http_address(added.command)?;
    let usual = if is_address {
        Transport::Http
    } else {
        Transport::Stdio
    };
    let transport = added.transport.unwrap_or(usual);
    let without_use = |option: &str| {
        let transport = transport.as_str();
        Err(CommandFailure::bad_input(format!(
            "{option} has no effect on a server over {transport}"
        )))
    };
    let mut server = match transport {
        Transport::Stdio if is_address => {
            return Err(CommandFailure::bad_input(format!(
                "\"{}\" is an address: a server over stdio is a program that is started; use \
                 --transport http or sse",
                added.command
            )));
        }
        Transport::Stdio if !added.headers.is_empty() => return without_use("--header"),
        Transport::Stdio => {
            let env = pairs(added.env, '=', "--env", "NAME=VALUE")?;
            let mut server = json!({"command": added.command, "args": added.args});
            if !env.is_empty() {
                server["env"] = Value::Object(env);
            }
            server
        }
        Transport::Sse | Transport::Http if !is_address => {
            return Err(CommandFailure::bad_input(format!(
                "\"{}\" isn't a valid address: it must begin with http:// or https://",
                added.command
            )));
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
            let headers = pairs(added.headers, ':', "--header", "NAME: VALUE")?;
            if !headers.is_empty() {
                server["headers"] = Value::Object(headers);
            }
            server
        }
    };
    let lists = [
        ("includeTools", added.include_tools),
        ("excludeTools", added.exclude_tools),
    ];
    for (name, tools) in lists.into_iter().filter(|(_, tools)| !tools.is_empty()) {
        server[name] = json!(tools);
    }
    if let Some(timeout) = added.timeout {
        server["timeout"] = json!(timeout);
    }
    if added.confirmation == ServerConfirmation::NotNeeded {
        server["trust"] = json!(true);
    }
    if let Some(description) = added.description {
        server["description"] = json!(description);
    }
    Ok((transport, server))
}

/// Returns whether a word is the HTTP address of a server, rather than a program.
///
/// # Errors
/// It is an address that no server can be reached at.
fn is_http_address(word: &str) -> Result<bool, CommandFailure> {
    let is_scheme_letter = |it: char| it.is_ascii_alphanumeric() || matches!(it, '+' | '-' | '.');
    let Some((scheme, rest)) = word
        .split_once("://")
        .filter(|(scheme, _)| !scheme.is_empty() && scheme.chars().all(is_scheme_letter))
    else {
        return Ok(false);
    };
    let unusable = |why: &str| {
        Err(CommandFailure::bad_input(format!(
            "\"{word}\" isn't the address of an MCP server: {why}"
        )))
    };
    if !["http", "https"].contains(&scheme) {
        return unusable("it must begin with http:// or https://");
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let (name, port) = match host.rsplit_once(':') {
        // The colons of an IPv6 address are in brackets.
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (host, None),
    };
    if word.contains(char::is_whitespace) {
        return unusable("there is a space in it");
    }
    if name.is_empty() {
        return unusable("it names no host (http://HOST/PATH)");
    }
    match port {
        Some(port) if port.parse::<u16>().is_err() => {
            unusable("its port isn't a number from 0 to 65535")
        }
        _ => Ok(true),
    }
}

/// Checks that a program that is named by its path is there, as it would be started from the
/// project. A name without a folder is looked for when it is started.
///
/// # Errors
/// There is no such file.
fn check_program(command: &str, folder: &Path) -> Result<(), CommandFailure> {
    // What begins like this is expanded when the server is started.
    let is_path = command.contains('/') && !command.starts_with('~') && !command.contains('$');
    let place = folder.join(command);
    if is_path && !place.is_file() {
        return Err(CommandFailure::bad_input(format!(
            "{} isn't a program: there is no such file",
            place.display()
        )));
    }
    Ok(())
}

/// Parses pairs of names and values.
fn pairs(
    texts: &[String],
    between: char,
    option: &str,
    form: &str,
) -> Result<Map<String, Value>, CommandFailure> {
    let read = |text: &String| {
        let (name, value) = text.split_once(between).unwrap_or_default();
        let name = name.trim();
        if name.is_empty() {
            // It may contain a secret, so it isn't repeated.
            return Err(CommandFailure::bad_input(format!(
                "{option} isn't of the form {form}"
            )));
        }
        let value = if between == ':' { value.trim() } else { value };
        Ok((name.to_owned(), json!(value)))
    };
    texts.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(list: &[&str]) -> Vec<String> {
        list.iter().map(|it| (*it).to_owned()).collect()
    }

    /// AG-CLI-7: an address is reached over HTTP, everything else is a program that is started.
    #[test]
    fn the_address_says_how_a_server_is_reached() {
        let of = |command| {
            let wishes = ServerWishes {
                command,
                ..ServerWishes::default()
            };
            server_of(&wishes).unwrap()
        };
        let (transport, server) = of("https://example.org/mcp");
        assert_eq!(transport, Transport::Http);
        assert_eq!(server, json!({"httpUrl": "https://example.org/mcp"}));
        let (transport, server) = of("npx");
        assert_eq!(transport, Transport::Stdio);
        assert_eq!(server, json!({"command": "npx", "args": []}));
        assert_eq!(way_to(&server), (Some(Transport::Stdio), "npx".to_owned()));
    }

    /// AG-CLI-7: an option that doesn't apply to the server's transport is a mistake, and so is one
    /// that can't be read; what could be a secret isn't repeated.
    #[test]
    fn options_without_use_are_refused() {
        let (secret, header) = (texts(&["sesame"]), texts(&["A: b"]));
        let program = ServerWishes {
            command: "npx",
            ..ServerWishes::default()
        };
        let refused = [
            ServerWishes {
                headers: &header,
                ..program.clone()
            },
            ServerWishes {
                transport: Some(Transport::Http),
                ..program.clone()
            },
            ServerWishes {
                env: &secret,
                ..program
            },
        ];
        for wishes in refused {
            let failure = server_of(&wishes).unwrap_err();
            assert_eq!(failure.code, FailureCode::BadInput);
            assert!(!failure.message.contains("sesame"), "{failure}");
        }
    }

    /// TO-3: a server's name can be recognised in the names of its tools.
    #[test]
    fn names_fit_into_those_of_tools() {
        for good in ["a", "my-server_2"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", "a__b", "a b", "ä"] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
    /// AG-CLI-7: a server is removed from one file only, and the other places that contain it are
    /// reported.
    #[test]
    fn a_server_is_removed_where_it_was_asked_for() {
        let world = crate::world::World::new();
        let wishes = ServerWishes {
            name: "files",
            command: "npx",
            ..ServerWishes::default()
        };
        for scope in [Scope::User, Scope::Project] {
            let added = add_server(world.task(), &wishes, scope).unwrap();
            assert_eq!(added.before, None);
        }
        let again = add_server(world.task(), &wishes, Scope::User).unwrap();
        assert_eq!(again.before, Some(again.now));
        let removed = remove_server(world.task(), "files", Scope::Project).unwrap();
        let user = world.path("home/.gemini/settings.json");
        assert_eq!(removed.elsewhere, [(Scope::User, user)]);
        let failure = remove_server(world.task(), "files", Scope::Project).unwrap_err();
        assert!(failure.message.contains("--scope user"), "{failure}");
    }
}
