//! Commands of this program among those that a call would run (TR-11). Under an agent, they ask a
//! person themselves; one that has detached from its parents can't tell that it runs under an
//! agent.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use hookloop_settings::FileId;
use hookloop_settings::bounded::open_regular;
use hookloop_shell::{Command, Input, Word};

use super::concern::Concern;
use super::{reading, tables};

/// The program's name.
const NAME: &str = "hookloop";

/// Programs that store commands, and run them later.
const SCHEDULERS: [&str; 3] = ["at", "batch", "crontab"];

/// Programs that detach others from their parents, or start them without the variables that mark an
/// agent.
const LOOSENING: [&str; 25] = [
    "at",
    "batch",
    "busctl",
    "chroot",
    "crontab",
    "daemon",
    "daemonize",
    "dbus-send",
    "doas",
    "docker",
    "env",
    "exec",
    "gdbus",
    "nohup",
    "nsenter",
    "podman",
    "screen",
    "script",
    "setsid",
    "ssh",
    "start-stop-daemon",
    "su",
    "sudo",
    "systemd-run",
    "tmux",
];

/// How commands of this program are recognised and judged.
#[derive(Debug, Clone)]
pub struct OwnProgram {
    /// The program's files, under all their names.
    pub files: Vec<PathBuf>,
    /// Returns whether a command line of this program, given as its arguments, changes files that
    /// guards depend on.
    pub changes: fn(&[String]) -> bool,
    /// Which commands are judged.
    pub judged: Judged,
}

/// Which commands of this program are judged before they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judged {
    /// All commands.
    All,
    /// Those that may not detect that an agent started them. The others ask by themselves.
    SetLoose,
}

impl Judged {
    fn holds(self, command: &Command) -> bool {
        let is_loose = |it: &str| LOOSENING.contains(&it.rsplit('/').next().unwrap_or(it));
        self == Self::All
            || is_loose(&command.program)
            || command.through.iter().any(|it| is_loose(it))
    }
}

impl OwnProgram {
    /// Returns the concern about a command of this program, called by its name, through a copy or a
    /// link, or as an argument of a program that starts others. `searched` is the search path for
    /// programs.
    pub(super) fn check(&self, command: &Command, searched: &str) -> Option<Concern> {
        if !self.judged.holds(command) {
            return None;
        }
        let mut texts = command.texts_after_program();
        if self.judged == Judged::SetLoose && texts.any(is_mentioned) {
            return Some(scheduled_concern(command));
        }
        let words = command.words.as_slice();
        let is_own = |word: &Word| is_own(self, word, &command.folders);
        let first = words.first()?;
        if is_own(first) || self.is_among(searched, &first.text) {
            return judge(self, words);
        }
        if SCHEDULERS.contains(&command.program.as_str()) {
            return check_scheduled(command);
        }
        let mut rest = (1..words.len()).filter(|at| starts_others(command) && is_own(&words[*at]));
        rest.find_map(|at| judge(self, &words[at..]))
    }

    /// Returns whether a name resolves to this program through the search path.
    fn is_among(&self, searched: &str, name: &str) -> bool {
        let is_name = !name.is_empty() && !name.contains('/');
        is_name && std::env::split_paths(searched).any(|folder| self.is_file(&folder.join(name)))
    }

    fn is_file(&self, path: &Path) -> bool {
        let Some(id) = FileId::of(path) else {
            return false;
        };
        self.files
            .iter()
            .any(|own| id.is_at(own) || is_copy(own, path))
    }
}

/// A list of commands for later: it runs without the agent as a parent.
fn check_scheduled(command: &Command) -> Option<Concern> {
    let file = match &command.input {
        Input::Text(text) if text.contains(NAME) => return Some(scheduled_concern(command)),
        Input::File(file) => Some(file.as_str()),
        _ => None,
    };
    let words = command.texts_after_program();
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
        .any(|path| reading::text_of(&path).is_some_and(|text| text.contains(NAME)))
        .then(|| scheduled_concern(command))
}

/// Returns whether a word names this program, by name or by path.
fn is_own(own: &OwnProgram, word: &Word, folders: &[String]) -> bool {
    let text = word.text.as_str();
    let base = text.rsplit(['/', '\\']).next().unwrap_or(text);
    if base.trim_end_matches(".exe") == NAME {
        return true;
    }
    let mut paths = folders.iter().map(|it| Path::new(it).join(text));
    text.contains('/') && !text.starts_with('-') && paths.any(|path| own.is_file(&path))
}

fn scheduled_concern(command: &Command) -> Concern {
    Concern::Changes(command.line())
}

/// Judges a command of this program, given as words, the program first.
fn judge(own: &OwnProgram, words: &[Word]) -> Option<Concern> {
    let texts: Vec<String> = words.iter().skip(1).map(|it| it.text.clone()).collect();
    // An expansion in the first words decides the operation, and an unquoted word may become
    // several.
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

/// Returns whether a file is a copy of another.
fn is_copy(own: &Path, path: &Path) -> bool {
    let length = |path: &Path| {
        path.metadata()
            .ok()
            .filter(std::fs::Metadata::is_file)
            .as_ref()
            .map(std::fs::Metadata::len)
    };
    let own_length = length(own);
    own_length.is_some() && own_length == length(path) && is_same_content(own, path)
}

/// Returns whether two files of the same length have the same content, of which each is read only
/// as far as they agree.
fn is_same_content(one: &Path, other: &Path) -> bool {
    let open = |path: &Path| Some(BufReader::new(open_regular(path).ok()?.0));
    let (Some(mut one), Some(mut other)) = (open(one), open(other)) else {
        return false;
    };
    loop {
        let (Ok(left), Ok(right)) = (one.fill_buf(), other.fill_buf()) else {
            return false;
        };
        let length = left.len().min(right.len());
        if left[..length] != right[..length] {
            return false;
        }
        if length == 0 {
            return left.is_empty() && right.is_empty();
        }
        one.consume(length);
        other.consume(length);
    }
}

/// Returns whether a program may start its arguments.
pub(super) fn starts_others(command: &Command) -> bool {
    let program = command.program.as_str();
    !program.is_empty() && !tables::PROGRAMS_THAT_READ.holds(program)
}

/// Returns whether a text may be a command line of this program.
pub(super) fn is_mentioned(text: &str) -> bool {
    text.contains(NAME) && text.contains(char::is_whitespace)
}
