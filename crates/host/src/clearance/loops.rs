//! The possible values of the variable in a Python loop over files: `for p in
//! Path('src').rglob('*')` (TR-8).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::commands::Place;
use super::tokens::{BELOW, Language, Token};
use super::trees;
use super::values::Reader;
use crate::protected::Touch;

/// How many files of a folder are searched for links.
const MAX_FILES: usize = 4000;

impl Reader<'_> {
    /// Returns the variables of a loop with their possible values, if the loop lists files of known
    /// folders.
    pub(super) fn names_of_files(&self, at: usize, of: usize) -> Vec<(String, BTreeSet<String>)> {
        if self.language != Language::Python {
            return Vec::new();
        }
        let names: Vec<String> = (at + 1..of)
            .filter_map(|it| self.name(it).map(str::to_owned))
            .collect();
        let (from, to) = self.inner_range(of + 1, self.end_of_list(of + 1));
        let listed = self.loop_items(from, to);
        match (listed, &names[..]) {
            (Some(Listed::Paths(paths)), [only]) => vec![(only.clone(), paths)],
            (Some(Listed::Walk(folders)), [root, inner @ ..]) => {
                let inner = inner
                    .iter()
                    .map(|it| (it.clone(), BTreeSet::from([BELOW.to_string()])));
                std::iter::once((root.clone(), folders))
                    .chain(inner)
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Finds the end of the expression that a loop iterates over.
    fn end_of_list(&self, from: usize) -> usize {
        self.end_at(from, |token| match token {
            Token::Sign(')' | ']' | '}' | ':' | ',') | Token::Line => true,
            Token::Name(word) => matches!(word.as_str(), "if" | "for"),
            _ => false,
        })
    }

    /// `sorted(…)`, `list(…)`: returns the range of their argument.
    fn inner_range(&self, from: usize, to: usize) -> (usize, usize) {
        let is_wrapper = matches!(
            self.name(from),
            Some("sorted" | "list" | "reversed" | "set" | "tuple")
        );
        if !is_wrapper
            || !self.is_sign(from + 1, '(')
            || self.closing(from + 1) != to.checked_sub(1)
        {
            return (from, to);
        }
        let parts = self.split(from + 2, to - 1);
        match parts.first() {
            Some((from, to)) => self.inner_range(*from, *to),
            None => (from, to),
        }
    }

    fn loop_items(&self, from: usize, to: usize) -> Option<Listed> {
        // The variable of an outer loop.
        if to == from + 1 {
            let known = self.variables.get(self.name(from)?)?.clone()?;
            let is_list = known.iter().all(|it| it.starts_with(BELOW));
            return (is_list && !known.is_empty()).then_some(Listed::Paths(known));
        }
        let close = to.checked_sub(1).filter(|it| self.is_sign(*it, ')'))?;
        let open = self.opening(close)?;
        let called = open.checked_sub(1)?;
        let name = self.name(called)?;
        let arguments = self.split(open + 1, close);
        let receiver = called
            .checked_sub(2)
            .filter(|it| *it >= from && self.is_sign(called - 1, '.'));
        let of_module = |module: &str| {
            let is_it = receiver.is_some_and(|it| it == from && self.name(it) == Some(module));
            is_it || receiver.is_none() && called == from
        };
        let first = || {
            let (from, to) = arguments.first()?;
            self.argument(*from, *to)
        };
        let current = || Some(BTreeSet::from([".".to_owned()]));
        match name {
            "glob" | "iglob" if of_module("glob") => {
                let patterns = first()?;
                let is_plain = arguments.len() == 1;
                let paths = patterns.into_iter().map(|it| match it.split_once("**") {
                    None if is_plain => Some(it),
                    _ => below(folder_of(&it)),
                });
                paths
                    .collect::<Option<BTreeSet<String>>>()
                    .map(Listed::Paths)
            }
            "rglob" | "glob" | "iterdir" => {
                let patterns = if name == "iterdir" {
                    current()
                } else {
                    first()
                }?;
                let stays =
                    |it: &String| !it.starts_with('/') && !it.split('/').any(|it| it == "..");
                let folders = self.receiver(receiver?)?;
                if !patterns.iter().all(stays) {
                    return None;
                }
                let paths = folders.iter().map(|it| below(it));
                paths
                    .collect::<Option<BTreeSet<String>>>()
                    .map(Listed::Paths)
            }
            "listdir" if of_module("os") => {
                Some(Listed::Paths(BTreeSet::from([BELOW.to_string()])))
            }
            "walk" if of_module("os") => {
                let folders = first()?;
                let folders = folders.iter().map(|it| below(it));
                folders
                    .collect::<Option<BTreeSet<String>>>()
                    .map(Listed::Walk)
            }
            _ => None,
        }
    }
}

/// What a loop iterates over.
enum Listed {
    /// Paths of files.
    Paths(BTreeSet<String>),
    /// Folders, each with the names in it.
    Walk(BTreeSet<String>),
}

/// Returns the folder of a pattern: the part before its first special character.
fn folder_of(pattern: &str) -> &str {
    let end = pattern.find(['*', '?', '[']).unwrap_or(pattern.len());
    let folder = pattern[..end].rsplit_once('/');
    folder.map_or(
        ".",
        |(folder, _)| if folder.is_empty() { "/" } else { folder },
    )
}

/// Returns a path for everything below a folder; `None` if the folder itself isn't certain.
fn below(folder: &str) -> Option<String> {
    let is_certain = !folder.contains(['*', '?', '[', BELOW]);
    is_certain.then(|| format!("{folder}/{BELOW}"))
}

impl Place {
    /// Returns the protected file that an arbitrary file below a folder could be, directly or
    /// through a link.
    pub(super) fn below_by_text(&self, name: &str, folder: &str) -> Option<PathBuf> {
        let (above, rest) = name.split_once(BELOW).unwrap_or((name, ""));
        let climbs = rest.split('/').any(|it| it == "..");
        let above = match (above.strip_prefix("~/"), &self.home) {
            (Some(inner), Some(home)) => home.join(inner),
            _ => Path::new(folder).join(above.trim_end_matches('/')),
        };
        let above = if climbs { self.cwd.clone() } else { above };
        let guard = trees::inside_or_below(&self.protected, &above);
        guard.or_else(|| {
            let mut left = MAX_FILES;
            self.link_below(&above, &mut left)
        })
    }

    /// Searches a folder for other names of protected files. A folder that is too large counts as
    /// containing one.
    fn link_below(&self, folder: &Path, left: &mut usize) -> Option<PathBuf> {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Some(fewer) = left.checked_sub(1) else {
                return Some(folder.to_path_buf());
            };
            *left = fewer;
            let path = entry.path();
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            let found = if metadata.is_dir() {
                self.link_below(&path, left)
            } else if metadata.is_symlink() || has_other_names(&metadata) {
                self.protected.affected(Touch::Write, &path)
            } else {
                None
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

#[cfg(unix)]
fn has_other_names(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    metadata.nlink() > 1
}

#[cfg(not(unix))]
fn has_other_names(_metadata: &std::fs::Metadata) -> bool {
    true
}
