//! Files that a hook's programs read automatically at startup, in their state at one moment (TR-8).

use std::path::{Path, PathBuf};

use hookloop_hook::HookDeclaration;
use hookloop_trust::Loaded;

use crate::content::{Content, Contents};
use crate::kinds::Kinds;
use crate::searched::Searched;
use crate::snapshot::Snapshot;

/// What hooks load without naming it.
pub(crate) struct StartFiles {
    /// Files by their content; nothing if there was a folder, whose entries don't matter.
    files: Vec<(PathBuf, Option<Content>)>,
    /// Folders by the modules in them.
    folders: Vec<(Searched, Snapshot)>,
    /// The deciding parts of files that also contain other things.
    kinds: Kinds,
}

impl StartFiles {
    /// Reads what a hook loads now.
    pub(crate) fn of(loaded: &Loaded, hook: &HookDeclaration, contents: &mut Contents) -> Self {
        let files = loaded.implicit.iter().map(|path| {
            let content = (!path.is_dir()).then(|| contents.of(path));
            (path.clone(), content)
        });
        let folders = Searched::of(loaded, hook).into_iter().map(|folder| {
            let modules = Snapshot::look(folder.files(), &Snapshot::default());
            (folder, modules)
        });
        Self {
            files: files.collect(),
            folders: folders.collect(),
            kinds: Kinds::of(loaded),
        }
    }

    /// Returns a file that has changed without agreement, with what happened to it.
    pub(crate) fn changed_file(
        &self,
        is_settled: impl Fn(&Path) -> bool,
    ) -> Option<(PathBuf, &'static str)> {
        let files = self.files.iter().filter_map(|(file, before)| {
            let change = match before {
                Some(before) => before.change(file),
                None => (!file.is_dir()).then_some("changed"),
            };
            Some((file.clone(), change?))
        });
        let folders = self.folders.iter().flat_map(|(folder, before)| {
            let now = Snapshot::look(folder.files(), before);
            let changes = before.changes_to(&now).into_iter();
            changes.map(|it| (it.path, it.what))
        });
        let mut changed = files.chain(folders);
        changed.find(|(file, _)| !is_settled(file)).or_else(|| {
            let recorded = self.kinds.clone().without_lists();
            let now = recorded.reread();
            let mut files = recorded.changed_files(&now);
            let file = files.find(|it| !is_settled(it))?;
            Some((file, "changed"))
        })
    }

    /// Returns the files that somebody else may write, and that affect the hook.
    pub(crate) fn deciding_files(&self) -> impl Iterator<Item = PathBuf> {
        let files = self.folders.iter().flat_map(|(folder, _)| folder.files());
        files.chain(
            self.kinds
                .reread()
                .descriptions()
                .cloned()
                .collect::<Vec<_>>(),
        )
    }
}
