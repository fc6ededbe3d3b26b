//! What scripts load: files that a shell script sources, modules beside a script (TR-1).

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use hookloop_shell::Command;

use crate::named_file::{FileState, text_of};
use crate::real_path::real_path;
use crate::resolve::calls::{Tongue, Use, calls};
use crate::resolve::commands::{self, Asking, Look};
use crate::resolve::{Finder, Presence, Reading, folders, judged};

/// The files that are run if an interpreter is given a folder.
pub(super) const ENTRIES: [&str; 6] = [
    "__main__.py",
    "package.json",
    "index.js",
    "index.mjs",
    "index.cjs",
    "index.ts",
];

/// The language of a script, as far as what it loads is understood.
enum Language {
    Shell,
    Python,
    JavaScript,
    Perl,
    Ruby,
    Awk,
}

impl Language {
    const fn from_language(language: hookloop_shell::Language) -> Option<Self> {
        Some(match language {
            hookloop_shell::Language::Shell => Self::Shell,
            hookloop_shell::Language::Python => Self::Python,
            hookloop_shell::Language::JavaScript => Self::JavaScript,
            hookloop_shell::Language::Perl => Self::Perl,
            hookloop_shell::Language::Ruby => Self::Ruby,
            hookloop_shell::Language::Awk => Self::Awk,
            _ => return None,
        })
    }

    const fn call_language(&self) -> Option<Tongue> {
        Some(match self {
            Self::Shell => return None,
            Self::Python => Tongue::Python,
            Self::JavaScript => Tongue::JavaScript,
            Self::Perl => Tongue::Perl,
            Self::Ruby => Tongue::Ruby,
            Self::Awk => Tongue::Awk,
        })
    }
}

