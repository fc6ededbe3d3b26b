//! What sessions wrote, kept for those behind them: a file that none of them left as it is, is people's own.

use std::collections::BTreeSet;
use std::fs::{self, Metadata};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::private::{make_private_folder, private_options};

/// How many files are kept.
const MOST: usize = 4096;

/// A record that is longer, in bytes, begins anew with the latest files.
const LONGEST: u64 = 1 << 20;

/// Which file it is, and when it was last changed in any way, which no program can set back.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Mark([i128; 5]);

/// A file, as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    path: PathBuf,
    mark: Mark,
}

/// The record of what sessions wrote.
#[derive(Debug)]
pub(super) struct Written {
    file: PathBuf,
    marks: BTreeSet<Mark>,
}

impl Mark {
    /// Looks at a file; nothing if there is none.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok().filter(Metadata::is_file)?;
        marked(&metadata)
    }
}

#[cfg(unix)]
#[expect(
    clippy::unnecessary_wraps,
    reason = "elsewhere no file can be told from another"
)]
fn marked(metadata: &Metadata) -> Option<Mark> {
    use std::os::unix::fs::MetadataExt as _;
    Some(Mark([
        metadata.dev().into(),
        metadata.ino().into(),
        metadata.len().into(),
        metadata.ctime().into(),
        metadata.ctime_nsec().into(),
    ]))
}

#[cfg(not(unix))]
const fn marked(_: &Metadata) -> Option<Mark> {
    None
}

impl Written {
    /// Reads a record; what can't be read of it is left out.
    pub(super) fn open(file: PathBuf) -> Self {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let lines = text.lines().rev().take(MOST);
        let lines = lines.filter_map(|line| serde_json::from_str::<Line>(line).ok());
        // A file that isn't any more as it was left is nobody's business any more.
        let lines = lines.filter(|it| Mark::of(&it.path).as_ref() == Some(&it.mark));
        let lines: Vec<Line> = lines.collect();
        if u64::try_from(text.len()).is_ok_and(|it| it > LONGEST) {
            let kept = private_options().write(true).truncate(true).open(&file);
            // What can't be shortened stays long.
            let _ = kept.and_then(|mut it| it.write_all(as_text(&lines).as_bytes()));
        }
        let marks = lines.into_iter().map(|it| it.mark).collect();
        Self { file, marks }
    }

    /// Tells whether a session left a file so.
    pub(super) fn holds(&self, mark: &Mark) -> bool {
        self.marks.contains(mark)
    }

    /// Adds files as a session left them.
    pub(super) fn add(&mut self, files: Vec<(PathBuf, Mark)>) {
        let new = files.into_iter();
        let new = new.filter(|(_, mark)| self.marks.insert(mark.clone()));
        let lines: Vec<Line> = new.map(|(path, mark)| Line { path, mark }).collect();
        if lines.is_empty() {
            return;
        }
        let folder = self.file.parent().map(make_private_folder);
        if matches!(folder, Some(Ok(()))) {
            let file = private_options().append(true).create(true).open(&self.file);
            // One write, so that lines of sessions that run side by side stay whole. A session whose record
            // can't be written goes on: its own files it knows by their times.
            let _ = file.and_then(|mut it| it.write_all(as_text(&lines).as_bytes()));
        }
    }
}

fn as_text(lines: &[Line]) -> String {
    let lines = lines.iter().filter_map(|it| serde_json::to_string(it).ok());
    lines.map(|it| it + "\n").collect()
}
