//! The part of `hooks check` that looks at files and programs (CM-3).

use std::path::Path;

use crate::command_words::{CommandWord, UseOfWord, command_words, expand_project_variables};
use crate::report::shorten;
use crate::settings::Settings;
use hookloop_hook::HookDeclaration;
use hookloop_hook::{Problem, ProblemCode};

/// Says what stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probed {
    /// Nothing.
    Missing,
    /// A file that can be executed.
    Executable,
    /// A file that can't be executed.
    NotExecutable,
    /// It can't be told, or it is no file.
    Unknown,
}

/// Looks at the file system for [`lint_commands`].
pub trait FileProbe {
    /// Tells what stands at a path.
    fn probe(&self, path: &Path) -> Probed;
    /// Returns the first line of a text file, without its line feed, if it can be read.
    fn first_line(&self, path: &Path) -> Option<String>;
    /// Returns the home folder that hooks see.
    fn home(&self) -> Option<&Path>;
    /// Tells whether a program of this name is on the PATH that hooks get.
    fn is_on_path(&self, program: &str) -> bool;
}

/// Words that the shell itself understands.
const SHELL_WORDS: &[&str] = &[
    ".", ":", "!", "[", "[[", "{", "}", "alias", "bg", "break", "case", "cd", "command",
    "continue", "declare", "do", "done", "echo", "elif", "else", "esac", "eval", "exec", "exit",
    "export", "false", "fi", "for", "function", "getopts", "hash", "if", "in", "jobs", "let",
    "local", "printf", "pwd", "read", "readonly", "return", "select", "set", "shift", "shopt",
    "source", "test", "then", "time", "times", "trap", "true", "type", "typeset", "ulimit",
    "umask", "unalias", "unset", "until", "wait", "while",
];

/// Programs whose first plain argument is a script.
const INTERPRETERS: &[&str] = &[
    "bash", "sh", "zsh", "dash", "ksh", "node", "bun", "python", "python3", "python2", "ruby",
    "perl", "php", "source", ".",
];

/// Those of them that are shells.
const SHELLS: &[&str] = &["bash", "sh", "zsh", "dash", "ksh", "source", "."];

/// Endings of files in languages that no shell understands, and their usual interpreters.
const LANGUAGES: &[(&str, &str)] = &[
    ("py", "python3"),
    ("js", "node"),
    ("mjs", "node"),
    ("cjs", "node"),
    ("rb", "ruby"),
    ("pl", "perl"),
    ("php", "php"),
];

/// Returns scripts that are missing or not executable, and programs that are missing (CM-3).
///
/// Only the first simple command of a hook is looked at, or all of a pipeline, and only words that
/// need no shell to be understood: what can't be known is not reported.
pub fn lint_commands(
    settings: &Settings,
    project_root: &Path,
    probe: &dyn FileProbe,
) -> Vec<Problem> {
    let found = settings.hooks.iter().filter_map(|hook| {
        let (code, message, help) = look_at(hook, project_root, probe)?;
        let source = hook.source_of(hook.places.command);
        let mut problem = settings.problem(code, source, message, help);
        problem.event = Some(hook.event);
        problem.hook_id = Some(hook.id.clone());
        Some(problem)
    });
    found.collect()
}

fn look_at(
    hook: &HookDeclaration,
    project_root: &Path,
    probe: &dyn FileProbe,
) -> Option<Complaint> {
    let words = command_words(hook.command());
    let last = words.last()?.simple_command;
    let looked_at = if is_pipeline(hook.command()) { last } else { 0 };
    (0..=looked_at).find_map(|place| look_at_one(&words, place, hook, project_root, probe))
}

/// Tells whether a command is nothing but programs whose output goes to the next: each of them
/// runs, and none of them changes what the next word means.
fn is_pipeline(command: &str) -> bool {
    !command.contains("||") && !command.contains(['&', ';', '\n', '(', '{', '`'])
}

/// Looks at the simple command at a place.
fn look_at_one(
    words: &[CommandWord],
    place: usize,
    hook: &HookDeclaration,
    project_root: &Path,
    probe: &dyn FileProbe,
) -> Option<Complaint> {
    let mut words = words
        .iter()
        .filter(|word| word.simple_command == place && word.use_of_word == UseOfWord::Said)
        .map(|word| expand_project_variables(&word.text, project_root))
        .map(|word| expand_home(word, hook, probe))
        .skip_while(|word| is_assignment(word));
    let program = words.next().filter(|word| is_plain(word))?;

    if program.contains('/') {
        look_at_script(&project_root.join(&program), probe)
    } else if INTERPRETERS.contains(&program.as_str()) {
        let missing = !SHELL_WORDS.contains(&program.as_str()) && !probe.is_on_path(&program);
        if missing {
            return Some(missing_program(&program));
        }
        let script = project_root.join(words.next().filter(|word| is_path(word))?);
        match probe.probe(&script) {
            Probed::Missing => Some(missing_script(&script)),
            _ if SHELLS.contains(&program.as_str()) => look_at_line_ends(&script, probe),
            _ => None,
        }
    } else if SHELL_WORDS.contains(&program.as_str()) || probe.is_on_path(&program) {
        None
    } else {
        Some(missing_program(&program))
    }
}