impl Finder<'_> {
    /// Adds what a script loads by a literal name.
    pub(super) fn look_into(&mut self, path: &Path, text: &str) {
        let Some(folder) = path.parent() else {
            return;
        };
        let starts_bun = |it: &str| it.starts_with("#!") && it.contains("bun");
        if text.lines().next().is_some_and(starts_bun) && !self.hook.is_from_project() {
            let folder = self.ground.cwd;
            self.bun_settings(folder);
        }
        let cwd = self.ground.cwd;
        self.shebang(text, cwd);
        let language = language(path, text, self.reading);
        if let Some(tongue) = language.as_ref().and_then(Language::call_language) {
            self.follow_calls(text, tongue, path);
            self.literals(text, tongue, path);
            self.data_of_program(text, tongue, path);
            self.unnamed_code(path, text, tongue);
        }
        match language {
            Some(Language::Shell) => self.shell_script(text, path),
            Some(Language::Python) => {
                let (modules, perhaps) = match self.reading {
                    Reading::Today
                    | Reading::WithoutData
                    | Reading::WithSearched
                    | Reading::WithoutTellers
                    | Reading::WithoutTasks => {
                        let text = with_own_lines(text);
                        (python_imports(&text), names_imported(&text))
                    }
                    Reading::Former => (python_imports(text), Vec::new()),
                };
                for name in modules {
                    self.imported(&name);
                    self.module(&folder.join(name), Tongue::Python);
                }
                for name in perhaps {
                    self.imported(&name);
                    self.module_if_there(&folder.join(name));
                }
                self.in_place_of_its_own(text, folder);
                self.modules_elsewhere(path, &with_own_lines(text));
            }
            Some(Language::JavaScript) => {
                for name in relative_requires(text) {
                    self.module(&folder.join(name), Tongue::JavaScript);
                }
                self.loaded_from_network(text, path);
                self.packages(text, path);
                self.javascript_kind(path);
                for name in requires(text) {
                    self.follow_package(name, path);
                    if name.starts_with('#') {
                        self.imported_by_its_package(name, path);
                    }
                }
            }
            Some(Language::Perl | Language::Ruby | Language::Awk) => {}
            None => self.in_other_language(path, text),
        }
    }

    /// Records which installed packages of the project a JavaScript text loads: their content isn't
    /// watched.
    pub(super) fn packages(&mut self, text: &str, path: &Path) {
        let inside = |folder: &&Path| folder.starts_with(self.ground.root);
        let folders: Vec<_> = path.ancestors().skip(1).take_while(inside).collect();
        let is_installed = |name: &&str| {
            folders
                .iter()
                .any(|it| it.join("node_modules").join(name).exists())
        };
        let loaded: BTreeSet<&str> = requires(text).filter_map(package).collect();
        let loaded: Vec<&str> = loaded.into_iter().filter(is_installed).collect();
        let shown = path.strip_prefix(self.ground.root).unwrap_or(path);
        let shown = shown.display().to_string();
        for name in loaded {
            self.unpinned(format!(
                "{shown} loads the package \"{name}\" from node_modules, whose content isn't \
                 watched"
            ));
        }
    }

    /// Adds what a script in a language other than shell starts and loads through calls, and
    /// reports those calls for which that can't be known.
    fn follow_calls(&mut self, text: &str, tongue: Tongue, path: &Path) {
        let folder = path.parent().unwrap_or(path);
        let shown = path.strip_prefix(self.ground.root).unwrap_or(path);
        let shown = shown.display().to_string();
        for call in calls(text, tongue) {
            let mut follows = false;
            for string in &call.strings {
                for from in [self.ground.cwd.to_path_buf(), folder.to_path_buf()] {
                    let candidate = from.join(string);
                    if !string.is_empty() && candidate.is_file() {
                        follows = true;
                        self.follow(&candidate, Presence::Perhaps);
                    }
                }
            }
            if call.used == Use::Loaded {
                for string in call.strings.iter().take(2) {
                    let name = string.trim_start_matches("./").replace("::", "/");
                    let is_module = tongue == Tongue::Python && call.written.contains("import");
                    let name = if is_module {
                        name.replace('.', "/")
                    } else {
                        name
                    };
                    self.module(&folder.join(name), tongue);
                }
            } else if call.is_known {
                let line = match &call.strings[..] {
                    [text] => text.clone(),
                    words => hookloop_shell::join(words.iter().map(String::as_str)),
                };
                self.follow_start(&line, path);
            }
            let near = ["__file__", "__dir", "import.meta", "FindBin", "$0"];
            let is_beside = follows && near.iter().any(|it| text.contains(it));
            if !call.is_known && !is_beside {
                self.unpinned(format!(
                    "{shown} runs `{}`, which is only known when it runs",
                    call.written
                ));
            }
        }
    }

    /// Adds what a line that a script starts runs.
    pub(super) fn follow_start(&mut self, line: &str, path: &Path) {
        let look = commands::look(line, self.hook, self.ground, self.reader, Some(path));
        self.started_commands(&look);
        for why in &look.named.unpinned {
            self.unpinned(commands::reason(why));
        }
        for file in look.named.files.iter().filter(|file| file.runs) {
            for path in folders::expand(&file.path, file.pattern) {
                self.follow(&path, Presence::Perhaps);
            }
        }
    }

    fn look_at_functions(&self, text: &str, path: &Path) -> Look {
        commands::look_at_functions(
            text,
            self.hook,
            self.ground,
            self.reader,
            path,
            self.reading,
        )
    }

    /// Adds what a shell script sources, and what it runs by a known name.
    fn shell_script(&mut self, text: &str, path: &Path) {
        let text = commands::with_own_path(text);
        let mut look = self.look_at_functions(&text, path);
        let known = if self.reading.watches_tellers() {
            look.sourced_assignments()
        } else {
            String::new()
        };
        if !known.is_empty() {
            // Settings of a sourced file are known after it.
            let text = format!("{known}{text}");
            look = self.look_at_functions(&text, path);
        }
        for file in look.named.files.iter().filter(|file| file.runs) {
            for path in folders::expand(&file.path, file.pattern) {
                self.follow(&path, Presence::Perhaps);
            }
        }
        for command in &look.commands {
            for folder in &command.folders {
                self.search_folders(command, Path::new(folder));
                self.rivals_of(&command.invoked, Path::new(folder));
                self.started_by(command, Path::new(folder));
                self.tasks(command, Path::new(folder));
                // Modules that a project's hook loads from the project are the project's own.
                if !self.hook.is_from_project() {
                    self.note_shadowed(command, Path::new(folder));
                }
            }
        }
        for (command, read) in read_only(&look.commands) {
            // A database to which it only adds is its own.
            let is_output = |at: usize| command.is_output(at);
            if command.program == "sqlite3" && (1..command.words.len()).any(is_output) {
                continue;
            }
            self.reads(Path::new(&read), path);
            match commands::asking(command) {
                Asking::No => self.data_of_shell(Path::new(&read), path),
                Asking::Silently => self.asks_for(Path::new(&read)),
                Asking::Tells => {}
            }
        }
        self.data_by_default(&text, path);
        let reading = look.commands.iter();
        for command in reading.filter(|it| commands::asking(it) == Asking::No) {
            let reads = command.reads.iter().filter(|it| !it.known);
            let lists = judged::words_of_lists(command).into_iter();
            let lists = lists.filter(|it| !it.known).map(|it| it.text);
            for read in reads.map(|it| it.written.clone()).chain(lists) {
                self.unknown_data_of_shell(&read, &text, path);
            }
        }
        self.unknown_in_script(path, &look.named.unpinned);
        self.given_by_options(&look.commands);
        let sources = look.commands.iter();
        for command in sources.filter(|it| matches!(it.program.as_str(), "source" | ".")) {
            let Some(word) = command.words.get(1).filter(|word| !word.known) else {
                continue;
            };
            let shown = path.strip_prefix(self.ground.root).unwrap_or(path);
            self.unpinned(format!(
                "{} sources `{}`, which is only known when it runs",
                shown.display(),
                word.text
            ));
        }
    }

    /// Adds the files that a shell script reads if variables of the environment name no others.
    fn data_by_default(&mut self, text: &str, path: &Path) {
        if !self.watches_data() {
            return;
        }
        let Some(text) = commands::with_defaults(text) else {
            return;
        };
        let look = self.look_at_functions(&text, path);
        for (command, read) in read_only(&look.commands) {
            if commands::asking(command) == Asking::No {
                self.data_of_shell(Path::new(&read), path);
            }
        }
    }

    /// Notes a file that a script reads: one beside the script, or outside of the project. Other
    /// files in the project are what people work on.
    pub(super) fn reads(&mut self, file: &Path, script: &Path) {
        let (Some(real), Some(folder)) = (real_path(file), script.parent().and_then(real_path))
        else {
            return;
        };
        let root = real_path(self.ground.root);
        let is_beside = real.starts_with(&folder) && root.as_ref() != Some(&folder);
        let is_outside = root.is_none_or(|root| !real.starts_with(root));
        // Anyone can write to the shared temporary folder, so it is left out.
        let is_temporary = real.parent() == Some(Path::new("/tmp"));
        let counts = (is_beside || is_outside) && !is_temporary;
        if counts && real.is_file() && !self.is_data(file) {
            self.found.reads.insert(real);
        }
    }

    /// Notes a file outside of the project whose existence a script tests, even if it doesn't
    /// exist: whoever creates or removes it answers instead of the person. Within the project, such
    /// a file is what the hook judges.
    fn asks_for(&mut self, file: &Path) {
        let is_outside = |real: &Path| {
            let root = real_path(self.ground.root);
            !root.is_some_and(|root| real.starts_with(&root) || root.starts_with(real))
        };
        let shared = ["/dev", "/proc", "/sys", "/run"];
        if let Some(real) = real_path(file)
            && is_outside(&real)
            && !real.is_dir()
            && !shared.iter().any(|it| real.starts_with(it))
            && real.parent() != Some(Path::new("/tmp"))
            && !self.is_data(file)
        {
            self.found.reads.insert(real);
        }
    }

    /// Reads a script. Files outside of the project aren't part of a project's hook (TR-1); a hook
    /// that needs no trust includes all that it loads (TR-8).
    pub(super) fn text_of_script(&mut self, path: &Path) -> Option<Arc<str>> {
        match self.reader.look_at(path) {
            Some(file) => match file.state {
                FileState::Present { .. } => file.text,
                _ => None,
            },
            None if self.hook.is_from_project() => None,
            None => text_of(&self.reader.real(path)?),
        }
    }

    /// Adds a script, and what it loads.
    pub(super) fn follow(&mut self, path: &Path, presence: Presence) {
        self.take(path, presence);
        self.loads(path);
        self.script(path);
    }
}

