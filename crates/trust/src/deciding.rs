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

/// A look at what hooks of any layer are made of, wherever it is: what several of them share is looked at once. Reads
/// scripts, and runs nothing (TR-7).
#[derive(Debug)]
pub struct Examination<'a> {
    ground: Ground<'a>,
    reader: FileReader,
}

/// What one hook is made of.
#[derive(Debug)]
pub struct Examined(Resolved);

impl TrustStore {
    /// Begins to look at what hooks are made of in a project and a working directory, as it is at this moment.
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
    /// Looks at a hook.
    pub fn of(&mut self, hook: &HookDeclaration) -> Examined {
        Examined(resolve(hook, self.ground, &mut self.reader))
    }
}

impl Examined {
    /// Returns what the hook runs and loads, and where it would find it once it is there: the hook itself,
    /// without the files that it only reads or writes (TR-8).
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
        let folders = [&found.start_folders, &found.libraries, &found.sites];
        let reads = found.reads.iter().filter(|it| !is_part(it));
        Belonging {
            files: files.into_iter().flatten().cloned().collect(),
            folders: folders.into_iter().flatten().cloned().collect(),
            caches: found.caches.clone(),
            reads: reads.cloned().collect(),
            awaited: found.awaited.clone(),
        }
    }

    /// Returns the programs that the hook starts and that are looked for, where others would be found before them,
    /// what they read of where they are installed, and the links by which the hook's files are reached.
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

    /// Returns the files of the hook but for the programs that are looked for in the search path: what it names
    /// itself, what that loads, and what its programs read at their start (TR-9).
    pub fn scripts(&self) -> BTreeSet<PathBuf> {
        let found = &self.0;
        let named = found.existing.difference(&found.searched);
        let implicit = found.implicit.iter().filter(|it| it.is_file());
        named.chain(implicit).cloned().collect()
    }
}
