//! `demo`: shows what hooks do, with nothing to set up.

use std::process::ExitCode;

use clap::Args;
use hookloop_demo::{End, Project, Shown};
use hookloop_manage::{CommandFailure, failure_document};
use hookloop_session::Environment;

use crate::output::{Exit, Output};
use crate::terminal;

/// Contains the arguments of `demo`.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct DemoArguments {
    /// Keep the demo's project, so that you can inspect it
    #[arg(long)]
    keep: bool,
    /// Print the timeline as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the demo, which prints while it runs.
pub(crate) fn run(arguments: DemoArguments, environment: &Environment) -> ExitCode {
    let shown = if arguments.json {
        Shown::Json
    } else {
        Shown::Text(terminal::for_output(environment))
    };
    let project = if arguments.keep {
        Project::Kept
    } else {
        Project::Removed
    };
    let exit = match hookloop_demo::run(shown, project, environment) {
        Ok(End::Whole) => Exit::Done,
        Ok(End::Interrupted) => Exit::Cancelled,
        Err(error) if arguments.json => {
            let failure = CommandFailure::internal(error.to_string());
            let result = failure_document("demo", &failure);
            return Output::from_text(result).ending(Exit::Failed).emit();
        }
        Err(error) => return Output::from_error(&error, Exit::Failed).emit(),
    };
    ExitCode::from(exit.code())
}
