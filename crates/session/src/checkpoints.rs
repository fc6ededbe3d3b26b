//! Checkpoints for `/rewind`: for each prompt, the state of the conversation and the earlier
//! content of each file that a call changes, stored next to the transcript.

mod around;
mod kept_tool;
mod log;
mod replaced;
mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookloop_model::Content;
use hookloop_tools::Toolbox;

use crate::checkpoints::log::digest;
use crate::checkpoints::log::{Entry, Log};
use crate::checkpoints::watch::Watch;

pub(crate) use kept_tool::watch_tools;
pub(crate) use replaced::Replaced;

/// A plain file as it was at some time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Past {
    /// The digest of its content, after which its copy is named; nothing if it wasn't there.
    pub(crate) content: Option<String>,
    /// Its permissions, if the system has them and they are known.
    pub(crate) mode: Option<u32>,
}

impl Past {
    /// Returns what a file is now.
    pub(crate) fn of(path: &Path) -> Self {
        let content = digest(path);
        let metadata = path.symlink_metadata().ok().filter(|_| content.is_some());
        Self {
            mode: metadata.as_ref().and_then(Self::mode_of),
            content,
        }
    }

    #[cfg(unix)]
    #[expect(
        clippy::unnecessary_wraps,
        reason = "other systems have no such rights"
    )]
    pub(crate) fn mode_of(metadata: &Metadata) -> Option<u32> {
        use std::os::unix::fs::PermissionsExt as _;
        Some(metadata.permissions().mode() & 0o7777)
    }

    #[cfg(not(unix))]
    pub(crate) const fn mode_of(_metadata: &Metadata) -> Option<u32> {
        None
    }

    fn permissions(&self) -> Option<Permissions> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            self.mode.map(Permissions::from_mode)
        }
        #[cfg(not(unix))]
        {
            None
        }
    }

    /// Returns whether two are alike in everything that is known about both: older sessions
    /// recorded no permissions.
    fn is_like(&self, other: &Self) -> bool {
        let modes = self.mode.zip(other.mode);
        self.content == other.content && modes.is_none_or(|(own, other)| own == other)
    }

    /// Returns whether two differ only in their permissions.
    pub(crate) fn differs_in_rights(&self, other: &Self) -> bool {
        self.content.is_some() && self.content == other.content && !self.is_like(other)
    }
}

/// A prompt that can be gone back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Checkpoint {
    /// The prompt.
    pub(crate) prompt: String,
    /// When, ISO 8601 in UTC.
    pub(crate) at: String,
    /// How many messages the conversation had before it.
    pub(crate) messages: usize,
    /// The digest of these messages: they may have been shortened since.
    pub(crate) digest: String,
    /// The files that calls changed since, each with what it was before and after.
    pub(crate) changes: Vec<Change>,
    /// What changed since and can't be restored.
    pub(crate) losses: Vec<String>,
}

/// A change of a file by a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    pub(crate) before: Past,
    pub(crate) after: Past,
}

/// What became of a file since a checkpoint.
struct Story<'c> {
    /// What it was then.
    before: &'c Past,
    /// What the latest call left.
    after: &'c Past,
    author: Author,
}

/// Who changed a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Author {
    /// Only calls.
    Calls,
    /// Somebody else, too.
    Somebody,
}

impl<'c> Story<'c> {
    const fn begin(change: &'c Change) -> Self {
        Self {
            before: &change.before,
            after: &change.after,
            author: Author::Calls,
        }
    }

    /// Records a later change by a call.
    fn go_on(&mut self, change: &'c Change) {
        self.find(&change.before);
        self.after = &change.after;
    }

    /// Records what the file was found as: if it isn't what the latest call left, somebody else
    /// changed it.
    fn find(&mut self, found: &Past) {
        if !found.is_like(self.after) {
            self.author = Author::Somebody;
        }
    }
}

/// What going back to a checkpoint would do to files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The files, each with its state afterwards.
    pub(crate) restored: Vec<(PathBuf, Past)>,
    /// Those of them that something else changed too, between calls or after them.
    pub(crate) changed_since: Vec<PathBuf>,
    /// Those that stay as they are, because guards are made of them (TR-8).
    pub(crate) protected: Vec<PathBuf>,
    /// What can't be restored.
    pub(crate) losses: Vec<String>,
}

