//! Which interpreters a hook starts: the shell, what its command names, and what its scripts name.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hookloop_process::find_program;
use hookloop_settings::bounded::read_start;
use hookloop_shell::{Command, Place, Surroundings, files_named, join, join_path, understand};

use super::interpreter::{FUNCTION, Interpreter};
use super::shell_variables;
use crate::invocation_command::Start;

/// How much of a script is read.
const MAX_BYTES: u64 = 256 * 1024;

/// How many scripts call each other.
const MAX_DEPTH: usize = 3;

/// An interpreter, and how it is tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Started {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<String>,
    /// The programs whose variables matter: itself, and what starts it.
    pub(super) interpreters: Vec<Interpreter>,
    /// The variables that are set or removed by what starts it: it isn't judged by them.
    pub(super) without: BTreeSet<String>,
    /// What the shell is told to run, if a shell starts it.
    through: Option<String>,
}

impl Started {
    fn directly(program: PathBuf, interpreter: Interpreter, without: BTreeSet<String>) -> Self {
        Self {
            program,
            arguments: interpreter.trial().map(str::to_owned).to_vec(),
            interpreters: vec![interpreter],
            without,
            through: None,
        }
    }

    /// Names the interpreter.
    pub(super) fn interpreter_name(&self) -> String {
        let program = || self.program.display().to_string();
        self.through.clone().unwrap_or_else(program)
    }
}

/// Finds the interpreters that a hook starts, each once.
pub(super) fn find_interpreters(
    start: &Start<'_>,
    variables: &[(OsString, OsString)],
) -> Vec<Started> {
    let mut search = Search {
        variables,
        folder: start.cwd,
        without: BTreeSet::new(),
        found: Vec::new(),
    };
    // A library that is loaded into every program is tested with the shell.
    let is_loaded = variables
        .iter()
        .any(|(name, _)| Interpreter::is_for_all(name));
    let shell = start.shell.is_posix().then(|| start.shell.program());
    if let Some(shell) = shell.filter(|_| is_loaded) {
        search.note(shell.to_owned(), Interpreter::Shell);
    }
    let Some(arguments) = start.arguments else {
        let Some(shell) = shell else {
            return Vec::new();
        };
        let through = start.direct().is_none().then_some(shell);
        if let Some(shell) = through {
            search.note(shell.to_owned(), Interpreter::Shell);
        }
        search.text(start.text, through, MAX_DEPTH);
        return search.found;
    };
    let program = start.program().to_string_lossy().into_owned();
    let arguments = arguments
        .iter()
        .map(|it| start.expand(it).to_string_lossy().into_owned());
    let words: Vec<String> = std::iter::once(program).chain(arguments).collect();
    search.text(&join(words.iter().map(String::as_str)), None, MAX_DEPTH);
    search.found
}

struct Search<'s> {
    variables: &'s [(OsString, OsString)],
    folder: &'s Path,
    /// The variables that the surrounding texts set or remove.
    without: BTreeSet<String>,
    found: Vec<Started>,
}

impl Search<'_> {
    fn note(&mut self, program: PathBuf, interpreter: Interpreter) {
        let started = Started::directly(program, interpreter, self.without.clone());
        self.add(started);
    }

    fn add(&mut self, started: Started) {
        if !self.found.contains(&started) {
            self.found.push(started);
        }
    }

    /// Searches the text of a shell. One of its own functions may have the name of a program.
    fn text(&mut self, text: &str, through: Option<&Path>, depth: usize) {
        let variables = |name: &str| {
            let mut all = self.variables.iter();
            let value = all.find(|(it, _)| it == name).map(|(_, value)| value);
            value.map(|it| it.to_string_lossy().into_owned())
        };
        let folder = self.folder.to_string_lossy();
        let home = variables("HOME");
        let around = Surroundings {
            folder: Some(&folder),
            home: home.as_deref(),
            variables: Some(&variables),
            ..Surroundings::default()
        };
        let understood = understand(text, around);
        let scripts = files_named(&understood).files;
        let mut of_text = self.without.clone();
        of_text.extend(shell_variables::by_text(&understood));
        let around = std::mem::replace(&mut self.without, of_text.clone());
        for command in understood.commands.iter().filter(|it| !it.removed.all) {
            if command.place == Place::Here && !command.program.is_empty() {
                self.without.extend(shell_variables::for_command(command));
                self.command(command, through, depth);
                self.without.clone_from(&of_text);
            }
        }
        for script in scripts.iter().filter(|it| it.runs && !it.pattern) {
            self.script(Path::new(&script.path), depth);
        }
        self.without = around;
    }

    fn command(&mut self, command: &Command, through: Option<&Path>, depth: usize) {
        let is_path = command.invoked.contains('/');
        let program = if is_path {
            let folder = self.folder.to_string_lossy();
            Some(PathBuf::from(join_path(&folder, &command.invoked)))
        } else {
            find_program(self.variables, &command.invoked)
        };
        let Some(program) = program else {
            return;
        };
        let interpreter = Interpreter::of(&command.program);
        if interpreter.is_some_and(|it| it.is_told_to_mind_nothing(command)) {
            return;
        }
        if let Some(interpreter) = interpreter {
            self.note(program.clone(), interpreter);
            let name = format!("{FUNCTION}{}%%", command.invoked);
            let is_function = self.variables.iter().any(|(it, _)| *it == *name);
            if let Some(shell) = through.filter(|_| is_function) {
                self.add_shell_function(shell, &command.invoked, interpreter);
            }
        }
        // The program may be a script itself, as pyenv's `python3` is.
        self.script(&program, depth);
    }

    /// Notes an interpreter as a shell starts it that has a function of its name.
    fn add_shell_function(&mut self, shell: &Path, invoked: &str, interpreter: Interpreter) {
        let [option, trial] = interpreter.trial();
        let text = join([invoked, option, trial]);
        let started = Started {
            program: shell.to_owned(),
            arguments: vec!["-c".to_owned(), text],
            interpreters: vec![Interpreter::Shell, interpreter],
            without: self.without.clone(),
            through: Some(invoked.to_owned()),
        };
        self.add(started);
    }

    /// Searches a script: the interpreter that its first line names, and, if that is a shell, what
    /// it starts.
    fn script(&mut self, script: &Path, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else {
            return;
        };
        let start = read_start(script, MAX_BYTES).unwrap_or_default();
        let text = String::from_utf8_lossy(&start);
        let first = text.lines().next().unwrap_or_default();
        let named = first.strip_prefix("#!").map(str::trim);
        if let Some(named) = named {
            self.text(named.trim_start_matches("/usr/bin/env -S"), None, depth);
        }
        let is_ending = |it: &str| script.extension().is_some_and(|ending| ending == it);
        let is_shell = match named {
            Some(line) => line.split_whitespace().any(is_shell_named),
            None => is_ending("sh") || is_ending("bash"),
        };
        if is_shell {
            self.text(&text, None, depth);
        }
    }
}

fn is_shell_named(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    Interpreter::of(name) == Some(Interpreter::Shell)
}
