//! The slash commands that the user types (TU-2).

pub(crate) mod elsewhere;

/// A command from a file (TU-5), or a prompt of an MCP server (TO-3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomCommand {
    /// Its name without the slash, such as `git:commit`.
    pub name: String,
    /// What it does, and its origin if it isn't the user's.
    pub note: String,
    /// The names of its arguments, given as `--name=value`.
    pub arguments: Vec<String>,
}

/// A command of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlashCommand {
    /// Lists the commands.
    Help,
    /// Ends the session and starts another one.
    Clear,
    /// Compresses the history.
    Compress,
    /// Shows what the session used.
    Stats,
    /// Lists the tools.
    Tools,
    /// Changes the model.
    Model,
    /// Manages hooks.
    Hooks,
    /// Lists MCP servers.
    Mcp,
    /// Lists extensions.
    Extensions,
    /// Shows the model's context about the project.
    Memory,
    /// Continues another session.
    Resume,
    /// Goes back to an earlier prompt of this session.
    Rewind,
    /// Opens an editor.
    Editor,
    /// Shows what hooks said in the last turn.
    Last,
    /// Leaves.
    Quit,
}

/// All commands in the order of `/help`.
pub(crate) const ALL: [SlashCommand; 15] = [
    SlashCommand::Help,
    SlashCommand::Clear,
    SlashCommand::Compress,
    SlashCommand::Hooks,
    SlashCommand::Tools,
    SlashCommand::Stats,
    SlashCommand::Model,
    SlashCommand::Mcp,
    SlashCommand::Extensions,
    SlashCommand::Memory,
    SlashCommand::Resume,
    SlashCommand::Rewind,
    SlashCommand::Editor,
    SlashCommand::Last,
    SlashCommand::Quit,
];

/// A word that can follow a command, what follows that, and what it does.
pub(crate) type Subcommand = (&'static str, Continuation, &'static str);

const HOOKS: [Subcommand; 9] = [
    (
        "panel",
        Continuation::Nothing,
        "all hooks, to inspect and switch",
    ),
    ("check", Continuation::Nothing, "what is wrong with them"),
    (
        "why",
        Continuation::EventName,
        "who runs on an event, and why",
    ),
    ("fire", Continuation::EventName, "try an event out"),
    ("enable", Continuation::HookName, "switch a hook on"),
    ("disable", Continuation::HookName, "switch a hook off"),
    (
        "trust",
        Continuation::HookName,
        "agree to a hook of the project",
    ),
    ("untrust", Continuation::HookName, "withdraw that trust"),
    (
        "review",
        Continuation::HookName,
        "review a hook of the project",
    ),
];

const MCP: [Subcommand; 2] = [
    ("list", Continuation::Nothing, "all of them"),
    (
        "auth",
        Continuation::Nothing,
        "log in: /mcp auth NAME; --forget logs out",
    ),
];

const LIST: [Subcommand; 1] = [("list", Continuation::Nothing, "all of them")];

const MEMORY: [Subcommand; 4] = [
    (
        "show",
        Continuation::Nothing,
        "the context files with their text",
    ),
    (
        "list",
        Continuation::Nothing,
        "the paths of the context files",
    ),
    ("refresh", Continuation::Nothing, "read them again"),
    (
        "add",
        Continuation::Nothing,
        "remember a fact in every session",
    ),
];

const RESUME: [Subcommand; 1] = [(
    "latest",
    Continuation::Nothing,
    "the session before this one",
)];

/// What follows a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Continuation {
    Nothing,
    HookName,
    EventName,
}

impl SlashCommand {
    /// All commands, in the order of `/help`.
    pub const ALL: [Self; 15] = ALL;

    /// Returns the command's name, without the slash.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Help => "help",
            Self::Clear => "clear",
            Self::Compress => "compress",
            Self::Stats => "stats",
            Self::Tools => "tools",
            Self::Model => "model",
            Self::Hooks => "hooks",
            Self::Mcp => "mcp",
            Self::Extensions => "extensions",
            Self::Memory => "memory",
            Self::Resume => "resume",
            Self::Rewind => "rewind",
            Self::Editor => "editor",
            Self::Last => "last",
            Self::Quit => "quit",
        }
    }

    /// Returns what it does, in a few words.
    pub(crate) const fn description(self) -> &'static str {
        match self {
            Self::Help => "this list",
            Self::Clear => "start a new session",
            Self::Compress => "compress the history",
            Self::Stats => "what the session used",
            Self::Tools => "the tools of the model",
            Self::Model => "choose the model; /model NAME asks that one",
            Self::Hooks => "list, explain and trust hooks",
            Self::Mcp => "MCP servers and their tools",
            Self::Extensions => "extensions and what they bring",
            Self::Memory => "what the model is told about the project",
            Self::Resume => "continue another session",
            Self::Rewind => "go back to an earlier prompt, with files",
            Self::Editor => "write in $VISUAL or $EDITOR",
            Self::Last => "what each hook said in the last turn",
            Self::Quit => "leave",
        }
    }

    /// Returns the words that can follow it.
    pub(crate) const fn subcommands(self) -> &'static [Subcommand] {
        match self {
            Self::Hooks => &HOOKS,
            Self::Mcp => &MCP,
            Self::Extensions => &LIST,
            Self::Memory => &MEMORY,
            Self::Resume => &RESUME,
            Self::Help
            | Self::Clear
            | Self::Compress
            | Self::Stats
            | Self::Tools
            | Self::Model
            | Self::Rewind
            | Self::Editor
            | Self::Last
            | Self::Quit => &[],
        }
    }

    /// Finds the session's command with a name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "exit" => Some(Self::Quit),
            "?" => Some(Self::Help),
            // Gemini CLI's name for it.
            "restore" => Some(Self::Rewind),
            name => ALL.into_iter().find(|it| it.name() == name),
        }
    }
}