fn language(path: &Path, text: &str, reading: Reading) -> Option<Language> {
    let ending = path
        .extension()
        .and_then(|it| it.to_str())
        .unwrap_or_default();
    // A script without an interpreter line is run by the shell that starts or sources it.
    let is_plain = match text.lines().next().and_then(|it| it.strip_prefix("#!")) {
        // Includes unknown shells.
        Some(interpreter) => interpreter.contains("sh"),
        None => ending.is_empty() && reading != Reading::Former,
    };
    let by_ending =
        hookloop_shell::Language::from_extension(ending).and_then(Language::from_language);
    let by_text = || hookloop_shell::Language::from_script(text).and_then(Language::from_language);
    by_ending
        .or_else(by_text)
        .or_else(|| is_plain.then_some(Language::Shell))
}

/// Puts each import statement of a Python text into its own line.
pub(super) fn with_own_lines(text: &str) -> String {
    let text = text.replace(';', "\n").replace("\\\n", " ");
    let text = text
        .replace(": import ", ":\nimport ")
        .replace(": from ", ":\nfrom ");
    let mut lines = String::with_capacity(text.len());
    let mut is_open = false;
    for line in text.lines() {
        let statement = line.split('#').next().unwrap_or_default();
        is_open = if is_open {
            !statement.contains(')')
        } else {
            let opens = || statement.contains(" import") && statement.contains('(');
            statement.trim_start().starts_with("from ") && opens() && !statement.contains(')')
        };
        lines.push_str(if is_open { statement } else { line });
        lines.push(if is_open { ' ' } else { '\n' });
    }
    lines
}

