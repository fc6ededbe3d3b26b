//! Jobs that run alongside later calls, or long after them: by then, the files may be different.

use std::path::{Path, PathBuf};

use hookloop_shell::{Command, Input, Timing, is_shell};

use super::before::Before;
use super::commands::Place;
use super::concern::Concern;
use super::tokens::Language;

/// Programs that start others repeatedly, or at another time.
const REPEAT: [&str; 8] = [
    "watch",
    "entr",
    "nodemon",
    "watchexec",
    "chokidar",
    "inotifywait",
    "systemd-run",
    "screen",
];

/// Programs that store commands for later.
const SCHEDULERS: [&str; 3] = ["at", "batch", "crontab"];

impl Place {
    /// Returns a concern about a command that runs later: its script doesn't exist yet, or calls
    /// may write it until then.
    pub(super) fn check_deferred(&self, command: &Command, before: &Before) -> Option<Concern> {
        let program = command.program.as_str();
        if SCHEDULERS.contains(&program) {
            let asks = ["-l", "-c", "-q", "-r", "-d", "-V", "-e"];
            let only_asks = asks.iter().any(|it| command.has_flag(it)) && program != "batch";
            let is_given =
                command.input != Input::Inherited || !command.words_after_program().is_empty();
            return (is_given && !only_asks).then(|| Concern::Unclear(command.line()));
        }
        let repeats = command
            .through
            .iter()
            .any(|it| REPEAT.contains(&it.as_str()));
        let is_beside = command.timing != Timing::InOrder;
        if !is_beside && !repeats {
            return None;
        }
        let is_delayed = repeats || before.waits || command.timing == Timing::BesideAgain;
        if program == "eval" && is_delayed {
            return Some(Concern::Unclear(command.line()));
        }
        let script = script_of(command)?;
        let mut paths = command.folders.iter().map(|it| Path::new(it).join(&script));
        // A program that the same text builds doesn't exist yet, either.
        let is_missing = paths.clone().all(|it| !it.exists()) && !command.invoked.contains('/');
        let may_change = is_delayed && paths.any(|it| !self.is_guards(&it));
        (is_missing || may_change).then(|| Concern::Unclear(script.display().to_string()))
    }

    /// Records what a background job writes, because it may do so at any time.
    pub(super) fn note_beside(&self, command: &Command) {
        if command.timing == Timing::InOrder {
            return;
        }
        self.planted.note_beside();
        let written = command.writes.iter().chain(&command.fills);
        for path in written.flat_map(|it| &it.paths) {
            self.planted
                .note_restless(&PathBuf::from(hookloop_shell::normalize_path(path)));
        }
    }
}

/// Returns the text that a shell, or the system, reads from a file when a command begins.
fn script_of(command: &Command) -> Option<PathBuf> {
    let program = command.program.as_str();
    let is_reader = is_shell(program)
        || ["source", "."].contains(&program)
        || Language::from_program(program).is_some();
    if command.invoked.contains('/') && !is_reader {
        return Some(PathBuf::from(&command.invoked));
    }
    if !is_reader || command.code.is_some() || command.has_flag("-c") || command.has_flag("-m") {
        return None;
    }
    match (&command.input, command.operands().next()) {
        (_, Some(named)) => Some(PathBuf::from(&named.text)),
        (Input::File(file), None) => Some(PathBuf::from(file)),
        _ => None,
    }
}