/// What the user typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Typed {
    /// Something for the model.
    Prompt(String),
    /// A command with its arguments.
    Command(SlashCommand, String),
    /// A command for the shell.
    Shell(String),
    /// A command of user, project or an extension, with its arguments.
    Custom(String, String),
    /// An unknown command.
    Unknown(String),
}

/// Distinguishes commands from prompts. A path isn't a command.
pub(crate) fn understand(text: &str, known: &[CustomCommand]) -> Typed {
    let line = text.trim();
    if let Some(command) = line.strip_prefix('!').map(str::trim) {
        return match command {
            "" => Typed::Prompt(text.to_owned()),
            command => Typed::Shell(command.to_owned()),
        };
    }
    if line == "?" {
        return Typed::Command(SlashCommand::Help, String::new());
    }
    let Some(line) = line.strip_prefix('/') else {
        return Typed::Prompt(text.to_owned());
    };
    let (name, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let looks_like_name = name
        .chars()
        .all(|it| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '?' | ':'));
    match SlashCommand::from_name(name) {
        Some(command) => Typed::Command(command, arguments.trim().to_owned()),
        None if known.iter().any(|it| it.name == name) => {
            Typed::Custom(name.to_owned(), arguments.trim().to_owned())
        }
        None => match elsewhere::equivalent(name).and_then(SlashCommand::from_name) {
            Some(command) => Typed::Command(command, arguments.trim().to_owned()),
            None if looks_like_name => Typed::Unknown(name.to_owned()),
            None => Typed::Prompt(text.to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TU-2: every command is understood by its name, `/exit` leaves like `/quit`, and `/restore`
    /// goes back like `/rewind`.
    #[test]
    fn commands_are_understood() {
        for command in ALL {
            let typed = understand(&format!("/{} a  b ", command.name()), &[]);
            assert_eq!(typed, Typed::Command(command, "a  b".to_owned()));
        }
        let quit = Typed::Command(SlashCommand::Quit, String::new());
        assert_eq!(understand("/exit", &[]), quit);
        let rewind = Typed::Command(SlashCommand::Rewind, String::new());
        assert_eq!(understand("/restore", &[]), rewind);
    }

    /// TU-2: other agents' names for commands do what they do there, unless somebody has a command
    /// with that name.
    #[test]
    fn words_of_other_agents_are_understood() {
        let compress = Typed::Command(SlashCommand::Compress, "a".to_owned());
        assert_eq!(understand("/compact a", &[]), compress);
        let own = CustomCommand {
            name: "compact".to_owned(),
            note: String::new(),
            arguments: Vec::new(),
        };
        let custom = Typed::Custom("compact".to_owned(), "a".to_owned());
        assert_eq!(understand("/compact a", &[own]), custom);
        assert!(elsewhere::replacement("chat").is_some());
    }

    /// TU-2: an unknown command is never sent to the model, a path is.
    #[test]
    fn unknown_commands_are_no_prompts() {
        assert_eq!(
            understand("/cleer", &[]),
            Typed::Unknown("cleer".to_owned())
        );
        for prompt in ["/usr/bin/env is what?", "what is /help?", "hello"] {
            assert_eq!(understand(prompt, &[]), Typed::Prompt(prompt.to_owned()));
        }
    }

    /// TU-5: what begins with an exclamation mark is for the shell, and a question mark alone shows
    /// the keys.
    #[test]
    fn shell_commands_are_understood() {
        assert_eq!(
            understand(" !ls -l ", &[]),
            Typed::Shell("ls -l".to_owned())
        );
        assert_eq!(understand("!", &[]), Typed::Prompt("!".to_owned()));
        let help = Typed::Command(SlashCommand::Help, String::new());
        assert_eq!(understand("?", &[]), help);
    }

    /// TU-5: commands of user and project are recognised by their names, and none replaces one of
    /// the session.
    #[test]
    fn own_commands_are_understood() {
        let known = ["git:commit", "clear"].map(|name| CustomCommand {
            name: name.to_owned(),
            note: String::new(),
            arguments: Vec::new(),
        });
        let commit = Typed::Custom("git:commit".to_owned(), "fix  it".to_owned());
        assert_eq!(understand("/git:commit fix  it ", &known), commit);
        let clear = Typed::Command(SlashCommand::Clear, String::new());
        assert_eq!(understand("/clear", &known), clear);
        assert_eq!(
            understand("/git:comit", &known),
            Typed::Unknown("git:comit".to_owned())
        );
    }
}
