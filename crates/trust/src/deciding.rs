//! Files that decide with a hook and are no part of it (TR-8).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookloop_hook::HookDeclaration;

use crate::named_file::FileReader;
use crate::resolve::{Ground, Resolved, resolve};
use crate::store::TrustStore;

/// Files that belong to a hook of any layer, wherever they are, where their names really lead (TR-8, TR-9).
#[derive(Debug, Default)]
pub struct Belonging {
    /// What it runs, loads and names, also where there is none yet, what its programs read at their start, and
    /// what would be found in place of a program that it starts.
    pub files: BTreeSet<PathBuf>,
    /// Folders in which its programs look for modules.
    pub folders: BTreeSet<PathBuf>,
    /// Folders of what its programs compiled: removing it changes nothing.
    pub caches: BTreeSet<PathBuf>,
    /// What its scripts read by a name that stands in them: no part of it, but whoever writes them decides with
    /// it.
    pub reads: BTreeSet<PathBuf>,
}

impl TrustStore {
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
            files: files.chain(found.implicit).collect(),
            folders: found.start_folders,
            caches: found.caches,
            reads,
        }
    }

    /// Returns the programs that a hook starts and that are looked for, and where others would be found before
    /// them.
    pub fn programs_of(
        &self,
        hook: &HookDeclaration,
        project_root: &Path,
        cwd: &Path,
    ) -> BTreeSet<PathBuf> {
        let found = self.found(hook, project_root, cwd);
        found.rivals.into_iter().chain(found.programs).collect()
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
