//! Files that affect a hook but aren't part of it (TR-8).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookloop_hook::HookDeclaration;

use crate::aspect::{FilePart, NamedFiles};
use crate::named_file::FileReader;
use crate::resolve::{Ground, Resolved, resolve};
use crate::store::TrustStore;

/// Files that belong to a hook of any layer, wherever they are, by their real paths (TR-8, TR-9).
#[derive(Debug, Default)]
pub struct Belonging {
    /// What the hook runs, loads and names, what its programs read at startup, and what would be
    /// found instead of a program that it starts. These files need not exist yet.
    pub files: BTreeSet<PathBuf>,
    /// Folders in which its programs look for modules, including their own module folders.
    pub folders: BTreeSet<PathBuf>,
    /// Folders with compiled files of its programs. Removing such a folder changes nothing.
    pub caches: BTreeSet<PathBuf>,
    /// Files that its scripts read by a literal name. They aren't part of the hook, but whoever
    /// writes them affects its decisions.
    pub reads: BTreeSet<PathBuf>,
    /// Words of the hook that name no file now. A new file with such a name would be part of the
    /// hook, which then differs from what was agreed to.
    pub awaited: BTreeSet<PathBuf>,
}

/// What a hook runs and loads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loaded {
    /// The files, by their real paths. They need not exist yet.
    pub files: BTreeSet<PathBuf>,
    /// Files that its programs read at startup although nothing names them. They need not exist
    /// yet.
    pub implicit: BTreeSet<PathBuf>,
    /// Folders in which only files that run automatically count, whatever their names: see
    /// [`decisive_files`](crate::decisive_files).
    pub listed: BTreeSet<PathBuf>,
    /// Folders in which its programs look for modules.
    pub folders: BTreeSet<PathBuf>,
    /// JavaScript scripts whose names don't determine how they are interpreted: see
    /// [`javascript_kind`](crate::javascript_kind).
    pub javascript: BTreeSet<PathBuf>,
    /// Paths at which other programs would be found before those that the hook starts now.
    pub rivals: BTreeSet<PathBuf>,
    /// Modules of the project that an interpreter would load instead of its own.
    pub shadowing: BTreeSet<PathBuf>,
    /// Files of which only a part affects the hook.
    pub aspects: BTreeSet<FilePart>,
    /// Files with a given name anywhere below a folder, of which only a part affects the hook.
    pub below: BTreeSet<NamedFiles>,
}

/// Examines which files hooks of any layer consist of, wherever those files are. Whatever several
/// hooks share is examined once. Reads scripts, and runs nothing (TR-7).
#[derive(Debug)]
pub struct Examination<'a> {
    ground: Ground<'a>,
    reader: FileReader,
}

/// The files that one hook consists of.
#[derive(Debug)]
pub struct Examined(Resolved);

impl TrustStore {
    /// Starts to examine hooks in a project and a working directory, in their current state.
    pub fn examine<'a>(&'a self, project_root: &'a Path, cwd: &'a Path) -> Examination<'a> {
        Examination {
            ground: Ground {
                root: project_root,
                cwd,
                surroundings: self.surroundings(),
            },
            reader: FileReader::new(project_root),
        }
    }
}

impl Examination<'_> {
    /// Examines a hook.
    pub fn of(&mut self, hook: &HookDeclaration) -> Examined {
        Examined(resolve(hook, self.ground, &mut self.reader))
    }
}

impl Examined {
    /// Returns what the hook runs and loads, and the paths at which it would find what doesn't
    /// exist yet. Files that it only reads or writes aren't included (TR-8).
    pub fn loaded(&self) -> Loaded {
        let Resolved {
            loaded,
            implicit,
            installed,
            sites,
            caches,
            start_folders,
            javascript,
            rivals,
            shadowing,
            aspects,
            below,
            ..
        } = &self.0;
        Loaded {
            files: loaded.clone(),
            implicit: implicit.union(installed).cloned().collect(),
            listed: sites.union(caches).cloned().collect(),
            folders: start_folders.clone(),
            javascript: javascript.clone(),
            rivals: rivals.clone(),
            shadowing: shadowing.clone(),
            aspects: aspects.clone(),
            below: below.clone(),
        }
    }

    /// Returns the files that belong to the hook (TR-8).
    pub fn belonging(&self) -> Belonging {
        let found = &self.0;
        let is_part = |file: &PathBuf| found.existing.contains(file) || found.loaded.contains(file);
        let files = [
            &found.existing,
            &found.missing,
            &found.loaded,
            &found.rivals,
            &found.implicit,
            &found.installed,
            &found.names,
        ];
        let folders = [
            &found.start_folders,
            &found.own_folders,
            &found.libraries,
            &found.sites,
        ];
        let reads = found.reads.iter().filter(|it| !is_part(it));
        Belonging {
            files: files.into_iter().flatten().cloned().collect(),
            folders: folders.into_iter().flatten().cloned().collect(),
            caches: found.caches.clone(),
            reads: reads.cloned().collect(),
            awaited: found.awaited.clone(),
        }
    }

    /// Returns the paths at which other programs would be found before those that the hook starts,
    /// the files that those programs read where they are installed, and the links that lead to the
    /// hook's files.
    pub fn programs(&self) -> BTreeSet<PathBuf> {
        let found = &self.0;
        let all = [
            &found.rivals,
            &found.programs,
            &found.installed,
            &found.names,
        ];
        all.into_iter().flatten().cloned().collect()
    }

    /// Returns the hook's files except the programs that are found through the search path: what
    /// the hook names itself, what that loads, and what its programs read at startup (TR-9).
    pub fn scripts(&self) -> BTreeSet<PathBuf> {
        let found = &self.0;
        let named = found.existing.difference(&found.searched);
        let implicit = found.implicit.iter().filter(|it| it.is_file());
        named.chain(implicit).cloned().collect()
    }
}