/// The checkpoints of a session, shared with its tools.
#[derive(Debug, Clone)]
pub(crate) struct Checkpoints(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    log: Log,
    checkpoints: Vec<Checkpoint>,
    failure: Option<io::Error>,
}

impl Checkpoints {
    /// Reads the checkpoints of a session, which are beside its transcript.
    pub(crate) fn for_transcript(transcript: &Path) -> Self {
        Self(Arc::new(Mutex::new(State::open(transcript))))
    }

    /// Goes on with those of another session.
    pub(crate) fn switch(&self, transcript: &Path) {
        *self.state() = State::open(transcript);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change of the state is whole, so a poisoned lock guards nothing broken.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the tools; those that change files are watched.
    pub(crate) fn watching(
        &self,
        toolbox: Toolbox,
        files: &Arc<hookloop_tools::Workspace>,
    ) -> Toolbox {
        watch_tools(toolbox, self, files)
    }

    /// Begins a checkpoint: what follows belongs to a prompt.
    pub(crate) fn begin(&self, prompt: &str, history: &[Arc<Content>]) {
        self.state().add(Entry::Prompt {
            prompt: prompt.to_owned(),
            at: timestamp(),
            messages: history.len(),
            digest: digest_of(history),
        });
    }

    /// Returns the checkpoints, oldest first.
    pub(crate) fn all(&self) -> Vec<Checkpoint> {
        self.state().checkpoints.clone()
    }

    /// Takes the reason why something couldn't be kept, the first time.
    pub(crate) fn take_failure(&self) -> Option<String> {
        let mut state = self.state();
        let failure = state.failure.take()?;
        let folder = state.log.folder().display().to_string();
        Some(format!(
            "checkpoints can't be saved in {folder}: {failure}; /rewind can't restore everything"
        ))
    }

    /// Returns what going back to a checkpoint would do to files. `is_protected` knows what guards
    /// are made of.
    pub(crate) fn plan(&self, number: usize, is_protected: &dyn Fn(&Path) -> bool) -> Plan {
        let state = self.state();
        let since = state.checkpoints.get(number..).unwrap_or_default();
        let mut files: BTreeMap<&Path, Story<'_>> = BTreeMap::new();
        for change in since.iter().flat_map(|it| &it.changes) {
            files
                .entry(&change.path)
                .and_modify(|story| story.go_on(change))
                .or_insert_with(|| Story::begin(change));
        }
        let mut reported = BTreeSet::new();
        let losses = since.iter().flat_map(|it| &it.losses);
        let losses = losses.filter(|it| reported.insert(*it)).cloned();
        let mut plan = Plan {
            losses: losses.collect(),
            ..Plan::default()
        };
        for (path, mut story) in files {
            let present = Past::of(path);
            if present.is_like(story.before) {
                continue;
            }
            if is_protected(path) {
                plan.protected.push(path.to_owned());
                continue;
            }
            story.find(&present);
            if story.author == Author::Somebody {
                plan.changed_since.push(path.to_owned());
            }
            plan.restored.push((path.to_owned(), story.before.clone()));
        }
        plan
    }

    /// Returns the files that calls changed since a prompt.
    pub(crate) fn changed_since(&self, number: usize) -> BTreeSet<PathBuf> {
        let state = self.state();
        let since = state.checkpoints.get(number..).unwrap_or_default();
        let changes = since.iter().flat_map(|it| &it.changes);
        changes.map(|it| it.path.clone()).collect()
    }

    /// Creates a place for what a rewind replaces.
    pub(crate) fn replaced(&self) -> Replaced {
        Replaced::new(self.clone())
    }

    /// Returns the text that a file would get; nothing if nothing is written into it.
    pub(crate) fn text_of(&self, path: &Path, past: &Past) -> Option<String> {
        if Past::of(path).differs_in_rights(past) {
            return None;
        }
        let copy = self.state().log.copy(past.content.as_ref()?).ok()?;
        Some(String::from_utf8_lossy(&copy.bytes).into_owned())
    }

    /// Restores a file. What is there is kept first: a person may have written it, or moved their
    /// own file there. The change is recorded like that of a call, so that it isn't taken for
    /// somebody else's, and can be gone back from.
    pub(crate) fn restore(
        &self,
        path: &Path,
        past: &Past,
        replaced: &mut Replaced,
    ) -> io::Result<()> {
        let _watch = Watch::begin(self, vec![path.to_owned()], None, "/rewind".to_owned());
        let copy = match &past.content {
            Some(name) => Some(self.state().log.copy(name)?),
            None => None,
        };
        if Past::of(path).differs_in_rights(past) {
            return past
                .permissions()
                .map_or(Ok(()), |it| fs::set_permissions(path, it));
        }
        replaced.keep(path)?;
        let Some(copy) = copy else {
            return ignore_missing(fs::remove_file(path));
        };
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut written = tempfile::NamedTempFile::new_in(folder)?;
        io::Write::write_all(&mut written, &copy.bytes)?;
        let present = || fs::metadata(path).ok().map(|it| it.permissions());
        let permissions = past.permissions().or_else(present).or(copy.permissions);
        if let Some(permissions) = permissions {
            written.as_file().set_permissions(permissions)?;
        }
        written.persist(path)?;
        Ok(())
    }

    /// Records that the conversation is back at a checkpoint, which is forgotten with the later
    /// ones. Changes of files that stayed as they are count from now on as made since the prompt
    /// before it.
    pub(crate) fn forget_from(&self, number: usize, stayed: BTreeSet<PathBuf>) {
        self.state().add(Entry::Rewound {
            to: number,
            stayed: stayed.into_iter().collect(),
        });
    }

    fn add(&self, entries: Vec<Entry>) {
        let mut state = self.state();
        // Changes before the first prompt belong to no prompt that could be rewound.
        if !state.checkpoints.is_empty() {
            for entry in entries {
                state.add(entry);
            }
        }
    }
}

impl State {
    fn open(transcript: &Path) -> Self {
        let log = Log::for_transcript(transcript);
        let mut state = Self {
            checkpoints: Vec::new(),
            failure: None,
            log,
        };
        match state.log.read() {
            Ok(entries) => entries.into_iter().for_each(|it| state.take(it)),
            Err(error) => state.failure = Some(error),
        }
        state
    }

