//! The results of tests, as JSON.

use std::path::PathBuf;

use serde::Serialize;

use super::{Difference, SkippedHook, TestEnd, TestResult};
use crate::view::texts;

/// The results of tests, as JSON.
#[derive(Serialize)]
pub struct TestView<'a> {
    folder: String,
    folders: Vec<String>,
    counts: Counts,
    cases: Vec<CaseView<'a>>,
}

#[derive(Serialize)]
struct Counts {
    passed: usize,
    failed: usize,
    broken: usize,
}

#[derive(Serialize)]
struct CaseView<'a> {
    event: &'a str,
    name: &'a str,
    path: &'a str,
    result: &'static str,
    duration_ms: f64,
    message: Option<&'a str>,
    differences: &'a [Difference],
    skipped: &'a [SkippedHook],
    late: &'a [String],
}

impl<'a> TestView<'a> {
    /// Creates the view of the results of tests in these folders.
    pub fn new(folders: &[PathBuf], results: &'a [TestResult]) -> Self {
        let cases: Vec<CaseView<'a>> = results.iter().map(case).collect();
        let count = |word| cases.iter().filter(|case| case.result == word).count();
        Self {
            folder: texts(folders).into_iter().next().unwrap_or_default(),
            folders: texts(folders),
            counts: Counts {
                passed: count("passed"),
                failed: count("failed"),
                broken: count("broken"),
            },
            cases,
        }
    }

    /// Returns whether any test didn't pass.
    pub const fn has_failed(&self) -> bool {
        self.counts.failed + self.counts.broken > 0
    }
}

fn case(result: &TestResult) -> CaseView<'_> {
    let (word, message, differences) = match &result.end {
        TestEnd::Passed => ("passed", None, &[][..]),
        TestEnd::Failed(differences) => ("failed", None, differences.as_slice()),
        TestEnd::Broken(why) => ("broken", Some(why.as_str()), &[][..]),
    };
    CaseView {
        event: &result.event,
        name: &result.name,
        path: &result.path,
        result: word,
        duration_ms: result.duration.as_secs_f64() * 1000.0,
        message,
        differences,
        skipped: &result.skipped,
        late: &result.late,
    }
}

/// The files of a test created from a recorded run, as JSON.
#[derive(Serialize)]
pub struct RecordedTestView {
    files: Vec<String>,
}

impl RecordedTestView {
    /// Creates the view of the written files.
    pub fn new(written: &[PathBuf]) -> Self {
        Self {
            files: texts(written),
        }
    }
}
