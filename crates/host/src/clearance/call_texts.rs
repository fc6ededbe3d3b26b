//! The texts of files that a call writes itself, so that what it runs afterwards is examined as if
//! they were there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The texts of files once the call that is being judged has written them; if it writes one several
/// times, all of them.
#[derive(Debug, Clone, Default)]
pub(super) struct CallTexts(Arc<BTreeMap<PathBuf, Vec<String>>>);

impl CallTexts {
    /// Returns these texts and those that another part of the call writes, which come later.
    pub(super) fn with(&self, written: &[(String, String)]) -> Self {
        let mut all = BTreeMap::clone(&self.0);
        for (path, text) in written {
            let texts: &mut Vec<String> = all.entry(PathBuf::from(path)).or_default();
            texts.push(text.clone());
        }
        Self(Arc::new(all))
    }

    /// Returns the text of a file that the call writes: each version, one after another.
    pub(super) fn text(&self, path: &Path) -> Option<String> {
        // Most calls write nothing.
        if self.0.is_empty() {
            return None;
        }
        let plain = hookloop_shell::normalize_path(&path.to_string_lossy());
        Some(self.0.get(Path::new(&plain))?.join("\n"))
    }

    /// Returns whether the call writes a file.
    pub(super) fn holds(&self, path: &Path) -> bool {
        self.text(path).is_some()
    }

    /// Returns the files in a folder that the call writes.
    pub(super) fn files_in(&self, folder: &Path) -> Vec<PathBuf> {
        let paths = self.0.keys().filter(|it| it.parent() == Some(folder));
        paths.cloned().collect()
    }
}
