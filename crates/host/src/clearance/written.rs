//! Records what sessions wrote, for later sessions: files by name, and the periods in which calls
//! ran. A file that somebody else has changed since isn't the model's any more.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Metadata};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hookloop_settings::lock_within;
use serde::{Deserialize, Serialize};

use super::reading::bytes_of;
use crate::private::{make_private_folder, private_options};

/// How many files are recorded by name, the latest ones. Others are recognised by the times of
/// their calls.
const MAX_FILES: usize = 4096;

/// How many periods of calls are recorded; if there are more, the earliest are merged.
const MAX_SPANS: usize = 1024;

/// How long another session may hold the record: it may have been stopped while it did.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// The maximum length of the record, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// The identity of a file, and its change time, which no program can set back.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Mark([i128; 5]);

/// A period in which calls ran, in nanoseconds; the end is missing while one runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Span {
    from: u64,
    to: Option<u64>,
}

/// A line of the record: a file, or a period.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Line {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mark: Option<Mark>,
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<Span>,
}

/// The record, in order.
#[derive(Debug, Default)]
struct Record {
    files: BTreeMap<PathBuf, Mark>,
    spans: Vec<Span>,
    /// Whether the record can't be read, so that what was written isn't known.
    is_lost: bool,
}

/// The record of what sessions wrote.
#[derive(Debug)]
pub(super) struct Written {
    file: PathBuf,
    marks: BTreeSet<Mark>,
    spans: Vec<Span>,
    is_lost: bool,
    /// The start of the calls that are running.
    began: Option<u64>,
}

impl Mark {
    /// Reads the mark of a file; `None` if it doesn't exist.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok().filter(Metadata::is_file)?;
        file_mark(&metadata)
    }
}

#[cfg(unix)]
#[expect(
    clippy::unnecessary_wraps,
    reason = "elsewhere no file can be told from another"
)]
fn file_mark(metadata: &Metadata) -> Option<Mark> {
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
const fn file_mark(_: &Metadata) -> Option<Mark> {
    None
}

impl Record {
    /// Reads a record; invalid lines are ignored.
    fn read(file: &Path) -> Self {
        let mut record = Self::default();
        let Some(bytes) = bytes_of(file, MAX_BYTES) else {
            record.is_lost = file.exists();
            return record;
        };
        for line in String::from_utf8_lossy(&bytes).lines() {
            let Ok(line) = serde_json::from_str::<Line>(line) else {
                continue;
            };
            record.spans.extend(line.span);
            record.files.extend(line.path.zip(line.mark));
        }
        record
    }

    /// Removes files that have changed since.
    fn forget_changed(&mut self) {
        self.files
            .retain(|path, mark| Mark::of(path).as_ref() == Some(mark));
    }

    /// Keeps the record short.
    fn prune(&mut self) {
        while self.files.len() > MAX_FILES {
            // The times of their calls still identify them.
            self.files.pop_first();
        }
        self.spans.sort_by_key(|it| it.from);
        let mut spans: Vec<Span> = Vec::new();
        for span in self.spans.drain(..) {
            let last = spans.last_mut();
            // An open span isn't merged: its session will close it.
            match last.and_then(|last| Some((last.to?, span.to?, last))) {
                Some((ends, to, last)) if ends >= span.from => last.to = Some(ends.max(to)),
                _ => spans.push(span),
            }
        }
        let many = spans.len().saturating_sub(MAX_SPANS);
        if many > 0 {
            let to = spans[many].to;
            let from = spans[0].from;
            spans.drain(..many);
            spans[0] = Span { from, to };
        }
        self.spans = spans;
    }

    fn as_text(&self) -> String {
        let files = self.files.iter().map(|(path, mark)| Line {
            path: Some(path.clone()),
            mark: Some(mark.clone()),
            span: None,
        });
        let spans = self.spans.iter().map(|span| Line {
            span: Some(*span),
            ..Line::default()
        });
        let lines = files.chain(spans);
        lines
            .filter_map(|it| serde_json::to_string(&it).ok())
            .map(|it| it + "\n")
            .collect()
    }
}

impl Written {
    /// Reads a record. Periods without an end count as ended now.
    pub(super) fn open(file: PathBuf) -> Self {
        let now = current_nanoseconds();
        let record = update(&file, |record| {
            record.forget_changed();
            for span in &mut record.spans {
                span.to = span.to.or(Some(now));
            }
        });
        Self {
            file,
            marks: record.files.into_values().collect(),
            spans: record.spans,
            is_lost: record.is_lost,
            began: None,
        }
    }

    /// Returns whether a session wrote a file in its current state.
    pub(super) fn holds(&self, path: &Path) -> bool {
        let Ok(metadata) = path.metadata() else {
            return false;
        };
        let time = last_change(&metadata);
        let is_within = |it: &Span| time >= it.from && it.to.is_none_or(|to| time <= to);
        self.is_lost
            || file_mark(&metadata).is_some_and(|it| self.marks.contains(&it))
            || self.spans.iter().any(is_within)
    }

    /// Records the start of a call.
    pub(super) fn begin(&mut self) {
        if self.began.is_some() {
            return;
        }
        let from = tick();
        self.began = Some(from);
        update(&self.file, |record| {
            record.spans.push(Span { from, to: None });
        });
    }

    /// Adds files as a session left them, now that calls have ended. Background jobs keep the
    /// period open.
    pub(super) fn end(&mut self, files: Vec<(PathBuf, Mark)>, goes_on: bool) {
        let new: Vec<(PathBuf, Mark)> = files
            .into_iter()
            .filter(|(_, mark)| self.marks.insert(mark.clone()))
            .collect();
        let began = self.began;
        if !goes_on {
            self.began = None;
        }
        if new.is_empty() && began.is_none() {
            return;
        }
        let to = current_nanoseconds();
        update(&self.file, |record| {
            record.files.extend(new);
            if let Some(from) = began {
                // Another session may have merged this span with its own.
                record.spans.retain(|it| it.from != from);
                let to = (!goes_on).then_some(to);
                record.spans.push(Span { from, to });
            }
        });
    }
}

impl Drop for Written {
    /// Closes the period: nothing of the session continues.
    fn drop(&mut self) {
        self.end(Vec::new(), false);
    }
}

/// Changes a record under its lock; returns the new content. If the record can't be written, the
/// session continues: it recognises its own files by their times.
fn update(file: &Path, change: impl FnOnce(&mut Record)) -> Record {
    let folder = file.parent().map(make_private_folder);
    let lock_file = file.with_extension("lock");
    let lock = private_options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&lock_file);
    let lock_held = lock.and_then(|it: File| lock_within(&it, &lock_file, MAX_WAIT).map(|()| it));
    let mut record = Record::read(file);
    change(&mut record);
    record.prune();
    if matches!(folder, Some(Ok(()))) && lock_held.is_ok() && !record.is_lost {
        let new = file.with_extension("new");
        let written = private_options()
            .write(true)
            .create(true)
            .truncate(true)
            .open(&new);
        let written = written.and_then(|mut it| it.write_all(record.as_text().as_bytes()));
        // If the file can't be replaced, the record stays as it was.
        let _ = written.and_then(|()| fs::rename(&new, file));
    }
    record
}

