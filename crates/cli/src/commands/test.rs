//! `hooks test`: payloads in a folder, fired at the configured hooks, with what must come of them.
//!
//! ```text
//! .gemini/hooks/tests/<event>/<case>/input.json    laid over a realistic payload, as by `fire`
//! .gemini/hooks/tests/<event>/<case>/expect.json   a part of what must come of it
//! ```
//!
//! An `expect.json` with an `agent` names one, with its event: `input.json` is what that agent writes, as it
//! is, and `exit`, `stdout` and `stderr` are what it must read (BR-30).
//!
//! The hooks run as in a session: trust and `disabled` are obeyed. Their runs are not recorded in
//! the trace, which is about what really happened.

mod cases;
mod expectation;
mod junit;
mod matching;
mod of_agent;
mod recording;
mod run;
mod view;
mod words;

pub(crate) use matching::Difference;
pub(crate) use run::{TestEnd, TestResult};

use std::path::{Path, PathBuf};

use clap::Args;
use hookloop_session::Workspace;

use crate::commands::failure::FailureCode;
use crate::commands::{CommandFailure, Context, Format, text, views};
use crate::output::{Exit, Output};
use view::TestView;

/// Holds the arguments of `test`.
#[derive(Debug, Clone, Args)]
pub(crate) struct TestArguments {
    /// The folder of the tests: EVENT/CASE/input.json and expect.json [default: .gemini/hooks/tests]
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Where the results are written for CI.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "record",
        help = "Write the results for CI, as JUnit XML"
    )]
    pub(crate) junit: Option<PathBuf>,
    /// Make a test of a recorded run instead of running tests
    #[arg(long, value_name = "RUN-ID", requires = "name")]
    pub(crate) record: Option<String>,
    /// The name of the new test
    #[arg(long, value_name = "CASE", requires = "record")]
    pub(crate) name: Option<String>,
}

/// Where tests are looked for, below the project's root.
const FOLDER: &str = ".gemini/hooks/tests";

/// Runs the tests of a folder, or makes one of a recorded run.
pub(crate) fn test(
    context: &Context<'_>,
    arguments: &TestArguments,
) -> Result<Output, CommandFailure> {
    let mut workspace = Workspace::open(context.environment, context.run);
    // A guard that isn't what was agreed to refuses here as it does in a session (TR-8).
    workspace.registry = workspace.new_registry();
    let folder = match &arguments.folder {
        Some(folder) => context.environment.current_dir.join(folder),
        None => workspace.project_root.join(FOLDER),
    };
    if let (Some(run_id), Some(name)) = (&arguments.record, &arguments.name) {
        return recording::record(context, &workspace, &folder, (run_id, name));
    }
    let cases = cases::find(&folder)?;
    if cases.is_empty() {
        let message = format!("there are no tests in {}", folder.display());
        return Err(CommandFailure::new(FailureCode::NoSource, message));
    }
    let tested = run::all(context, &mut workspace, cases)?;
    if let Some(file) = &arguments.junit {
        let file = context.environment.current_dir.join(file);
        write(&file, &junit::report(&tested.results))?;
    }
    show(context, &workspace, &folder, &tested)
}

fn show(
    context: &Context<'_>,
    workspace: &Workspace,
    folder: &Path,
    tested: &run::Tested,
) -> Result<Output, CommandFailure> {
    let warnings: String = tested.warnings.iter().map(|it| text::warning(it)).collect();
    let told = tested.notices.concat() + &warnings;
    let view = TestView::new(folder, &tested.results);
    let has_failed = view.has_failed();
    let problems = &workspace.problems;
    let (result, notices) = match context.format {
        Format::Json => (
            views::document(context.name, &workspace.project_root, view, problems)?,
            told,
        ),
        Format::Text { output, notices } => (
            words::tested(&tested.results, output),
            text::diagnostics(problems, notices) + &told,
        ),
    };
    let exit = match (tested.was_interrupted(), has_failed) {
        (true, _) => Exit::Cancelled,
        (false, true) => Exit::Failed,
        (false, false) => Exit::Done,
    };
    Ok(Output {
        result,
        notices,
        exit,
    })
}

/// Writes a file, and the folders it needs.
fn write(file: &Path, text: &str) -> Result<(), CommandFailure> {
    let folders = file.parent().map_or(Ok(()), std::fs::create_dir_all);
    folders
        .and_then(|()| std::fs::write(file, text))
        .map_err(|error| {
            let message = format!("{} can't be written: {error}", file.display());
            CommandFailure::new(FailureCode::NotWritable, message)
        })
}
