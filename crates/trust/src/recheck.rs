//! Checks a hook again, right before it runs (TR-1, TR-6).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookloop_dialects::project_folder;

use crate::fingerprint::Fingerprint;
use crate::named_file::{FileReader, FileState};
use crate::real_path::real_path;
use crate::record::TrustRecord;
use crate::resolve::{Ground, Surroundings};
use crate::standing::{Acceptance, Change, ChangeKind, Vouched};

impl Vouched {
    /// Returns what has changed about the hook since it was vouched for: a person agreed to its
    /// state at that time (TR-6). Reads the files that the hook names, and runs nothing.
    ///
    /// The list is empty if the hook needs no trust, or if the whole workspace is trusted for this
    /// run (TR-3).
    pub fn changes_since(&self, project_root: &Path, surroundings: &Surroundings) -> Vec<Change> {
        let Some(then) = self.rests_on() else {
            return Vec::new();
        };
        let ground = Ground {
            root: project_root,
            cwd: project_root,
            surroundings,
        };
        let now = Fingerprint::take(&self.hook, ground, &mut FileReader::new(project_root));
        if now.digest == then.digest {
            return Vec::new();
        }
        TrustRecord::new(&self.hook, then).changes(&self.hook, &now)
    }

    /// Returns the files that the hook would run in a working directory and that nobody agreed to.
    /// Trust resolves the hook's words in the project's root, but a session may start in a folder
    /// below (TR-1). The files are found by the same code as then.
    pub fn strangers_in(
        &self,
        cwd: &Path,
        project_root: &Path,
        surroundings: &Surroundings,
    ) -> Vec<Change> {
        let Some(then) = self.rests_on().filter(|_| cwd != project_root) else {
            return Vec::new();
        };
        let ground = Ground {
            root: project_root,
            cwd,
            surroundings,
        };
        let here = Fingerprint::take(&self.hook, ground, &mut FileReader::new(project_root));
        let is_known = |path: &str, mark: &str| {
            then.files
                .iter()
                .any(|file| file.path == path && file.state.mark() == mark)
        };
        let strange = here
            .files
            .iter()
            .filter(|file| file.state != FileState::Missing)
            .filter(|file| !is_known(&file.path, &file.state.mark()))
            .map(|file| {
                format!(
                    "in {} it runs {}, which isn't the file that was agreed to; name that one \
                     from {}",
                    cwd.display(),
                    file.path,
                    project_folder(self.hook.dialect)
                )
            });
        let other = here.parts.iter().filter(|it| !then.parts.contains(it));
        let other = other.map(|it| {
            format!(
                "in {} it runs what {} says, which nobody agreed to; name the folder in which it \
                 should run",
                cwd.display(),
                it.path
            )
        });
        let unwatched = here
            .unpinned
            .iter()
            .filter(|why| !then.unpinned.contains(why));
        let unwatched = unwatched.map(|why| format!("in {}, {why}", cwd.display()));
        let messages = strange.chain(other).chain(unwatched);
        messages
            .map(|message| Change {
                kind: ChangeKind::Files,
                message,
            })
            .collect()
    }

    /// Returns the files inside the project that a person agreed to with the hook: their real
    /// paths, with the SHA-256 of their bytes. Returns `None` if trust doesn't depend on them.
    pub fn agreed_files(&self, project_root: &Path) -> Option<BTreeMap<PathBuf, String>> {
        let then = self.rests_on()?;
        let root = real_path(project_root)?;
        let files = then.files.iter().filter_map(|file| match &file.state {
            FileState::Present { sha256 } => Some((root.join(&file.path), sha256.clone())),
            _ => None,
        });
        Some(files.collect())
    }

    /// Returns the fingerprint with which the hook may run, if it depends on content.
    fn rests_on(&self) -> Option<&Fingerprint> {
        match self.accepted {
            Acceptance::ByStore => self.fingerprint.as_deref(),
            Acceptance::NotNeeded | Acceptance::ThisRun | Acceptance::Refuses | Acceptance::No => {
                None
            }
        }
    }
}
