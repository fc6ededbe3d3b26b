//! Which scripts still have to be examined: each one once, the nearest to the hook first, and no
//! more than can be read in time.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

use crate::resolve::Finder;

/// How many scripts of one hook are examined.
const MAX_SCRIPTS: usize = 1500;

/// How many bytes of them.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The scripts that still have to be examined.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    waiting: VecDeque<PathBuf>,
    /// All that were found so far, by the names that they have in the folders where they really
    /// are: what a script loads is beside its name.
    met: HashSet<PathBuf>,
    /// How many bytes were examined.
    bytes: usize,
}

impl Finder<'_> {
    /// Queues a script to be examined, once.
    pub(super) fn script(&mut self, path: &Path) {
        // What a data file loads isn't part of the hook, just as the data isn't.
        if self.is_data(path) || !path.is_file() {
            return;
        }
        let folder = path.parent().and_then(|it| self.reader.real(it));
        let name = folder.zip(path.file_name());
        let name = name.map_or_else(|| path.to_path_buf(), |(folder, name)| folder.join(name));
        if self.ahead.met.contains(&name) {
            return;
        }
        if self.ahead.met.len() >= MAX_SCRIPTS {
            return self.more_than_looked_into();
        }
        self.ahead.met.insert(name);
        self.ahead.waiting.push_back(path.to_path_buf());
    }

    /// Examines the queued scripts, and those that they load.
    pub(super) fn look_ahead(&mut self) {
        while let Some(path) = self.ahead.waiting.pop_front() {
            let Some(text) = self.text_of_script(&path) else {
                continue;
            };
            self.ahead.bytes += text.len();
            if self.ahead.bytes > MAX_BYTES {
                return self.more_than_looked_into();
            }
            self.look_into(&path, &text);
        }
    }

    fn more_than_looked_into(&mut self) {
        self.unpinned("it loads more scripts than are checked".to_owned());
    }
}