    fn add(&mut self, entry: Entry) {
        if let Err(error) = self.log.append(&entry) {
            self.failure.get_or_insert(error);
        }
        self.take(entry);
    }

    fn take(&mut self, entry: Entry) {
        match entry {
            Entry::Prompt {
                prompt,
                at,
                messages,
                digest,
            } => self.checkpoints.push(Checkpoint {
                prompt,
                at,
                messages,
                digest,
                changes: Vec::new(),
                losses: Vec::new(),
            }),
            Entry::Change {
                path,
                before,
                after,
                before_mode,
                after_mode,
            } => {
                if let Some(last) = self.checkpoints.last_mut() {
                    let past = |content, mode| Past { content, mode };
                    last.changes.push(Change {
                        path,
                        before: past(before, before_mode),
                        after: past(after, after_mode),
                    });
                }
            }
            Entry::Loss { what } => {
                if let Some(last) = self.checkpoints.last_mut() {
                    last.losses.push(what);
                }
            }
            Entry::Rewound { to, stayed } => {
                let forgotten = self.checkpoints.split_off(to.min(self.checkpoints.len()));
                if let Some(last) = self.checkpoints.last_mut() {
                    for checkpoint in forgotten {
                        let changes = checkpoint.changes.into_iter();
                        last.changes
                            .extend(changes.filter(|it| stayed.contains(&it.path)));
                        last.losses.extend(checkpoint.losses);
                    }
                }
            }
        }
    }
}

/// Returns whether a conversation still begins with what it was at a checkpoint.
pub(crate) fn still_begins_so(checkpoint: &Checkpoint, history: &[Arc<Content>]) -> bool {
    history
        .get(..checkpoint.messages)
        .is_some_and(|earlier| digest_of(earlier) == checkpoint.digest)
}

fn digest_of(history: &[Arc<Content>]) -> String {
    let bytes = serde_json::to_vec(history).unwrap_or_default();
    log::digest_of(&bytes)
}

fn timestamp() -> String {
    use hookloop_engine::{Clock as _, SystemClock};
    SystemClock.now()
}

/// Counts a missing file as success.
fn ignore_missing(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests;
