//! The commands for hooks (`management.md` §4): each works on values and returns what to print.

mod change;
mod check;
pub(crate) mod completion;
mod demo;
mod disk_probe;
mod engine;
mod event;
mod extensions;
mod failure;
mod fire;
mod in_session;
mod list;
mod mcp;
mod migrate;
mod new;
mod review;
mod schema;
mod scope;
mod shell_words;
mod skills;
mod switch;
mod test;
mod trace;
mod trust;
mod why;

use hookloop_session::{Environment, RunOptions};
use hookloop_text::Terminal;
use tokio_util::sync::CancellationToken;

use crate::arguments::{HooksArguments, HooksCommand};
use crate::output::{Exit, Output};
use crate::{text, views};

pub(crate) use change::texts;
pub(crate) use demo::{DemoArguments, run as run_demo};
pub(crate) use extensions::run as run_extensions;
pub(crate) use failure::CommandFailure;
pub(crate) use in_session::InSession;
pub(crate) use mcp::{McpArguments, run as run_mcp};
pub(crate) use migrate::Migrated;
pub(crate) use new::Created;
pub(crate) use review::Reviewed;
pub(crate) use skills::{SkillsArguments, run as run_skills};
pub(crate) use switch::Turn;
pub(crate) use test::{Difference, TestEnd, TestResult};

/// The canonical name of a command (`cli-json.md` §1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Named(pub(crate) &'static str);

/// Holds what every command gets.
pub(crate) struct Context<'a> {
    /// The command's name.
    pub(crate) name: Named,
    /// How it prints.
    pub(crate) format: Format,
    /// The environment.
    pub(crate) environment: &'a Environment,
    /// What holds for this run alone.
    pub(crate) run: &'a RunOptions,
    /// Ends the hooks that it runs, as a signal does.
    pub(crate) stop: CancellationToken,
}

/// Says how a command prints.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Format {
    /// One JSON object.
    Json,
    /// Text for people, made for these streams.
    Text {
        /// Standard output.
        output: Terminal,
        /// Standard error.
        notices: Terminal,
    },
}

impl Format {
    fn new(is_json: bool, environment: &Environment) -> Self {
        if is_json {
            return Self::Json;
        }
        Self::Text {
            output: crate::terminal::of_output(environment),
            notices: crate::terminal::of_notices(environment),
        }
    }
}

/// Runs a command for hooks.
pub(crate) fn run(
    arguments: &HooksArguments,
    run: &RunOptions,
    environment: &Environment,
) -> Output {
    run_until(&CancellationToken::new(), arguments, run, environment)
}

/// Runs a command for hooks; when it is stopped, the hooks that it runs are ended.
pub(crate) fn run_until(
    stop: &CancellationToken,
    arguments: &HooksArguments,
    run: &RunOptions,
    environment: &Environment,
) -> Output {
    let format = Format::new(arguments.json, environment);
    let command = arguments.command.as_ref().unwrap_or(&HooksCommand::List);
    let context = Context {
        name: name(command),
        format,
        environment,
        run,
        stop: stop.clone(),
    };
    let done = match command {
        HooksCommand::List => list::list(&context),
        HooksCommand::Why(arguments) => why::why(&context, arguments),
        HooksCommand::Fire(arguments) => fire::fire(&context, arguments),
        HooksCommand::Check(arguments) => check::check(&context, *arguments),
        HooksCommand::Trust(arguments) => trust::trust(&context, &arguments.names),
        HooksCommand::Untrust(arguments) => trust::untrust(&context, &arguments.names),
        HooksCommand::Trace(arguments) => trace::trace(&context, arguments),
        HooksCommand::Replay(arguments) => trace::replay(&context, arguments),
        HooksCommand::Test(arguments) => test::test(&context, arguments),
        HooksCommand::Review(arguments) => review::review(&context, arguments.name.as_deref()),
        HooksCommand::Enable(arguments) => switch::enable(&context, &arguments.name),
        HooksCommand::Disable(arguments) => switch::disable(&context, arguments),
        HooksCommand::EnableAll(arguments) => switch::switch_all(&context, *arguments, Turn::On),
        HooksCommand::DisableAll(arguments) => switch::switch_all(&context, *arguments, Turn::Off),
        HooksCommand::New(arguments) => new::new(&context, arguments),
        HooksCommand::Schema => Ok(schema::schema()),
        HooksCommand::Migrate(arguments) => migrate::migrate(&context, *arguments),
    };
    done.unwrap_or_else(|failure| failed(&context, &failure))
}

fn name(command: &HooksCommand) -> Named {
    Named(match command {
        HooksCommand::List => "hooks list",
        HooksCommand::Why(_) => "hooks why",
        HooksCommand::Fire(_) => "hooks fire",
        HooksCommand::Check(_) => "hooks check",
        HooksCommand::Trust(_) => "hooks trust",
        HooksCommand::Untrust(_) => "hooks untrust",
        HooksCommand::Trace(_) => "hooks trace",
        HooksCommand::Replay(_) => "hooks replay",
        HooksCommand::Test(_) => "hooks test",
        HooksCommand::Review(_) => "hooks review",
        HooksCommand::Enable(_) => "hooks enable",
        HooksCommand::Disable(_) => "hooks disable",
        HooksCommand::EnableAll(_) => "hooks enable-all",
        HooksCommand::DisableAll(_) => "hooks disable-all",
        HooksCommand::New(_) => "hooks new",
        HooksCommand::Schema => "hooks schema",
        HooksCommand::Migrate(_) => "hooks migrate",
    })
}

fn failed(context: &Context<'_>, failure: &CommandFailure) -> Output {
    let (result, notices) = match context.format {
        Format::Json => (
            views::failure_document(context.name, failure),
            String::new(),
        ),
        Format::Text { notices, .. } => (String::new(), text::failure(failure, notices.palette)),
    };
    Output {
        result,
        notices,
        exit: Exit::Failed,
    }
}
