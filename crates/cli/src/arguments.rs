//! Parses the command line (AG-CLI-1, AG-CLI-2, CM-9), without any other effect.

mod misplaced_command;
mod session;

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use hookloop_environment::Exposure;
use hookloop_session::{ConfigEdits, Options, RunOptions, WATCH_COMMAND};

use session::SessionArguments;

use crate::commands::{
    AuditArguments, BridgeArguments, COMPLETE_NAME, CallArguments, CompleteArguments,
    CompletionsArguments, DashboardArguments, DemoArguments, Effect, ExtensionsArguments,
    ExtensionsCommand, GuardsArguments, HooksArguments, HooksCommand, ManArguments, McpArguments,
    SkillsArguments, WatchArguments,
};

/// What `--version` prints.
pub(crate) const VERSION_LINE: &str = concat!("hookloop ", env!("CARGO_PKG_VERSION"));

/// The parsed command line.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// What to do.
    pub(crate) action: Action,
    /// The canonical name of the command (`cli-json.md` §1); empty for a session.
    pub(crate) name: String,
    /// The options that apply only to this run.
    pub(crate) run: RunOptions,
}

/// What to do.
#[derive(Debug)]
pub(crate) enum Action {
    /// Start a session.
    Session(Box<Options>),
    /// Let an editor drive sessions (TU-7).
    #[cfg(feature = "acp")]
    Acp(Box<Options>),
    /// Carry out a command.
    Command(Box<TopCommand>),
}

impl Action {
    fn for_call(call: CallArguments) -> Self {
        Self::Command(Box::new(TopCommand::Hooks(HooksArguments::for_call(call))))
    }

    /// Returns another agent's call, if it is one: it is handled before anything else can fail
    /// (BR-22).
    pub(crate) fn call(&self) -> Option<&CallArguments> {
        let Self::Command(command) = self else {
            return None;
        };
        match command.as_ref() {
            TopCommand::Hooks(hooks) => match &hooks.command {
                Some(HooksCommand::Bridge(call)) => Some(call),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the effect on files that guards depend on (TR-11). A session started by an agent
    /// weakens none of the agent's guards.
    pub(crate) fn effect(&self) -> Effect<'_> {
        match self {
            Self::Command(command) => command.effect(),
            _ => Effect::Reads,
        }
    }
}

/// Contains the options that sessions and the commands for hooks share.
#[derive(Debug, Clone, Default, Args)]
struct RunArguments {
    /// Trust the workspace for this run: its settings count and its hooks run
    #[arg(long, global = true)]
    skip_trust: bool,
    /// Run no hooks
    #[arg(long, global = true)]
    no_hooks: bool,
    /// Use only these extensions; "none" uses none
    #[arg(short, long, global = true, value_name = "NAME", value_delimiter = ',')]
    extensions: Vec<String>,
}

impl From<RunArguments> for RunOptions {
    fn from(arguments: RunArguments) -> Self {
        let RunArguments {
            skip_trust,
            no_hooks,
            extensions,
        } = arguments;
        Self {
            skip_trust,
            no_hooks,
            extensions,
            is_noted: false,
        }
    }
}

#[derive(Debug, Parser)]
#[command(
    name = "hookloop",
    about = "A coding agent for the terminal, and the tools to manage its hooks",
    disable_version_flag = true,
    version
)]
struct CommandLine {
    #[command(flatten)]
    session: SessionArguments,
    #[command(flatten)]
    run: RunArguments,
    #[command(subcommand)]
    command: Option<TopCommand>,
    /// Print the version
    #[arg(short = 'v', long, action = clap::ArgAction::Version)]
    version: Option<bool>,
}

