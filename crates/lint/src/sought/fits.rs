//! Whether a value of an event is what a guard looks for (IO-27).

use super::Sought;
use super::extent::{Extent, needs_more};
use crate::flaws::names_command;

/// Arguments that contain the path of a file.
const PATHS: [&str; 4] = ["file_path", "path", "absolute_path", "dir_path"];

/// Programs that combine many.
const MULTI_COMMANDS: [&str; 8] = [
    "git",
    "docker",
    "npm",
    "kubectl",
    "terraform",
    "aws",
    "pip",
    "cargo",
];

/// Returns whether an argument contains a path.
pub(super) fn is_path(key: &str) -> bool {
    PATHS.contains(&key)
}

/// Returns whether a text says what is meant: a program with an argument, an option, the name of a
/// file, or words.
pub(super) fn tells(parts: &[String]) -> bool {
    let all = parts.join(" ");
    let first = parts.first().map_or("", String::as_str);
    let is_of_words = all.contains(' ') && all.len() > 4 && all.starts_with(char::is_alphabetic);
    names_command(first)
        || is_file(first) && parts.len() == 1
        || first.starts_with('-') && first.len() > 1
        || is_of_words
        || is_word(&all)
}

fn is_word(text: &str) -> bool {
    text.len() > 4 && text.chars().all(char::is_alphabetic)
}

fn is_file(text: &str) -> bool {
    let is_name = text
        .chars()
        .all(|it| it.is_alphanumeric() || "._-/".contains(it));
    let is_one = text.contains(['.', '/']);
    is_name && is_one && text.len() > 3 && text.contains(char::is_alphabetic)
}

impl Sought {
    /// Returns whether a value certainly is what is meant.
    pub(super) fn matches(&self, key: &str, value: &str) -> bool {
        let value = value.to_ascii_lowercase();
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        let Some(first) = self.parts.first() else {
            return false;
        };
        let all = self.parts.join(" ");
        let is_all = value == all;
        let ends = || {
            self.parts
                .last()
                .is_some_and(|it| value.ends_with(it.as_str()))
        };
        match key {
            "command" => {
                let is_meant = match self.extent {
                    Extent::Part => true,
                    Extent::End => ends(),
                    _ if self.parts.len() > 1 => ends(),
                    _ => is_all || needs_more(&all),
                };
                // `push --force` is looked for in `git push --force`.
                let inner = value
                    .split_once(' ')
                    .filter(|it| MULTI_COMMANDS.contains(&it.0));
                let inner = inner.filter(|_| first.contains(' ') && !names_command(first));
                let begins = self.begins_with(&value, first)
                    || inner.is_some_and(|(_, rest)| self.begins_with(rest, first));
                !is_file(first) && is_meant && begins
            }
            "prompt" | "text" => match self.extent {
                Extent::Part => self.parts.iter().all(|it| has_words(&value, it)),
                Extent::End => ends() && self.parts.iter().all(|it| has_words(&value, it)),
                _ => is_all,
            },
            _ if is_path(key) && is_file(first) => self.names(&value, first),
            _ => false,
        }
    }

    /// Returns whether a path leads to a file of this name.
    fn names(&self, path: &str, file: &str) -> bool {
        let name = file.trim_start_matches('/');
        let Some(folder) = path.strip_suffix(name) else {
            return false;
        };
        // For a path that begins at a folder, only one that begins there is certain.
        let is_whole = file.starts_with('/');
        let is_ending = name.starts_with('.') && !file.contains('/');
        let is_in_folder = !is_whole && folder.ends_with('/');
        folder.is_empty()
            || match self.extent {
                Extent::Part | Extent::End => !is_whole && (is_in_folder || is_ending),
                Extent::Name => is_in_folder,
                Extent::Whole => is_in_folder && folder.starts_with('/'),
                Extent::Exact => false,
            }
    }

    /// Returns whether a command begins with the first part, and has the others in it.
    fn begins_with(&self, value: &str, first: &str) -> bool {
        let is_option = first.starts_with('-');
        let begins = value
            .strip_prefix(first)
            .is_some_and(|it| ends_word(it, first));
        let is_vague = self.parts.len() == 1 && is_word(first) && !names_command(first);
        let rest = if is_option {
            &self.parts[..]
        } else {
            &self.parts[1..]
        };
        (is_option || begins) && !is_vague && rest.iter().all(|it| has_words(value, it))
    }
}

/// Returns whether a text is in another one, as whole words.
fn has_words(value: &str, text: &str) -> bool {
    value.match_indices(text).any(|(at, _)| {
        let before = value[..at].chars().next_back();
        let starts = before.is_none_or(|it| !it.is_alphanumeric() && it != '-' && it != '.');
        starts && ends_word(&value[at + text.len()..], text)
    })
}

fn ends_word(rest: &str, text: &str) -> bool {
    let next = rest.chars().next();
    text.ends_with(' ') || next.is_none_or(|it| !it.is_alphanumeric() && !"-._/".contains(it))
}