/// Returns the time that a file written now gets: that of the system's last clock tick, slightly
/// earlier than the current time.
#[cfg(target_os = "linux")]
fn tick() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let rest = u32::try_from(time.tv_nsec).unwrap_or_default();
    nanoseconds(Duration::new(seconds, rest))
}

#[cfg(not(target_os = "linux"))]
fn tick() -> u64 {
    const MAX_WAIT: Duration = Duration::from_millis(20);
    current_nanoseconds().saturating_sub(nanoseconds(MAX_WAIT))
}

fn current_nanoseconds() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    nanoseconds(since.unwrap_or_default())
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Returns when a file was last changed in any way.
#[cfg(unix)]
fn last_change(metadata: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    let seconds = u64::try_from(metadata.ctime()).unwrap_or_default();
    let rest = u32::try_from(metadata.ctime_nsec()).unwrap_or_default();
    nanoseconds(Duration::new(seconds, rest))
}

#[cfg(not(unix))]
fn last_change(metadata: &Metadata) -> u64 {
    let written = metadata.modified().unwrap_or_else(|_| SystemTime::now());
    let since = written.duration_since(SystemTime::UNIX_EPOCH);
    nanoseconds(since.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TR-8: a file has one line in the record, and of many calls the earliest are merged.
    #[test]
    fn a_record_stays_short_and_forgets_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("state/written.jsonl");
        let script = folder.path().join("x.sh");
        let mut written = Written::open(file.clone());
        for round in 0..5 {
            written.begin();
            fs::write(&script, "x".repeat(round)).expect("a file");
            let mark = Mark::of(&script).expect("a file");
            written.end(vec![(script.clone(), mark)], false);
        }
        let text = fs::read_to_string(&file).expect("a record");
        assert_eq!(text.matches("x.sh").count(), 1, "{text}");
        let mut record = Record::default();
        let many = u64::try_from(MAX_SPANS).expect("a number") + 50;
        for number in 0..many {
            let from = number * 10;
            record.spans.push(Span {
                from,
                to: Some(from + 5),
            });
        }
        record.prune();
        assert_eq!(record.spans.len(), MAX_SPANS);
        let first = Span {
            from: 0,
            to: Some(505),
        };
        assert_eq!(record.spans[0], first);
    }

    /// TR-8: a session that was stopped while it held the record keeps no other one waiting for
    /// ever; what couldn't be recorded isn't lost from what is there.
    #[test]
    fn a_held_record_is_not_waited_for_forever() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("state/written.jsonl");
        Written::open(file.clone()).begin();
        let before = fs::read_to_string(&file).expect("a record");
        let lock = File::open(file.with_extension("lock")).expect("a lock");
        lock.lock().expect("a lock");
        Written::open(file.clone()).begin();
        assert_eq!(fs::read_to_string(&file).expect("a record"), before);
    }

    /// TR-8: sessions that run side by side preserve each other's lines.
    #[test]
    fn sessions_side_by_side_keep_each_others_lines() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("written.jsonl");
        let names: Vec<PathBuf> = (0..8)
            .map(|it| folder.path().join(format!("{it}.sh")))
            .collect();
        std::thread::scope(|scope| {
            for name in &names {
                let file = file.clone();
                scope.spawn(move || {
                    let mut written = Written::open(file);
                    written.begin();
                    fs::write(name, "x").expect("a file");
                    let mark = Mark::of(name).expect("a file");
                    written.end(vec![(name.clone(), mark)], false);
                });
            }
        });
        let record = Record::read(&file);
        assert_eq!(record.files.len(), names.len());
        assert!(record.spans.iter().all(|it| it.to.is_some()), "{record:?}");
    }
}