/// Replaces the home folder at the beginning of a word, as a shell does, unless the hook has its
/// own.
fn expand_home(word: String, hook: &HookDeclaration, probe: &dyn FileProbe) -> String {
    let rest = ["~/", "$HOME/", "${HOME}/"]
        .iter()
        .find_map(|home| word.strip_prefix(home));
    match (rest, probe.home()) {
        (Some(rest), Some(home)) if !hook.env.contains_key("HOME") => {
            home.join(rest).to_string_lossy().into_owned()
        }
        _ => word,
    }
}

type Complaint = (ProblemCode, String, String);

/// Looks at a script that is started by its path.
fn look_at_script(path: &Path, probe: &dyn FileProbe) -> Option<Complaint> {
    let shown = path.display();
    match probe.probe(path) {
        Probed::Missing => Some(missing_script(path)),
        Probed::NotExecutable => Some((
            ProblemCode::ScriptNotExecutable,
            format!("{shown} is not executable"),
            format!("run: chmod +x '{shown}'"),
        )),
        Probed::Executable => look_at_first_line(path, &probe.first_line(path)?, probe),
        Probed::Unknown => None,
    }
}

/// Looks at what a script's first line says about who is to run it.
fn look_at_first_line(path: &Path, line: &str, probe: &dyn FileProbe) -> Option<Complaint> {
    let shown = path.display();
    let Some(named) = line.strip_prefix("#!") else {
        return look_at_script_of_the_shell(path, line);
    };
    if line.ends_with('\r') {
        return Some((
            ProblemCode::InterpreterMissing,
            format!(
                "the first line of {shown} ends with a carriage return, which counts as part of \
                 the interpreter's name"
            ),
            unix_line_ends(path),
        ));
    }
    let mut words = named.split_whitespace();
    let interpreter = words.next()?;
    let is_env = interpreter.ends_with("/env");
    if interpreter.contains('/') && probe.probe(Path::new(interpreter)) == Probed::Missing {
        return Some(missing_interpreter(path, interpreter));
    }
    let program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    let missing = is_env && !program.contains('/') && !probe.is_on_path(program);
    missing.then(|| missing_interpreter(path, program))
}

/// Looks at a script without `#!`: the shell runs it, whatever it is written in.
fn look_at_script_of_the_shell(path: &Path, line: &str) -> Option<Complaint> {
    let shown = path.display();
    let code = ProblemCode::ScriptWithoutInterpreter;
    if line.starts_with("\u{FEFF}#!") {
        let message = format!(
            "{shown} begins with a byte order mark: its #! line is not seen, and the shell runs it"
        );
        return Some((
            code,
            message,
            "save it without a byte order mark".to_owned(),
        ));
    }
    let ending = path.extension()?.to_str()?;
    let (_, interpreter) = LANGUAGES.iter().find(|(known, _)| *known == ending)?;
    Some((
        code,
        format!("{shown} has no #! line, so the shell runs it"),
        format!("write \"#!/usr/bin/env {interpreter}\" into its first line"),
    ))
}

/// Looks for line ends that a shell takes for part of its words.
fn look_at_line_ends(path: &Path, probe: &dyn FileProbe) -> Option<Complaint> {
    let has_returns = probe.first_line(path)?.ends_with('\r');
    has_returns.then(|| {
        (
            ProblemCode::ScriptLineEnds,
            format!(
                "the lines of {} end with carriage returns, which the shell takes for part of \
                 its words",
                path.display()
            ),
            unix_line_ends(path),
        )
    })
}

fn unix_line_ends(path: &Path) -> String {
    let shown = path.display();
    format!("save it with the line ends of Unix: sed -i 's/\\r$//' '{shown}'")
}

fn missing_script(path: &Path) -> Complaint {
    (
        ProblemCode::ScriptMissing,
        format!("{} does not exist", path.display()),
        "create the file, or correct its path".to_owned(),
    )
}

fn missing_interpreter(script: &Path, interpreter: &str) -> Complaint {
    (
        ProblemCode::InterpreterMissing,
        format!(
            "\"{}\", which {} needs, does not exist",
            shorten(interpreter),
            script.display()
        ),
        "install it, or correct the script's first line".to_owned(),
    )
}

fn missing_program(program: &str) -> Complaint {
    (
        ProblemCode::InterpreterMissing,
        format!("there is no program \"{}\" on the PATH", shorten(program)),
        "install it, or correct the command".to_owned(),
    )
}

/// Tells whether a word is an assignment in front of a command, such as `LANG=C`.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .chars()
                .all(|it| it.is_ascii_alphanumeric() || it == '_')
    })
}

/// Tells whether a word means itself, and nothing that only the shell knows.
fn is_plain(word: &str) -> bool {
    !word.is_empty()
        && !word.starts_with('~')
        && !word.contains(['$', '*', '?', '[', '{', '%', '\\'])
        || SHELL_WORDS.contains(&word)
}

/// Tells whether an interpreter's argument names a file by its path, and is no option or code.
fn is_path(word: &str) -> bool {
    is_plain(word) && !word.starts_with('-') && (word.contains('/') || word.contains('.'))
}
