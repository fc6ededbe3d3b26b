//! Files that Python runs automatically, whatever their names are: lists of folders that contain
//! code, and compiled modules that Python never compares with their source (TR-8).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookloop_settings::bounded::read_start;

use crate::named_file::text_of;
use crate::real_path::real_path;
use crate::resolve::{Finder, Presence};

/// The folder in which Python keeps what it compiled.
const CACHE: &str = "__pycache__";

/// The modules that every Python loads at startup, if they exist.
pub(super) const PYTHON_START: [&str; 4] = [
    "sitecustomize.py",
    "sitecustomize/__init__.py",
    "usercustomize.py",
    "usercustomize/__init__.py",
];

/// How many files of a folder are examined.
const MAX_FILES: usize = 4096;

/// How many bytes at the start of a compiled module say how it is kept up to date.
const HEAD: u64 = 8;

impl Finder<'_> {
    /// Notes where Python keeps what it compiled of a module, and adds what it would load from
    /// there without looking at the source.
    pub(super) fn compiled(&mut self, module: &Path) {
        let of_package = (module.join(CACHE), "__init__".into());
        let name = module
            .file_name()
            .map(|it| it.to_string_lossy().into_owned());
        let beside = module.parent().map(|it| it.join(CACHE)).zip(name);
        for (cache, name) in beside.into_iter().chain([of_package]) {
            if !self.unchecked_modules.contains_key(&cache) {
                let blind = unchecked_modules_in(&cache);
                self.unchecked_modules.insert(cache.clone(), blind);
            }
            let is_its = |file: &&PathBuf| {
                let file = file.file_name().map(|it| it.to_string_lossy());
                file.is_some_and(|it| it.split('.').next() == Some(&name))
            };
            let modules: Vec<PathBuf> = self.unchecked_modules[&cache]
                .iter()
                .filter(is_its)
                .cloned()
                .collect();
            for file in modules {
                self.take(&file, Presence::Perhaps);
                self.implicit(&file);
            }
            // Python itself writes there whenever the hook runs, so the folder can't be compared.
            if cache.parent().is_some_and(Path::is_dir) {
                self.found.caches.insert(cache);
            }
        }
    }
}

/// Returns the files of a folder that Python runs although nothing names them. In a package folder,
/// these are the `.pth` files that contain code or lead to modules that run at startup. In a folder
/// of compiled modules, they are those that Python neither compares with their source nor creates
/// by itself (TR-8). Other files have no effect.
pub fn decisive_files(folder: &Path) -> BTreeSet<PathBuf> {
    if folder.ends_with(CACHE) {
        return unchecked_modules_in(folder);
    }
    let lists = path_files(folder).into_iter();
    lists.filter(|it| holds_code(it, folder)).collect()
}

/// Returns the files of a package folder that list further folders, or contain code.
pub(super) fn path_files(packages: &Path) -> BTreeSet<PathBuf> {
    files_with_ending(packages, "pth").collect()
}

fn holds_code(list: &Path, packages: &Path) -> bool {
    let Some(text) = real_path(list).and_then(|it| text_of(&it)) else {
        return true;
    };
    let leads_to_code = |line: &str| {
        let folder = packages.join(line.trim());
        !line.trim().is_empty() && PYTHON_START.iter().any(|it| folder.join(it).is_file())
    };
    text.lines().any(|it| is_import(it) || leads_to_code(it))
}

/// Returns whether Python runs a line of a file that lists folders.
pub(super) fn is_import(line: &str) -> bool {
    line.starts_with("import ") || line.starts_with("import\t")
}

fn unchecked_modules_in(cache: &Path) -> BTreeSet<PathBuf> {
    files_with_ending(cache, "pyc")
        .filter(|it| is_kept_by_hash(it))
        .collect()
}

/// Returns whether a compiled module isn't compared with the time and the size of its source. A
/// module that is compared with the source's hash counts too, because anybody can write that.
fn is_kept_by_hash(file: &Path) -> bool {
    let head = real_path(file).and_then(|it| read_start(&it, HEAD).ok());
    head.is_some_and(|it| it.get(4).is_some_and(|flags| flags & 1 == 1))
}

fn files_with_ending(folder: &Path, ending: &'static str) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|it| it.path());
    let of_kind = paths.filter(move |it| it.extension().is_some_and(|it| it == ending));
    of_kind.take(MAX_FILES)
}
