//! What a call must know about earlier calls in its session (BR-14): a file for each agent and
//! session in the private state folder, written atomically under a lock, and deleted after a week.
//!
//! A missing or broken file counts as empty. In agents that run refused prompts, only this file
//! records the refusal, so there it counts as a refusal.

use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use hookloop_bridge::{Agent, Memory};
use hookloop_engine::Notice;
use hookloop_hook::EventName;
use hookloop_host::{folder_name, make_private_folder, private_options};
use hookloop_settings::bounded::{read_file, unwaiting_options};
use serde::{Deserialize, Serialize};

use crate::late::{LateReplies, MAX_MESSAGE_BYTES, TASK};

/// How long a session is remembered.
const MAX_AGE: Duration = Duration::from_hours(7 * 24);

/// How often it is recorded that an agent called.
const NOTE_INTERVAL: Duration = Duration::from_mins(1);

/// What is remembered about a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Remembered {
    /// The turn's prompt.
    pub(crate) prompt: Option<String>,
    /// How often the turn continued because of a hook.
    pub(crate) retries: u32,
    /// The reason with which it last continued, which two agents submit as a prompt.
    pub(crate) retry_reason: Option<String>,
    /// How many sub-agents are running.
    pub(crate) sub_agents: u32,
    /// What was reported once.
    pub(crate) said: BTreeSet<String>,
    /// Text for the model that had no place yet.
    pub(crate) carried: Vec<String>,
    /// What the person has to be told about hooks that nobody waited for.
    pub(crate) late: Vec<String>,
    /// What the person may not have seen, for the next refusal.
    pub(crate) untold: Vec<String>,
    /// Why every tool of the turn is refused.
    pub(crate) refused_turn: Option<String>,
    /// The root of the project in which the session began.
    pub(crate) project: Option<PathBuf>,
    /// The hooks that said in the session that nobody needs to wait for them, by their ids (FD-22).
    pub(crate) announced: BTreeSet<String>,
    /// The hooks that could have run in the session, by event and label (TR-6).
    pub(crate) ran: BTreeSet<(String, String)>,
}

impl Remembered {
    /// Returns what the payload reader must know.
    pub(crate) fn memory(&self) -> Memory {
        Memory {
            prompt: self.prompt.clone(),
            retries: self.retries,
            sub_agents: self.sub_agents,
        }
    }

    /// Stores what hooks that nobody waited for said.
    pub(crate) fn keep_late(&mut self, replies: LateReplies) {
        self.late.extend(replies.notices);
        for Notice { hook, source, text } in replies.for_model {
            let waiting: usize = self.carried.iter().map(String::len).sum();
            if waiting + text.len() <= MAX_MESSAGE_BYTES {
                self.carried.push(text);
            } else {
                self.late.push(format!(
                    "what hook \"{hook}\" ({source}) says is left out: too much is already waiting \
                     for the next call"
                ));
            }
        }
    }

    /// Returns the hooks that could have run in the session.
    pub(crate) fn running_hooks(&self) -> impl Iterator<Item = (EventName, String)> {
        self.ran.iter().filter_map(|(event, label)| {
            let event = EventName::ALL.into_iter().find(|it| it.as_str() == event)?;
            Some((event, label.clone()))
        })
    }
}

/// Returns what an agent's sessions have stored below a state folder for their next calls.
pub fn kept_for_next_call(state: &Path, agent: Agent) -> Vec<String> {
    let folder = state.join("bridge").join(agent.word());
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.map(|it| it.path());
    let sessions = files.filter(|it| it.extension().is_some_and(|it| it == "json"));
    let kept = sessions.filter_map(|it| {
        let bytes = read_file(&it).ok()?;
        serde_json::from_slice::<Remembered>(&bytes).ok()
    });
    kept.flat_map(|it| it.carried.into_iter().chain(it.late))
        .collect()
}

/// The interval for checking whether a lock is free.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The place where a session is remembered.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    folder: PathBuf,
    file: PathBuf,
    /// Until when to wait for others.
    until: Instant,
}

impl Place {
    /// Returns the place of an agent's session below the program's state folder, and until when to
    /// wait for it.
    pub(crate) fn of(state: &Path, agent: Agent, session: &str, until: Instant) -> Self {
        let folder = state.join("bridge").join(agent.word());
        let name = folder_name(Path::new(session));
        let file = folder.join(format!("{name}.json"));
        Self {
            folder,
            file,
            until,
        }
    }

    /// Returns the folder of tasks for calls that were answered, and the prefix of the session's
    /// own files in it.
    pub(crate) fn errands_folder(&self) -> (PathBuf, String) {
        let name = self.file.file_stem().unwrap_or_default();
        let begin = format!("{}.", name.to_string_lossy());
        (self.folder.join("errands"), begin)
    }

