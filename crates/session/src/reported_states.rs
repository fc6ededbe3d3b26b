//! What was reported once and isn't repeated: files with hooks that nothing reads (ST-12).

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hookloop_hook::Problem;
use hookloop_host::{make_private_folder, private_options};
use hookloop_settings::bounded::read_text;
use hookloop_settings::stray_state;

/// The file in the project's state folder.
const FILE: &str = "told-files";

/// The most states that are remembered; further ones are reported again.
const MAX_STATES: usize = 1000;

/// Remembers which states of which files were reported in a project.
pub(crate) struct ReportedStates {
    path: PathBuf,
    states: BTreeSet<String>,
}

impl ReportedStates {
    /// Reads what was reported; nothing if that can't be read.
    pub(crate) fn of(state_folder: &Path) -> Self {
        let path = state_folder.join(FILE);
        let text = read_text(&path).unwrap_or_default();
        let states = text.lines().take(MAX_STATES).map(str::to_owned).collect();
        Self { path, states }
    }

    /// Returns the problems to report now, and remembers those that are reported only once.
    pub(crate) fn sift(mut self, problems: &[Problem]) -> Vec<Problem> {
        let before = self.states.len();
        let due = problems
            .iter()
            .filter(|problem| match stray_state(problem) {
                Some(state) => self.states.insert(state),
                None => true,
            });
        let due: Vec<Problem> = due.cloned().collect();
        if self.states.len() > before {
            // If saving fails, the state is reported again, which does no harm.
            drop(self.save());
        }
        due
    }

    fn save(&self) -> std::io::Result<()> {
        if let Some(folder) = self.path.parent() {
            make_private_folder(folder)?;
        }
        let mut options = private_options();
        let mut file = options
            .write(true)
            .truncate(true)
            .create(true)
            .open(&self.path)?;
        let lines: Vec<&str> = self.states.iter().map(String::as_str).collect();
        file.write_all((lines.join("\n") + "\n").as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use hookloop_hook::{ProblemCode, Source};

    use super::*;

    /// ST-12: a file is reported once for each of its states; other problems are reported each
    /// time.
    #[test]
    fn a_state_is_told_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let stray = folder.path().join("hooks.json");
        fs::write(&stray, "{}").expect("a file");
        let problem =
            |code| Problem::new(code, Source::of_file(stray.as_path()), "message", "help");
        let problems = [
            problem(ProblemCode::MisplacedFile),
            problem(ProblemCode::UnknownEvent),
        ];
        let state = folder.path().join("state");
        let count_new = || ReportedStates::of(&state).sift(&problems).len();
        assert_eq!((count_new(), count_new()), (2, 1));
        fs::write(&stray, "{\"hooks\": {}}").expect("a file");
        assert_eq!((count_new(), count_new()), (2, 1));
    }
}
