//! The files that a command runs or names (TR-1).

use crate::languages::{Language, is_shell};
use crate::open_files::is_standard_input;
use crate::same_programs::usual_name;
use crate::scripts::{self, is_of_own_library, module_of};
use crate::simple::base_name;
use crate::understood::{Command, Input, OpaqueReason, PathUse, Place, Understood, Word};

/// The files that a command runs or names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedFiles {
    /// The files, in the order of their first occurrence; each path occurs once.
    pub files: Vec<FileNamed>,
    /// Why the command may run files that can't be named. Empty if all of them can.
    pub unpinned: Vec<Unpinned>,
}

/// A file that a command names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileNamed {
    /// The path as written, with quotes and variables resolved.
    pub written: String,
    /// The absolute path. `..` is kept as written, because links decide what it means.
    pub path: String,
    /// Whether it is a pattern of file names.
    pub pattern: bool,
    /// Whether it is run: started, sourced, or passed to an interpreter.
    pub runs: bool,
}

/// A reason why a command may run files that can't be named.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unpinned {
    /// Files or settings in the folder decide what the program runs: `make`, `npm run`.
    Chooses(String),
    /// An interpreter runs a module or a folder: `python3 -m x`, `python3 folder`.
    Module(String),
    /// The name of what runs is computed at run time.
    Computed(String),
    /// The text can't be parsed.
    Unreadable(String),
}

/// Programs that run what files in the folder say.
const CHOOSERS: &[&str] = &[
    "make",
    "cmake",
    "ninja",
    "just",
    "task",
    "rake",
    "invoke",
    "inv",
    "nox",
    "tox",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "npx",
    "bunx",
    "pnpx",
    "deno",
    "gradle",
    "gradlew",
    "mvn",
    "mvnw",
    "ant",
    "sbt",
    "bazel",
    "buck",
    "cargo",
    "go",
    "poetry",
    "pipenv",
    "pdm",
    "hatch",
    "uv",
    "uvx",
    "pipx",
    "bundle",
    "composer",
    "mix",
    "dotnet",
    "pytest",
    "py.test",
    "jest",
    "vitest",
    "mocha",
    "eslint",
    "prettier",
    "tsx",
    "ts-node",
    "webpack",
    "vite",
    "rollup",
    "gulp",
    "grunt",
    "pre-commit",
    "prek",
    "lefthook",
    "husky",
    "lint-staged",
    "nx",
    "turbo",
    "lerna",
    "ansible-playbook",
    "vagrant",
    "docker",
    "docker-compose",
    "podman",
    "nix",
    "nix-shell",
    "nix-build",
    "direnv",
    "mise",
    "asdf",
    "run-parts",
    "fab",
    "mypy",
    "pylint",
    "flake8",
    "rspec",
    "phpunit",
    "tsc",
    "rubocop",
    "earthly",
    "dagger",
    "skaffold",
    "tilt",
    "pants",
    "xcodebuild",
    "swift",
    "stack",
    "cabal",
    "dune",
];

/// How many files are named at most; if there are more, that is reported.
const MAX_FILES: usize = 1_000;

/// Programs whose arguments are text, or files whose existence or properties they only report: what
/// a hook queries in this way is what it judges, not part of it.
const NO_PARTS: [&str; 7] = ["echo", "printf", "test", "[", "[[", "ls", "stat"];

/// Finds the files that the commands of a text run or name, in the widest reading: any operand may
/// be a file.
pub fn files_named(understood: &Understood) -> NamedFiles {
    let mut named = NamedFiles::default();
    for spot in &understood.opaque_parts {
        named.unpinned.push(match spot.why {
            OpaqueReason::Unreadable => Unpinned::Unreadable(spot.written.clone()),
            _ => Unpinned::Computed(spot.written.clone()),
        });
    }
    for command in &understood.commands {
        if command.place == Place::Here {
            named.add(command);
        }
    }
    named
}

