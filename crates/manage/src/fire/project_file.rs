//! A file of the project that a payload can be about.

use std::path::{Path, PathBuf};

use hookloop_settings::bounded::read_start;

/// How many entries of the project's root are examined.
const MAX_ENTRIES: usize = 1000;

/// How many bytes of the file are read.
const MAX_EXCERPT_BYTES: u64 = 8 * 1024;

/// A file of the project, which need not exist.
#[derive(Debug, Clone)]
pub(super) struct ProjectFile {
    /// Its path, absolute.
    pub(super) path: PathBuf,
    /// The text it begins with.
    pub(super) excerpt: String,
}

impl ProjectFile {
    /// Finds a plain file in a project's root, a README first.
    pub(super) fn find(project_root: &Path) -> Self {
        let mut names: Vec<String> = std::fs::read_dir(project_root)
            .into_iter()
            .flatten()
            .take(MAX_ENTRIES)
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| !name.starts_with('.'))
            .collect();
        names.sort_by_key(|name| (!name.starts_with("README"), name.clone()));
        let found = names.into_iter().find_map(|name| {
            let path = project_root.join(name);
            let excerpt = excerpt(&path)?;
            Some(Self { path, excerpt })
        });
        found.unwrap_or_else(|| Self {
            path: project_root.join("README.md"),
            excerpt: "# Read me\n".to_owned(),
        })
    }

    /// Returns the file's path as text.
    pub(super) fn path_text(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    /// Returns a meaningful line of the file.
    pub(super) fn line(&self) -> &str {
        self.excerpt
            .lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or_default()
    }
}

/// Returns the beginning of a text file; `None` if it isn't text.
fn excerpt(path: &Path) -> Option<String> {
    let bytes = read_start(path, MAX_EXCERPT_BYTES).ok()?;
    let valid = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        // The cut may have split a character.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    (!valid.contains('\0')).then(|| valid.to_owned())
}