/// Returns what a Python text imports from modules, as paths without extension: each may be a
/// module itself.
fn names_imported(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let statement = line.trim_start().strip_prefix("from ");
        let Some((module, names)) = statement.and_then(|it| it.split_once(" import")) else {
            continue;
        };
        let module = module.trim().trim_start_matches('.').replace('.', "/");
        let is_name = |it: &&str| it.chars().all(|it| it.is_alphanumeric() || it == '_');
        if module.is_empty()
            || !module
                .chars()
                .all(|it| it.is_alphanumeric() || "_/".contains(it))
        {
            continue;
        }
        for name in names.split(['(', ')', ',', '#']) {
            let name = name.split_whitespace().next().filter(is_name);
            found.extend(name.map(|it| format!("{module}/{it}")));
        }
    }
    found
}

/// Returns what a Python text imports, as paths without extension: `a.b` is `a/b`.
pub(super) fn python_imports(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in text.lines().map(str::trim_start) {
        let modules: Vec<&str> = if let Some(rest) = line.strip_prefix("import ") {
            rest.split(',').collect()
        } else if let Some((module, names)) = line
            .strip_prefix("from ")
            .and_then(|rest| rest.split_once(" import "))
        {
            let module = module.trim();
            // `from . import a`: each name may be a module.
            if module.chars().all(|it| it == '.') {
                names.split(',').collect()
            } else {
                vec![module]
            }
        } else {
            continue;
        };
        for module in modules {
            let module = module.split_whitespace().next().unwrap_or_default();
            let module = module.trim_matches(|it: char| !it.is_alphanumeric() && it != '_');
            if module.is_empty() {
                continue;
            }
            // A package is loaded before its modules.
            let parts: Vec<&str> = module.split('.').collect();
            for end in 1..=parts.len() {
                names.push(parts[..end].join("/"));
            }
        }
    }
    names
}

/// Returns what a JavaScript text loads by a relative name.
pub(super) fn relative_requires(text: &str) -> impl Iterator<Item = &str> {
    requires(text).filter(|name| name.starts_with("./") || name.starts_with("../"))
}

/// Returns what a JavaScript text loads by a literal name.
pub(super) fn requires(text: &str) -> impl Iterator<Item = &str> {
    ['\'', '"', '`'].into_iter().flat_map(|quote| {
        let parts = text.split(quote);
        let hooks_loading = text.contains("module");
        let loads = move |(before, _): &(&str, &str)| {
            let before = before.trim_end();
            let words = ["require(", "import(", "from", "import"];
            // `module.register("./loader.mjs")`: decides what every later import loads.
            words.iter().any(|word| before.ends_with(word))
                || hooks_loading && before.ends_with("register(")
        };
        let pairs = parts.clone().zip(parts.skip(1));
        pairs.filter(loads).map(|(_, name)| name)
    })
}

/// Returns the package of a module's name, as in `pack/part` or `@scope/pack`; `None` for a path,
/// an address or a built-in module that is named as such.
pub(super) fn package(name: &str) -> Option<&str> {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "@_-./".contains(sign);
    let first = name.chars().next()?;
    if !(first.is_ascii_alphanumeric() || first == '@') || !name.chars().all(is_plain) {
        return None;
    }
    let parts = if first == '@' { 2 } else { 1 };
    let end = name.match_indices('/').nth(parts - 1);
    Some(end.map_or(name, |(at, _)| &name[..at]))
}

/// Returns whether a text in a language other than shell starts something that it doesn't name.
pub(super) fn starts_more(code: &str) -> bool {
    const WORDS: [&str; 11] = [
        "exec(",
        "execfile",
        "eval(",
        "system(",
        "popen",
        "spawn",
        "subprocess",
        "runpy",
        "import_module",
        "__import__",
        "child_process",
    ];
    WORDS.iter().any(|word| code.contains(word))
}

/// Returns the files that commands read and none of them writes, each with the command that reads
/// it.
fn read_only(commands: &[Command]) -> Vec<(&Command, String)> {
    let written = commands.iter().flat_map(|it| &it.writes);
    let written: BTreeSet<&String> = written.flat_map(|it| &it.paths).collect();
    let read = commands.iter().flat_map(|command| {
        let reads = command.reads.iter().filter(|it| !it.pattern);
        let reads = reads.flat_map(|it| it.paths.iter().cloned());
        let reads = reads.chain(judged::lists_of(command));
        reads.map(move |it| (command, it))
    });
    read.filter(|(_, it)| !written.contains(it)).collect()
}
