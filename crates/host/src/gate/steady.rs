//! Whether a hook's files stay what they are while it runs (TR-6).
//!
//! A hook is examined right before it runs, but another process may exchange a script between that
//! and the moment when an interpreter opens it, and put it back afterwards. What such a run says
//! isn't what the agreed hook says.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use hookloop_engine::{Completion, Ending};
use hookloop_settings::bounded::read_text;

/// How many files are looked at.
const MAX_FILES: usize = 256;

/// Programs that change a file's rights or owner, and with them when it was last changed.
const HARMLESS: [&str; 4] = ["chmod", "chown", "chgrp", "setfacl"];

/// The files of a hook, as they were right before it ran.
#[derive(Debug, Default)]
pub(super) struct Steady {
    files: Vec<(PathBuf, Option<Place>)>,
    folders: Vec<(PathBuf, Option<Identity>)>,
    command: String,
}

/// What is at a path: the file or link itself, and the file to which it leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    own: State,
    real: Option<State>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    identity: Identity,
    length: u64,
    modified: Time,
    /// When its content, name or rights changed last, which no program can set back.
    changed: Time,
}

type Time = (i64, i64);

/// Device and number of a file or folder.
type Identity = (u64, u64);

impl Steady {
    /// Looks at the files of a command, and at the folders that contain them.
    pub(super) fn of(command: &str, files: BTreeSet<PathBuf>) -> Self {
        // Devices and pipes change by being used.
        let counts = |it: &PathBuf| std::fs::metadata(it).map_or(true, |it| it.is_file());
        let files = files.into_iter().filter(counts);
        let files: Vec<PathBuf> = files.take(MAX_FILES).collect();
        let folders = files.iter().flat_map(|it| it.ancestors().skip(1));
        let folders: BTreeSet<PathBuf> = folders.map(Path::to_path_buf).collect();
        let folders = folders.into_iter().map(|it| {
            let identity = std::fs::metadata(&it)
                .ok()
                .map(|it| State::of(&it).identity);
            (it, identity)
        });
        let folders = folders.collect();
        let files = files.into_iter().map(|it| {
            let place = Place::of(&it);
            (it, place)
        });
        Self {
            files: files.collect(),
            folders,
            command: command.to_owned(),
        }
    }

    /// Returns what counts of a run: nothing but a refusal if a file was exchanged meanwhile.
    pub(super) fn judge(&self, completion: Completion) -> Completion {
        let may_allow = !matches!(
            completion.ending,
            Ending::Exited(2) | Ending::NotStarted(_) | Ending::Stopped
        );
        match self.exchanged().filter(|_| may_allow) {
            None => completion,
            Some(file) => Completion {
                ending: Ending::NotStarted(format!(
                    "{} was changed or exchanged while it ran, so nobody knows whether what was \
                     agreed to ran; find out what changes it",
                    file.display()
                )),
                ..completion
            },
        }
    }

    /// Returns a file or folder that isn't what it was.
    fn exchanged(&self) -> Option<&Path> {
        let mut folders = self.folders.iter();
        let folder = folders.find(|(path, before)| {
            let now = std::fs::metadata(path).ok();
            now.map(|it| State::of(&it).identity) != *before
        });
        if let Some((folder, _)) = folder {
            return Some(folder);
        }
        let changed = self.files.iter().filter_map(|(path, before)| {
            let now = Place::of(path);
            (now != *before).then_some((path, *before, now))
        });
        let changed: Vec<_> = changed.collect();
        let file = changed
            .iter()
            .find(|(_, before, now)| !is_same_but_rights(*before, *now) || !self.sets_rights());
        file.map(|(path, ..)| path.as_path())
    }

    /// Returns whether a file of the hook may change the rights of others: `chmod +x` counts as a
    /// change of a file, too.
    fn sets_rights(&self) -> bool {
        let files = self.files.iter();
        let texts = files.filter_map(|(path, _)| read_text(path).ok());
        let mut texts = std::iter::once(self.command.clone()).chain(texts);
        texts.any(|text| HARMLESS.iter().any(|it| text.contains(it)))
    }
}

impl Place {
    fn of(path: &Path) -> Option<Self> {
        let own = std::fs::symlink_metadata(path).ok()?;
        Some(Self {
            own: State::of(&own),
            real: std::fs::metadata(path).ok().map(|it| State::of(&it)),
        })
    }
}

fn is_same_but_rights(before: Option<Place>, now: Option<Place>) -> bool {
    let without = |place: Option<Place>| {
        let plain = |it: State| State {
            changed: (0, 0),
            ..it
        };
        place.map(|it| (plain(it.own), it.real.map(plain)))
    };
    without(before) == without(now)
}

impl State {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self {
            identity: (metadata.dev(), metadata.ino()),
            length: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    #[cfg(not(unix))]
    fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok();
        let since = modified.and_then(|it| it.duration_since(std::time::UNIX_EPOCH).ok());
        let since = since.unwrap_or_default();
        let seconds = i64::try_from(since.as_secs()).unwrap_or_default();
        Self {
            identity: (0, 0),
            length: if metadata.is_dir() { 0 } else { metadata.len() },
            modified: (seconds, i64::from(since.subsec_nanos())),
            changed: (0, 0),
        }
    }
}
