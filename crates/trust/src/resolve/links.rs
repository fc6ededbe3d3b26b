//! The links through which names lead to files: redirecting one replaces the file (TR-8).

use std::path::{Path, PathBuf};

use crate::real_path::{links_of, real_path};
use crate::resolve::Finder;

/// Returns a file by each name that it has on the way from one name to where that really leads.
pub(super) fn steps(file: &Path) -> Vec<PathBuf> {
    let mut steps = vec![file.to_path_buf()];
    for link in links_of(file) {
        // A link to a folder isn't another name of the file.
        let is_name = real_path(&link).is_some_and(|it| Some(it) == real_path(file));
        if is_name && !steps.contains(&link) {
            steps.push(link);
        }
    }
    if let Some(real) = real_path(file)
        && !steps.contains(&real)
    {
        steps.push(real);
    }
    steps
}

impl Finder<'_> {
    /// Returns where a file really is, and notes the names on the way there if there are links
    /// among them.
    pub(super) fn resolve_links(&mut self, file: &Path) -> Vec<PathBuf> {
        let Some(real) = self.reader.real(file) else {
            return Vec::new();
        };
        if real == file || real.is_dir() {
            return vec![real];
        }
        let names = steps(file);
        self.found.names.extend(names.iter().cloned());
        names
    }
}
