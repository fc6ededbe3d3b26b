//! The context of a command, and the output of its result.

use std::path::Path;

use hookloop_hook::Problem;
use hookloop_manage::{Change, ChangeView, CommandFailure, Task, document, failure_document, text};
use hookloop_session::{Environment, RunOptions, Workspace};
use hookloop_text::{Terminal, visible};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::output::{Exit, Output};

/// The context of a command.
pub(crate) struct Context<'a> {
    /// The command's canonical name (`cli-json.md` §1).
    pub(crate) name: &'a str,
    /// The output format.
    pub(crate) format: Format,
    /// The environment.
    pub(crate) environment: &'a Environment,
    /// The options that apply only to this run.
    pub(crate) run: &'a RunOptions,
    /// Ends the hooks that it runs, as a signal does.
    pub(crate) stop: CancellationToken,
}

/// The output format of a command.
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

/// The run options of a command that takes none.
static PLAIN_RUN: RunOptions = RunOptions {
    skip_trust: false,
    no_hooks: false,
    extensions: Vec::new(),
    is_noted: false,
};

impl<'a> Context<'a> {
    /// Returns the context of a command without run options that can't be stopped.
    pub(crate) fn plain(name: &'a str, format: Format, environment: &'a Environment) -> Self {
        Self {
            name,
            format,
            environment,
            run: &PLAIN_RUN,
            stop: CancellationToken::new(),
        }
    }

    /// Returns the context for `manage`.
    pub(crate) const fn task(&'a self) -> Task<'a> {
        Task {
            environment: self.environment,
            run: self.run,
            stop: &self.stop,
        }
    }

    /// Returns a command's output: one JSON object, or text with problems.
    pub(crate) fn say(
        &self,
        beside: AdditionalReport<'_>,
        view: impl Serialize,
        words: impl FnOnce(Terminal) -> String,
    ) -> Result<Output, CommandFailure> {
        let (result, notices) = match self.format {
            Format::Json => (
                document(self.name, beside.project, beside.problems, view)?,
                String::new(),
            ),
            Format::Text { output, notices } => (words(output), beside.describe(notices)),
        };
        Ok(Output {
            result,
            notices,
            exit: Exit::Done,
        })
    }
}

/// What is reported in addition to a command's result.
#[derive(Clone, Copy)]
pub(crate) struct AdditionalReport<'a> {
    /// The root of the project.
    pub(crate) project: &'a Path,
    /// The problems of the configuration.
    pub(crate) problems: &'a [Problem],
    /// Selects and formats the problems for people; programs get all of them.
    pub(crate) describe: fn(&[Problem], Terminal) -> String,
}

impl<'a> AdditionalReport<'a> {
    /// Reports every problem of a workspace.
    pub(crate) fn all(workspace: &'a Workspace) -> Self {
        Self {
            project: &workspace.project_root,
            problems: &workspace.problems,
            describe: text::diagnostics,
        }
    }

    /// Reports the problems that matter for commands about single hooks or extensions (ST-12).
    pub(crate) fn for_sources(workspace: &'a Workspace) -> Self {
        Self {
            describe: text::diagnostics_of_sources,
            ..Self::all(workspace)
        }
    }

    /// Reports problems only to programs, because the command isn't about the configuration.
    pub(crate) fn quietly(workspace: &'a Workspace) -> Self {
        Self {
            describe: |_, _| String::new(),
            ..Self::all(workspace)
        }
    }

    /// Reports no problems, because the command isn't about the configuration.
    pub(crate) fn without_problems(project: &'a Path) -> Self {
        Self {
            project,
            problems: &[],
            describe: text::diagnostics,
        }
    }

    fn describe(self, terminal: Terminal) -> String {
        (self.describe)(self.problems, terminal)
    }
}

impl Format {
    /// Returns JSON if requested, else text for the two output streams.
    pub(crate) fn new(is_json: bool, environment: &Environment) -> Self {
        if is_json {
            return Self::Json;
        }
        Self::Text {
            output: crate::terminal::for_output(environment),
            notices: crate::terminal::for_notices(environment),
        }
    }
}

/// Formats a command's failure.
pub(crate) fn failure_output(context: &Context<'_>, failure: &CommandFailure) -> Output {
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

/// Formats a command's changes (CM-2), with the diagnostics of the resulting workspace.
pub(crate) fn change_output(
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
    let beside = AdditionalReport::for_sources(workspace);
    let output = context.say(beside, ChangeView::new(change), |_| words)?;
    Ok(output.warn(&change.warnings).ending(exit))
}