impl NamedFiles {
    fn add(&mut self, command: &Command) {
        let program = command.program.as_str();
        if let Some(first) = command.words.first() {
            if command.invoked.contains('/') {
                self.note(&path_of(first, command), Runs::Yes);
            }
            if !first.known {
                self.unpin(Unpinned::Computed(first.text.clone()));
            }
        }
        let scripts = scripts_of(command);
        for script in &scripts {
            if !script.known {
                self.unpin(Unpinned::Computed(script.text.clone()));
            }
            self.note(&path_of(script, command), Runs::Yes);
        }
        if runs_module(command) {
            self.unpin(Unpinned::Module(command.line()));
        }
        if CHOOSERS.contains(&usual_name(program)) {
            self.unpin(Unpinned::Chooses(command.name()));
        }
        if let Input::File(path) = &command.input {
            let runs = is_interpreter(program);
            let runs = if runs { Runs::Yes } else { Runs::No };
            self.note(&path_of(&Word::plain(path.as_str()), command), runs);
        }
        if NO_PARTS.contains(&program) {
            return;
        }
        for (at, word) in command.words.iter().enumerate().skip(1) {
            if !command.is_output(at) {
                self.name(word, command);
            }
        }
        for assignment in &command.env {
            for part in assignment.value.text.split([':', ' ']) {
                let word = Word {
                    text: part.to_owned(),
                    ..assignment.value.clone()
                };
                self.note(&path_of(&word, command), Runs::No);
            }
        }
        let places = (1..command.words.len()).filter(|at| command.is_output(*at));
        let texts = places.map(|at| command.words[at].text.as_str());
        let outputs: Vec<&str> = texts
            .map(|it| it.split_once('=').map_or(it, |(_, file)| file))
            .collect();
        for read in &command.reads {
            if !outputs.contains(&read.written.as_str()) {
                self.note(read, Runs::No);
            }
        }
    }

    /// Records what an argument may name: itself, what follows `=`, and what follows `@`.
    fn name(&mut self, word: &Word, command: &Command) {
        let text = word.text.as_str();
        let behind = text.split_once('=').map(|(_, value)| value);
        for candidate in [Some(text), behind, text.strip_prefix('@')]
            .into_iter()
            .flatten()
        {
            if candidate.is_empty() || candidate.contains('\n') {
                continue;
            }
            let word = Word {
                text: candidate.to_owned(),
                ..word.clone()
            };
            self.note(&path_of(&word, command), Runs::No);
        }
    }

    fn note(&mut self, named: &PathUse, runs: Runs) {
        for path in &named.paths {
            let runs = runs == Runs::Yes;
            if self.files.len() > MAX_FILES {
                return self.unpin(Unpinned::Computed("…".to_owned()));
            }
            if let Some(known) = self.files.iter_mut().find(|it| it.path == *path) {
                known.runs |= runs;
                continue;
            }
            self.files.push(FileNamed {
                written: named.written.clone(),
                path: path.clone(),
                pattern: named.pattern,
                runs,
            });
        }
    }

