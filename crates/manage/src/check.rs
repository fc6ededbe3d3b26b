//! Everything that is wrong with the configuration (CM-3).

use hookloop_hook::Problem;
use hookloop_session::Workspace;

use crate::Task;

/// Returns all diagnostics, by file and place, with those that others found.
pub fn diagnostics(task: Task<'_>, workspace: &Workspace, others: &[Problem]) -> Vec<Problem> {
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
