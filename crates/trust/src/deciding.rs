//! Files that affect a hook but aren't part of it (TR-8).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookloop_hook::HookDeclaration;

use crate::aspect::{Aspect, Below};
use crate::named_file::FileReader;
use crate::resolve::{Ground, Resolved, resolve};
use crate::store::TrustStore;

/// Files that belong to a hook of any layer, wherever they are, where their names really lead (TR-8, TR-9).
#[derive(Debug, Default)]
pub struct Belonging {
    /// What it runs, loads and names, also where there is none yet, what its programs read at their start, and
    /// what would be found in place of a program that it starts.
    pub files: BTreeSet<PathBuf>,
    /// Folders in which its programs look for modules, and where they have their own.
    pub folders: BTreeSet<PathBuf>,
    /// Folders of what its programs compiled: removing it changes nothing.
    pub caches: BTreeSet<PathBuf>,
    /// What its scripts read by a name that is in them: no part of it, but whoever writes them decides with
    /// it.
    pub reads: BTreeSet<PathBuf>,
    /// Words of it that name no file now: one of that name would be part of it, so that it isn't what was agreed to.
    pub awaited: BTreeSet<PathBuf>,
}

/// What a hook runs and loads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loaded {
    /// The files, also where there is none yet, where their names really lead.
    pub files: BTreeSet<PathBuf>,
    /// What its programs read at their start although nobody names it, also where there is none yet.
    pub implicit: BTreeSet<PathBuf>,
    /// Folders of which files run by themselves whose names nobody knows, and nothing else counts: see
    /// [`decisive_files`](crate::decisive_files).
    pub listed: BTreeSet<PathBuf>,
    /// Folders in which its programs look for modules.
    pub folders: BTreeSet<PathBuf>,
    /// Its scripts in JavaScript whose names don't tell how they are read: see
    /// [`javascript_kind`](crate::javascript_kind).
    pub javascript: BTreeSet<PathBuf>,
    /// Where programs that it starts would be found before those that it starts now.
    pub rivals: BTreeSet<PathBuf>,
    /// Modules of the project that an interpreter would load in place of its own.
    pub shadowing: BTreeSet<PathBuf>,
    /// Files of which a part decides with it.
    pub aspects: BTreeSet<Aspect>,
    /// Files of one name, wherever they are below a folder, of which a part decides with it.
    pub below: BTreeSet<Below>,
}

impl TrustStore {
    /// Returns what a hook of any layer runs and loads, and where it would find it once it is there: the
    /// hook itself, without the files that it only reads or writes (TR-8).
    pub fn loaded_by(&self, hook: &HookDeclaration, project_root: &Path, cwd: &Path) -> Loaded {
        let found = self.found(hook, project_root, cwd);
        Loaded {
            files: found.loaded,
            implicit: found.implicit.into_iter().chain(found.installed).collect(),
            listed: found.sites.into_iter().chain(found.caches).collect(),
            folders: found.start_folders,
            javascript: found.javascript,
            rivals: found.rivals,
            shadowing: found.shadowing,
            aspects: found.aspects,
            below: found.below,
        }
    }

    /// Returns the files that belong to a hook. Reads scripts, and runs nothing (TR-7).
    pub fn belonging_to(
        &self,
        hook: &HookDeclaration,
        project_root: &Path,
        cwd: &Path,
    ) -> Belonging {
        let found = self.found(hook, project_root, cwd);
        let is_part = |file: &PathBuf| found.existing.contains(file) || found.loaded.contains(file);
        let reads = found.reads.iter().filter(|it| !is_part(it));
        let reads = reads.cloned().collect();
        let there = found.existing.into_iter().chain(found.missing);
        let files = there.chain(found.loaded).chain(found.rivals);
        Belonging {
            files: files
                .chain(found.implicit)
                .chain(found.installed)
                .chain(found.names)
                .collect(),
            folders: found
                .start_folders
                .into_iter()
                .chain(found.libraries)
                .chain(found.sites)
                .collect(),
            caches: found.caches,
            reads,
            awaited: found.awaited,
        }
    }

    /// Returns the programs that a hook starts and that are looked for, where others would be found before them,
    /// what they read of where they are installed, and the links by which the hook's files are reached.
    pub fn programs_of(
        &self,
        hook: &HookDeclaration,
        project_root: &Path,
        cwd: &Path,
    ) -> BTreeSet<PathBuf> {
        let found = self.found(hook, project_root, cwd);
        let programs = found.rivals.into_iter().chain(found.programs);
        programs.chain(found.installed).chain(found.names).collect()
    }

    fn found(&self, hook: &HookDeclaration, root: &Path, cwd: &Path) -> Resolved {
        let ground = Ground {
            root,
            cwd,
            surroundings: self.surroundings(),
        };
        resolve(hook, ground, &mut FileReader::new(root))
    }
}
