//! How a hook runs, by its `type` (`handlers.md`).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::policy::words;
use crate::rule::Rules;
use crate::source::Source;

/// The default time after which an idle worker is ended (HT-10).
pub const DEFAULT_IDLE: Duration = Duration::from_mins(10);

words! {
    /// A kind of hook: the `type` of its entry.
    HookType {
        /// A program that is started for each event.
        #[default]
        Command = "command",
        /// A program that keeps running (HT-10).
        Worker = "worker",
        /// An HTTP service (HT-15).
        Http = "http",
        /// A WebAssembly component (HT-20).
        Plugin = "plugin",
        /// Conditions and verdicts, without a program (HT-25).
        Rule = "rule",
        /// A tool of a configured MCP server (HT-50).
        McpTool = "mcp_tool",
        /// A question to a model (HT-50).
        Prompt = "prompt",
    }
}

words! {
    /// A shell that a command can request (HT-4).
    Shell {
        /// bash.
        #[default]
        Bash = "bash",
        /// sh.
        Sh = "sh",
        /// PowerShell.
        PowerShell = "powershell",
        /// The command processor of Windows.
        Cmd = "cmd",
    }
}

/// What a hook runs.
///
/// Deliberately exhaustive: code that vouches for hooks must examine what each kind runs. Otherwise
/// a new kind would run unexamined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handler {
    /// A program that is started for each event (IO-35, HT-4).
    Command {
        /// The text for a shell; with `args`, the program. Extension variables are replaced,
        /// `$GEMINI_…` is left as written.
        command: String,
        /// The arguments; if they are given, no shell is involved.
        args: Option<Vec<String>>,
        /// The requested shell.
        shell: Option<Shell>,
    },
    /// A program that keeps running and answers each event with one line (HT-10).
    Worker {
        /// The text for a shell; with `args`, the program.
        command: String,
        /// The arguments; if they are given, no shell is involved.
        args: Option<Vec<String>>,
        /// How long it may be idle before it is ended.
        idle: Duration,
    },
    /// A service to which the payload is posted (HT-15).
    Http(HttpRequest),
    /// A WebAssembly component (HT-20).
    Plugin(Plugin),
    /// Conditions and verdicts (HT-25).
    Rule {
        /// The rules, or the file that contains them.
        rules: Rules,
    },
    /// A tool of a configured MCP server (HT-50).
    McpTool(McpCall),
    /// A question to a model (HT-50).
    Prompt(PromptCall),
    /// A closure of the embedding host. It never comes from a file.
    InProcess,
    /// The handler couldn't be read; `broken` in the declaration has the reason (IO-21).
    Unreadable {
        /// The `type`, if it is a text.
        type_name: Option<String>,
    },
}

/// The request of an HTTP hook (HT-15).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HttpRequest {
    /// The address to which the payload is posted.
    pub url: String,
    /// Headers; `$VAR` is replaced by a variable in `allowed_env`.
    pub headers: BTreeMap<String, String>,
    /// The variables that headers may use.
    pub allowed_env: Vec<String>,
}

/// A WebAssembly hook (HT-20, HT-21).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plugin {
    /// The component's file, as configured.
    pub plugin: String,
    /// The rights that it has.
    pub grants: PluginGrants,
    /// Whether one instance serves all events.
    pub live: bool,
}

/// The rights of a WebAssembly hook; none by default (HT-20).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct PluginGrants {
    /// Files and folders that it may read.
    pub read: Vec<String>,
    /// Variables that it may read.
    pub env: Vec<String>,
    /// Addresses that it may reach.
    pub net: Vec<String>,
}

/// A call of an MCP server's tool, which decides (HT-50).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct McpCall {
    /// The name of the configured server.
    pub server: String,
    /// The tool's name on the server.
    pub tool: String,
    /// The arguments, with references such as `${tool_input.file_path}` in texts.
    pub input: Value,
    /// The configuration of the server from the layers that this hook may rely on. `None` until all
    /// layers are read, and if none of them configures the server.
    pub configured: Option<Arc<ConfiguredServer>>,
}

/// The configuration of an MCP server in a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfiguredServer {
    /// Its configuration, as written.
    pub configuration: Value,
    /// The place of the configuration.
    pub source: Source,
}

