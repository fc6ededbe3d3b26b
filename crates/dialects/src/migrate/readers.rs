//! What guards on another agent's commands don't see here.

use regress::Regex;

use super::verdict::Verdict;

/// Adds to a guard of Codex's commands which of our tools do what is a command there.
pub(super) fn note_readers(verdict: &mut Verdict, matcher: Option<&str>) {
    let Some(matcher) = matcher.and_then(|it| Regex::new(it).ok()) else {
        return;
    };
    let fits = |tool: &str| matcher.find(tool).is_some();
    let missed: Vec<&str> = READERS.into_iter().filter(|tool| !fits(tool)).collect();
    if fits("run_shell_command") && !missed.is_empty() {
        verdict.note(format!(
            "Codex reads files only by commands, which \"Bash\" matches; here the tools {} read \
             them, too, and its matcher doesn't match those",
            missed.join(", ")
        ));
    }
}

/// The tools of ours that look at files without a command.
const READERS: [&str; 5] = [
    "read_file",
    "read_many_files",
    "list_directory",
    "glob",
    "search_file_content",
];
