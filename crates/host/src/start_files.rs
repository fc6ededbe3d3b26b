//! What the programs of a hook read at their start although nobody names it, as it was at one moment (TR-8).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hookloop_trust::{Loaded, digest_of, javascript_kind};

use crate::watch::Stamp;

/// Endings of what interpreters take out of the folders in which they look for modules.
const MODULES: [&str; 5] = ["pth", "py", "so", "pm", "rb"];

/// How many entries of a folder are looked at.
const MOST_ENTRIES: usize = 4096;

/// What hooks load without naming it.
pub(crate) struct StartFiles {
    files: Vec<Content>,
    /// Folders by the modules in them.
    folders: Vec<(PathBuf, BTreeMap<PathBuf, Option<Stamp>>)>,
    /// Scripts by how they are read.
    javascript: Vec<(PathBuf, String)>,
}

/// A file by what is in it: package managers write the same anew.
struct Content {
    file: PathBuf,
    /// As long as it stays, nothing needs to be read.
    stamp: Option<Stamp>,
    digest: Option<String>,
}

impl Content {
    fn of(file: &Path) -> Self {
        Self {
            file: file.to_path_buf(),
            stamp: Stamp::of(file),
            digest: content(file),
        }
    }

    fn is_changed(&self) -> bool {
        Stamp::of(&self.file) != self.stamp && content(&self.file) != self.digest
    }
}

impl StartFiles {
    /// Looks at what a hook loads now.
    pub(crate) fn of(loaded: &Loaded) -> Self {
        fn looked_at<T>(paths: &BTreeSet<PathBuf>, look: impl Fn(&Path) -> T) -> Vec<(PathBuf, T)> {
            let looked = paths.iter().map(|path| (path.clone(), look(path)));
            looked.collect()
        }
        Self {
            files: loaded.implicit.iter().map(|it| Content::of(it)).collect(),
            folders: looked_at(&loaded.folders, modules),
            javascript: looked_at(&loaded.javascript, javascript_kind),
        }
    }

    /// Returns a file that isn't what it was, and that nobody agreed to.
    pub(crate) fn changed(&self, is_settled: impl Fn(&Path) -> bool) -> Option<PathBuf> {
        let mut files = self.files.iter();
        if let Some(found) = files.find(|it| it.is_changed() && !is_settled(&it.file)) {
            return Some(found.file.clone());
        }
        for (folder, before) in &self.folders {
            let now = modules(folder);
            let of_both = before.keys().chain(now.keys());
            let mut changed = of_both.filter(|file| now.get(*file) != before.get(*file));
            if let Some(file) = changed.find(|file| !is_settled(file)) {
                return Some(file.clone());
            }
        }
        let mut scripts = self.javascript.iter();
        let script = scripts.find(|(script, before)| javascript_kind(script) != *before)?;
        let folders = script.0.ancestors().skip(1);
        let mut descriptions = folders.map(|it| it.join("package.json"));
        descriptions
            .find(|it| it.exists())
            .or_else(|| Some(script.0.clone()))
    }
}

/// Returns the digest of a file; nothing where there is none.
fn content(file: &Path) -> Option<String> {
    let metadata = file.metadata().ok()?;
    if metadata.is_dir() {
        return Some("folder".to_owned());
    }
    Some(digest_of(file).unwrap_or_else(|| "unreadable".to_owned()))
}

/// Returns the modules that lie in a folder.
fn modules(folder: &Path) -> BTreeMap<PathBuf, Option<Stamp>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.take(MOST_ENTRIES).map(|it| it.path());
    let is_module = |path: &PathBuf| {
        let ending = path.extension().and_then(|it| it.to_str());
        ending.is_some_and(|it| MODULES.contains(&it))
    };
    let modules = paths.filter(is_module);
    modules
        .map(|path| (path.clone(), Stamp::of(&path)))
        .collect()
}