/// Names the commands of the program.
#[derive(Debug, Subcommand)]
pub(crate) enum TopCommand {
    /// List, explain, try out and trust hooks
    #[command(visible_alias = "hook")]
    Hooks(HooksArguments),
    /// List, add, remove and measure the guards that come with the program
    #[command(visible_alias = "guard")]
    Guards(GuardsArguments),
    /// Let other agents run your hooks: install, check and remove the bridge
    Bridge(BridgeArguments),
    /// Verify the log that the guard "audit" keeps
    Audit(AuditArguments),
    /// Install, update, list, enable and disable extensions
    #[command(name = "extensions", visible_alias = "extension")]
    ManageExtensions(ExtensionsArguments),
    /// List, add and remove MCP servers
    Mcp(McpArguments),
    /// List, install, enable and disable skills
    Skills(SkillsArguments),
    /// Serve a local page that shows what hooks do, in all sessions of all agents
    Dashboard(DashboardArguments),
    /// Print the completion script for a shell
    Completions(CompletionsArguments),
    /// Print the manual page, or write one for each command
    Man(ManArguments),
    /// Completes a command line for a shell
    #[command(name = COMPLETE_NAME, hide = true)]
    Complete(CompleteArguments),
    /// Show what hooks do, in a temporary project with a scripted model
    Demo(DemoArguments),
    /// Ends a hook that outlives its host
    #[command(name = WATCH_COMMAND, hide = true)]
    Watch(WatchArguments),
}

impl TopCommand {
    /// Returns the command's effect on files that guards depend on (TR-11). Every new command has
    /// to define it.
    fn effect(&self) -> Effect<'_> {
        match self {
            Self::Hooks(hooks) => hooks.effect(),
            Self::Guards(guards) => guards.effect(),
            Self::Bridge(bridge) => bridge.effect(),
            Self::ManageExtensions(extensions) => extensions.effect(),
            Self::Mcp(mcp) => mcp.effect(),
            Self::Skills(skills) => skills.effect(),
            // `audit` only appends lines.
            Self::Audit(_)
            | Self::Dashboard(_)
            | Self::Completions(_)
            | Self::Man(_)
            | Self::Complete(_)
            | Self::Demo(_)
            | Self::Watch(_) => Effect::Reads,
        }
    }

    /// Returns whether options that apply to one run would have no effect on the command.
    fn ignores_run_options(&self) -> bool {
        match self {
            Self::Hooks(hooks) => {
                let command = hooks.command.as_ref();
                command.is_some_and(HooksCommand::ignores_run_options)
            }
            Self::Mcp(_) | Self::Skills(_) | Self::Complete(_) | Self::Watch(_) => false,
            _ => true,
        }
    }
}

/// Returns whether only the version is requested, which needs no parser.
pub(crate) fn asks_for_version(words: &[OsString]) -> bool {
    matches!(words, [_, word] if word == "--version" || word == "-v")
}

/// Returns whether other processes may inspect the program, before anything else is parsed (ENV-3).
pub(crate) fn exposure(words: &[OsString]) -> Exposure {
    let asks = |word: &OsString| {
        // Short options may be combined.
        let is_short = |it: &str| it.starts_with('-') && !it.starts_with("--") && it.contains('d');
        word == "--debug" || word.to_str().is_some_and(is_short)
    };
    let mut options = words.iter().skip(1).take_while(|word| *word != "--");
    if options.any(asks) {
        Exposure::Debuggable
    } else {
        Exposure::Hidden
    }
}

/// Returns whether a command line of this program could loosen the guards of an agent that runs it
/// (TR-11). Invalid command lines do nothing.
pub(crate) fn loosens_guards(words: &[String]) -> bool {
    // The process becomes another program, which wouldn't have been checked.
    if words
        .first()
        .is_some_and(|it| it == hookloop_sandbox::COMMAND)
    {
        return true;
    }
    let words = std::iter::once("hookloop").chain(words.iter().map(String::as_str));
    let read = Arguments::read(words.map(Into::into).collect());
    read.is_ok_and(|arguments| arguments.loosens_guards())
}

impl Arguments {
    /// Returns whether this command could loosen the guards of an agent that runs it: by changing
    /// settings, by starting a session with fewer guards, or by a call in the name of an agent
    /// (TR-11).
    fn loosens_guards(&self) -> bool {
        let is_looser = self.run.no_hooks || self.run.skip_trust;
        let is_of_agent = self.action.call().is_some();
        let edits = matches!(
            &self.action,
            Action::Session(options) if options.config_edits != ConfigEdits::Asked
        );
        self.action.effect().changes() || is_looser || is_of_agent || edits
    }

    /// Parses a command line, the program's name first. The error is a usage error, or the
    /// requested help.
    pub(crate) fn read(words: Vec<OsString>) -> Result<Self, clap::Error> {
        if let Some(call) = call_of_agent(&words) {
            return Ok(Self {
                action: Action::for_call(call),
                name: "hooks bridge".to_owned(),
                run: RunOptions::default(),
            });
        }
        Self::parse_full(words)
    }

