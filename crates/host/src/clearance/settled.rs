//! Parts of a command whose meaning is certain before it runs, although they are written as
//! something computed (TR-8).

use std::borrow::Cow;
use std::path::Path;

use super::commands::Place;
use super::commits;

/// Words in a text that may set variables, or redefine names.
const MAY_SET: [&str; 22] = [
    "eval",
    "source",
    "read",
    "readarray",
    "mapfile",
    "getopts",
    "printf",
    "declare",
    "typeset",
    "export",
    "local",
    "readonly",
    "let",
    "select",
    "trap",
    "coproc",
    "alias",
    "unset",
    "enable",
    "set",
    "function",
    "hash",
];

/// Programs that start others, or shells, in an environment of their choice.
const STARTS_SHELLS: [&str; 14] = [
    "bash", "sh", "zsh", "dash", "ksh", "fish", "env", "direnv", "dotenv", "sudo", "su", "ssh",
    "xargs", "parallel",
];

/// Calls of `ssh-agent` that print variables.
const SSH_AGENT_CALLS: [&str; 6] = [
    "eval \"$(ssh-agent -s)\"",
    "eval \"$(ssh-agent)\"",
    "eval $(ssh-agent -s)",
    "eval $(ssh-agent)",
    "eval `ssh-agent -s`",
    "eval `ssh-agent`",
];

impl Place {
    /// Returns a text in which certain computations are replaced by their results.
    pub(super) fn substitute<'t>(&self, text: &'t str, folder: &Path) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        if self.is_shell_as_it_is() {
            if let Some(settled) = self.with_merge_base(&text, folder) {
                text = Cow::Owned(settled);
            }
            if let Some(settled) = self.without_agent(&text) {
                text = Cow::Owned(settled);
            }
        }
        text
    }

    /// Returns whether nothing in the environment makes a shell run other commands first.
    fn is_shell_as_it_is(&self) -> bool {
        let sets = |name: &str| {
            matches!(name, "BASH_ENV" | "ENV" | "SHELLOPTS" | "BASHOPTS")
                || name.starts_with("BASH_FUNC_")
        };
        let mut names = self.variables.iter().map(|(name, _)| name.to_str());
        !self.variables.is_empty()
            && self.variable("BASH_ENV").is_none()
            && names.all(|it| it.is_some_and(|it| !sets(it)))
    }

    /// Returns whether a variable certainly has no value where a text uses it: it isn't in the
    /// environment, and nothing in the text could set it.
    pub(super) fn is_unset(&self, name: &str, text: &str) -> bool {
        let is_own = hookloop_shell::is_set_by_shells(name);
        let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
        let is_name = name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
            && name.chars().all(is_part);
        let is_known = self
            .variables
            .iter()
            .any(|(known, _)| known.to_str() == Some(name));
        // A program that starts shells itself may give them other variables.
        let starts_others = words_of(text).any(|it| STARTS_SHELLS.contains(&it));
        if is_own
            || !is_name
            || is_known
            || starts_others
            || !self.is_shell_as_it_is()
            || may_set(text)
        {
            return false;
        }
        let mut places = text.match_indices(name).peekable();
        places.peek().is_some()
            && places.all(|(at, _)| {
                let (before, behind) = (&text[..at], &text[at + name.len()..]);
                let goes_on = behind.starts_with(is_part) || before.ends_with(is_part);
                goes_on || before.ends_with('$') || before.ends_with("${")
            })
    }

    /// `git checkout $(git merge-base main HEAD)`: the commit already exists.
    fn with_merge_base(&self, text: &str, folder: &Path) -> Option<String> {
        let (before, rest) = text.split_once("$(git merge-base ")?;
        let (words, behind) = rest.split_once(')')?;
        let computes = |it: char| ";&|\n`<>(){}$\\'".contains(it);
        let is_plain = |it: &&str| {
            let of_names = |it: char| it.is_ascii_alphanumeric() || "_./@^~-".contains(it);
            !it.starts_with('-') && it.chars().all(of_names)
        };
        let words: Vec<&str> = words.split_whitespace().collect();
        let is_first = before.trim_start().starts_with("git ") && !before.contains(computes);
        let elsewhere = self.variables.iter().any(|(name, _)| {
            let name = name.to_string_lossy();
            let of_people = [
                "GIT_AUTHOR_",
                "GIT_COMMITTER_",
                "GIT_EDITOR",
                "GIT_PAGER",
                "GIT_SSH",
            ];
            name.starts_with("GIT_") && !of_people.iter().any(|it| name.starts_with(it))
        });
        if !is_first
            || elsewhere
            || self.variable("GIT_DIR").is_some()
            || words.len() != 2
            || !words.iter().all(is_plain)
        {
            return None;
        }
        let commit = commits::merge_base(folder, &self.variables, words[0], words[1])?;
        Some(format!("{before}{commit}{behind}"))
    }

    /// `eval "$(ssh-agent -s)"`: it sets where the agent listens, and nothing else.
    fn without_agent(&self, text: &str) -> Option<String> {
        let mut without = text.to_owned();
        for form in SSH_AGENT_CALLS {
            without = without.replace(form, "true");
        }
        let others = ["ssh-agent", "PATH", "()", "eval"];
        let words: Vec<&str> = words_of(&without).collect();
        let may_differ = others.iter().any(|it| without.contains(it))
            || MAY_SET.iter().any(|it| words.contains(it));
        (without != text && !may_differ && self.is_program_of_system("ssh-agent"))
            .then_some(without)
    }

    /// Returns whether a program is in a folder that neither the project nor the session controls.
    fn is_program_of_system(&self, program: &str) -> bool {
        let Some(path) = self.variable("PATH") else {
            return false;
        };
        let found =
            std::env::split_paths(&path).find(|it| !it.is_absolute() || it.join(program).is_file());
        found.is_some_and(|folder| {
            let file = folder.join(program);
            let real = file.canonicalize().unwrap_or_else(|_| file.clone());
            let is_ours = |it: &Path| it.starts_with(&self.cwd) || !it.is_absolute();
            !is_ours(&file) && !is_ours(&real) && !self.is_of_session(&file)
        })
    }
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
    text.split(move |it| !is_part(it))
}

/// Returns whether a text could set variables without naming them.
fn may_set(text: &str) -> bool {
    let sources = text.trim_start().starts_with(". ")
        || [
            "\n. ", "; . ", ";. ", "&& . ", "|| . ", "( . ", "(. ", "{ . ",
        ]
        .iter()
        .any(|it| text.contains(it));
    let mut words = words_of(text);
    sources || text.contains("${!") || text.contains("((") || words.any(|it| MAY_SET.contains(&it))
}
