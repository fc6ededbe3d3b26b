//! Programs that are built from sources, or installed in a Python environment, before a hook runs
//! them (TR-8).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookloop_shell::Command;

use crate::aspect::Part;
use crate::named_file::text_of;
use crate::real_path::real_path;
use crate::resolve::start::Start;
use crate::resolve::{Finder, Presence, rust};

/// How many sources of a hook are watched individually.
const MAX_SOURCES: usize = 1024;

/// How many of them, and how many bytes, a person agrees to with a hook of the project.
const MAX_AGREED_FILES: usize = 64;
const MAX_AGREED_BYTES: u64 = 1 << 20;

/// How many packages are followed from one to the next.
const MAX_PACKAGES: usize = 32;

/// Folders that never contain sources of a package.
const NO_SOURCES: [&str; 5] = ["target", "node_modules", ".git", ".venv", "vendor"];

/// The manifest of a Rust package.
const MANIFEST: &str = "Cargo.toml";

impl Finder<'_> {
    /// Adds what a Rust package is built from.
    pub(super) fn cargo(
        &mut self,
        command: &Command,
        package: Option<&str>,
        description: Option<&str>,
        folder: &Path,
    ) {
        let subcommand = command.texts_after_program();
        let mut subcommand = subcommand.filter(|it| !it.starts_with(['-', '+']));
        let Some(subcommand) = subcommand.next() else {
            return;
        };
        if !["run", "r", "test", "t"].contains(&subcommand) {
            return self.cargo_alias(command, subcommand, folder);
        }
        let named = description.map(|it| folder.join(it));
        let nearest = || {
            let mut above = self
                .ancestors(folder)
                .into_iter()
                .map(|it| it.join(MANIFEST));
            above.find(|it| it.is_file())
        };
        let Some(manifest) = named.or_else(nearest) else {
            return;
        };
        let top = manifest.parent().unwrap_or(folder).to_path_buf();
        let start = package
            .and_then(|name| member(&top, name))
            .unwrap_or_else(|| top.clone());
        let target = Target::of(command, &start);
        let mut waiting = vec![start.clone()];
        let mut seen = BTreeSet::new();
        while let Some(package) = waiting.pop() {
            if seen.len() < MAX_PACKAGES && seen.insert(package.clone()) {
                let target = if package == start {
                    target.clone()
                } else {
                    Target::Library
                };
                waiting.extend(self.package_of_rust(&package, &target));
            }
        }
        let workspaces: Vec<PathBuf> = self.ancestors(&top);
        for above in workspaces {
            let manifest = above.join(MANIFEST);
            if manifest.is_file() {
                self.implicit(&manifest);
                self.aspect(&manifest, Part::RustWorkspace);
                self.found.caches.insert(above.join("Cargo.lock"));
                for built in ["target/debug", "target/release"] {
                    self.found.caches.insert(above.join(built));
                }
            }
        }
    }

    /// Adds what a name in the settings stands for: `guard = "run -p guard --"`.
    fn cargo_alias(&mut self, command: &Command, name: &str, folder: &Path) {
        let words: Vec<&str> = command.texts_after_program().collect();
        let Some(at) = words.iter().position(|it| *it == name) else {
            return;
        };
        let mut places = self.ancestors(folder);
        places.extend(self.ground.surroundings.home.clone());
        let files = places
            .iter()
            .flat_map(|it| [".cargo/config.toml", ".cargo/config"].map(|name| it.join(name)));
        let found = files.filter_map(|file| {
            let text = real_path(&file).and_then(|it| text_of(&it))?;
            let alias = rust::alias(&text, name)?;
            let before = hookloop_shell::join(words[..at].iter().copied());
            let behind = hookloop_shell::join(words[at + 1..].iter().copied());
            Some((file, format!("cargo {before} {alias} {behind}")))
        });
        for (file, line) in found.collect::<Vec<_>>() {
            self.started_in(&line, folder, &file);
        }
    }

    /// Notes the sources of a Rust package, and returns the folders of the packages that it is
    /// built with.
    fn package_of_rust(&mut self, package: &Path, target: &Target) -> Vec<PathBuf> {
        let manifest = package.join(MANIFEST);
        self.implicit(&manifest);
        self.implicit(&package.join("build.rs"));
        if let Some(own) = target.own_files() {
            // A new target or module would change what is built.
            for file in own
                .iter()
                .map(String::as_str)
                .chain(["src/lib.rs", "src/main.rs"])
            {
                self.implicit(&package.join(file));
            }
        } else {
            self.found.caches.insert(package.join("src"));
        }
        let mut sources = self.sources(package, "rs", |file| target.is_built_from(file));
        self.named_in_sources(package, &mut sources);
        if target.own_files().is_some() {
            for source in &sources {
                self.implicit(&other_module(source));
            }
        }
        self.built_from(package, std::slice::from_ref(&manifest), &sources);
        let text = real_path(&manifest)
            .and_then(|it| text_of(&it))
            .unwrap_or_default();
        let folders = rust::paths(&text).into_iter().map(|it| package.join(it));
        let mut folders: Vec<PathBuf> = folders.filter(|it| it.join(MANIFEST).is_file()).collect();
        folders.extend(self.workspace_packages(package, &text));
        folders
    }

    /// Returns the folders of packages that the workspace names for a package:
    /// `r.workspace = true`.
    fn workspace_packages(&self, package: &Path, text: &str) -> Vec<PathBuf> {
        if !text.contains("workspace") {
            return Vec::new();
        }
        let named = rust::workspace_of(text).map(|it| package.join(it));
        let above = named.into_iter().chain(self.ancestors(package));
        let mut found = Vec::new();
        for top in above {
            let Some(told) = text_of(&top.join(MANIFEST)) else {
                continue;
            };
            for (name, path) in rust::dependencies_of_workspace(&told) {
                let folder = top.join(path);
                if text.contains(&name) && folder.join(MANIFEST).is_file() {
                    found.push(folder);
                }
            }
        }
        found
    }

    /// Adds the files that sources name: `#[path = "x"]`, `include!("x")`, `include_str!("x")`.
    fn named_in_sources(&mut self, package: &Path, sources: &mut Vec<PathBuf>) {
        let mut at = 0;
        while let Some(source) = sources.get(at).cloned() {
            at += 1;
            let text = real_path(&source).and_then(|it| text_of(&it));
            let text = text.unwrap_or_default();
            let mut named = rust::included_files(&text, &source, package);
            if !source.starts_with(package.join("src")) {
                // A build script runs in the package's folder.
                named.extend(rust::read_by_script(&text, package));
            }
            for file in named {
                if sources.len() >= MAX_SOURCES {
                    return self
                        .unpinned("it is built from more files than are watched".to_owned());
                }
                if !sources.contains(&file) {
                    self.implicit(&file);
                    sources.push(file);
                }
            }
        }
    }

    /// Adds what Go packages are built from.
    pub(super) fn go(&mut self, packages: &[String], folder: &Path) {
        let above = self.ancestors(folder);
        let module = above.iter().find(|it| it.join("go.mod").is_file()).cloned();
        let description = module.as_ref().and_then(|it| text_of(&it.join("go.mod")));
        let name = description.as_deref().and_then(|text| {
            let mut lines = text
                .lines()
                .filter_map(|it| it.trim().strip_prefix("module "));
            lines.next().map(|it| it.trim().to_owned())
        });
        let mut waiting: Vec<PathBuf> = Vec::new();
        for package in packages {
            let path = folder.join(package);
            if path.is_file() {
                self.implicit(&path);
                waiting.extend(self.imported_by_go(&path, module.as_deref(), name.as_deref()));
            } else {
                waiting.push(path);
            }
        }
        let mut seen = BTreeSet::new();
        while let Some(package) = waiting.pop() {
            if seen.len() >= MAX_PACKAGES || !seen.insert(package.clone()) {
                continue;
            }
            self.found.caches.insert(package.clone());
            let entries = std::fs::read_dir(&package).into_iter().flatten().flatten();
            let files = entries.map(|it| it.path());
            let is_source = |it: &PathBuf| it.extension().is_some_and(|it| it == "go");
            let sources: Vec<PathBuf> = files.filter(is_source).take(MAX_SOURCES).collect();
            for file in &sources {
                self.implicit(file);
                waiting.extend(self.imported_by_go(file, module.as_deref(), name.as_deref()));
            }
            self.built_from(&package, &[], &sources);
        }
    }

    fn imported_by_go(
        &mut self,
        file: &Path,
        module: Option<&Path>,
        name: Option<&str>,
    ) -> Vec<PathBuf> {
        let (Some(module), Some(name)) = (module, name) else {
            return Vec::new();
        };
        let text = self
            .reader
            .real(file)
            .and_then(|it| text_of(&it))
            .unwrap_or_default();
        let quoted = text.split('"').skip(1).step_by(2);
        let inner = quoted.filter_map(|it| it.strip_prefix(name)?.strip_prefix('/'));
        inner.map(|it| module.join(it)).collect()
    }

    /// Adds what a package in its own folder is built from, as part of what a person agrees to with
    /// a hook of the project. Sources that people work on aren't included, which is reported.
    fn built_from(&mut self, package: &Path, descriptions: &[PathBuf], sources: &[PathBuf]) {
        let is_told = self.reading.watches_tellers() && self.hook.is_from_project();
        let real = real_path(package);
        if !is_told || !real.as_ref().is_some_and(|it| self.is_of_project(it)) {
            return;
        }
        if real == real_path(self.ground.root) {
            return self.unpinned("it is built from the project's own sources".to_owned());
        }
        let bytes = |it: &PathBuf| it.metadata().map_or(0, |it| it.len());
        let size: u64 = sources.iter().map(bytes).sum();
        if sources.len() > MAX_AGREED_FILES || size > MAX_AGREED_BYTES {
            let shown = package.strip_prefix(self.ground.root).unwrap_or(package);
            let shown = shown.display();
            return self.unpinned(format!("{shown} has more sources than are watched"));
        }
        for file in descriptions.iter().chain(sources) {
            self.take(file, Presence::Perhaps);
        }
    }

    /// Notes each source below a folder, and returns them.
    fn sources(
        &mut self,
        top: &Path,
        ending: &str,
        is_built: impl Fn(&Path) -> bool,
    ) -> Vec<PathBuf> {
        let mut waiting = vec![top.to_path_buf()];
        let mut left = MAX_SOURCES;
        let mut found = Vec::new();
        while let Some(folder) = waiting.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let name = entry.file_name();
                let is_meant = !NO_SOURCES.iter().any(|it| name == *it);
                if entry.file_type().is_ok_and(|it| it.is_dir()) {
                    waiting.extend(is_meant.then_some(path));
                } else if path.extension().is_some_and(|it| it == ending)
                    && path.strip_prefix(top).is_ok_and(&is_built)
                {
                    if left == 0 {
                        self.unpinned("it is built from more files than are watched".to_owned());
                        return found;
                    }
                    left -= 1;
                    self.implicit(&path);
                    found.push(path);
                }
            }
        }
        found
    }

    /// Adds what `uv run x`, `poetry run x` and similar commands start: a script, or a program of
    /// the environment.
    pub(super) fn follow_python_environment(&mut self, command: &Command, folder: &Path) {
        let start = Start::of("python3", folder);
        self.rivals_of("python3", folder);
        self.python_starts(&start);
        for word in command
            .words
            .iter()
            .filter(|it| it.text.strip_suffix(".py").is_some())
        {
            let script = folder.join(&word.text);
            self.implicit(&script);
            self.loads(&script);
            self.script(&script);
        }
        let program = command.invoked.as_str();
        if !program.is_empty() && !program.contains('/') {
            self.rivals_of(program, folder);
            if let Some(found) = self.search(program, folder) {
                self.implicit(&found);
                self.script(&found);
            }
        }
    }
}

