//! The configuration of a server in the settings.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookloop_events::McpContext;
use hookloop_hook::{Layer, Source};
use hookloop_settings::McpServer;
use serde_json::Value;

use crate::options::Options;

#[cfg(test)]
mod tests;

/// The known options (TO-3).
const KNOWN_OPTIONS: [&str; 14] = [
    "command",
    "args",
    "cwd",
    "env",
    "url",
    "httpUrl",
    "headers",
    "type",
    "timeout",
    "trust",
    "description",
    "includeTools",
    "excludeTools",
    "tcp",
];

/// How a server is reached and used.
#[derive(Debug, Clone)]
pub(crate) struct Configuration {
    pub(crate) name: String,
    pub(crate) source: Source,
    pub(crate) channel: Channel,
    /// The timeout for connecting and for calls; each has its own default without it.
    pub(crate) timeout: Option<Duration>,
    pub(crate) trust: Trust,
    pub(crate) choice: ToolChoice,
    /// The context for hooks, without the name of a tool.
    pub(crate) context: McpContext,
}

/// How a server is reached.
#[derive(Debug, Clone)]
pub(crate) enum Channel {
    Stdio(Program),
    Http(Address),
}

/// A server that is started as a program.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) command: String,
    pub(crate) arguments: Vec<String>,
    pub(crate) directory: PathBuf,
    /// Its whole environment.
    pub(crate) environment: Vec<(OsString, OsString)>,
}

/// A server at an address.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    pub(crate) manner: Manner,
    pub(crate) url: String,
    pub(crate) headers: Vec<(String, String)>,
}

/// The HTTP transport of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Streamable HTTP.
    Streamable,
    /// The older transport (SSE): one stream of events, and an address for messages.
    Events,
    /// Streamable HTTP first; if the server doesn't accept messages there, the older transport.
    Either,
}

/// Whether calls need confirmation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    Asked,
    Trusted,
}

/// Which of a server's tools are available.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolChoice {
    pub(crate) included: Option<Vec<String>>,
    pub(crate) excluded: Vec<String>,
}

impl ToolChoice {
    /// Returns the setting that excludes a tool, if one does; excluding takes precedence.
    pub(crate) fn leaves_out(&self, tool: &str) -> Option<&'static str> {
        let names = |entry: &String| {
            entry == tool
                || entry
                    .strip_prefix(tool)
                    .is_some_and(|it| it.starts_with('('))
        };
        if self.excluded.iter().any(names) {
            return Some("excluded by excludeTools");
        }
        match &self.included {
            Some(included) if !included.iter().any(names) => Some("not among includeTools"),
            _ => None,
        }
    }

    /// Yields the entries that match none of these tools.
    pub(crate) fn idle<'a>(&'a self, tools: &'a [String]) -> impl Iterator<Item = &'a str> {
        let entries = self.included.iter().flatten().chain(&self.excluded);
        entries.map(String::as_str).filter(|entry| {
            let name = entry.split('(').next().unwrap_or(entry);
            tools.iter().all(|tool| tool != name)
        })
    }
}

/// Reads the configuration of a server; also returns notes about options that are ignored.
///
/// # Errors
/// The server can't be used; the text gives the reason.
pub(crate) fn read(
    server: &McpServer,
    environment: &[(OsString, OsString)],
    directory: &Path,
) -> (Result<Configuration, String>, Vec<String>) {
    let Value::Object(fields) = &server.configuration else {
        return (
            Err("its configuration isn't an object".to_owned()),
            Vec::new(),
        );
    };
    let mut options = Options {
        fields,
        environment,
        notes: Vec::new(),
    };
    for name in fields
        .keys()
        .filter(|name| !KNOWN_OPTIONS.contains(&name.as_str()))
    {
        let note = format!("the unknown option \"{name}\" is ignored");
        options.notes.push(note);
    }
    let read = read_known(server, &mut options, directory);
    (read, options.notes)
}

fn read_known(
    server: &McpServer,
    options: &mut Options<'_>,
    directory: &Path,
) -> Result<Configuration, String> {
    if server.name.trim().is_empty() {
        return Err("it has no name".to_owned());
    }
    let mut context = McpContext {
        server_name: server.name.clone(),
        ..McpContext::default()
    };
    let channel = channel(options, directory, &mut context)?;
    Ok(Configuration {
        name: server.name.clone(),
        source: server.source.clone(),
        channel,
        timeout: options.milliseconds("timeout"),
        trust: trust(options, &server.source),
        choice: ToolChoice {
            included: options.texts("includeTools"),
            excluded: options.texts("excludeTools").unwrap_or_default(),
        },
        context,
    })
}

