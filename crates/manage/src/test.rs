//! Tests of hooks: payloads in a folder, fired at the configured hooks, with the expected results.
//!
//! ```text
//! .gemini/hooks/tests/<event>/<case>/input.json    laid over a realistic payload, as by `fire`
//! .gemini/hooks/tests/<event>/<case>/expect.json   a part of what must come of it
//! ```
//!
//! in the project, and in the home folder for hooks of the user's settings.
//!
//! An `expect.json` with an `agent` names one, with its event: `input.json` is exactly what that
//! agent writes, and `exit`, `stdout` and `stderr` are what it must read (BR-30).
//!
//! The hooks run as in a session: trust and `disabled` are obeyed. Their runs aren't recorded in
//! the trace, which only contains real events.

mod cases;
mod expectation;
mod junit;
mod matching;
mod of_agent;
mod recording;
mod report;
mod run;
mod view;

use std::path::{Path, PathBuf};

use hookloop_session::Workspace;

use crate::Task;
use crate::failure::{CommandFailure, FailureCode};
use crate::scope::Scope;

pub use matching::Difference;
pub use recording::{TestPlace, record_test};
pub use report::painted_differences;
pub use run::{SkippedHook, TestEnd, TestResult, Tested};
pub use view::{RecordedTestView, TestView};

/// The folder of a scope's tests, in its `.gemini`.
const FOLDER: &str = "hooks/tests";

/// Returns the folders of the tests: the given one; or the project's, followed by the user's, whose
/// hooks run in every project.
pub fn tests_folders(task: Task<'_>, workspace: &Workspace, named: Option<&Path>) -> Vec<PathBuf> {
    if let Some(folder) = named {
        return vec![task.environment.current_dir.join(folder)];
    }
    let scopes = [Scope::Project, Scope::User].into_iter();
    let mut folders: Vec<PathBuf> = scopes
        .map(|it| it.folder(workspace, task.environment).join(FOLDER))
        .collect();
    folders.dedup();
    folders
}

/// Runs the tests of folders.
pub fn run_tests(
    task: Task<'_>,
    workspace: &Workspace,
    folders: &[PathBuf],
) -> Result<Tested, CommandFailure> {
    let found: Result<Vec<_>, _> = folders.iter().map(|it| cases::find(it)).collect();
    let cases: Vec<_> = found?.into_iter().flatten().collect();
    if cases.is_empty() {
        let shown: Vec<String> = folders.iter().map(|it| it.display().to_string()).collect();
        let message = format!("there are no tests in {}", shown.join(", nor in "));
        return Err(CommandFailure::new(FailureCode::NoSource, message));
    }
    run::all(task, workspace, cases)
}

/// Writes results as `JUnit` XML, for CI systems.
pub fn write_junit(file: &Path, results: &[TestResult]) -> Result<(), CommandFailure> {
    write(file, &junit::report(results))
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
