//! What tool calls of earlier sessions changed although guards are made of it (TR-8): the next session begins
//! with it, until a person has seen it.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use hookloop_engine::{Clock as _, SystemClock};
use hookloop_host::{ProtectedChange, Tainted, make_private_folder, private_options};
use hookloop_settings::bounded::read_start;
use serde::{Deserialize, Serialize};

use crate::environment::Environment;

/// The file in the folder of this program's state: a person's guards are those of all projects.
const FILE: &str = "changed-guards.jsonl";

/// How many changes are told; of more it is said that there are.
const MOST: usize = 64;

/// How much of the file is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// Remembers which files changed that guards are made of, and in which session.
#[derive(Debug, Clone)]
pub(crate) struct Suspects {
    file: PathBuf,
}

/// A change, as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct Suspect {
    path: PathBuf,
    /// `changed`, `appeared` or `disappeared`.
    what: String,
    session: String,
    /// When it was seen.
    at: String,
}

impl Suspects {
    /// Returns those of a person.
    pub(crate) fn of(environment: &Environment) -> Self {
        let file = environment.state_dir().join(FILE);
        Self { file }
    }

    /// Returns the file in which they are kept: it is no tool's to write.
    pub(crate) fn file(&self) -> PathBuf {
        self.file.clone()
    }

    /// Remembers a change.
    ///
    /// # Errors
    /// It can't be written.
    pub(crate) fn add(&self, change: &ProtectedChange, session: &str) -> io::Result<()> {
        if let Some(folder) = self.file.parent() {
            make_private_folder(folder)?;
        }
        let suspect = Suspect {
            path: change.path.clone(),
            what: change.what.to_owned(),
            session: session.to_owned(),
            at: SystemClock.now(),
        };
        let mut line = serde_json::to_string(&suspect)?;
        line.push('\n');
        let mut file = private_options()
            .append(true)
            .create(true)
            .open(&self.file)?;
        // One write, so that lines of sessions that run side by side stay whole.
        file.write_all(line.as_bytes())
    }

    /// Tells whether anything is remembered.
    pub(crate) fn is_there(&self) -> bool {
        self.file.symlink_metadata().is_ok()
    }

    /// Keeps hooks from running what changed, as it is now.
    pub(crate) fn taint(&self, tainted: &Tainted) {
        let bytes = read_start(&self.file, LONGEST).unwrap_or_default();
        for line in String::from_utf8_lossy(&bytes).lines() {
            if let Ok(suspect) = serde_json::from_str::<Suspect>(line) {
                tainted.add_of_earlier(suspect.path);
            }
        }
    }

    /// Returns a line for each file, by its last change.
    pub(crate) fn lines(&self) -> Vec<String> {
        let bytes = match read_start(&self.file, LONGEST + 1).map_err(io::Error::from) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Vec::new(),
            Err(error) => return vec![self.unreadable(&error)],
        };
        let is_cut = u64::try_from(bytes.len()).is_ok_and(|it| it > LONGEST);
        let text = String::from_utf8_lossy(&bytes);
        let mut last: Vec<Suspect> = Vec::new();
        for line in text.lines() {
            let Ok(suspect) = serde_json::from_str::<Suspect>(line) else {
                continue;
            };
            last.retain(|it| it.path != suspect.path);
            last.push(suspect);
        }
        let more = last.len().saturating_sub(MOST);
        let mut lines: Vec<String> = last.iter().take(MOST).map(Suspect::line).collect();
        if more > 0 {
            lines.push(format!(
                "warning: {more} more files that guards are made of changed while sessions ran"
            ));
        }
        if is_cut {
            lines.push(format!(
                "warning: {} is longer than {LONGEST} bytes: files that guards are made of may have changed \
                 beyond those named here",
                self.file.display()
            ));
        }
        lines
    }

    /// Forgets them: a person has seen them.
    pub(crate) fn forget(&self) {
        // What can't be forgotten is told again, which does no harm.
        drop(fs::remove_file(&self.file));
    }

    fn unreadable(&self, error: &io::Error) -> String {
        format!(
            "warning: {} can't be read ({error}): it holds which files that guards are made of tool \
             calls changed",
            self.file.display()
        )
    }
}

impl Suspect {
    fn line(&self) -> String {
        let Self {
            path,
            what,
            session,
            at,
        } = self;
        format!(
            "warning: {} {what} while session {session} ran ({at}), during a tool call: hooks, settings or \
             other guards are made of it; look at it. Hooks that run it refuse until a person has seen this \
             in a session in a terminal, or agrees with `hookloop hooks trust`",
            path.display()
        )
    }
}

/// Forgets which files that guards are made of tool calls changed: a person agrees to all that is there. Returns
/// a line for each, which that person should see.
#[must_use]
pub fn forget_changed_guards(environment: &Environment) -> Vec<String> {
    let suspects = Suspects::of(environment);
    let lines = suspects.lines();
    suspects.forget();
    lines
}
