//! What every command gets, and how it says what came of it.

use std::path::Path;

use hookloop_hook::Problem;
use hookloop_manage::{Change, ChangeView, CommandFailure, Task, document, failure_document, text};
use hookloop_session::{Environment, RunOptions, Workspace};
use hookloop_text::{Terminal, visible};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::output::{Exit, Output};

/// Holds what every command gets.
pub(crate) struct Context<'a> {
    /// The command's canonical name (`cli-json.md` §1).
    pub(crate) name: &'a str,
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

/// What holds for the run of a command that takes no such options.
static PLAIN_RUN: RunOptions = RunOptions {
    skip_trust: false,
    no_hooks: false,
    extensions: Vec::new(),
    is_noted: false,
};

impl<'a> Context<'a> {
    /// Returns what a command gets that takes no options for its run, and that nobody stops.
    pub(crate) fn plain(name: &'a str, format: Format, environment: &'a Environment) -> Self {
        Self {
            name,
            format,
            environment,
            run: &PLAIN_RUN,
            stop: CancellationToken::new(),
        }
    }

    /// Returns what the work gets.
    pub(crate) const fn task(&'a self) -> Task<'a> {
        Task {
            environment: self.environment,
            run: self.run,
            stop: &self.stop,
        }
    }

    /// Returns what a command has to say: one object, or text with what is said of problems.
    pub(crate) fn say(
        &self,
        beside: Beside<'_>,
        view: impl Serialize,
        words: impl FnOnce(Terminal) -> String,
    ) -> Result<Output, CommandFailure> {
        let (result, notices) = match self.format {
            Format::Json => (
                document(self.name, beside.project, beside.problems, view)?,
                String::new(),
            ),
            Format::Text { output, notices } => (words(output), beside.told(notices)),
        };
        Ok(Output {
            result,
            notices,
            exit: Exit::Done,
        })
    }
}

/// Holds what is said beside what a command has to say.
#[derive(Clone, Copy)]
pub(crate) struct Beside<'a> {
    /// The root of the project.
    pub(crate) project: &'a Path,
    /// What is wrong with the configuration.
    pub(crate) problems: &'a [Problem],
    /// How much of it people are told; programs get all.
    pub(crate) told: fn(&[Problem], Terminal) -> String,
}

impl<'a> Beside<'a> {
    /// Tells every problem of a workspace.
    pub(crate) fn all(workspace: &'a Workspace) -> Self {
        Self {
            project: &workspace.project_root,
            problems: &workspace.problems,
            told: text::diagnostics,
        }
    }

    /// Tells those that concern a command about single hooks or extensions (ST-12).
    pub(crate) fn of_sources(workspace: &'a Workspace) -> Self {
        Self {
            told: text::diagnostics_of_sources,
            ..Self::all(workspace)
        }
    }

    /// Leaves the problems to programs: what people are told isn't about the configuration.
    pub(crate) fn quietly(workspace: &'a Workspace) -> Self {
        Self {
            told: |_, _| String::new(),
            ..Self::all(workspace)
        }
    }

    /// Tells nothing: the command isn't about the configuration.
    pub(crate) fn nothing(project: &'a Path) -> Self {
        Self {
            project,
            problems: &[],
            told: text::diagnostics,
        }
    }

    fn told(self, terminal: Terminal) -> String {
        (self.told)(self.problems, terminal)
    }
}

impl Format {
    /// Returns JSON where it is asked for, else text for the two output streams.
    pub(crate) fn new(is_json: bool, environment: &Environment) -> Self {
        if is_json {
            return Self::Json;
        }
        Self::Text {
            output: crate::terminal::of_output(environment),
            notices: crate::terminal::of_notices(environment),
        }
    }
}

/// Says that a command failed.
pub(crate) fn failed(context: &Context<'_>, failure: &CommandFailure) -> Output {
    let (result, notices) = match context.format {
        Format::Json => (failure_document(context.name, failure), String::new()),
        Format::Text { notices, .. } => (String::new(), text::failure(failure, notices.palette)),
    };
    Output {
        result,
        notices,
        exit: Exit::Failed,
    }
}

/// Says what a command changed (CM-2), with the diagnostics of the workspace as it is now.
pub(crate) fn changed(
    context: &Context<'_>,
    change: &Change,
    workspace: &Workspace,
    mut words: String,
) -> Result<Output, CommandFailure> {
    for file in &change.files {
        words.extend(["  written: ", &visible(&file.to_string_lossy()), "\n"]);
    }
    let exit = if change.still_disabled_by.is_empty() {
        Exit::Done
    } else {
        Exit::Failed
    };
    let beside = Beside::of_sources(workspace);
    let output = context.say(beside, ChangeView::new(change), |_| words)?;
    Ok(output.warn(&change.warnings).ending(exit))
}
