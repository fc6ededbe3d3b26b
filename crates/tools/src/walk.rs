//! Walks through a folder of the workspace in the order of names, without ignored files.

use std::io;
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use crate::filter::{EntryKind, PathFilter, Rules};
use crate::wording::append;
use crate::{ToolError, Workspace};

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) path: PathBuf,
    pub(crate) kind: EntryKind,
}

/// Walks through folders; links are reported and not followed.
pub(crate) struct Walk<'a> {
    filter: PathFilter,
    pending: Vec<Entry>,
    unreadable: Vec<String>,
    cancel: &'a CancellationToken,
}

impl<'a> Walk<'a> {
    /// Begins at `start`, a folder or a file inside the workspace.
    pub(crate) fn new(workspace: &Workspace, start: &Path, cancel: &'a CancellationToken) -> Self {
        let kind = if start.is_dir() {
            EntryKind::Directory
        } else {
            EntryKind::File
        };
        let mut filter = workspace.path_filter(Rules::Reading);
        let mut pending = Vec::new();
        if !filter.ignores(start, kind) {
            pending.push(Entry {
                path: start.to_path_buf(),
                kind,
            });
        }
        Self {
            filter,
            pending,
            unreadable: Vec::new(),
            cancel,
        }
    }

    /// Returns the next file or link.
    pub(crate) fn next_file(&mut self) -> Result<Option<Entry>, ToolError> {
        while let Some(entry) = self.pending.pop() {
            if self.cancel.is_cancelled() {
                return Err(ToolError::cancelled());
            }
            match entry.kind {
                EntryKind::Directory => self.enter(&entry.path),
                EntryKind::File | EntryKind::Link => return Ok(Some(entry)),
                EntryKind::Special => {}
            }
        }
        Ok(None)
    }

    fn enter(&mut self, folder: &Path) {
        match entries(folder) {
            Ok(mut entries) => {
                entries.retain(|entry| !self.filter.ignores(&entry.path, entry.kind));
                self.pending.extend(entries.into_iter().rev());
            }
            Err(error) => self
                .unreadable
                .push(format!("{}: {error}", folder.display())),
        }
    }

    /// Returns a note about what couldn't be read or parsed, empty if there is nothing.
    pub(crate) fn note(&self) -> String {
        note(&self.unreadable, self.filter.problems())
    }
}

/// Returns what was left out, so that nothing is missing silently.
pub(crate) fn note(unreadable: &[String], problems: &[String]) -> String {
    let mut text = String::new();
    for (title, list) in [
        ("couldn't be read", unreadable),
        ("has an invalid ignore rule", problems),
    ] {
        for place in list.iter().take(5) {
            append(&mut text, format_args!("\nNote: {place} ({title})"));
        }
        if list.len() > 5 {
            append(
                &mut text,
                format_args!("\nNote: {} more ({title})", list.len() - 5),
            );
        }
    }
    text
}

/// Returns the entries of a folder, in the order of names.
pub(crate) fn entries(folder: &Path) -> io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        // An entry that has disappeared meanwhile isn't an error.
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        entries.push(Entry {
            path: entry.path(),
            kind: kind.into(),
        });
    }
    entries.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(entries)
}
