//! What is checked out in a repository that was just cloned.

use hookloop_shell::Command;

use super::{Branches, bare};

/// The branch of a clone if none was named: the one that others build on. It may be committed to,
/// since only a push passes that on to others.
pub(super) const COPIED_BRANCH: &str = "the default branch of a copy";

impl Branches<'_> {
    /// Notes what a new clone of a repository has checked out: the branch that an option names,
    /// else the one that others build on.
    pub(super) fn cloned(&mut self, command: &Command) {
        let at = command.words.iter().position(|it| it.text == "clone");
        let words = &command.words[at.map_or(0, |at| at + 1)..];
        let mut branch = COPIED_BRANCH.to_owned();
        let mut named = Vec::new();
        let mut words = words.iter().map(|it| it.text.as_str());
        while let Some(word) = words.next() {
            if let Some(name) = word.strip_prefix("--branch=") {
                name.clone_into(&mut branch);
            } else if ["-b", "--branch"].contains(&word) {
                words.next().unwrap_or_default().clone_into(&mut branch);
            } else if ["--depth", "-o", "--origin", "-c", "--config", "--reference"].contains(&word)
            {
                words.next();
            } else if !word.starts_with('-') {
                named.push(word);
            }
        }
        let Some(folder) = named.get(1).or_else(|| named.first()) else {
            return;
        };
        let folder = folder.trim_end_matches('/').trim_end_matches(".git");
        let name = folder.rsplit(['/', ':']).next().unwrap_or("");
        if !name.is_empty() && name != "." && name != ".." {
            self.worktrees.push(name.to_owned());
            self.check_out_at(name, bare(&branch), command);
        }
    }
}