impl ConfiguredServer {
    /// Describes in one line what is started or connected to: the command with its arguments, or
    /// the address.
    pub fn describe(&self) -> String {
        let text = |field: &str| self.configuration.get(field).and_then(Value::as_str);
        if let Some(address) = text("httpUrl").or_else(|| text("url")) {
            return address.to_owned();
        }
        let arguments: Option<Vec<String>> = self
            .configuration
            .get("args")
            .and_then(Value::as_array)
            .map(|list| {
                let texts = list
                    .iter()
                    .map(|it| it.as_str().map_or_else(|| it.to_string(), str::to_owned));
                texts.collect()
            });
        command_line(text("command").unwrap_or_default(), arguments.as_deref())
    }
}

/// A question to a model (HT-50).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PromptCall {
    /// The question; `$ARGUMENTS` is replaced by the payload.
    pub prompt: String,
    /// The model; `None` for the session's model.
    pub model: Option<String>,
    /// What `model` stands for in the layers that this hook may rely on (MO-6). `None` until all
    /// layers are read, and without `model`.
    pub served: Option<Arc<ServedModel>>,
}

/// A model as its service knows it, with what is set for it (MO-6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedModel {
    /// Its name at the service.
    pub name: String,
    /// The parameters of its requests.
    pub parameters: serde_json::Map<String, Value>,
}

impl PromptCall {
    /// Returns the name of the model for people: an alias with what it stands for.
    fn describe_model(&self) -> Option<String> {
        let model = self.model.as_ref()?;
        let other = self.served.as_ref().filter(|it| it.name != *model);
        Some(other.map_or_else(|| model.clone(), |it| format!("{model} = {}", it.name)))
    }
}

impl Handler {
    /// Creates a command that the default shell runs.
    pub fn command(text: impl Into<String>) -> Self {
        Self::Command {
            command: text.into(),
            args: None,
            shell: None,
        }
    }

    /// Returns the `type`, or `None` for closures and for handlers that couldn't be read.
    pub const fn hook_type(&self) -> Option<HookType> {
        match self {
            Self::Command { .. } => Some(HookType::Command),
            Self::Worker { .. } => Some(HookType::Worker),
            Self::Http(_) => Some(HookType::Http),
            Self::Plugin(_) => Some(HookType::Plugin),
            Self::Rule { .. } => Some(HookType::Rule),
            Self::McpTool(_) => Some(HookType::McpTool),
            Self::Prompt(_) => Some(HookType::Prompt),
            Self::InProcess | Self::Unreadable { .. } => None,
        }
    }

    /// Returns the `type` for listings, as in settings.
    pub fn type_name(&self) -> &str {
        match self {
            Self::InProcess => "in-process",
            Self::Unreadable { type_name } => type_name.as_deref().unwrap_or("unreadable"),
            _ => self.hook_type().map_or("", HookType::as_str),
        }
    }

    /// Returns the command, or the program of a worker, with variables as written. Empty for
    /// handlers that start no program.
    pub fn program(&self) -> &str {
        match self {
            Self::Command { command, .. } | Self::Worker { command, .. } => command,
            _ => "",
        }
    }

    /// Returns the arguments that are passed without a shell (HT-4).
    pub fn args(&self) -> Option<&[String]> {
        match self {
            Self::Command { args, .. } | Self::Worker { args, .. } => args.as_deref(),
            _ => None,
        }
    }

    /// Describes in one line what happens when the hook runs, for people who are asked to trust it
    /// (TR-2): the command with its arguments, the address with its headers, the component with its
    /// rights, the rules, the tool with its arguments, or the question.
    pub fn describe(&self) -> String {
        match self {
            Self::Command {
                command,
                args,
                shell,
            } => {
                let shell = shell.map(|it| format!(" (in {it})")).unwrap_or_default();
                command_line(command, args.as_deref()) + &shell
            }
            Self::Worker { command, args, .. } => command_line(command, args.as_deref()),
            Self::Http(request) => {
                let headers = request.headers.iter();
                let headers = headers.map(|(name, value)| format!("{name}: {value}"));
                format!("POST {}{}", request.url, format_list("with", headers))
            }
            Self::Plugin(Plugin { plugin, grants, .. }) => {
                let rights = [
                    ("reads", &grants.read),
                    ("environment", &grants.env),
                    ("reaches", &grants.net),
                ];
                let rights = rights.map(|(what, of)| format_list(what, of.iter().cloned()));
                format!("{plugin}{}", rights.concat())
            }
            Self::Rule {
                rules: Rules::File(file),
            } => file.clone(),
            Self::Rule {
                rules: Rules::Inline(rules),
            } => {
                let labels = rules
                    .iter()
                    .map(|it| it.name.as_deref().unwrap_or(&it.when));
                labels.collect::<Vec<_>>().join("; ")
            }
            Self::McpTool(call) => {
                let input = (!call.input.is_null()).then(|| call.input.to_string());
                let server = call.configured.as_ref().map(|it| it.describe());
                let (tool, of) = (&call.tool, &call.server);
                format!(
                    "{tool} of {of}{}{}",
                    format_list("that is", server),
                    format_list("with", input)
                )
            }
            Self::Prompt(call) => format!(
                "{}{}",
                call.prompt,
                format_list("model", call.describe_model())
            ),
            Self::InProcess => "a function of this program".to_owned(),
            Self::Unreadable { .. } => "nothing that can be read".to_owned(),
        }
    }