    fn unpin(&mut self, reason: Unpinned) {
        if !self.unpinned.contains(&reason) {
            self.unpinned.push(reason);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Runs {
    Yes,
    No,
}

fn path_of(word: &Word, command: &Command) -> PathUse {
    let paths = if word.known && !word.text.is_empty() {
        if word.text.starts_with('/') {
            vec![crate::join_path("/", &word.text)]
        } else {
            let folders = command.folders.iter();
            folders.map(|it| crate::join_path(it, &word.text)).collect()
        }
    } else {
        Vec::new()
    };
    PathUse {
        written: word.text.clone(),
        known: !paths.is_empty(),
        paths,
        pattern: word.pattern,
    }
}

fn is_interpreter(program: &str) -> bool {
    let name = program.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.');
    match Language::from_program(program) {
        // Its program text is its first operand.
        Some(Language::Awk) => false,
        Some(_) => true,
        None => ["elixir", "pwsh", "expect"].contains(&name),
    }
}

impl Command {
    /// Returns whether the word at an index names a file that the command only writes: an operand
    /// of `tee`, the file after `--log`, or a database that it adds to. A hook's output isn't part
    /// of the hook.
    pub fn is_output(&self, at: usize) -> bool {
        const OPTIONS: [&str; 4] = ["--log", "--log-file", "--logfile", "--audit-log"];
        const ENDINGS: [&str; 3] = [".log", ".jsonl", ".ndjson"];
        let Some(word) = self.words.get(at).filter(|_| at > 0) else {
            return false;
        };
        let text = word.text.as_str();
        if self.program == "tee" {
            return !text.starts_with('-');
        }
        if self.program == "sqlite3" {
            return self.changes_database() && self.operands().next() == Some(word);
        }
        // An option for a log may also name an input, so the file's name must look like a log, too.
        let is_log = |file: &str| ENDINGS.iter().any(|it| file.ends_with(it));
        let before = self.words[at - 1].text.as_str();
        match text.split_once('=') {
            Some((option, file)) => OPTIONS.contains(&option) && is_log(file),
            None => OPTIONS.contains(&before) && is_log(text),
        }
    }

    /// Returns whether what it asks a database changes it, and so itself decides what is in the
    /// file. An argument that begins with a dot is an order to the program, and options may name
    /// files of such orders.
    fn changes_database(&self) -> bool {
        const CHANGES: [&str; 6] = [
            "insert into",
            "insert or",
            "replace into",
            "create table",
            "delete from",
            "update ",
        ];
        // What is answered may decide, and other functions reach other files.
        const ANSWERS: [&str; 6] = [
            "select",
            "returning",
            "pragma",
            "load_extension",
            "readfile",
            "attach",
        ];
        const PLAIN: [&str; 5] = ["-bail", "-batch", "-csv", "-json", "-list"];
        let has = |it: &Word, words: &[&str]| {
            let lower = it.text.to_ascii_lowercase();
            words.iter().any(|word| lower.contains(word))
        };
        let is_change = |it: &Word| has(it, &CHANGES);
        let is_order = |it: &Word| it.text.trim_start().starts_with('.');
        let is_option = |it: &Word| it.text.starts_with('-') && !PLAIN.contains(&it.text.as_str());
        let asked = || self.operands().skip(1);
        let is_answered = |it: &Word| has(it, &ANSWERS);
        asked().any(is_change)
            && !asked().any(|it| is_order(it) || is_answered(it))
            && !self.words_after_program().iter().any(is_option)
    }

    /// Returns whether the command runs what it reads from standard input: `cat x | sh`.
    pub fn runs_its_input(&self) -> bool {
        let script = self.script().map(|it| it.text.as_str());
        let reads_on = match script {
            None => self.code.is_none(),
            Some(script) => script == "-" || is_standard_input(script),
        };
        let is_source = matches!(self.program.as_str(), "source" | ".");
        reads_on && (is_source || is_interpreter(&self.program))
    }

    /// Returns the script that the command passes to an interpreter or sources.
    pub fn script(&self) -> Option<&Word> {
        scripts_of(self).into_iter().next()
    }
}

/// Returns the words that may be the script that is passed to an interpreter or sourced.
fn scripts_of(command: &Command) -> Vec<&Word> {
    let program = command.program.as_str();
    if !["source", "."].contains(&program) && !is_interpreter(program) {
        return Vec::new();
    }
    scripts::scripts_of(program, command.words_after_program())
}

/// Returns whether an interpreter runs a module or a folder.
fn runs_module(command: &Command) -> bool {
    let name = base_name(&command.invoked);
    if !is_interpreter(name) || is_shell(name) {
        return false;
    }
    if module_of(name, command.words_after_program()).is_some() {
        return !is_of_own_library(&command.invoked, command.words_after_program());
    }
    // `python3 folder` runs `folder/__main__.py`: a name without an extension may be a folder.
    command.script().is_some_and(|script| {
        let file = base_name(&script.text);
        !file.contains('.') || file == "." || file == ".." || script.text.ends_with('/')
    })
}
