//! What a script of a project loads in a way that isn't followed: modules from folders that it adds
//! to those in which they are looked for, and whatever scripts in other languages load. Such a hook
//! is unpinned (TR-1).

use std::path::{Path, PathBuf};

use hookloop_shell::{Command, Unpinned};

use crate::resolve::calls::Tongue;
use crate::resolve::scripts::{python_imports, with_own_lines};
use crate::resolve::{Finder, commands};

/// What follows the list of folders in which Python looks for modules where a text changes it.
const CHANGES_OF_PATH: [&str; 6] = [".insert", ".append", ".extend", "[", "+=", "="];

/// Modules of Python that unpack what may carry out anything.
const UNPACKERS_OF_PYTHON: [&str; 7] = [
    "pickle",
    "cPickle",
    "marshal",
    "shelve",
    "dill",
    "joblib",
    "cloudpickle",
];

/// How a text unpacks with them, and what does so in a module that also does less.
const UNPACKING_OF_PYTHON: [&str; 2] = ["load", "shelve.open"];
const UNSAFE_OF_PYTHON: [&str; 3] = ["unsafe_load", "UnsafeLoader", "yaml.Loader"];

/// Words with which a text in another language changes where modules are looked for, or starts
/// something unnamed.
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

/// By the ending of a script in a language that isn't followed, words with which it loads or starts
/// something.
const LOADERS: [(&str, &[&str]); 11] = [
    (
        "tcl",
        &[
            "source ",
            "load ",
            "exec ",
            "open \"|",
            "package require",
            "eval ",
            "uplevel",
            "interp ",
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
            "loadstring",
            "load(",
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
            "`",
        ],
    ),
    (
        "R",
        &[
            "source(",
            "system(",
            "system2(",
            "library(",
            "dyn.load(",
            "eval(",
            "load(",
            "readRDS(",
        ],
    ),
    ("jl", &["include(", "run(", "using ", "import "]),
    (
        "applescript",
        &["do shell script", "load script", "run script"],
    ),
    ("fish", &["source ", "eval ", ". ", "sh ", "bash ", "exec "]),
    ("nu", &["source ", "use ", "overlay ", "nu ", "sh ", "^"]),
    (
        "ps1",
        &[
            ". ",
            "& ",
            "iex",
            "Invoke-Expression",
            "Import-Module",
            "Start-Process",
            "using module",
        ],
    ),
    (
        "scm",
        &[
            "(load",
            "(include",
            "(use-modules",
            "(system",
            "(eval",
            "(primitive-load",
        ],
    ),
    ("lisp", &["(load", "(require", "(run-program", "(eval"]),
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

/// Returns what unpacks data in a text in Python, under whatever name it is imported.
fn unpacker(text: &str) -> Option<&'static str> {
    let imports = python_imports(&with_own_lines(text));
    let unpacks = UNPACKING_OF_PYTHON.iter().any(|it| text.contains(it));
    let mut unpackers = UNPACKERS_OF_PYTHON.into_iter().filter(|_| unpacks);
    let imported = unpackers.find(|it| imports.iter().any(|name| name == it));
    imported.or_else(|| UNSAFE_OF_PYTHON.into_iter().find(|it| text.contains(it)))
}

/// Returns whether a text in Python changes where modules are looked for: `sys.path`, under
/// whatever name it has.
fn changes_path(text: &str) -> bool {
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    let is_changed = |(at, word): (usize, &str)| {
        let (before, behind) = (&text[..at], text[at + word.len()..].trim_start());
        // `sys.path . insert`
        let behind = behind
            .strip_prefix('.')
            .map_or(behind.to_owned(), |rest| format!(".{}", rest.trim_start()));
        let is_name = !before.ends_with(is_part) && !behind.starts_with(is_part);
        let is_comparison = behind.starts_with("==");
        is_name
            && !before.ends_with("os.")
            && !is_comparison
            && CHANGES_OF_PATH.iter().any(|it| behind.starts_with(it))
    };
    let is_of_sys = python_imports(text).iter().any(|it| it == "sys");
    text.contains("addsitedir(") || is_of_sys && text.match_indices("path").any(is_changed)
}

/// Returns the modules that a text in Python loads by calls that name them:
/// `import_module('part')`.
fn loaded_by_call(text: &str) -> impl Iterator<Item = String> {
    let calls = ["import_module(", "__import__(", "run_module("];
    let behind = calls.into_iter().flat_map(|call| {
        text.match_indices(call)
            .map(|(at, call)| &text[at + call.len()..])
    });
    behind.filter_map(|it| {
        let quote = it.chars().next().filter(|it| "'\"".contains(*it))?;
        let (name, _) = it[1..].split_once(quote)?;
        Some(name.trim_start_matches('.').replace('.', "/"))
    })
}

impl Finder<'_> {
    /// Notes why not everything that the hook runs is watched.
    pub(super) fn unpinned(&mut self, why: String) {
        self.found.unpinned.insert(why);
    }

    /// Reports what a script in one of these languages may load or carry out without naming it.
    pub(super) fn unnamed_code(&mut self, path: &Path, text: &str, tongue: Tongue) {
        if !self.hook.is_from_project() {
            return;
        }
        let found = if tongue == Tongue::Python {
            unpacker(text)
        } else {
            let mut known = WORDS_OF_OTHERS.iter();
            let words = known.find(|(it, _)| *it == tongue);
            words.and_then(|(_, words)| words.iter().find(|it| text.contains(**it)).copied())
        };
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

    /// Reports what a shell script runs and that can't be known in advance: `eval "$(cat x)"`,
    /// `bash <(cat x)`, `$x`.
    pub(super) fn unknown_in_script(&mut self, path: &Path, reasons: &[Unpinned]) {
        if !self.hook.is_from_project() {
            return;
        }
        let shown = self.shown(path);
        for why in reasons {
            self.unpinned(match why {
                Unpinned::Unreadable(_) => format!("{shown} can't be read as a shell script"),
                why => format!("in {shown}, {}", commands::reason(why)),
            });
        }
    }

    /// Reports files that options give to a program, as a script or a plugin, and that aren't
    /// watched: `vim -S x`.
    pub(super) fn given_by_options(&mut self, commands: &[Command]) {
        if !self.hook.is_from_project() {
            return;
        }
        for command in commands {
            self.preloaded_from_elsewhere(command);
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

    /// Reports which modules a Python script may load from folders that it adds, and that are in
    /// the project.
    pub(super) fn modules_elsewhere(&mut self, path: &Path, text: &str) {
        let Some(folder) = path.parent() else {
            return;
        };
        if !self.hook.is_from_project() || !changes_path(text) {
            return;
        }
        let imports: Vec<String> = python_imports(text)
            .into_iter()
            .chain(loaded_by_call(text))
            .collect();
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

    /// Returns the folders of the project that a text may mean: those that it names, those above
    /// the script, and those in them.
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

    /// Reports a script that is given to a program which isn't known as an interpreter, if its
    /// ending names a language (`nu guard.nu`).
    pub(super) fn given_to_unknown(&mut self, path: &Path) {
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        let is_unknown = hookloop_shell::Language::from_extension(&ending).is_none();
        if !is_unknown || !LOADERS.iter().any(|(it, _)| *it == ending) {
            return;
        }
        if let Some(text) = self.text_of_script(path) {
            self.in_other_language(path, &text);
        }
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

    pub(super) fn shown(&self, path: &Path) -> String {
        let shown = path.strip_prefix(self.ground.root).unwrap_or(path);
        shown.display().to_string()
    }
}
