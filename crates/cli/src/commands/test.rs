//! `hooks test`: runs the tests of hooks, and makes new ones of what was recorded (CM-6).

mod view;
mod words;

use std::path::{Path, PathBuf};

use clap::Args;
use hookloop_manage::{
    CommandFailure, TestPlace, Tested, record_test, run_tests, tests_folder, write_junit,
};
use hookloop_session::Workspace;
use hookloop_text::visible;

use crate::commands::change::texts;
use crate::commands::{Context, Format, text, views};
use crate::output::{Exit, Output};
use view::{RecordedTestView, TestView};

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

/// Runs the tests of a folder, or makes one of a recorded run.
pub(crate) fn test(
    context: &Context<'_>,
    arguments: &TestArguments,
) -> Result<Output, CommandFailure> {
    let task = context.task();
    let mut workspace = task.guarded_workspace();
    let folder = tests_folder(task, &workspace, arguments.folder.as_deref());
    if let (Some(run_id), Some(name)) = (&arguments.record, &arguments.name) {
        let place = TestPlace {
            folder: &folder,
            name,
        };
        let written = record_test(task, &workspace, run_id, place)?;
        return recorded(context, &workspace, &written);
    }
    let tested = run_tests(task, &mut workspace, &folder)?;
    if let Some(file) = &arguments.junit {
        let file = context.environment.current_dir.join(file);
        write_junit(&file, &tested.results)?;
    }
    show(context, &workspace, &folder, &tested)
}

/// Says which files a new test is made of.
fn recorded(
    context: &Context<'_>,
    workspace: &Workspace,
    written: &[PathBuf],
) -> Result<Output, CommandFailure> {
    let files = texts(written);
    Ok(Output::of_text(match context.format {
        Format::Json => views::document(
            context.name,
            &workspace.project_root,
            RecordedTestView { files },
            &workspace.problems,
        )?,
        Format::Text { .. } => {
            let lines = files.iter().map(|it| format!("wrote {}\n", visible(it)));
            lines.collect()
        }
    }))
}

/// Says once what should be known about trust.
fn trust_notices(workspace: &Workspace, tested: &Tested) -> String {
    let mut told: Vec<String> = Vec::new();
    for explanation in &tested.explanations {
        let notices = text::trust_notices(workspace, explanation);
        for notice in notices.split_inclusive('\n') {
            if !told.iter().any(|it| it == notice) {
                told.push(notice.to_owned());
            }
        }
    }
    told.concat()
}

fn show(
    context: &Context<'_>,
    workspace: &Workspace,
    folder: &Path,
    tested: &Tested,
) -> Result<Output, CommandFailure> {
    let told = trust_notices(workspace, tested);
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
