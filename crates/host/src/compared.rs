//! Which files of protected folders are compared around tool calls (TR-8).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How many files of the protected folders are compared.
const MAX_FILES: usize = 2048;

/// How deep protected folders are compared.
const MAX_DEPTH: usize = 6;

/// The files of protected folders that are compared.
#[derive(Default)]
pub(crate) struct Compared {
    pub(crate) files: BTreeSet<PathBuf>,
    /// The protected folders that aren't compared completely, because they have too many files, or
    /// too deep ones.
    pub(crate) too_large: BTreeSet<PathBuf>,
}

impl Compared {
    /// Adds the files of a protected folder.
    pub(crate) fn add(&mut self, folder: &Path) {
        self.collect(folder, folder, MAX_DEPTH);
    }

    /// Adds the files of a folder, which is the protected one or below it.
    fn collect(&mut self, protected: &Path, folder: &Path, depth: usize) {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut entries: Vec<_> = entries.collect();
        // If the folder is too large, the same files are compared each time.
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            if self.files.len() >= MAX_FILES {
                self.too_large.insert(protected.to_owned());
                return;
            }
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            // Python itself writes there whenever a hook in Python runs.
            if is_folder && entry.file_name() == "__pycache__" {
                continue;
            }
            if !is_folder {
                self.files.insert(entry.path());
            } else if let Some(depth) = depth.checked_sub(1) {
                self.collect(protected, &entry.path(), depth);
            } else {
                self.too_large.insert(protected.to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Compared, MAX_DEPTH, MAX_FILES};

    /// TR-8: a folder with more files than are compared, or deeper ones, is reported; another one
    /// beside it is compared completely.
    #[test]
    fn folders_that_are_compared_in_part_are_known() {
        let place = tempfile::tempdir().expect("a folder");
        let [small, deep, large] = ["small", "deep", "large"].map(|it| place.path().join(it));
        for folder in [&small, &deep, &large] {
            fs::create_dir(folder).expect("a folder");
        }
        fs::write(small.join("a"), "").expect("a file");
        let inner = (0..=MAX_DEPTH).fold(deep.clone(), |it, _| it.join("x"));
        fs::create_dir_all(inner).expect("folders");
        for number in 0..=MAX_FILES {
            fs::write(large.join(number.to_string()), "").expect("a file");
        }
        let compared = |folder| {
            let mut compared = Compared::default();
            compared.add(folder);
            compared
        };
        assert!(compared(&small).too_large.is_empty());
        assert!(compared(&deep).too_large.contains(&deep));
        let found = compared(&large);
        assert!(found.too_large.contains(&large));
        assert_eq!(found.files, compared(&large).files, "the same each time");
    }
}