/// The part of a Rust package that is built.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    /// The program with a given name, with its modules and the library of the package.
    Program {
        name: String,
        modules: BTreeSet<String>,
    },
    /// Only the library, for another package.
    Library,
    /// Whatever the package says.
    All,
}

impl Target {
    fn of(command: &Command, package: &Path) -> Self {
        let words: Vec<&str> = command.texts_after_program().collect();
        let own = words.iter().take_while(|it| **it != "--").copied();
        let own: Vec<&str> = own.collect();
        let attached = own.iter().find_map(|it| it.strip_prefix("--bin="));
        let at = own.iter().position(|it| *it == "--bin");
        let named = attached.or_else(|| own.get(at? + 1).copied());
        let runs = own.iter().find(|it| !it.starts_with(['-', '+']));
        let named = named.filter(|_| matches!(runs, Some(&("run" | "r"))));
        let program = named.filter(|it| !it.is_empty()).and_then(|name| {
            let folder = package.join("src/bin");
            let places = [format!("{name}.rs"), format!("{name}/main.rs")];
            let mut texts = places.iter().filter_map(|it| text_of(&folder.join(it)));
            let text = texts.next()?;
            // The text may include sources that aren't named like modules.
            if text.contains("path") && text.contains("#[") || text.contains("include") {
                return None;
            }
            let is_part = |it: char| it.is_alphanumeric() || it == '_';
            let mut words = text.split(|it| !is_part(it)).filter(|it| !it.is_empty());
            let mut modules = BTreeSet::new();
            while let Some(word) = words.next() {
                if word == "mod" {
                    modules.extend(words.next().map(str::to_owned));
                }
            }
            let name = name.to_owned();
            Some(Self::Program { name, modules })
        });
        program.unwrap_or(Self::All)
    }