    /// Parses a command line with the full grammar.
    fn parse_full(words: Vec<OsString>) -> Result<Self, clap::Error> {
        let mut grammar = CommandLine::command();
        let matches = grammar.try_get_matches_from_mut(words)?;
        if let Some(subcommand) = matches.subcommand_name() {
            reject_session_options(&matches, subcommand)?;
        }
        let mut name = command_name(&matches, &grammar);
        let line = CommandLine::from_arg_matches(&matches)?;
        let command = line.command.as_ref();
        if command.is_some_and(TopCommand::ignores_run_options) {
            reject_run_options(&name, &line.run)?;
        }
        let action = match line.command {
            Some(command) => Action::Command(Box::new(command)),
            None if line.session.list_extensions => {
                "extensions list".clone_into(&mut name);
                let list = ExtensionsArguments {
                    json: false,
                    command: Some(ExtensionsCommand::List),
                };
                Action::Command(Box::new(TopCommand::ManageExtensions(list)))
            }
            #[cfg(feature = "acp")]
            None if line.session.acp => Action::Acp(Box::new(line.session.into())),
            None => {
                if let Some(said) = line.session.misplaced_command() {
                    return Err(CommandLine::command().error(ErrorKind::InvalidSubcommand, said));
                }
                Action::Session(Box::new(line.session.into()))
            }
        };
        Ok(Self {
            action,
            name,
            run: line.run.into(),
        })
    }
}

/// Contains only the line that an agent calls: an agent waits for it before each action, and the
/// grammar of all commands takes longer to build than the rest of a call (BR-31).
#[derive(Debug, Parser)]
struct CallLine {
    #[command(flatten)]
    call: CallArguments,
}

/// Returns an agent's call in exactly the form that the bridge registers. Everything else,
/// including mistakes, is left to the full grammar.
fn call_of_agent(words: &[OsString]) -> Option<CallArguments> {
    let [_, hooks, rest @ ..] = words else {
        return None;
    };
    // The parser treats the first word as the program's name.
    let is_call = hooks == "hooks" && rest.first().is_some_and(|it| it == "bridge");
    let line = is_call.then(|| CallLine::try_parse_from(rest));
    line?.ok().map(|it| it.call)
}

/// Returns the canonical name of a command: its words without the program's name. A group alone
/// means its `list` command.
fn command_name(matches: &ArgMatches, grammar: &Command) -> String {
    let chain = std::iter::successors(matches.subcommand(), |(_, below)| below.subcommand());
    let mut words: Vec<&str> = chain.map(|(word, _)| word).collect();
    if let [group] = words.as_slice()
        && let Some(group) = grammar.find_subcommand(group)
        && group.find_subcommand("list").is_some()
    {
        words.push("list");
    }
    words.join(" ")
}

/// Rejects session options before a subcommand, where they would have no effect.
fn reject_session_options(matches: &ArgMatches, subcommand: &str) -> Result<(), clap::Error> {
    let mut session = SessionArguments::augment_args(Command::new("session"));
    // Arguments can be displayed only after `build`.
    session.build();
    let given = session
        .get_arguments()
        // `--debug` is allowed everywhere, even if it has no effect.
        .filter(|it| it.get_id() != "debug")
        .find(|it| matches.value_source(it.get_id().as_str()) == Some(ValueSource::CommandLine));
    match given {
        None => Ok(()),
        Some(argument) => Err(conflict(&format!(
            "the argument '{argument}' can't be used with '{subcommand}'"
        ))),
    }
}

/// Rejects options that would have no effect on a command.
fn reject_run_options(command: &str, run: &RunArguments) -> Result<(), clap::Error> {
    let given = [
        ("--skip-trust", run.skip_trust),
        ("--no-hooks", run.no_hooks),
        ("--extensions", !run.extensions.is_empty()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((name, _)) => Err(conflict(&format!(
            "the argument '{name}' can't be used with '{command}'"
        ))),
    }
}

/// Returns the grammar of the command line, for completing it.
pub(crate) fn grammar() -> Command {
    CommandLine::command()
}

fn conflict(message: &str) -> clap::Error {
    CommandLine::command().error(ErrorKind::ArgumentConflict, message)
}

#[cfg(test)]
mod tests;
