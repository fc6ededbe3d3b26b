//! What programs read at their start although nobody names it: files in the home folder, what the environment
//! lists, packages beside a script (TR-8).
//!
//! None of it is part of what a person agreed to, and each of it decides as a line of the hook would: whoever
//! writes `~/.local/lib/python3.11/site-packages/usercustomize.py` runs first in every hook in Python.

use std::path::{Path, PathBuf};

use hookloop_shell::Command;
use serde_json::Value;

use crate::named_file::text_of;
use crate::real_path::real_path;
use crate::resolve::scripts::package;
use crate::resolve::{Finder, is_python};

/// The variables by which programs load files that no command names. A host tells their values by
/// [`Surroundings::start_variables`](crate::Surroundings::start_variables).
pub const START_VARIABLES: [&str; 10] = [
    "BASH_ENV",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PERL5LIB",
    "PYTHONPATH",
    "RUBYLIB",
    "RUBYOPT",
    "ZDOTDIR",
];

/// What shells read that are started as for a login.
const LOGIN_FILES: [&str; 4] = [".bash_profile", ".bash_login", ".profile", ".zprofile"];

/// How many packages and modules of a hook are followed.
const MOST_IMPLICIT: usize = 4096;

/// The modules that every Python loads at its start, if they are there.
const PYTHON_START: [&str; 4] = [
    "sitecustomize.py",
    "sitecustomize/__init__.py",
    "usercustomize.py",
    "usercustomize/__init__.py",
];

/// The versions of Python whose folders are watched where it isn't known which one runs.
const PYTHON_MINORS: std::ops::RangeInclusive<u8> = 8..=16;

/// Returns the files that a program reads in the home folder at each start.
fn home_files(program: &str) -> &'static [&'static str] {
    match program {
        "curl" => &[".curlrc", ".config/curlrc"],
        "jq" => &[".jq"],
        "psql" => &[".psqlrc"],
        "sqlite3" => &[".sqliterc"],
        "wget" => &[".wgetrc"],
        "yq" => &[".yq"],
        "zsh" => &[".zshenv"],
        "fish" => &[".config/fish/config.fish"],
        _ => &[],
    }
}

