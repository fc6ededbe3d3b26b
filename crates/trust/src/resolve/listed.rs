//! Python modules in folders that a file in a package folder lists: packages installed in place
//! (TR-8).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::real_path::real_path;
use crate::resolve::Finder;
use crate::resolve::modules::PYTHON_ENDINGS;

/// How often modules are looked for that others load.
const MAX_ROUNDS: usize = 8;

/// What scripts import, and the folders in which it may lie besides.
#[derive(Debug, Default)]
pub(super) struct Listed {
    folders: BTreeSet<PathBuf>,
    imported: BTreeSet<String>,
    looked_for: BTreeSet<(PathBuf, String)>,
}

impl Finder<'_> {
    /// Notes a folder that a line of a `.pth` file names.
    pub(super) fn listed_folder(&mut self, folder: &Path) {
        if folder.is_absolute() {
            let folder = real_path(folder).unwrap_or_else(|| folder.to_path_buf());
            self.listed.folders.insert(folder);
        }
    }

    /// Notes a module that a text of Python imports, as a path without ending.
    pub(super) fn imported(&mut self, name: &str) {
        if !name.is_empty() && !name.contains("..") {
            self.listed.imported.insert(name.to_owned());
        }
    }

    /// Takes up the modules that scripts import from folders that are listed, and what they import themselves.
    pub(super) fn look_into_listed(&mut self) {
        if !self.reading.looks_into_tasks() {
            return;
        }
        for _ in 0..MAX_ROUNDS {
            let folders = self.listed.folders.iter();
            let pairs = folders.flat_map(|folder| {
                let names = self.listed.imported.iter();
                names.map(move |name| (folder.clone(), name.clone()))
            });
            let new: Vec<_> = pairs
                .filter(|it| !self.listed.looked_for.contains(it))
                .collect();
            if new.is_empty() {
                return;
            }
            for (folder, name) in new {
                self.listed_module(&folder, &name);
                self.listed.looked_for.insert((folder, name));
            }
            self.look_ahead();
        }
    }

    fn listed_module(&mut self, folder: &Path, name: &str) {
        let first = name.split('/').next().unwrap_or_default();
        let is_there = PYTHON_ENDINGS
            .iter()
            .any(|it| folder.join(format!("{first}{it}")).is_file())
            || folder.join(first).is_dir();
        if !is_there {
            return;
        }
        for ending in PYTHON_ENDINGS.into_iter().chain(["/__main__.py"]) {
            let file = folder.join(format!("{name}{ending}"));
            self.implicit(&file);
            self.loads(&file);
            self.script(&file);
        }
    }
}
