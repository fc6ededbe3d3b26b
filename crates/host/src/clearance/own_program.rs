//! Commands of this program among those that a call would run (TR-11). They ask a person by
//! themselves below an agent; one that was set free from its parents can't tell that it is.

use std::path::{Path, PathBuf};

use hookloop_shell::{Command, Input, Word};

use super::commands::Place;
use super::concern::Concern;
use super::{tables, trees};
use crate::file_id::FileId;

/// The program's name.
const NAME: &str = "hookloop";

/// Programs that keep what they are given, and run it later.
const LATER: [&str; 3] = ["at", "batch", "crontab"];

/// How commands of this program are known, and judged.
#[derive(Debug, Clone)]
pub struct OwnProgram {
    /// The files that it is, whatever they are called.
    pub files: Vec<PathBuf>,
    /// Tells of the words behind the program whether they change what guards are made of.
    pub changes: fn(&[String]) -> bool,
}

impl OwnProgram {
    fn is_file(&self, path: &Path) -> bool {
        let Some(id) = FileId::of(path) else {
            return false;
        };
        self.files
            .iter()
            .any(|own| FileId::of(own).as_ref() == Some(&id) || is_copy(own, path))
    }
}

impl Place {
    /// Returns what a command of this program would change.
    pub(super) fn of_own_program(&self, command: &Command, depth: usize) -> Option<Concern> {
        let own = self.own.as_ref()?;
        let words = command.words.as_slice();
        let is_own = |word: &Word| is_own(own, word, &command.folders);
        let first = words.first()?;
        if is_own(first) || self.is_on_path(own, &first.text) {
            return judge(own, words);
        }
        let program = command.program.as_str();
        if LATER.contains(&program) {
            return self.kept_for_later(command);
        }
        if program.is_empty() || tables::holds(tables::PROGRAMS_THAT_READ, program) {
            return None;
        }
        // A program that starts what it is given: as words, or as one text.
        let mut rest = (1..words.len()).filter(|at| is_own(&words[*at]));
        if let Some(found) = rest.find_map(|at| judge(own, &words[at..])) {
            return Some(found);
        }
        let depth = depth.checked_sub(1)?;
        let folder = command.folders.first().map_or("", String::as_str);
        let mut texts = words.iter().skip(1).map(|it| it.text.as_str());
        texts.find_map(|text| self.in_text(text, Path::new(folder), depth))
    }

    /// Returns what a text changes by this program, if it is one that a shell would run.
    pub(super) fn in_text(&self, text: &str, folder: &Path, depth: usize) -> Option<Concern> {
        self.own.as_ref()?;
        if !(text.contains(NAME) && text.contains(char::is_whitespace)) {
            return None;
        }
        self.of_shell(text, folder, depth)
            .filter(|it| matches!(it, Concern::Changes(_)))
    }

    /// Tells whether a name leads to this program, by the folders that are searched for programs.
    fn is_on_path(&self, own: &OwnProgram, name: &str) -> bool {
        let is_name = !name.is_empty() && !name.contains('/');
        let variable = self
            .variable("PATH")
            .filter(|_| is_name)
            .unwrap_or_default();
        std::env::split_paths(&variable).any(|folder| own.is_file(&folder.join(name)))
    }

    /// A list of commands for another time: it runs when nobody stands above it.
    fn kept_for_later(&self, command: &Command) -> Option<Concern> {
        let file = match &command.input {
            Input::Text(text) if text.contains(NAME) => return Some(later(command)),
            Input::File(file) => Some(file.as_str()),
            _ => None,
        };
        let words = command.args().iter().map(|it| it.text.as_str());
        let mut paths = words
            .chain(file)
            .flat_map(|name| {
                command
                    .folders
                    .iter()
                    .map(move |it| Path::new(it).join(name))
            })
            .filter(|it| it.is_file());
        paths
            .any(|path| trees::read(&path).is_some_and(|text| text.contains(NAME)))
            .then(|| later(command))
    }
}

/// Tells whether a word names this program, by its name or as a path.
fn is_own(own: &OwnProgram, word: &Word, folders: &[String]) -> bool {
    let text = word.text.as_str();
    let base = text.rsplit(['/', '\\']).next().unwrap_or(text);
    if base.trim_end_matches(".exe") == NAME {
        return true;
    }
    let mut paths = folders.iter().map(|it| Path::new(it).join(text));
    text.contains('/') && !text.starts_with('-') && paths.any(|path| own.is_file(&path))
}

fn later(command: &Command) -> Concern {
    Concern::Changes(command.line())
}

/// Judges the words of a command of this program, the program first.
fn judge(own: &OwnProgram, words: &[Word]) -> Option<Concern> {
    let texts: Vec<String> = words.iter().skip(1).map(|it| it.text.clone()).collect();
    // What comes to stand in the place of the first words decides what is done, and a word without
    // quotes may be several.
    let hidden = words.iter().skip(1).enumerate().any(|(at, word)| {
        let follows_option = at
            .checked_sub(1)
            .is_some_and(|it| texts[it].starts_with('-'));
        let is_open = word.pattern || !word.known && !word.quoted;
        is_open || !word.known && at < 2 && !follows_option
    });
    (hidden || (own.changes)(&texts)).then(|| {
        let line = std::iter::once(NAME).chain(texts.iter().map(String::as_str));
        Concern::Changes(line.collect::<Vec<_>>().join(" "))
    })
}

/// Tells whether a file holds what another one does.
fn is_copy(own: &Path, path: &Path) -> bool {
    let length = |path: &Path| {
        path.metadata()
            .ok()
            .filter(|it| it.is_file())
            .map(|it| it.len())
    };
    let own_length = length(own);
    own_length.is_some()
        && own_length == length(path)
        && std::fs::read(own)
            .ok()
            .is_some_and(|it| std::fs::read(path).ok() == Some(it))
}
