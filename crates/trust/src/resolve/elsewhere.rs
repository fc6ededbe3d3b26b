//! What a script of a project loads in a way that isn't followed: modules from folders that it adds to those in which
//! they are looked for, and whatever scripts in other languages load. Such a hook is unpinned (TR-1).

use std::path::{Path, PathBuf};

use hookloop_shell::Command;

use crate::resolve::Finder;
use crate::resolve::calls::Tongue;
use crate::resolve::scripts::python_imports;

/// How Python texts change where modules are looked for.
const PATHS_OF_PYTHON: [&str; 7] = [
    "sys.path.insert",
    "sys.path.append",
    "sys.path.extend",
    "sys.path[",
    "sys.path =",
    "sys.path +=",
    "addsitedir(",
];

/// Words with which a text in Python unpacks what may carry out anything.
const UNPACKERS_OF_PYTHON: [&str; 6] = [
    "pickle.load",
    "cPickle.load",
    "marshal.load",
    "shelve.open",
    "dill.load",
    "joblib.load",
];

/// Words with which a text in another language changes where modules are looked for, or starts something unnamed.
const WORDS_OF_OTHERS: [(Tongue, &[&str]); 4] = [
    (
        Tongue::JavaScript,
        &["module.paths", "NODE_PATH", "Worker)("],
    ),
    (Tongue::Perl, &["use lib", "@INC"]),
    (Tongue::Ruby, &["$LOAD_PATH", "$:", "Marshal.load"]),
    (Tongue::Awk, &["| getline", "|getline", "| \"sh", "|\"sh"]),
];

/// Functions that carry out a text.
const EVALUATORS: [&str; 2] = ["eval", "Function"];

/// How many folders beside a script and above it are looked into.
const MAX_FOLDERS: usize = 256;

/// By the ending of a script in a language that isn't followed, words with which it loads or starts something.
const LOADERS: [(&str, &[&str]); 6] = [
    (
        "tcl",
        &[
            "source ",
            "load ",
            "exec ",
            "open \"|",
            "package require",
            "eval ",
        ],
    ),
    (
        "lua",
        &[
            "dofile",
            "loadfile",
            "require",
            "os.execute",
            "io.popen",
            "loadlib",
        ],
    ),
    (
        "php",
        &[
            "include",
            "require",
            "exec(",
            "system(",
            "passthru(",
            "popen(",
            "proc_open(",
            "eval(",
        ],
    ),
    (
        "R",
        &["source(", "system(", "system2(", "library(", "dyn.load("],
    ),
    ("jl", &["include(", "run(", "using ", "import "]),
    (
        "applescript",
        &["do shell script", "load script", "run script"],
    ),
];

/// Returns what a text carries out that is only known when it runs: `eval(read(x))`.
fn evaluated(text: &str, tongue: Tongue) -> Option<&'static str> {
    let is_part = |it: char| it.is_alphanumeric() || "_.$@".contains(it);
    let is_computed = |behind: &str| {
        let inside = behind.trim_start().trim_start_matches('(').trim_start();
        let is_block = tongue == Tongue::Perl && inside.starts_with('{');
        let is_call = behind.starts_with('(') || tongue == Tongue::Perl || tongue == Tongue::Ruby;
        let is_literal = inside.starts_with(['"', '\'', '`']) && !inside.contains(['+', '$', '#']);
        is_call && !is_block && !is_literal && !inside.is_empty()
    };
    let lines = || {
        text.lines()
            .filter(|it| !it.trim_start().starts_with(['#', '/', '*']))
    };
    EVALUATORS.into_iter().find(|word| {
        lines().any(|line| {
            line.match_indices(word).any(|(at, _)| {
                let behind = &line[at + word.len()..];
                !line[..at].ends_with(is_part)
                    && !behind.starts_with(is_part)
                    && is_computed(behind)
            })
        })
    })
}

