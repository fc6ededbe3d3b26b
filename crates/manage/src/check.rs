//! Finds everything that is wrong with the configuration (CM-3).

mod report;

use hookloop_hook::{Problem, Severity};
use hookloop_session::{Workspace, recording};
use serde::Serialize;

use crate::Task;

pub use report::{github, sarif};

/// The findings, and the verdict.
pub struct Checked {
    /// The configuration.
    pub workspace: Workspace,
    /// The problems, by file and place.
    pub problems: Vec<Problem>,
    /// Their numbers.
    pub verdict: CheckView,
    /// Other warnings for the person, each as a sentence.
    pub warnings: Vec<String>,
}

/// Whether a check fails on warnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailOn {
    /// Only on errors.
    Errors,
    /// Also on warnings.
    Warnings,
}

/// Finds all problems. Reads files and runs nothing (TR-7).
pub fn check(task: Task<'_>, fail_on: FailOn) -> Checked {
    let workspace = Workspace::open(task.environment, task.run);
    let ignored = recording::ignored_fields(&workspace, task.environment);
    let problems = diagnostics(task, &workspace, &ignored.value);
    Checked {
        verdict: CheckView::new(fail_on, &problems),
        workspace,
        problems,
        warnings: ignored.warnings,
    }
}

/// Returns all diagnostics, by file and place, including those found elsewhere.
fn diagnostics(task: Task<'_>, workspace: &Workspace, others: &[Problem]) -> Vec<Problem> {
    let mut problems = hookloop_session::diagnostics(workspace, task.environment);
    problems.extend_from_slice(others);
    for problem in &mut problems {
        if problem.snippet.is_none() {
            problem.snippet = workspace.settings.documents.snippet(&problem.source);
        }
    }
    problems.sort_by(|left, right| {
        let key = |problem: &Problem| (problem.source.file.clone(), problem.source.position);
        key(left)
            .cmp(&key(right))
            .then_with(|| left.code.as_str().cmp(right.code.as_str()))
    });
    problems.dedup();
    problems
}

/// The result of a check, as JSON.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct CheckView {
    strict: bool,
    /// The numbers of problems.
    pub counts: ProblemCounts,
}

/// The number of problems of each severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ProblemCounts {
    /// Something that was configured is left out or can't run.
    pub errors: usize,
    /// Something probably has another effect than intended.
    pub warnings: usize,
    /// Something worth knowing.
    pub infos: usize,
}

impl CheckView {
    fn new(fail_on: FailOn, problems: &[Problem]) -> Self {
        let count = |severity| {
            let problems = problems.iter();
            problems.filter(|it| it.severity == severity).count()
        };
        Self {
            strict: fail_on == FailOn::Warnings,
            counts: ProblemCounts {
                errors: count(Severity::Error),
                warnings: count(Severity::Warning),
                infos: count(Severity::Info),
            },
        }
    }

    /// Returns whether the check failed.
    pub const fn has_failed(&self) -> bool {
        self.counts.errors > 0 || (self.strict && self.counts.warnings > 0)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use hookloop_hook::{ProblemCode, Source};

    use super::*;

    fn problem(code: ProblemCode) -> Problem {
        Problem::new(
            code,
            Source::of_file(Path::new("settings.json")),
            "wrong",
            "fix it",
        )
    }

    /// CM-3: a warning fails a check only if warnings are requested.
    #[test]
    fn warnings_fail_only_a_strict_check() {
        let [error, warning] = [ProblemCode::UnknownEvent, ProblemCode::UnknownField].map(problem);
        let fails = |fail_on, problems: &[Problem]| CheckView::new(fail_on, problems).has_failed();
        assert!(!fails(FailOn::Warnings, &[]));
        assert!(!fails(FailOn::Errors, std::slice::from_ref(&warning)));
        assert!(fails(FailOn::Warnings, &[warning]));
        assert!(fails(FailOn::Errors, &[error]));
    }
}