    /// Returns the files from the package's folder that it may be built from first, if they are
    /// known.
    fn own_files(&self) -> Option<Vec<String>> {
        match self {
            Self::Program { name, .. } => Some(vec![
                format!("src/bin/{name}.rs"),
                format!("src/bin/{name}/main.rs"),
            ]),
            Self::Library | Self::All => None,
        }
    }

    /// Returns whether a source may be part of the build, by its path from the package's folder.
    fn is_built_from(&self, source: &Path) -> bool {
        let parts: Vec<&str> = source.iter().filter_map(|it| it.to_str()).collect();
        let other = match self {
            Self::All => return true,
            Self::Library => matches!(parts[..], ["src", "bin", ..]),
            Self::Program { name, modules } => match parts[..] {
                ["src", "bin", first, ..] => {
                    let first = first.trim_end_matches(".rs");
                    first != name && !modules.contains(first)
                }
                _ => false,
            },
        };
        let is_beside = matches!(parts[..], ["tests" | "benches" | "examples", ..]);
        !other && !is_beside
    }
}

/// Returns the other path at which a module could be: if both exist, the compiler uses neither.
fn other_module(source: &Path) -> PathBuf {
    let folder = source.parent().unwrap_or(source);
    match source.file_stem() {
        Some(stem) if stem == "mod" => folder.with_extension("rs"),
        Some(stem) => folder.join(stem).join("mod.rs"),
        None => source.to_path_buf(),
    }
}

/// Finds the folder of a package by its name, in a workspace.
fn member(top: &Path, name: &str) -> Option<PathBuf> {
    const MAX_DEPTH: usize = 3;
    let mut waiting = vec![(top.to_path_buf(), 0)];
    while let Some((folder, depth)) = waiting.pop() {
        let text = text_of(&folder.join(MANIFEST)).unwrap_or_default();
        let mut lines = text.lines().map(|it| it.replace([' ', '\''], "\""));
        if lines.any(|it| it.starts_with("name") && it.contains(&format!("\"{name}\""))) {
            return Some(folder);
        }
        if depth < MAX_DEPTH {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let is_meant = !NO_SOURCES.iter().any(|it| entry.file_name() == *it);
                if is_meant && entry.file_type().is_ok_and(|it| it.is_dir()) {
                    waiting.push((entry.path(), depth + 1));
                }
            }
        }
    }
    None
}