impl Finder<'_> {
    /// Reports what a script in one of these languages may load or carry out without naming it.
    pub(super) fn unnamed_code(&mut self, path: &Path, text: &str, tongue: Tongue) {
        if !self.hook.is_from_project() {
            return;
        }
        let words = match tongue {
            Tongue::Python => &UNPACKERS_OF_PYTHON[..],
            other => {
                let mut known = WORDS_OF_OTHERS.iter();
                known
                    .find(|(it, _)| *it == other)
                    .map_or(&[][..], |(_, it)| it)
            }
        };
        let found = words.iter().find(|it| text.contains(**it)).copied();
        // Python's own is followed as a call.
        let computed = || evaluated(text, tongue).filter(|_| tongue != Tongue::Python);
        if let Some(word) = found.or_else(computed) {
            let shown = self.shown(path);
            self.unpinned(format!(
                "{shown} may load or carry out, by `{}`, what isn't watched",
                word.trim()
            ));
        }
    }

    /// Reports text that a shell script carries out and that is only known when it runs: `eval "$(cat x)"`.
    pub(super) fn evaluated_text(&mut self, path: &Path, commands: &[Command]) {
        let computes = |it: &&Command| it.program == "eval" && it.args().iter().any(|it| !it.known);
        let found = commands
            .iter()
            .find(computes)
            .filter(|_| self.hook.is_from_project());
        if let Some(command) = found {
            let shown = self.shown(path);
            let line: String = command.line().chars().take(80).collect();
            self.unpinned(format!(
                "{shown} carries out `{line}`, which is only known when it runs"
            ));
        }
    }

    /// Reports files that options give to a program, as a script or a plugin, and that aren't watched: `vim -S x`.
    pub(super) fn given_by_options(&mut self, commands: &[Command]) {
        if !self.hook.is_from_project() {
            return;
        }
        for command in commands {
            let options = hookloop_shell::script_options(&command.program);
            for value in command.values_of(options).iter().filter(|it| it.known) {
                let mut paths = command
                    .folders
                    .iter()
                    .map(|it| Path::new(it).join(&value.text));
                let root = self.ground.root;
                let is_watched = |path: &Path| {
                    let mut files = self.found.files.iter();
                    files.any(|it| root.join(&it.path) == path)
                };
                let unwatched =
                    paths.find(|it| it.is_file() && it.starts_with(root) && !is_watched(it));
                if let Some(path) = unwatched {
                    let shown = self.shown(&path);
                    self.unpinned(format!(
                        "{} carries out {shown}, which isn't watched",
                        command.program
                    ));
                }
            }
        }
    }

    /// Reports which modules a Python script may load from folders that it adds, and that are in the project.
    pub(super) fn modules_elsewhere(&mut self, path: &Path, text: &str) {
        let Some(folder) = path.parent() else {
            return;
        };
        if !self.hook.is_from_project() || !PATHS_OF_PYTHON.iter().any(|it| text.contains(it)) {
            return;
        }
        let imports = python_imports(text);
        let is_in = |place: &Path, name: &String| {
            let module = place.join(name);
            module.with_extension("py").is_file() || module.join("__init__.py").is_file()
        };
        for place in self.places_named(folder, text) {
            // What is beside the script is watched.
            let mut found = imports.iter().filter(|it| !is_in(folder, it));
            if let Some(name) = found.find(|it| is_in(&place, it)) {
                let shown = self.shown(path);
                let name = self.shown(&place.join(name));
                self.unpinned(format!(
                    "{shown} adds a folder to those in which modules are looked for, and loads {name}, which isn't \
                     watched"
                ));
                return;
            }
        }
    }

    /// Returns the folders of the project that a text may mean: those that it names, those above the script, and those in
    /// them.
    fn places_named(&self, folder: &Path, text: &str) -> Vec<PathBuf> {
        let root = self.ground.root;
        let above: Vec<&Path> = folder
            .ancestors()
            .take_while(|it| it.starts_with(root))
            .collect();
        let strings = text
            .split(['"', '\''])
            .filter(|it| it.len() < 200 && !it.contains('\n'));
        let bases = || above.iter().copied().chain([self.ground.cwd]);
        let named = strings.flat_map(|it| bases().map(move |base| base.join(it)));
        let named = named.filter(|it| it.is_dir() && it.starts_with(root));
        let mut places: Vec<PathBuf> = named.take(MAX_FOLDERS).collect();
        for base in bases().filter(|it| it.starts_with(root)) {
            places.push(base.to_owned());
            let entries = std::fs::read_dir(base).into_iter().flatten().flatten();
            let below = entries.map(|it| it.path()).take(MAX_FOLDERS);
            places.extend(below.filter(|it| it.is_dir()));
        }
        places.retain(|it| it != folder);
        places
    }

    /// Reports a script in a language that isn't followed, if it loads or starts something.
    pub(super) fn in_other_language(&mut self, path: &Path, text: &str) {
        if !self.hook.is_from_project() {
            return;
        }
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        let by_text = || {
            let language = hookloop_shell::Language::from_script(text)?;
            LOADERS.iter().find(|(ending, _)| {
                hookloop_shell::Language::from_extension(ending) == Some(language)
            })
        };
        let known = LOADERS.iter().find(|(it, _)| *it == ending);
        let Some((_, words)) = known.or_else(by_text) else {
            return;
        };
        if words.iter().any(|it| text.contains(it)) {
            let shown = self.shown(path);
            self.unpinned(format!(
                "{shown} loads or starts something, which isn't followed in its language"
            ));
        }
    }

    fn shown(&self, path: &Path) -> String {
        let shown = path.strip_prefix(self.ground.root).unwrap_or(path);
        shown.display().to_string()
    }
}
