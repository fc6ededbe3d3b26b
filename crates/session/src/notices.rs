//! What a session reports to the user beside the model's text, on standard error (AG-CLI-5).

use hookloop_hook::{Problem, Severity};
use hookloop_text::visible_lines;

use crate::output::write_notice;

/// Prints a line on standard error.
pub fn print(line: &str) {
    write_notice(&format!("{}\n", visible_lines(line)));
}

/// Describes what was wrong while loading, each with its place and remedy (ST-5).
pub(crate) fn problem_lines(problems: &[Problem]) -> Vec<String> {
    let reported = problems
        .iter()
        .filter(|problem| problem.severity != Severity::Info);
    let worded = reported.map(|problem| {
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
