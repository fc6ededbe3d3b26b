//! What is said where an agent doesn't start because guards may be missing (ST-5, ST-11).

use hookloop_hook::Problem;

/// What a person writes to go on without the files that can't be read, for this session.
pub(crate) const GO_ON: &str = "go on without them";

/// What a person writes to let hooks go that stay in force though the settings don't hold them any
/// more (TR-8).
pub(crate) const LET_GO: &str = "let them go";

/// Says what keeps the agent from starting, each with its place and remedy.
pub(crate) fn refusal(problems: &[Problem]) -> String {
    let mut text = String::from("guards may be missing, so the agent doesn't start:");
    for problem in problems {
        text.push_str("\n  ");
        text.push_str(&line(problem));
    }
    text
}

/// Says what is wrong, where, and what to do.
pub(crate) fn line(problem: &Problem) -> String {
    format!("{}: {} ({})", problem.source, problem.message, problem.help)
}
