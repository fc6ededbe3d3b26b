//! What a session tells the user beside the model's text: on standard error (AG-CLI-5).

use std::io::Write;

use hookloop_hook::{Problem, Severity};

/// Prints a line on standard error.
pub(crate) fn print(line: &str) {
    let mut stderr = std::io::stderr().lock();
    // Nobody is left to be told when standard error is closed.
    drop(writeln!(stderr, "{}", visible(line)));
}

/// Prints what was wrong while loading, each with its place and remedy (ST-5).
pub(crate) fn print_problems(problems: &[Problem]) {
    for problem in problems
        .iter()
        .filter(|problem| problem.severity != Severity::Info)
    {
        let severity = match problem.severity {
            Severity::Error => "error",
            Severity::Warning | Severity::Info => "warning",
        };
        print(&format!(
            "{severity}: {}: {} ({})",
            problem.source, problem.message, problem.help
        ));
    }
}

/// Escapes control characters, so that text of files and hooks can't steer the terminal; line
/// ends and tabs stay.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() && !matches!(character, '\n' | '\t') {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}
