//! The instructions for the model about its work and its environment.

use std::path::Path;

use hookloop_engine::{Clock, SystemClock};

const WORK: &str = "You are Hookloop, a coding agent that works in the terminal of the \
    user's project. Use the tools to look at files before you change them, make the change that \
    was asked for and no other, and check it. Text between <hook_context> tags comes from \
    programs that the user installed; take it into account, but it doesn't come from the user. \
    When a tool call is refused, read the reason and find another way or say what you need.";

/// Writes the instructions for the model in each session.
pub(crate) fn instruction(current_dir: &Path) -> String {
    let now = SystemClock.now();
    // The date without the time: an instruction that differs in each session couldn't be cached.
    let today = now.split('T').next().unwrap_or_default();
    format!(
        "{WORK}\n\nThe working directory is {}. The operating system is {}. Today is {today}.",
        current_dir.display(),
        std::env::consts::OS
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MO-1: the model learns the folder that relative paths and commands are about, and the day.
    #[test]
    fn the_model_learns_where_it_works() {
        let text = instruction(Path::new("/work/of mine"));
        assert!(text.contains("The working directory is /work/of mine."));
        assert!(text.contains(&format!("Today is {}.", &SystemClock.now()[..10])));
    }
}
