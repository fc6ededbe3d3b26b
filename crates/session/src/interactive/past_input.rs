//! What the user wrote in earlier sessions of the project, in a file of its state folder (TU-1).

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hookloop_host::private_options;
use hookloop_settings::bounded::read_lines;
use hookloop_tui::InputHistory;

/// How many entries are kept.
const MAX_ENTRIES: usize = 500;
/// How many more the file may have before it is rewritten.
const SLACK: usize = 500;
/// The longest entry that is kept, in bytes: a pasted log isn't history.
const MAX_BYTES: usize = 64 * 1024;

/// Saves what is written, one JSON text per line, readable only by the user.
pub(super) struct PastInput {
    file: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last: Option<String>,
    /// Why something couldn't be saved, until it is reported, which happens once.
    failure: Option<io::Error>,
    has_failed: bool,
}

impl PastInput {
    /// Keeps the history in the state folder of a project.
    pub(super) fn for_project(state_dir: &Path) -> Self {
        Self {
            file: state_dir.join("input-history.jsonl"),
            state: Mutex::default(),
        }
    }

    /// Takes the reason why something couldn't be kept, the first time.
    pub(super) fn take_failure(&self) -> Option<String> {
        let failure = self.state().failure.take()?;
        Some(format!(
            "the history of the input line can't be saved in {}: {failure}",
            self.file.display()
        ))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change of the state is whole, so a poisoned lock guards nothing broken.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note<T>(&self, done: io::Result<T>) -> Option<T> {
        match done {
            Ok(value) => Some(value),
            Err(error) => {
                let mut state = self.state();
                if !state.has_failed {
                    state.has_failed = true;
                    state.failure = Some(error);
                }
                None
            }
        }
    }
}

impl InputHistory for PastInput {
    fn entries(&self) -> Vec<String> {
        let Some(mut entries) = self.note(read(&self.file)) else {
            return Vec::new();
        };
        let too_many = entries.len().saturating_sub(MAX_ENTRIES);
        entries.drain(..too_many);
        if too_many > SLACK {
            self.note(write_anew(&self.file, &entries));
        }
        self.state().last = entries.last().cloned();
        entries
    }

    fn add(&self, text: &str) {
        let is_kept = !text.trim().is_empty() && text.len() <= MAX_BYTES;
        if !is_kept || self.state().last.as_deref() == Some(text) {
            return;
        }
        self.state().last = Some(text.to_owned());
        self.note(append(&self.file, text));
    }
}

/// Reads the entries; a line that a crash cut isn't one.
fn read(file: &Path) -> io::Result<Vec<String>> {
    let lines = match read_lines(file) {
        Ok(lines) => lines,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut entries = Vec::new();
    for line in lines {
        entries.extend(serde_json::from_slice::<String>(&line?));
    }
    Ok(entries)
}

fn append(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut line = serde_json::to_vec(text)?;
    line.push(b'\n');
    // A single write, so that concurrent sessions don't mix their lines.
    private_options()
        .append(true)
        .create(true)
        .open(file)?
        .write_all(&line)
}

fn write_anew(file: &Path, entries: &[String]) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    // Temporary files, too, are readable by the user alone.
    let mut written = tempfile::NamedTempFile::new_in(folder)?;
    for entry in entries {
        serde_json::to_writer(&mut written, entry)?;
        written.write_all(b"\n")?;
    }
    written.persist(file)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TU-1: what was written is there in the next session, with several lines intact, and without
    /// repetitions in a row.
    #[test]
    fn entries_outlive_the_session() {
        let folder = tempfile::tempdir().unwrap();
        let first = PastInput::for_project(folder.path());
        assert!(first.entries().is_empty());
        for text in ["one", "two\nlines \"quoted\"", "two\nlines \"quoted\"", " "] {
            first.add(text);
        }
        let second = PastInput::for_project(folder.path());
        assert_eq!(second.entries(), ["one", "two\nlines \"quoted\""]);
        second.add("two\nlines \"quoted\"");
        assert_eq!(second.entries().len(), 2);
    }

    /// TU-1: nobody else can read what was written.
    #[cfg(unix)]
    #[test]
    fn the_history_is_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let past = PastInput::for_project(folder.path());
        past.add("one");
        let mode = |past: &PastInput| past.file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&past), 0o600);
        for number in 0..1100 {
            past.add(&number.to_string());
        }
        assert_eq!(past.entries().len(), MAX_ENTRIES);
        assert_eq!(read(&past.file).unwrap().len(), MAX_ENTRIES);
        assert_eq!(mode(&past), 0o600);
    }

    /// TU-1, TR-10: a pipe in the place of the history is reported, and neither reading nor saving
    /// waits for it.
    #[cfg(unix)]
    #[test]
    fn a_pipe_in_the_place_of_the_history_is_not_waited_for() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let folder = tempfile::tempdir().unwrap();
        let past = PastInput::for_project(folder.path());
        let rights = Mode::RUSR | Mode::WUSR;
        mknodat(CWD, &past.file, FileType::Fifo, rights, 0).unwrap();
        assert!(past.entries().is_empty());
        past.add("one");
        assert!(past.take_failure().is_some());
    }

    /// TU-1: a failure to save is reported once, and a cut line costs no other.
    #[test]
    fn what_cannot_be_kept_is_said_once() {
        let folder = tempfile::tempdir().unwrap();
        let past = PastInput::for_project(folder.path());
        past.add("one");
        let mut file = std::fs::OpenOptions::new()
            .append(true)
            .open(&past.file)
            .unwrap();
        file.write_all(b"\"cut").unwrap();
        assert_eq!(past.entries(), ["one"]);
        let blocked = folder.path().join("blocked");
        std::fs::write(&blocked, "").unwrap();
        let past = PastInput::for_project(&blocked);
        past.add("one");
        past.add("two");
        assert!(past.take_failure().is_some());
        past.add("three");
        assert_eq!(past.take_failure(), None);
    }
}
