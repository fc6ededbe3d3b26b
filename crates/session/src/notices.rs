//! What a session reports to the user beside the model's text, on standard error (AG-CLI-5).

use std::io::Write;

use hookloop_text::visible_lines;

use hookloop_hook::{Problem, Severity};

/// Prints a line on standard error.
pub fn print(line: &str) {
    let mut stderr = std::io::stderr().lock();
    // Fails if standard error is closed, and then there is nobody to report to.
    drop(writeln!(stderr, "{}", visible_lines(line)));
}

/// Describes what was wrong while loading, each with its place and remedy (ST-5).
pub(crate) fn problem_lines(problems: &[Problem]) -> Vec<String> {
    let told = problems
        .iter()
        .filter(|problem| problem.severity != Severity::Info);
    let worded = told.map(|problem| {
        let severity = match problem.severity {
            Severity::Error => "error",
            Severity::Warning | Severity::Info => "warning",
        };
        format!(
            "{severity}: {}: {} ({})",
            problem.source, problem.message, problem.help
        )
    });
    worded.collect()
}
