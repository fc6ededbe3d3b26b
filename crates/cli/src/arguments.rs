//! What the command line says (AG-CLI-1, AG-CLI-2, CM-9). Reading it has no effects.

mod meant;
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

/// Contains the command line, understood.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// What is to be done.
    pub(crate) action: Action,
    /// What holds for this run alone.
    pub(crate) run: RunOptions,
}

/// Says what is to be done.
#[derive(Debug)]
pub(crate) enum Action {
    /// Start a session.
    Session(Box<Options>),
    /// Let an editor drive sessions (TU-7).
    #[cfg(feature = "acp")]
    Acp(Box<Options>),
    /// Manage hooks.
    Hooks(HooksArguments),
    /// Manage the guards that come with the program.
    Guards(GuardsArguments),
    /// Manage the bridge to other agents.
    Bridge(BridgeArguments),
    /// Look at the record of what an agent did.
    Audit(AuditArguments),
    /// Manage extensions.
    Extensions(ExtensionsArguments),
    /// Manage MCP servers.
    Mcp(McpArguments),
    /// Look at skills.
    Skills(SkillsArguments),
    /// Serve a page of what hooks do.
    Dashboard(DashboardArguments),
    /// Print the completion script for a shell.
    Completions(CompletionsArguments),
    /// Print or write manual pages.
    Man(ManArguments),
    /// Complete a command line for a shell.
    Complete(CompleteArguments),
    /// Show what hooks do, with nothing to set up.
    Demo(DemoArguments),
    /// End a hook that outlives its host (SE-2).
    Watch(WatchArguments),
}

