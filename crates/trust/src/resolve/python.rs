//! What Python reads at startup, and where it looks for modules (TR-8).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::named_file::text_of;
use crate::real_path::real_path;
use crate::resolve::caches::{PYTHON_START, is_import, path_files};
use crate::resolve::scripts::python_imports;
use crate::resolve::start::Start;
use crate::resolve::{Finder, links};

/// The versions of Python whose folders are watched if it isn't known which one runs.
const PYTHON_MINORS: std::ops::RangeInclusive<u8> = 8..=16;

/// The file that marks an interpreter as part of a virtual environment.
const ENVIRONMENT: &str = "pyvenv.cfg";

/// Folders of shims that choose among installed versions, by what is beside the folder: those of
/// pyenv, of asdf and mise.
const SHIMS: &str = "shims";

/// The variable that makes Python ignore the folders of a person's packages.
const NO_USER_SITE: &str = "PYTHONNOUSERSITE";

/// How many files of a folder that list further ones are examined.
const MAX_LISTS: usize = 256;

/// Whether an interpreter belongs to a virtual environment, and what that uses from the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Environment {
    /// It doesn't.
    None,
    /// It only has its own packages.
    Apart,
    /// It also has those of the system and the person.
    WithOthers,
}

impl Finder<'_> {
    /// Notes what a Python loads at startup, and the folders from which it does.
    pub(super) fn python_starts(&mut self, start: &Start<'_>) {
        let call = &start.python;
        if call.reads_variables() {
            self.searched_by("PYTHONPATH", start.folder);
        }
        if !call.reads_site() {
            return;
        }
        let found = self.interpreter(start.invoked, start.folder);
        let minors = minors_of(found.as_deref());
        let environment = found
            .as_deref()
            .map_or(Environment::None, |it| self.own_sites(it, &minors));
        let says_no = self.hook.env.contains_key(NO_USER_SITE)
            || start.variable_value(NO_USER_SITE).is_some();
        let turns_off = says_no && call.reads_variables();
        if call.reads_user_site() && !turns_off && environment != Environment::Apart {
            self.user_sites(start, &minors);
        }
    }

    /// Notes the folders of a person's packages.
    fn user_sites(&mut self, start: &Start<'_>, minors: &[u8]) {
        let home = self.ground.surroundings.home.clone();
        let base = self
            .variable_value("PYTHONUSERBASE", start)
            .map(|it| start.folder.join(it));
        let mut folders = Vec::new();
        for minor in minors {
            let base = base.clone().or_else(|| Some(home.as_ref()?.join(".local")));
            folders.extend(base.map(|it| it.join(format!("lib/python3.{minor}/site-packages"))));
            if std::env::consts::OS == "macos" {
                let of_system = format!("Library/Python/3.{minor}/lib/python/site-packages");
                folders.extend(home.as_ref().map(|it| it.join(of_system)));
            }
        }
        for packages in folders {
            for name in PYTHON_START {
                self.implicit(&packages.join(name));
            }
            self.site(&packages);
            self.found.start_folders.insert(packages);
        }
    }

    /// Notes what belongs to an interpreter itself: the folders beside the one in which it is, by
    /// every link that leads to it.
    fn own_sites(&mut self, found: &Path, minors: &[u8]) -> Environment {
        let mut environment = Environment::None;
        let mut steps = links::steps(found);
        if found.parent().is_some_and(|it| it.ends_with(SHIMS)) {
            for version in installed_versions(found) {
                self.found.names.extend(links::steps(&version));
                steps.push(version);
            }
        }
        for (at, step) in steps.iter().enumerate() {
            let Some(folder) = step.parent() else {
                continue;
            };
            for above in folder.ancestors().take(2) {
                let description = above.join(ENVIRONMENT);
                self.installed_file(&description);
                // Python looks only beside the path by which it was called.
                if at == 0 && environment == Environment::None {
                    environment = self.environment_of(&description, minors);
                }
            }
            if let Some(prefix) = folder.parent() {
                self.sites_below(prefix, minors);
            }
        }
        environment
    }

    fn environment_of(&mut self, description: &Path, minors: &[u8]) -> Environment {
        let Some(text) = real_path(description).and_then(|it| text_of(&it)) else {
            return Environment::None;
        };
        let value = |name: &str| {
            let mut lines = text.lines().filter_map(|it| it.split_once('='));
            let found = lines.find(|(key, _)| key.trim().eq_ignore_ascii_case(name));
            found.map(|(_, value)| value.trim().to_owned())
        };
        let takes_others = value("include-system-site-packages");
        if !takes_others.is_some_and(|it| it.eq_ignore_ascii_case("true")) {
            return Environment::Apart;
        }
        let home = value("home").map(PathBuf::from);
        if let Some(prefix) = home.as_deref().and_then(Path::parent) {
            self.sites_below(prefix, minors);
        }
        Environment::WithOthers
    }

    /// Notes the folders of packages below the place in which a Python is installed.
    fn sites_below(&mut self, prefix: &Path, minors: &[u8]) {
        for library in ["lib", "lib64"] {
            let library = prefix.join(library);
            for minor in minors {
                let versioned = library.join(format!("python3.{minor}"));
                // If the version isn't known, a missing folder most likely belongs to another one.
                if !versioned.is_dir() && (minors.len() > 1 || library.ends_with("lib64")) {
                    continue;
                }
                self.installed_starts(&versioned);
                self.site(&versioned.join("site-packages"));
                self.site(&versioned.join("dist-packages"));
                self.found.libraries.extend(real_path(&versioned));
                self.found.libraries.insert(versioned);
            }
        }
        if prefix == Path::new("/usr") {
            // Debian's layout.
            self.sites_below(Path::new("/usr/local"), minors);
            self.site(Path::new("/usr/lib/python3/dist-packages"));
        }
    }

    fn installed_starts(&mut self, folder: &Path) {
        for name in PYTHON_START {
            self.installed_file(&folder.join(name));
        }
    }

    /// Notes what in a package folder runs at each start: modules by their names, and what files
    /// with any name list.
    fn site(&mut self, packages: &Path) {
        let Some(real) = real_path(packages) else {
            return;
        };
        if !self.found.sites.insert(real) {
            return;
        }
        self.installed_starts(packages);
        for list in path_files(packages) {
            self.installed_file(&list);
            let Some(text) = real_path(&list).and_then(|it| text_of(&it)) else {
                continue;
            };
            for line in text.lines() {
                if is_import(line) {
                    for name in python_imports(&line.replace(';', "\n")) {
                        self.installed_module(&packages.join(name));
                    }
                } else if !line.trim().is_empty() && !line.starts_with('#') {
                    let folder = packages.join(line.trim());
                    self.installed_starts(&folder);
                    self.listed_folder(&folder);
                }
            }
        }
    }

    fn installed_module(&mut self, path: &Path) {
        for ending in [".py", "/__init__.py"] {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            if Path::new(&name).is_file() {
                self.installed_file(Path::new(&name));
            }
        }
    }

    fn installed_file(&mut self, file: &Path) {
        if !self.is_data(file) {
            let names = self.resolve_links(file);
            self.found.installed.extend(names);
        }
    }

    /// Returns the endings of compiled modules, as Python tries them.
    pub(super) fn compiled_endings(&mut self) -> Rc<[String]> {
        if let Some(known) = &self.compiled_endings {
            return Rc::clone(known);
        }
        let found = self.interpreter("python3", self.ground.cwd);
        let minors = minors_of(found.as_deref());
        let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
        let mut endings = Vec::new();
        for minor in minors {
            let forms: &[&str] = if system == "macos" {
                &["darwin"]
            } else {
                &["gnu", "musl"]
            };
            endings.extend(forms.iter().map(|form| match system {
                "macos" => format!(".cpython-3{minor}-{form}.so"),
                _ => format!(".cpython-3{minor}-{machine}-{system}-{form}.so"),
            }));
        }
        endings.extend([".abi3.so", ".so"].map(str::to_owned));
        let endings: Rc<[String]> = endings.into();
        self.compiled_endings = Some(Rc::clone(&endings));
        endings
    }

    /// Returns where an interpreter is found, without following links.
    fn interpreter(&self, invoked: &str, folder: &Path) -> Option<PathBuf> {
        if invoked.contains('/') {
            return Some(folder.join(invoked));
        }
        self.search(invoked, folder)
    }
}

/// Returns the versions of Python 3 that an interpreter may be.
fn minors_of(found: Option<&Path>) -> Vec<u8> {
    let real = found.and_then(real_path);
    let version = real.as_deref().and_then(Path::file_name);
    let version = version.and_then(|it| it.to_str()?.strip_prefix("python3."));
    match version.and_then(|it| it.parse().ok()) {
        Some(minor) => vec![minor],
        None => PYTHON_MINORS.collect(),
    }
}

/// Returns the interpreters that a shim may choose from.
fn installed_versions(shim: &Path) -> Vec<PathBuf> {
    let root = shim.parent().and_then(Path::parent);
    let folders = ["versions", "installs/python"].map(|it| root.map(|root| root.join(it)));
    let entries = folders
        .into_iter()
        .flatten()
        .flat_map(|it| std::fs::read_dir(it).into_iter().flatten());
    let versions: BTreeSet<PathBuf> = entries
        .flatten()
        .take(MAX_LISTS)
        .map(|it| it.path())
        .collect();
    versions
        .into_iter()
        .map(|it| it.join("bin/python3"))
        .collect()
}