/// Reads `trust`, which an extension can't set for its own servers.
fn trust(options: &mut Options<'_>, source: &Source) -> Trust {
    let is_foreign = source.extension.is_some() || source.layer == Some(Layer::Extension);
    match (options.is_true("trust"), is_foreign) {
        (true, false) => Trust::Trusted,
        (true, true) => {
            let note = "\"trust\" is ignored for an extension's server".to_owned();
            options.notes.push(note);
            Trust::Asked
        }
        (false, _) => Trust::Asked,
    }
}

fn channel(
    options: &mut Options<'_>,
    directory: &Path,
    context: &mut McpContext,
) -> Result<Channel, String> {
    context.tcp = options.text("tcp");
    let kind = options.text("type");
    let ways = ["httpUrl", "url", "command", "tcp"];
    let mut given = ways.into_iter().filter(|name| options.has(name));
    let way = given.next();
    let ignored: Vec<&str> = given.collect();
    if let (Some(way), false) = (way, ignored.is_empty()) {
        let ignored = ignored.join("\", \"");
        let note = format!("\"{way}\" is used, so \"{ignored}\" is ignored");
        options.notes.push(note);
    }
    match way {
        Some(way @ ("httpUrl" | "url")) => {
            let url = options.text(way).ok_or("its address can't be used")?;
            context.url = Some(url.clone());
            note_without_use(options, &["args", "cwd", "env"]);
            Ok(Channel::Http(Address {
                manner: http_transport(options, way, kind.as_deref()),
                url: options.expand(&url),
                headers: options.pairs("headers"),
            }))
        }
        Some("command") => {
            if let Some(other) = kind.filter(|it| it != "stdio") {
                note_other_type(options, &other, "stdio");
            }
            note_without_use(options, &["headers"]);
            program(options, directory, context).map(Channel::Stdio)
        }
        Some(_) => Err("the transport \"tcp\" isn't supported; use httpUrl".to_owned()),
        None => Err("it has neither command nor httpUrl".to_owned()),
    }
}

/// Determines the transport: an address in `httpUrl` means streamable HTTP; for one in `url`,
/// `type` decides.
fn http_transport(options: &mut Options<'_>, way: &str, kind: Option<&str>) -> Manner {
    match (way, kind) {
        (_, Some("http")) | ("httpUrl", None) => Manner::Streamable,
        ("httpUrl", Some(other)) => {
            note_other_type(options, other, "http");
            Manner::Streamable
        }
        (_, Some("sse")) => Manner::Events,
        (_, None) => Manner::Either,
        (_, Some(other)) => {
            note_other_type(options, other, "http or sse");
            Manner::Either
        }
    }
}

fn note_other_type(options: &mut Options<'_>, kind: &str, expected: &str) {
    let note = format!("the type \"{kind}\" is ignored; such a server is {expected}");
    options.notes.push(note);
}

fn note_without_use(options: &mut Options<'_>, names: &[&str]) {
    for name in names
        .iter()
        .filter(|name| options.has(name))
        .collect::<Vec<_>>()
    {
        let note = format!("\"{name}\" has no effect on this kind of server");
        options.notes.push(note);
    }
}

fn program(
    options: &mut Options<'_>,
    directory: &Path,
    context: &mut McpContext,
) -> Result<Program, String> {
    let command = options.text("command").ok_or("its command can't be used")?;
    let arguments = options.texts("args");
    if arguments.is_none() && options.has("args") {
        return Err("its \"args\" aren't a list of strings".to_owned());
    }
    let cwd = options.text("cwd");
    context.command = Some(command.clone());
    context.args.clone_from(&arguments);
    context.cwd.clone_from(&cwd);
    let mut environment = options.environment.to_vec();
    for (name, value) in options.pairs("env") {
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            return Err(format!(
                "an environment can't contain the variable {name:?}"
            ));
        }
        environment.push((name.into(), value.into()));
    }
    Ok(Program {
        command: options.expand(&command),
        arguments: arguments
            .unwrap_or_default()
            .iter()
            .map(|argument| options.expand(argument))
            .collect(),
        directory: match cwd {
            Some(cwd) => directory.join(options.expand(&cwd)),
            None => directory.to_path_buf(),
        },
        environment,
    })
}
