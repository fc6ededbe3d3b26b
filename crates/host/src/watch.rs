//! The files that a session's hooks come from, and whether they changed (TR-6).

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hookloop_settings::find_project_root;

use crate::places::{EXTENSION_FILES, places};
use crate::tainted::Tainted;
use crate::workspace::{Opening, Workspace};

/// What shows that a file changed; missing files have none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    /// The identity of the file and its last change time, which no program can set back.
    inode: (u64, i64, i64),
}

/// The state of the files that hooks come from, at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamps(BTreeMap<PathBuf, Option<Stamp>>);

impl Stamps {
    /// Reads the state of the files whose paths are known before loading.
    pub fn before_loading(opening: &Opening) -> Self {
        let root = find_project_root(&opening.current_dir, &opening.home);
        Self::take(places(&opening.system, opening.user_folder(), &root))
    }

    /// Reads the state of all files that a workspace comes from, including missing ones.
    pub fn of(workspace: &Workspace) -> Self {
        let mut files = places(
            &workspace.opening.system,
            workspace.opening.user_folder(),
            &workspace.project_root,
        );
        files.insert(workspace.store.file().to_owned());
        let layers = workspace.settings.layers.iter();
        files.extend(layers.map(|it| it.file.to_path_buf()));
        let adopted = workspace.settings.adopted.iter();
        files.extend(adopted.map(|it| it.file.clone()));
        // A linked extension is in another folder.
        for extension in &workspace.settings.extensions {
            files.extend(EXTENSION_FILES.map(|it| extension.origin.path.join(it)));
        }
        Self::take(files)
    }

    /// Adopts an earlier state of the same files, so that a change while they were loaded is
    /// noticed the next time.
    #[must_use]
    pub fn keeping(mut self, earlier: &Self) -> Self {
        for (file, stamp) in &mut self.0 {
            if let Some(earlier) = earlier.0.get(file) {
                stamp.clone_from(earlier);
            }
        }
        self
    }

    /// Returns a file that a tool call of this session changed and that hooks would now be loaded
    /// from. All files of an extension count.
    pub fn tainted(&self, tainted: &Tainted) -> Option<PathBuf> {
        self.0.keys().find_map(|file| {
            let mut above = file.ancestors().skip(1);
            let is_of_extension = |it: &&Path| it.file_name().is_some_and(|it| it == "extensions");
            let extensions = above.find(is_of_extension);
            let place = extensions.unwrap_or(file);
            tainted.changed(|it| it.starts_with(place))
        })
    }

    fn take(files: BTreeSet<PathBuf>) -> Self {
        let stamped = files.into_iter().map(|file| {
            let stamp = Stamp::of(&file);
            (file, stamp)
        });
        Self(stamped.collect())
    }
}

impl Stamp {
    /// Reads what a path leads to; `None` if nothing is there.
    pub(crate) fn of(file: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(file).ok()?;
        Some(Self {
            modified: metadata.modified().ok(),
            length: metadata.len(),
            inode: inode(&metadata),
        })
    }
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> (u64, i64, i64) {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
}

#[cfg(not(unix))]
const fn inode(_metadata: &Metadata) -> (u64, i64, i64) {
    (0, 0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TR-6: a file that appears, grows or vanishes is a change, and one that stays the same isn't.
    #[test]
    fn changes_of_files_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings.json");
        let look = || Stamps::take(BTreeSet::from([file.clone()]));
        let missing = look();
        assert_eq!(look(), missing);
        std::fs::write(&file, "{}").unwrap();
        let short = look();
        assert_ne!(short, missing);
        assert_eq!(look(), short);
        std::fs::write(&file, "{ }").unwrap();
        assert_ne!(look(), short);
        std::fs::remove_file(&file).unwrap();
        assert_eq!(look(), missing);
    }

    /// TR-6: a file that changes while it is read counts as changed the next time.
    #[test]
    fn a_change_while_loading_is_noticed_later() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings.json");
        let look = || Stamps::take(BTreeSet::from([file.clone()]));
        let before = look();
        std::fs::write(&file, "{}").unwrap();
        let kept = look().keeping(&before);
        assert_ne!(look(), kept);
    }
}
