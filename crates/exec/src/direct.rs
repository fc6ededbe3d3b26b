//! Runs a command that consists of plain words without a shell, if nobody could tell the
//! difference.
//!
//! A shell costs more than most hooks do. If the command is a program with its arguments, and
//! neither the command nor the environment could make bash do anything except execute that program,
//! the program is executed directly, with the variables that bash would have set. If that isn't
//! certain, the shell runs.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use crate::child_environment::ChildEnvironment;
use crate::substitution::reference;
use hookloop_process::is_executable;
use hookloop_settings::bounded::read_start;

mod bash_words;

use bash_words::{changes_bash, is_bash_word};

/// Builds the run of a command without a shell, if bash would do just the same.
pub(crate) fn command(
    text: &str,
    environment: &ChildEnvironment<'_>,
    cwd: &Path,
) -> Option<Command> {
    let words = split_words(text, environment)?;
    let (first, arguments) = words.split_first()?;
    if environment.names().any(changes_bash) || first.as_bytes().contains(&b'=') {
        return None;
    }
    let program = resolve(first, environment, cwd)?;
    let level = shell_level(environment)?;
    let directory = working_directory(environment, cwd)?;
    let mut command = Command::new(&program);
    environment.apply(&mut command);
    if environment
        .get("OLDPWD")
        .is_some_and(|old| !Path::new(old).is_dir())
    {
        command.env_remove("OLDPWD");
    }
    command.arg0(first).args(arguments);
    command
        .env("PWD", directory)
        .env("SHLVL", level)
        .env("_", &program);
    Some(command)
}

/// Splits a command into words, if it consists of nothing but words and our variables.
fn split_words(text: &str, environment: &ChildEnvironment<'_>) -> Option<Vec<OsString>> {
    let mut words = Vec::new();
    for written in text
        .split([' ', '\t'])
        .filter(|written| !written.is_empty())
    {
        words.push(word(written, environment)?);
    }
    Some(words)
}

fn word(written: &str, environment: &ChildEnvironment<'_>) -> Option<OsString> {
    let mut word = OsString::new();
    let mut rest = written;
    while let Some(first) = rest.chars().next() {
        if first == '$' {
            let (name, length) = reference(rest)?;
            word.push(environment.get(name)?);
            rest = &rest[length..];
        } else {
            let is_plain = |it: char| it.is_ascii_alphanumeric() || "_-./,:@%+=".contains(it);
            let length = rest.find(|it| !is_plain(it)).unwrap_or(rest.len());
            if length == 0 {
                return None;
            }
            word.push(&rest[..length]);
            rest = &rest[length..];
        }
    }
    Some(word)
}

/// Finds the program that bash would execute, as bash would name it.
fn resolve(first: &OsStr, environment: &ChildEnvironment<'_>, cwd: &Path) -> Option<PathBuf> {
    let bytes = first.as_bytes();
    if bytes.contains(&b'/') {
        let program = PathBuf::from(first);
        return is_program(&cwd.join(&program)).then_some(program);
    }
    if bytes.is_empty() || bytes[0] == b'%' || first.to_str().is_none_or(is_bash_word) {
        return None;
    }
    let path = environment.get("PATH")?;
    for folder in path.as_bytes().split(|byte| *byte == b':') {
        // bash has its own meaning for an empty or relative folder, or one with a tilde.
        if folder.first() != Some(&b'/') {
            return None;
        }
        let candidate = Path::new(OsStr::from_bytes(folder)).join(first);
        if is_executable(&candidate) {
            return is_program(&candidate).then_some(candidate);
        }
    }
    None
}

/// Returns whether the kernel can execute a file itself: bash reads other text as a script.
fn is_program(path: &Path) -> bool {
    if !is_executable(path) {
        return false;
    }
    let Ok(head) = read_start(path, 4) else {
        return false;
    };
    head.starts_with(b"\x7fELF") || head.starts_with(b"#!") || is_mach_o(&head)
}

fn is_mach_o(head: &[u8]) -> bool {
    cfg!(target_vendor = "apple")
        && [[0xcf, 0xfa, 0xed, 0xfe], [0xca, 0xfe, 0xba, 0xbe]]
            .iter()
            .any(|magic| head == magic)
}

/// Computes `SHLVL` as the child of `bash -c` sees it: bash adds one, and subtracts it again when
/// the program replaces bash itself.
fn shell_level(environment: &ChildEnvironment<'_>) -> Option<String> {
    let Some(level) = environment.get("SHLVL") else {
        return Some("0".into());
    };
    let number: u16 = level.to_str()?.parse().ok()?;
    (number < 999 && level == number.to_string().as_str()).then(|| number.to_string())
}

/// Computes `PWD`: the environment's value if that is correct, else the real path.
fn working_directory(environment: &ChildEnvironment<'_>, cwd: &Path) -> Option<PathBuf> {
    if let Some(inherited) = environment
        .get("PWD")
        .map(Path::new)
        .filter(|inherited| inherited.is_absolute())
    {
        let (here, there) = (fs::metadata(cwd).ok()?, fs::metadata(inherited).ok());
        if there.is_some_and(|there| (there.dev(), there.ino()) == (here.dev(), here.ino())) {
            return is_canonical_text(inherited).then(|| inherited.to_owned());
        }
    }
    fs::canonicalize(cwd).ok()
}

/// Returns whether bash would keep a path as it is, without removing dots or slashes.
fn is_canonical_text(path: &Path) -> bool {
    let plain: PathBuf = path
        .components()
        .filter(|it| matches!(it, Component::RootDir | Component::Normal(_)))
        .collect();
    plain.as_os_str() == path.as_os_str()
}

#[cfg(test)]
mod tests;
