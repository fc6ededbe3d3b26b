//! `hooks test`: runs the tests of hooks, and creates new ones from recorded runs (CM-6).

use std::collections::HashSet;
use std::path::PathBuf;

use clap::Args;
use hookloop_manage::{
    CommandFailure, RecordedTestView, TestEnd, TestPlace, TestResult, TestView,
    painted_differences, record_test, run_tests, tests_folders, write_junit,
};
use hookloop_text::{Style, Terminal, visible};

use crate::commands::context::{AdditionalReport, Context, Format};
use crate::output::{Exit, Output};

/// Contains the arguments of `test`.
#[derive(Debug, Clone, Args)]
pub(crate) struct TestArguments {
    /// The folder of the tests: EVENT/CASE/input.json and expect.json
    /// [default: .gemini/hooks/tests of the project, and that of your home folder]
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
    /// Turn a recorded run into a test, instead of running tests
    #[arg(long, value_name = "RUN-ID", requires = "name")]
    pub(crate) record: Option<String>,
    /// The name of the new test
    #[arg(long, value_name = "CASE", requires = "record")]
    pub(crate) name: Option<String>,
}

/// Runs the tests in a folder, or turns a recorded run into one.
pub(crate) fn test(
    context: &Context<'_>,
    arguments: &TestArguments,
) -> Result<Output, CommandFailure> {
    let task = context.task();
    let workspace = task.workspace();
    let folders = tests_folders(task, &workspace, arguments.folder.as_deref());
    if let (Some(run_id), Some(name), Some(folder)) =
        (&arguments.record, &arguments.name, folders.first())
    {
        let place = TestPlace { folder, name };
        let written = record_test(task, &workspace, run_id, place)?;
        let view = RecordedTestView::new(&written);
        return context.say(AdditionalReport::quietly(&workspace), view, |_| {
            let line = |it: &PathBuf| format!("wrote {}\n", visible(&it.to_string_lossy()));
            written.iter().map(line).collect()
        });
    }
    let tested = run_tests(task, &workspace, &folders)?;
    if let Some(file) = &arguments.junit {
        let file = context.environment.current_dir.join(file);
        write_junit(&file, &tested.results)?;
    }
    let view = TestView::new(&folders, &tested.results);
    let exit = match (tested.was_interrupted(), view.has_failed()) {
        (true, _) => Exit::Cancelled,
        (false, true) => Exit::Failed,
        (false, false) => Exit::Done,
    };
    let output = context.say(AdditionalReport::all(&workspace), view, |output| {
        describe(&tested.results, output)
    })?;
    let is_text = matches!(context.format, Format::Text { .. });
    let warnings = tested.warnings.iter();
    // If a failed test reports that a hook didn't run, the warning isn't repeated.
    let is_new = |warning: &&String| {
        let mut all = tested.results.iter();
        !is_text || !all.any(|it| it.tells_of(warning))
    };
    let warnings: Vec<&String> = warnings.filter(is_new).collect();
    Ok(output.warn(warnings).ending(exit))
}

/// Formats the result of each test, and of all.
fn describe(results: &[TestResult], terminal: Terminal) -> String {
    let palette = terminal.palette;
    let mut text = String::new();
    let mut failed = 0_usize;
    let mut reported = HashSet::new();
    for result in results {
        let (word, style) = match &result.end {
            TestEnd::Passed => ("ok  ", Style::Good),
            TestEnd::Failed(_) | TestEnd::Broken(_) => ("FAIL", Style::Error),
        };
        text.extend([format!(
            "{} {}/{} ({:.1} ms)\n",
            palette.paint(style, word),
            visible(&result.event),
            visible(&result.name),
            result.duration.as_secs_f64() * 1000.0
        )]);
        for late in &result.late {
            text.extend([format!("  too late to decide: {}\n", visible(late))]);
        }
        match &result.end {
            TestEnd::Passed => continue,
            TestEnd::Broken(why) => text.extend([format!("  {}\n", visible(why))]),
            TestEnd::Failed(all) => {
                text.push_str(&painted_differences(all, &result.skipped, palette));
                // One cause may fail many tests.
                for hook in &result.skipped {
                    let line = if reported.insert(hook) {
                        hook.to_string()
                    } else {
                        format!("{}, as above", hook.label)
                    };
                    text.extend([format!("  didn't run: {}\n", visible(&line))]);
                }
            }
        }
        failed += 1;
        text.extend([format!("  in {}\n", visible(&result.path))]);
    }
    let passed = results.len() - failed;
    text + &format!("{passed} passed, {failed} failed\n")
}