impl Finder<'_> {
    /// Notes what the programs of a command read at their start.
    pub(super) fn started_by(&mut self, command: &Command, folder: &Path) {
        let around = command.through.iter().map(String::as_str);
        let programs: Vec<String> = around
            .chain([command.program.as_str()])
            .map(str::to_owned)
            .collect();
        for program in programs {
            let is_isolated =
                is_python(&program) && ["-I", "-s", "-E"].iter().any(|it| command.has_flag(it));
            if !is_isolated {
                self.program_starts(&program, folder);
            }
        }
        if is_shell(&command.program) && (command.has_flag("-l") || command.has_flag("--login")) {
            self.login_files();
        }
    }

    /// Notes what the interpreter of a script reads at its start, and where another would be found in its place.
    pub(super) fn shebang(&mut self, text: &str, folder: &Path) {
        let Some(line) = text.lines().next().and_then(|it| it.strip_prefix("#!")) else {
            return;
        };
        let mut words = line.split_whitespace().peekable();
        let Some(first) = words.next() else {
            return;
        };
        let name = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
        let mut program = name(first);
        if program == "env" {
            while words
                .peek()
                .is_some_and(|it| it.starts_with('-') || it.contains('='))
            {
                words.next();
            }
            let Some(searched) = words.next() else {
                return;
            };
            self.rivals_of(searched, folder);
            program = name(searched);
        }
        let options: Vec<&str> = words.collect();
        let has = |letter: char| {
            let mut clusters = options
                .iter()
                .filter(|it| it.starts_with('-') && !it.starts_with("--"));
            clusters.any(|it| it.contains(letter))
        };
        if is_python(&program) && ['I', 's', 'E'].into_iter().any(has) {
            return;
        }
        self.program_starts(&program, folder);
        if is_shell(&program) && (has('l') || options.contains(&"--login")) {
            self.login_files();
        }
    }

    /// Notes the files that login shells read, if a text starts one: `bash -lc '…'`.
    pub(super) fn login_shell(&mut self, text: &str) {
        let words: Vec<&str> = text.split_whitespace().collect();
        let starts = words.windows(2).any(|pair| {
            let program = pair[0].rsplit('/').next().unwrap_or_default();
            let option = pair[1].trim_start_matches('-');
            let is_cluster = pair[1].starts_with('-') && !pair[1].starts_with("--");
            is_shell(program) && (is_cluster && option.contains('l') || pair[1] == "--login")
        });
        if starts {
            self.login_files();
        }
    }

    fn login_files(&mut self) {
        self.in_home(&LOGIN_FILES);
    }

    fn in_home(&mut self, names: &[&str]) {
        let Some(home) = self.ground.surroundings.home.clone() else {
            return;
        };
        for name in names {
            self.implicit(&home.join(name));
        }
    }

    fn program_starts(&mut self, program: &str, folder: &Path) {
        self.in_home(home_files(program));
        self.listed("LD_PRELOAD", folder, [':', ' ']);
        self.searched_by("LD_LIBRARY_PATH", folder);
        if is_python(program) {
            self.python_starts(program);
            self.searched_by("PYTHONPATH", folder);
        } else if is_shell(program) {
            if program == "bash" {
                self.listed("BASH_ENV", folder, ['\n', '\n']);
            }
            if program == "zsh"
                && let Some(zsh) = self.start_variable("ZDOTDIR")
            {
                self.implicit(&folder.join(zsh).join(".zshenv"));
            }
        } else if is_javascript(program) {
            self.searched_by("NODE_PATH", folder);
            self.node_options(folder);
        } else if program == "perl" {
            self.searched_by("PERL5LIB", folder);
        } else if program == "ruby" {
            self.searched_by("RUBYLIB", folder);
            let options = self.start_variable("RUBYOPT").unwrap_or_default();
            let required = options
                .split_whitespace()
                .filter_map(|it| it.strip_prefix("-r"));
            for file in required.filter(|it| it.contains('/')) {
                self.implicit(&folder.join(file));
            }
        }
    }

    /// Notes what a Python loads at its start from the folder of a person's packages.
    fn python_starts(&mut self, program: &str) {
        let Some(home) = self.ground.surroundings.home.clone() else {
            return;
        };
        if self.hook.env.contains_key("PYTHONNOUSERSITE") {
            return;
        }
        for minor in self.python_minors(program) {
            let packages = home.join(format!(".local/lib/python3.{minor}/site-packages"));
            for name in PYTHON_START {
                self.implicit(&packages.join(name));
            }
            self.found.start_folders.insert(packages);
        }
    }

    /// Notes what Python would load in place of a module's text: what is compiled, in any form.
    pub(super) fn compiled(&mut self, module: &Path) {
        let Some((folder, name)) = module
            .parent()
            .zip(module.file_name().and_then(|it| it.to_str()))
        else {
            return;
        };
        let minors = self.python_minors("python3");
        let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
        let mut endings = vec![".so".to_owned(), ".abi3.so".to_owned()];
        endings.extend(minors.into_iter().map(|minor| match system {
            "macos" => format!(".cpython-3{minor}-darwin.so"),
            _ => format!(".cpython-3{minor}-{machine}-{system}-gnu.so"),
        }));
        for ending in endings {
            self.implicit(&folder.join(format!("{name}{ending}")));
        }
        // Python writes there by itself whenever the hook runs, so that it can't be compared.
        self.found.caches.insert(folder.join("__pycache__"));
    }

    /// Returns which versions of Python 3 a program may be.
    fn python_minors(&self, program: &str) -> Vec<u8> {
        let found = self.search(program, self.ground.cwd);
        let real = found.and_then(|it| real_path(&it));
        let version = real.as_deref().and_then(Path::file_name);
        let version = version.and_then(|it| it.to_str()?.strip_prefix("python3."));
        match version.and_then(|it| it.parse().ok()) {
            Some(minor) => vec![minor],
            None => PYTHON_MINORS.collect(),
        }
    }

    /// Notes the scripts that `NODE_OPTIONS` has every Node load first.
    fn node_options(&mut self, folder: &Path) {
        const LOADING: [&str; 5] = [
            "-r",
            "--require",
            "--import",
            "--loader",
            "--experimental-loader",
        ];
        let options = self.start_variable("NODE_OPTIONS").unwrap_or_default();
        let mut words = options.split_whitespace();
        while let Some(word) = words.next() {
            let (option, value) = match word.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (word, None),
            };
            if LOADING.contains(&option)
                && let Some(file) = value.or_else(|| words.next())
            {
                let file = file.trim_start_matches("file://").trim_matches('"');
                self.implicit(&folder.join(file));
            }
        }
    }

    fn start_variable(&self, name: &str) -> Option<String> {
        if self.hook.env.contains_key(name) {
            return None;
        }
        let variables = &self.ground.surroundings.start_variables;
        variables.get(name).cloned()
    }

    /// Notes the files that a variable lists.
    fn listed(&mut self, variable: &str, folder: &Path, between: [char; 2]) {
        let value = self.start_variable(variable).unwrap_or_default();
        for file in value.split(between).filter(|it| !it.is_empty()) {
            self.implicit(&folder.join(file));
        }
    }

    /// Notes the folders in which a variable has modules and libraries looked for, unless everything lies there.
    fn searched_by(&mut self, variable: &str, folder: &Path) {
        let value = self.start_variable(variable).unwrap_or_default();
        for part in value.split(':').filter(|it| !it.is_empty()) {
            let Some(real) = real_path(&folder.join(part)) else {
                continue;
            };
            let holds = |inner: Option<&Path>| {
                inner
                    .and_then(real_path)
                    .is_some_and(|it| it.starts_with(&real))
            };
            let home = self.ground.surroundings.home.as_deref();
            if !holds(home) && !holds(Some(self.ground.root)) {
                self.found.start_folders.insert(real);
            }
        }
    }

    /// Notes a file that is read without being named, also where there is none yet.
    pub(super) fn implicit(&mut self, file: &Path) {
        if self.found.implicit.len() >= MOST_IMPLICIT {
            return self.unpinned("its programs load more files than are watched".to_owned());
        }
        if !self.is_data(file) {
            self.found.implicit.extend(real_path(file));
        }
    }

    /// Notes what decides how a JavaScript text is read: the next `package.json`.
    pub(super) fn javascript_kind(&mut self, path: &Path) {
        let ending = path.extension().and_then(|it| it.to_str());
        if !matches!(ending, Some("mjs" | "cjs" | "mts" | "cts"))
            && let Some(real) = real_path(path)
        {
            self.found.javascript.insert(real);
        }
    }

    /// Takes up an installed package that a JavaScript text loads, where Node finds it; returns whether it is there.
    pub(super) fn installed(&mut self, loaded: &str, path: &Path) {
        let Some(name) = package(loaded) else {
            return;
        };
        let folders: Vec<PathBuf> = path.ancestors().skip(1).map(Path::to_path_buf).collect();
        let candidates = folders.iter().map(|it| it.join("node_modules").join(name));
        let candidates: Vec<PathBuf> = candidates.collect();
        let Some(at) = candidates.iter().position(|it| it.is_dir()) else {
            return;
        };
        for nearer in &candidates[..at] {
            self.implicit(&nearer.join("package.json"));
            self.implicit(&nearer.join("index.js"));
            self.implicit(&nearer.with_extension("js"));
        }
        let found = &candidates[at];
        let description = found.join("package.json");
        self.implicit(&description);
        let text = real_path(&description).and_then(|it| text_of(&it));
        let described: Option<Value> = text.and_then(|it| serde_json::from_str(&it).ok());
        let inside = &loaded[name.len()..];
        for entry in entries(described.as_ref(), inside.trim_start_matches('/')) {
            let entry = found.join(entry);
            for file in [entry.clone(), with_js(&entry), entry.join("index.js")] {
                self.implicit(&file);
                if !self.hook.is_from_project() {
                    self.script(&file);
                }
            }
        }
        self.found.start_folders.extend(real_path(found));
    }
}

