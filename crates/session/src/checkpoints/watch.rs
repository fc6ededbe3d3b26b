//! Compares files before and after a call.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::Permissions;
use std::path::{Path, PathBuf};

use hookloop_settings::bounded::read_regular;

use crate::checkpoints::around::{Around, is_filled};
use crate::checkpoints::log::Entry;
use crate::checkpoints::log::digest_of;
use crate::checkpoints::{Checkpoints, Past};

/// The largest file that is copied, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// How many files of folders that a call uses as a whole are copied.
const MAX_COPIES: usize = 500;
/// How many files are named that can't be restored.
const MAX_NAMED: usize = 10;

/// What a file was before a call.
enum Before {
    Absent,
    /// It was there, with this content and these rights.
    Here(Past, Vec<u8>, Permissions),
    /// No copy could be made: why.
    NotKept(String),
}

/// What a call says it changes.
#[derive(Default)]
struct Named {
    files: Vec<PathBuf>,
    /// Folders whose files aren't all copied.
    cut: Vec<PathBuf>,
    /// Folders that programs fill: they aren't copied.
    filled: Vec<PathBuf>,
}

/// Watches the files of one call. What changed is noted when it goes, however the call ended.
pub(super) struct Watch {
    checkpoints: Checkpoints,
    before: BTreeMap<PathBuf, Before>,
    cut: Vec<PathBuf>,
    filled: Vec<PathBuf>,
    /// The workspace as it looked, where a shell command may change any of it.
    around: Option<Around>,
    /// The call's name in messages if something of it can't be restored.
    what: String,
    /// What has to be said about the call, whatever it changed.
    remark: Option<&'static str>,
}

impl Watch {
    pub(super) fn begin(
        checkpoints: &Checkpoints,
        paths: Vec<PathBuf>,
        around: Option<&Path>,
        what: String,
    ) -> Self {
        let mut named = Named::default();
        for path in paths {
            named.add(&path);
        }
        Self {
            checkpoints: checkpoints.clone(),
            before: named
                .files
                .into_iter()
                .map(|it| (it.clone(), look(&it)))
                .collect(),
            cut: named.cut,
            filled: named.filled,
            around: around.map(Around::look),
            what,
            remark: None,
        }
    }

    /// Adds something to be said about the call, whatever it changed.
    pub(super) const fn remarking(mut self, remark: &'static str) -> Self {
        self.remark = Some(remark);
        self
    }

    fn entries(&mut self) -> Vec<Entry> {
        let mut losses = Vec::new();
        let mut entries = self.named_entries(&mut losses);
        if let Some(around) = self.around.take() {
            let known = entries.iter().filter_map(|it| match it {
                Entry::Change { path, .. } => Some(path.clone()),
                _ => None,
            });
            let known = known.collect();
            let changed = around.changes(&known);
            entries.extend(changed.entries);
            losses.extend(changed.losses);
            entries.extend(changed.remarks.iter().map(|it| self.loss(it)));
        }
        let mut reported = BTreeSet::new();
        losses.retain(|it| reported.insert(it.clone()));
        if !losses.is_empty() {
            let more = losses.len().saturating_sub(MAX_NAMED);
            losses.truncate(MAX_NAMED);
            let mut text = format!("no copy was kept of {}", losses.join(", "));
            if more > 0 {
                let _ = write!(text, " and {more} more");
            }
            entries.push(self.loss(&text));
        }
        entries.extend(self.remark.map(|it| self.loss(it)));
        entries
    }

    /// Returns what happened to the files that the call names.
    fn named_entries(&mut self, losses: &mut Vec<String>) -> Vec<Entry> {
        let mut entries = Vec::new();
        for (path, before) in std::mem::take(&mut self.before) {
            let after = Past::of(&path);
            let before = match before {
                Before::Absent => Past::default(),
                Before::Here(past, ..) if after == past => continue,
                Before::Here(past, bytes, permissions) => {
                    let kept = self.checkpoints.state().log.keep(&bytes, permissions);
                    match kept {
                        Ok(_) => past,
                        Err(error) => {
                            losses.push(format!("{} ({error})", path.display()));
                            continue;
                        }
                    }
                }
                Before::NotKept(why) => {
                    losses.push(format!("{} ({why})", path.display()));
                    continue;
                }
            };
            if before != after {
                entries.push(Entry::change(path, before, after));
            }
        }
        for folder in std::mem::take(&mut self.cut) {
            let is_touched = entries.iter().any(|it| match it {
                Entry::Change { path, .. } => path.starts_with(&folder),
                _ => false,
            });
            if is_touched || !folder.exists() {
                losses.push(format!(
                    "some files of {} (there are more than {MAX_COPIES})",
                    folder.display()
                ));
            }
        }
        let filled = std::mem::take(&mut self.filled);
        let gone = filled.into_iter().filter(|it| !it.exists());
        losses.extend(gone.map(|it| format!("{} (gone; programs fill it)", it.display())));
        entries
    }

    fn loss(&self, why: &str) -> Entry {
        Entry::Loss {
            what: format!("{}: {why}", self.what),
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let entries = self.entries();
        let checkpoints = self.checkpoints.clone();
        checkpoints.add(entries);
    }
}

impl Named {
    /// Adds a file, or those of a folder.
    fn add(&mut self, path: &Path) {
        let is_folder = path.symlink_metadata().is_ok_and(|it| it.is_dir());
        if !is_folder {
            self.files.push(path.to_owned());
            return;
        }
        if path.file_name().is_some_and(is_filled) {
            self.filled.push(path.to_owned());
            return;
        }
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            if self.files.len() >= MAX_COPIES {
                self.cut.push(path.to_owned());
                return;
            }
            self.add(&entry.path());
        }
    }
}

fn look(path: &Path) -> Before {
    let Ok(metadata) = path.symlink_metadata() else {
        return Before::Absent;
    };
    if !metadata.is_file() {
        return Before::NotKept("not a regular file".to_owned());
    }
    if metadata.len() > MAX_BYTES {
        return Before::NotKept(format!("larger than {} MiB", MAX_BYTES / 1024 / 1024));
    }
    match read_regular(path, MAX_BYTES) {
        Ok(bytes) => {
            let past = Past {
                content: Some(digest_of(&bytes)),
                mode: Past::mode_of(&metadata),
            };
            Before::Here(past, bytes, metadata.permissions())
        }
        Err(error) => Before::NotKept(error.to_string()),
    }
}