    /// Returns the label of a hook without a name: its command, address, file, tool or question.
    pub fn summary(&self) -> &str {
        match self {
            Self::Command { command, .. } | Self::Worker { command, .. } => command,
            Self::Http(request) => &request.url,
            Self::Plugin(plugin) => &plugin.plugin,
            Self::Rule { rules } => rules.summary(),
            Self::McpTool(call) => &call.tool,
            Self::Prompt(call) => &call.prompt,
            Self::InProcess | Self::Unreadable { .. } => "",
        }
    }
}

/// Writes a program and its arguments on one line, for reading: arguments that aren't a single word
/// are quoted.
fn command_line(program: &str, arguments: Option<&[String]>) -> String {
    let shown = arguments.into_iter().flatten().map(|argument| {
        let is_word = !argument.is_empty()
            && !argument.contains(|sign: char| sign.is_whitespace() || "'\"\\".contains(sign));
        if is_word {
            argument.clone()
        } else {
            format!("{argument:?}")
        }
    });
    let words: Vec<String> = std::iter::once(program.to_owned()).chain(shown).collect();
    words.join(" ")
}

/// Writes a list in brackets after its word; nothing if there is none.
fn format_list(word: &str, list: impl IntoIterator<Item = String>) -> String {
    let list: Vec<String> = list.into_iter().collect();
    if list.is_empty() {
        return String::new();
    }
    format!(" ({word} {})", list.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// TR-2, HT-15: whatever a hook is, people read what happens when it runs.
    #[test]
    fn what_runs_is_said_of_every_kind() {
        let http = HttpRequest {
            url: "https://hooks.example/a".to_owned(),
            headers: [("authorization".to_owned(), "Bearer $T".to_owned())].into(),
            allowed_env: vec!["T".to_owned()],
        };
        let plugin = Plugin {
            plugin: "guard.wasm".to_owned(),
            grants: PluginGrants {
                net: vec!["a.example".to_owned()],
                ..PluginGrants::default()
            },
            live: false,
        };
        let tool = McpCall {
            server: "fs".to_owned(),
            tool: "look".to_owned(),
            input: json!({"a": 1}),
            configured: Some(Arc::new(ConfiguredServer {
                configuration: json!({"command": "./fs-server", "args": ["--all"]}),
                source: Source::of_file(std::path::Path::new("settings.json")),
            })),
        };
        let prompt = PromptCall {
            prompt: "is it safe?".to_owned(),
            ..PromptCall::default()
        };
        let arguments = Handler::Command {
            command: "sh".to_owned(),
            args: Some(vec!["-c".to_owned(), "touch X".to_owned()]),
            shell: None,
        };
        for (handler, said) in [
            (Handler::command("./guard.sh"), vec!["./guard.sh"]),
            (arguments, vec!["sh", "-c", "touch X"]),
            (
                Handler::Http(http),
                vec!["https://hooks.example/a", "authorization", "$T"],
            ),
            (Handler::Plugin(plugin), vec!["guard.wasm", "a.example"]),
            (
                Handler::McpTool(tool),
                vec!["look", "fs", "\"a\"", "./fs-server --all"],
            ),
            (Handler::Prompt(prompt), vec!["is it safe?"]),
            (Handler::InProcess, vec!["this program"]),
            (Handler::Unreadable { type_name: None }, vec!["read"]),
        ] {
            let text = handler.describe();
            for part in said {
                assert!(text.contains(part), "{text} holds {part}");
            }
        }
    }
}
