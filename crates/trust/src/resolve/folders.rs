//! The contents of folders: for patterns, and for places where programs look for others.

use std::path::{Path, PathBuf};

use globset::GlobBuilder;

/// How many files a folder may contain to be watched completely.
const MAX_FILES: usize = 256;

/// How deep folders are searched.
const MAX_DEPTH: usize = 8;

/// How many entries are examined to find those that a pattern matches.
const MAX_ENTRIES: usize = 4096;

/// Returns all files below a folder without following links; `None` if there are too many.
pub(super) fn files_below(folder: &Path) -> Option<Vec<PathBuf>> {
    let mut files = Vec::new();
    collect(folder, MAX_DEPTH, &mut files)?;
    files.sort();
    Some(files)
}

fn collect(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Option<()> {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() {
            collect(&entry.path(), depth.checked_sub(1)?, files)?;
        } else {
            files.push(entry.path());
        }
        if files.len() > MAX_FILES {
            return None;
        }
    }
    Some(())
}

/// Returns the paths that an absolute path means: itself, or what matches if it is a pattern.
pub(super) fn expand(path: &str, is_pattern: bool) -> Vec<PathBuf> {
    if !is_pattern {
        return vec![PathBuf::from(path)];
    }
    let names = matches(path, Path::new("/"));
    names.into_iter().map(PathBuf::from).collect()
}

/// Returns the names to which a shell expands a pattern, as it would write them; the pattern itself
/// if nothing matches, as shells do.
fn matches(pattern: &str, cwd: &Path) -> Vec<String> {
    let is_absolute = pattern.starts_with('/');
    let mut found: Vec<String> = vec![if is_absolute { "/" } else { "" }.to_owned()];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        let Ok(glob) = GlobBuilder::new(part).literal_separator(true).build() else {
            return vec![pattern.to_owned()];
        };
        let glob = glob.compile_matcher();
        let is_plain = !part.contains(['*', '?', '[']);
        let mut next = Vec::new();
        for base in &found {
            if is_plain {
                next.push(format!("{base}{part}/"));
                continue;
            }
            let entries = std::fs::read_dir(cwd.join(base)).into_iter().flatten();
            for entry in entries.flatten().take(MAX_ENTRIES) {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                let is_hidden = name.starts_with('.') && !part.starts_with('.');
                if !is_hidden && glob.is_match(&*name) {
                    next.push(format!("{base}{name}/"));
                }
            }
        }
        next.truncate(MAX_FILES);
        found = next;
    }
    let mut names: Vec<String> = found
        .into_iter()
        .map(|name| name.trim_end_matches('/').to_owned())
        .filter(|name| cwd.join(name).symlink_metadata().is_ok())
        .collect();
    names.sort();
    if names.is_empty() {
        names.push(pattern.to_owned());
    }
    names
}