    /// Returns the same place with another time limit.
    pub(crate) fn with_deadline(&self, until: Instant) -> Self {
        Self {
            until,
            ..self.clone()
        }
    }

    /// Reads the memory; `None` if there is none, or it is broken.
    pub(crate) fn read(&self) -> Remembered {
        let bytes = read_file(&self.file).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// Returns why the next call may not learn what this one decides: nothing can be written.
    pub(crate) fn keeps_nothing(&self) -> Option<io::Error> {
        let made = make_private_folder(&self.folder);
        let made = made.and_then(|()| tempfile::NamedTempFile::new_in(&self.folder));
        made.err()
    }

    /// Makes the memory unreadable, if nothing better can be written: an unreadable one refuses.
    pub(crate) fn spoil(&self) {
        // Whichever of these works, nothing remains that could permit an action.
        if std::fs::remove_file(&self.file).is_err() {
            let _ = unwaiting_options()
                .write(true)
                .truncate(true)
                .open(&self.file);
        }
    }

    /// Changes the memory, under a lock; others see all of the change or nothing.
    pub(crate) fn update(&self, change: impl FnOnce(&mut Remembered)) -> io::Result<()> {
        make_private_folder(&self.folder)?;
        let _lock = self.lock()?;
        let before = self.read();
        let mut after = before.clone();
        change(&mut after);
        if after == before {
            return Ok(());
        }
        if !self.file.exists() {
            self.forget_old();
        }
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(&serde_json::to_vec(&after)?)?;
        file.persist(&self.file).map_err(|error| error.error)?;
        Ok(())
    }

    fn lock(&self) -> io::Result<File> {
        let mut options = private_options();
        let file = options
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.folder.join("lock"))?;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if Instant::now() >= self.until => {
                    let what = "another call of this agent holds the lock";
                    return Err(io::Error::new(io::ErrorKind::TimedOut, what));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(POLL_INTERVAL),
            }
        }
    }

    /// Removes what is too old.
    fn forget_old(&self) {
        let folders = [&self.folder, &self.errands_folder().0].map(std::fs::read_dir);
        for entry in folders.into_iter().flatten().flatten().flatten() {
            let path = entry.path();
            let extension = path.extension();
            let is_session = extension.is_some_and(|it| it == "json" || it == TASK);
            let changed = entry.metadata().and_then(|it| it.modified());
            let is_old = changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > MAX_AGE));
            if is_session && is_old {
                // Another process may have removed it.
                let _ = std::fs::remove_file(path);
            }
        }
    }

    /// Records that the agent called now, for `bridge list` and `doctor`.
    pub(crate) fn note_call(&self) {
        let file = self.folder.join(crate::records::LAST_CALL_FILE);
        let noted = file.metadata().and_then(|it| it.modified());
        if noted.is_ok_and(|at| at.elapsed().is_ok_and(|age| age < NOTE_INTERVAL)) {
            return;
        }
        let note = || -> io::Result<()> {
            make_private_folder(&self.folder)?;
            let file = unwaiting_options()
                .create(true)
                .truncate(false)
                .write(true)
                .open(&file)?;
            file.set_modified(SystemTime::now())
        };
        // If this fails, `doctor` reports that no call was made, which errs on the safe side.
        let _ = note();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(folder: &Path) -> Place {
        Place::of(folder, Agent::Codex, "a/../b", Instant::now())
    }

    /// BR-14: what is written is read by the next call, and a broken file counts as empty.
    #[test]
    fn a_session_is_remembered_until_its_file_breaks() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = place(folder.path());
        assert_eq!(place.read(), Remembered::default());
        place.update(|it| it.retries = 3).expect("written");
        place
            .update(|it| it.prompt = Some("do".to_owned()))
            .expect("written");
        assert_eq!(
            (place.read().retries, place.read().prompt),
            (3, Some("do".to_owned()))
        );
        std::fs::write(&place.file, "{\"retries\":").expect("broken");
        assert_eq!(place.read(), Remembered::default());
    }

    /// BR-14: sessions are forgotten after a week.
    #[test]
    fn old_sessions_are_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let old = Place::of(folder.path(), Agent::Codex, "old", Instant::now());
        old.update(|it| it.retries = 1).expect("written");
        let week = SystemTime::now() - MAX_AGE - Duration::from_mins(1);
        let file = unwaiting_options()
            .write(true)
            .open(&old.file)
            .expect("there");
        file.set_modified(week).expect("older");
        place(folder.path())
            .update(|it| it.retries = 1)
            .expect("written");
        assert!(!old.file.exists());
    }
}
