//! The commands: each works on values and returns what to print. What a command takes, does and
//! says is in its own module.

mod adopt;
mod audit;
mod bridge;
mod change;
mod check;
mod completion;
mod dashboard;
mod demo;
mod event;
mod extensions;
mod fire;
mod guards;
mod hooks;
mod list;
mod man;
mod mcp;
mod migrate;
mod new;
mod person;
mod review;
mod scope;
mod skills;
mod switch;
mod test;
mod trace;
mod trust;
mod watch;
mod why;

use std::path::Path;

use hookloop_hook::Problem;
use hookloop_manage::{CommandFailure, Task, document, failure_document, text};
use hookloop_session::{Environment, RunOptions, Workspace};
use hookloop_text::Terminal;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::output::{Exit, Output};

pub(crate) use audit::{AuditArguments, run as run_audit};
pub(crate) use bridge::{BridgeArguments, run as run_bridge, run_call};
pub(crate) use completion::{
    CompleteArguments, CompletionsArguments, NAME as COMPLETE_NAME, complete, script,
};
pub(crate) use dashboard::{DashboardArguments, run as run_dashboard};
pub(crate) use demo::{DemoArguments, run as run_demo};
pub(crate) use extensions::{ExtensionsArguments, ExtensionsCommand, run as run_extensions};
pub(crate) use guards::{GuardsArguments, run as run_guards};
pub(crate) use hooks::{HooksArguments, HooksCommand, run as run_hooks, run_until};
pub(crate) use man::{ManArguments, man};
pub(crate) use mcp::{McpArguments, run as run_mcp};
pub(crate) use person::{Effect, permit};
pub(crate) use skills::{SkillsArguments, run as run_skills};
pub(crate) use watch::WatchArguments;

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

/// What holds for the run of a command that takes no such options.
static PLAIN_RUN: RunOptions = RunOptions {
    skip_trust: false,
    no_hooks: false,
    extensions: Vec::new(),
    is_noted: false,
};

impl<'a> Context<'a> {
    /// Returns what a command gets that takes no options for its run, and that nobody stops.
    fn plain(name: Named, format: Format, environment: &'a Environment) -> Self {
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
    fn say(
        &self,
        beside: Beside<'_>,
        view: impl Serialize,
        words: impl FnOnce(Terminal) -> String,
    ) -> Result<Output, CommandFailure> {
        let (result, notices) = match self.format {
            Format::Json => (
                document(self.name.0, beside.project, beside.problems, view)?,
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
struct Beside<'a> {
    /// The root of the project.
    project: &'a Path,
    /// What is wrong with the configuration.
    problems: &'a [Problem],
    /// How much of it people are told; programs get all.
    told: fn(&[Problem], Terminal) -> String,
}

impl<'a> Beside<'a> {
    /// Tells every problem of a workspace.
    fn all(workspace: &'a Workspace) -> Self {
        Self {
            project: &workspace.project_root,
            problems: &workspace.problems,
            told: text::diagnostics,
        }
    }

    /// Tells those that concern a command about single hooks or extensions (ST-12).
    fn of_sources(workspace: &'a Workspace) -> Self {
        Self {
            told: text::diagnostics_of_sources,
            ..Self::all(workspace)
        }
    }

    /// Leaves the problems to programs: what people are told isn't about the configuration.
    fn quietly(workspace: &'a Workspace) -> Self {
        Self {
            told: |_, _| String::new(),
            ..Self::all(workspace)
        }
    }

    /// Tells nothing: the command isn't about the configuration.
    fn nothing(project: &'a Path) -> Self {
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

fn failed(context: &Context<'_>, failure: &CommandFailure) -> Output {
    let (result, notices) = match context.format {
        Format::Json => (failure_document(context.name.0, failure), String::new()),
        Format::Text { notices, .. } => (String::new(), text::failure(failure, notices.palette)),
    };
    Output {
        result,
        notices,
        exit: Exit::Failed,
    }
}