fn with_js(entry: &Path) -> PathBuf {
    let mut name = entry.as_os_str().to_owned();
    name.push(".js");
    PathBuf::from(name)
}

/// Returns the files by which a package is entered, as its description names them.
fn entries(described: Option<&Value>, inside: &str) -> Vec<String> {
    let mut entries = Vec::new();
    if !inside.is_empty() {
        entries.push(inside.to_owned());
    }
    if let Some(described) = described {
        let main = described.get("main").and_then(Value::as_str);
        entries.extend(main.map(str::to_owned));
        strings_in(described.get("exports"), &mut entries);
    }
    entries.push("index.js".to_owned());
    let stays_inside = |it: &String| !it.split('/').any(|part| part == "..") && !it.contains('*');
    entries.retain(stays_inside);
    entries.truncate(16);
    entries
}

fn strings_in(value: Option<&Value>, found: &mut Vec<String>) {
    match value {
        Some(Value::String(text)) => found.push(text.trim_start_matches("./").to_owned()),
        Some(Value::Array(values)) => values.iter().for_each(|it| strings_in(Some(it), found)),
        Some(Value::Object(fields)) => fields.values().for_each(|it| strings_in(Some(it), found)),
        _ => {}
    }
}

fn is_shell(program: &str) -> bool {
    ["bash", "sh", "zsh", "dash", "ksh"].contains(&program)
}

fn is_javascript(program: &str) -> bool {
    [
        "node", "nodejs", "npx", "tsx", "ts-node", "npm", "pnpm", "yarn",
    ]
    .contains(&program)
}

/// Returns how Node reads a script whose name doesn't tell: the `type` of the next `package.json` above it
/// (TR-8). Two equal answers mean that the script is read in the same way.
pub fn javascript_kind(script: &Path) -> String {
    for folder in script.ancestors().skip(1) {
        let file = folder.join("package.json");
        if file.symlink_metadata().is_err() {
            continue;
        }
        let text = real_path(&file).and_then(|it| text_of(&it));
        let described: Option<Value> = text.and_then(|it| serde_json::from_str(&it).ok());
        let kind = match described.as_ref().map(|it| it.get("type")) {
            None => "unreadable",
            Some(Some(Value::String(kind))) if kind == "module" => "module",
            Some(_) => "commonjs",
        };
        return kind.to_owned();
    }
    "commonjs".to_owned()
}