impl Action {
    /// Says what is done to what guards are made of (TR-11). A new command has to decide.
    pub(crate) fn effect(&self) -> Effect<'_> {
        match self {
            Self::Hooks(hooks) => hooks.effect(),
            Self::Guards(guards) => guards.effect(),
            Self::Bridge(bridge) => bridge.effect(),
            Self::Audit(audit) => audit.effect(),
            Self::Extensions(extensions) => extensions.effect(),
            Self::Mcp(mcp) => mcp.effect(),
            Self::Skills(skills) => skills.effect(),
            // A session below an agent loosens nothing of it.
            #[cfg(feature = "acp")]
            Self::Acp(_) => Effect::Reads,
            Self::Session(_)
            | Self::Dashboard(_)
            | Self::Completions(_)
            | Self::Man(_)
            | Self::Complete(_)
            | Self::Demo(_)
            | Self::Watch(_) => Effect::Reads,
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

#[derive(Debug, Subcommand)]
enum TopCommand {
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
    /// List, install and switch skills
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
    /// Returns how the command is called, if options that hold for one run would be without effect on it.
    fn lasting(&self) -> Option<&'static str> {
        match self {
            Self::Hooks(hooks) => hooks.command.as_ref().and_then(HooksCommand::lasting),
            Self::Guards(_) => Some("'guards'"),
            Self::Bridge(_) => Some("'bridge'"),
            Self::Audit(_) => Some("'audit'"),
            Self::ManageExtensions(_) => Some("'extensions'"),
            Self::Dashboard(_) => Some("'dashboard'"),
            Self::Completions(_) => Some("'completions'"),
            Self::Man(_) => Some("'man'"),
            Self::Demo(_) => Some("'demo'"),
            Self::Mcp(_) | Self::Skills(_) | Self::Complete(_) | Self::Watch(_) => None,
        }
    }
}

/// Returns whether nothing but the version is asked for, which needs no parser.
pub(crate) fn asks_for_version(words: &[OsString]) -> bool {
    matches!(words, [_, word] if word == "--version" || word == "-v")
}

/// Returns whether the program may be looked into, before anything else is known (ENV-3).
pub(crate) fn exposure(words: &[OsString]) -> Exposure {
    let asks = |word: &OsString| {
        // Short options may share a sign.
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

/// Returns whether the words behind this program's name could loosen the guards of an agent that runs
/// them (TR-11). What can't be understood does nothing.
pub(crate) fn loosens_guards(words: &[String]) -> bool {
    // It becomes another program, which nobody would have looked at.
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
    /// Returns whether what is asked for could loosen the guards of an agent that asks for it: settings
    /// that change, a session with fewer of them, a call in the name of an agent (TR-11).
    fn loosens_guards(&self) -> bool {
        let is_looser = self.run.no_hooks || self.run.skip_trust;
        let is_of_agent = matches!(&self.action, Action::Hooks(hooks) if hooks.call().is_some());
        let edits = matches!(
            &self.action,
            Action::Session(options) if options.config_edits != ConfigEdits::Asked
        );
        self.action.effect().changes() || is_looser || is_of_agent || edits
    }

    /// Understands the words of a command line, the program's name first. The error is a usage
    /// error, or the help that was asked for.
    pub(crate) fn read(words: Vec<OsString>) -> Result<Self, clap::Error> {
        if let Some(call) = call_of_agent(&words) {
            return Ok(Self {
                action: Action::Hooks(HooksArguments::for_call(call)),
                run: RunOptions::default(),
            });
        }
        Self::of_grammar(words)
    }

    /// Understands the words by the grammar of all commands.
    fn of_grammar(words: Vec<OsString>) -> Result<Self, clap::Error> {
        let matches = CommandLine::command().try_get_matches_from(words)?;
        if let Some(subcommand) = matches.subcommand_name() {
            reject_session_options(&matches, subcommand)?;
        }
        let line = CommandLine::from_arg_matches(&matches)?;
        if let Some(command) = line.command.as_ref().and_then(TopCommand::lasting) {
            reject_run_options(command, &line.run)?;
        }
        let action = match line.command {
            None if line.session.list_extensions => Action::Extensions(ExtensionsArguments {
                json: false,
                command: Some(ExtensionsCommand::List),
            }),
            #[cfg(feature = "acp")]
            None if line.session.acp => Action::Acp(Box::new(line.session.into())),
            None => {
                if let Some(said) = line.session.command_meant() {
                    return Err(CommandLine::command().error(ErrorKind::InvalidSubcommand, said));
                }
                Action::Session(Box::new(line.session.into()))
            }
            Some(TopCommand::Hooks(hooks)) => Action::Hooks(hooks),
            Some(TopCommand::Guards(guards)) => Action::Guards(guards),
            Some(TopCommand::Bridge(bridge)) => Action::Bridge(bridge),
            Some(TopCommand::Audit(audit)) => Action::Audit(audit),
            Some(TopCommand::ManageExtensions(extensions)) => Action::Extensions(extensions),
            Some(TopCommand::Mcp(mcp)) => Action::Mcp(mcp),
            Some(TopCommand::Skills(skills)) => Action::Skills(skills),
            Some(TopCommand::Dashboard(dashboard)) => Action::Dashboard(dashboard),
            Some(TopCommand::Completions(completions)) => Action::Completions(completions),
            Some(TopCommand::Man(man)) => Action::Man(man),
            Some(TopCommand::Complete(complete)) => Action::Complete(complete),
            Some(TopCommand::Demo(demo)) => Action::Demo(demo),
            Some(TopCommand::Watch(watch)) => Action::Watch(watch),
        };
        Ok(Self {
            action,
            run: line.run.into(),
        })
    }
}

/// Contains the line that an agent calls, alone: an agent waits for it before each action, and the
/// grammar of all commands takes longer to build than the rest of a call (BR-31).
#[derive(Debug, Parser)]
struct CallLine {
    #[command(flatten)]
    call: CallArguments,
}

/// Returns the call of an agent, written as the bridge registers it. Whatever else there is, mistakes
/// too, is left to the grammar of all commands.
fn call_of_agent(words: &[OsString]) -> Option<CallArguments> {
    let [_, hooks, rest @ ..] = words else {
        return None;
    };
    // The parser takes the first word for the program's name.
    let is_call = hooks == "hooks" && rest.first().is_some_and(|it| it == "bridge");
    let line = is_call.then(|| CallLine::try_parse_from(rest));
    line?.ok().map(|it| it.call)
}

/// Rejects options of a session in front of a subcommand: they would be without effect.
fn reject_session_options(matches: &ArgMatches, subcommand: &str) -> Result<(), clap::Error> {
    let mut session = SessionArguments::augment_args(Command::new("session"));
    // Only a built argument can be shown.
    session.build();
    let given = session
        .get_arguments()
        // Who always asks for details gets them where there are some.
        .filter(|it| it.get_id() != "debug")
        .find(|it| matches.value_source(it.get_id().as_str()) == Some(ValueSource::CommandLine));
    match given {
        None => Ok(()),
        Some(argument) => Err(conflict(&format!(
            "the argument '{argument}' can't be used with '{subcommand}'"
        ))),
    }
}

/// Rejects options that would be without effect on a command.
fn reject_run_options(commands: &str, run: &RunArguments) -> Result<(), clap::Error> {
    let given = [
        ("--skip-trust", run.skip_trust),
        ("--no-hooks", run.no_hooks),
        ("--extensions", !run.extensions.is_empty()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((name, _)) => Err(conflict(&format!(
            "the argument '{name}' can't be used with {commands}"
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
