//! The commands for hooks (`management.md` §4): each works on values and returns what to print.

mod check;
mod disk_probe;
mod event;
mod failure;
mod fire;
mod list;
mod trust;
mod why;

use crate::arguments::{HooksArguments, HooksCommand, RunOptions};
use crate::environment::Environment;
use crate::output::{Exit, Output};
use crate::terminal::Terminal;
use crate::text;
use crate::views;

pub(crate) use failure::CommandFailure;

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

/// Runs a command for hooks.
pub(crate) fn run(
    arguments: &HooksArguments,
    run: &RunOptions,
    environment: &Environment,
) -> Output {
    let format = if arguments.json {
        Format::Json
    } else {
        Format::Text {
            output: Terminal::of_output(environment),
            notices: Terminal::of_notices(environment),
        }
    };
    let command = arguments.command.as_ref().unwrap_or(&HooksCommand::List);
    let context = Context {
        name: name(command),
        format,
        environment,
        run,
    };
    let done = match command {
        HooksCommand::List => list::list(&context),
        HooksCommand::Why(arguments) => why::why(&context, arguments),
        HooksCommand::Fire(arguments) => fire::fire(&context, arguments),
        HooksCommand::Check(arguments) => check::check(&context, *arguments),
        HooksCommand::Trust(arguments) => trust::trust(&context, &arguments.names),
        HooksCommand::Untrust(arguments) => trust::untrust(&context, &arguments.names),
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
