//! The sessions of a project on disk: listing, choosing, deleting (AG-CLI-2, SE-11).

use std::io;
use std::path::{Path, PathBuf};

use hookloop_agent::{StoredSession, Transcript, read_transcript};

use hookloop_text::shorten::one_line;
use hookloop_text::visible;

use crate::exit::SessionError;

/// How many characters of a session's first words a list shows.
const MAX_SHOWN: usize = 60;

/// A session on disk.
pub(crate) struct Stored {
    pub(crate) path: PathBuf,
    pub(crate) session: StoredSession,
}

/// Reads the sessions of a folder, oldest first, with a warning for each that can't be read.
pub(crate) fn all(folder: &Path) -> (Vec<Stored>, Vec<String>) {
    let mut sessions = Vec::new();
    let mut warnings = Vec::new();
    // A missing folder contains no sessions.
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path
            .extension()
            .is_none_or(|extension| extension != "jsonl")
        {
            continue;
        }
        match read_transcript(&path) {
            Ok(session) => sessions.push(Stored { path, session }),
            Err(error) => {
                warnings.push(format!(
                    "the session {} is left out: {error}",
                    path.display()
                ));
            }
        }
    }
    sessions.sort_by(|one, other| {
        let key = |stored: &Stored| {
            (
                stored.session.started_at.clone(),
                stored.session.session_id.clone(),
            )
        };
        key(one).cmp(&key(other))
    });
    (sessions, warnings)
}

/// Lists sessions, a line each.
pub(crate) fn list(sessions: &[Stored]) -> String {
    if sessions.is_empty() {
        return "No sessions of this project.\n".to_owned();
    }
    let lines = sessions
        .iter()
        .enumerate()
        .map(|(index, Stored { session, .. })| {
            let words = shortened(
                session
                    .first_prompt
                    .as_deref()
                    .unwrap_or("(nothing was said)"),
            );
            format!(
                "{}. {words} ({}) [{}]\n",
                index + 1,
                session.started_at,
                session.session_id
            )
        });
    lines.collect()
}

/// Finds the session that `latest`, a number of the list or an id names. The latest one is the last
/// in which something was said, if there is one: nobody means one that was only opened and left.
pub(crate) fn choose(sessions: Vec<Stored>, choice: &str) -> Result<Stored, SessionError> {
    let count = sessions.len();
    let index = match (choice, choice.parse::<usize>()) {
        ("latest", _) => {
            let has_words = |it: &Stored| it.session.first_prompt.is_some();
            let last = sessions.iter().rposition(has_words);
            last.or_else(|| count.checked_sub(1))
        }
        (_, Ok(number)) => number.checked_sub(1).filter(|index| *index < count),
        (id, Err(_)) => sessions
            .iter()
            .position(|stored| stored.session.session_id == id),
    };
    let chosen = index.and_then(|index| sessions.into_iter().nth(index));
    chosen.ok_or_else(|| {
        SessionError::Input(match (choice, count) {
            (_, 0) => "this project has no sessions".to_owned(),
            _ => format!(
                "there is no session \"{choice}\": use \"latest\", a number from 1 to {count}, \
                 or an id from --list-sessions"
            ),
        })
    })
}

/// Deletes a session, unless it is open elsewhere.
pub(crate) fn delete(stored: &Stored) -> io::Result<()> {
    let _claim = Transcript::open(stored.path.clone())?;
    std::fs::remove_file(&stored.path)?;
    // Also removes its translations for hooks of other agents, and the variables that hooks set for
    // its commands.
    for dialect in hookloop_dialects::supported_dialects() {
        if let Some(theirs) = hookloop_dialects::foreign_transcript(dialect, &stored.path) {
            ignore_missing(std::fs::remove_file(theirs))?;
        }
    }
    ignore_missing(std::fs::remove_dir_all(
        stored.path.with_extension("checkpoints"),
    ))?;
    ignore_missing(std::fs::remove_dir_all(
        stored.path.with_extension("environment"),
    ))
}

/// Counts a missing file as success.
fn ignore_missing(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

fn shortened(text: &str) -> String {
    visible(&one_line(text, MAX_SHOWN))
}
