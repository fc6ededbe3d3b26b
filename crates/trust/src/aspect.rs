//! The part of a file that affects a hook, where people edit the rest of the file (TR-8).

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::git_index::hidden_in;
use crate::named_file::text_of;
use crate::real_path::real_path;

/// A file of which only a part affects a hook.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FilePart {
    /// The file. It need not exist yet.
    pub file: PathBuf,
    /// The part that counts.
    pub part: Part,
}

/// The part of a file that affects a hook.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Scripts of a `package.json`, by name, with the scripts that run before and after them.
    Scripts(BTreeSet<String>),
    /// Settings of npm and similar package managers that determine how scripts run.
    PackageSettings,
    /// Git settings that change what git does and prints, plus those of the additional sections
    /// that a hook reads; `*` stands for all sections.
    GitSettings(BTreeSet<String>),
    /// The parts of a Python project's metadata that control tools.
    PythonTools,
    /// Lines that affect git's answers: ignored files, attributes, people's names.
    GitLines,
    /// The settings that make git ignore parts of submodules.
    Submodules,
    /// The flags that make git ignore files. They are set by commands and stored in git's index,
    /// not in a text file.
    GitIndex,
    /// Commits that git is told to replace by others.
    GitReplacements,
    /// The entries of a Rust workspace's manifest that replace packages or control their build.
    RustWorkspace,
    /// The whole file.
    Whole,
}

/// Files with a given name below a folder, of which a part affects a hook. They need not exist yet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedFiles {
    /// The folder.
    pub folder: PathBuf,
    /// The file name, or a pattern of names.
    pub name: String,
    /// The part that affects the hook.
    pub part: Part,
    /// How far below the folder the files are.
    pub depth: Depth,
}

/// How far below a folder files are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// In the folder itself.
    Direct,
    /// Anywhere below it.
    Any,
}

/// In how many folders files are searched for by name.
const MAX_FOLDERS: usize = 4096;

/// Folders that aren't searched.
const SKIPPED_FOLDERS: [&str; 4] = [".git", "node_modules", "target", ".venv"];

impl NamedFiles {
    /// Returns whether a file is one of these.
    pub fn holds(&self, file: &Path) -> bool {
        let is_there = match self.depth {
            Depth::Direct => file.parent() == Some(&self.folder),
            Depth::Any => file.starts_with(&self.folder),
        };
        is_there && self.matches(file)
    }

    fn matches(&self, file: &Path) -> bool {
        let name = file.file_name().and_then(|it| it.to_str());
        name.is_some_and(|it| it == self.name || hookloop_shell::matches(&self.name, it))
    }

    /// Returns the files that exist, in as many folders as the limit allows. If there are more, the
    /// folder is added to `in_part`.
    pub fn existing(&self, in_part: &mut BTreeSet<PathBuf>) -> Vec<FilePart> {
        let mut waiting = VecDeque::from([self.folder.clone()]);
        let (mut seen, mut found) = (0, Vec::new());
        while let Some(folder) = waiting.pop_front() {
            seen += 1;
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if entry.file_type().is_ok_and(|it| it.is_dir()) {
                    let is_meant = self.depth == Depth::Any
                        && !SKIPPED_FOLDERS.iter().any(|it| entry.file_name() == *it);
                    if is_meant && seen + waiting.len() < MAX_FOLDERS {
                        waiting.push_back(path);
                    } else if is_meant {
                        in_part.insert(self.folder.clone());
                    }
                } else if self.matches(&path) {
                    found.push(FilePart {
                        file: path,
                        part: self.part.clone(),
                    });
                }
            }
        }
        found
    }
}

/// Where git keeps which commits it replaces by others.
const REPLACEMENTS: &str = "refs/replace/";

/// Commands that make git ignore something, by the words that follow `git`.
const HIDING_FROM_GIT: [&str; 7] = [
    "update-index",
    "sparse-checkout",
    "replace",
    "update-ref",
    "fetch",
    "pull",
    "symbolic-ref",
];

/// Sections of git settings that say where things are and who somebody is.
const HARMLESS_OF_GIT: [&str; 43] = [
    "advice",
    "author",
    "branch",
    "checkout",
    "clean",
    "clone",
    "column",
    "commit",
    "committer",
    "credential",
    "difftool",
    "fetch",
    "format",
    "gc",
    "gpg",
    "gui",
    "help",
    "http",
    "https",
    "init",
    "instaweb",
    "lfs",
    "maintenance",
    "man",
    "merge",
    "mergetool",
    "notes",
    "pack",
    "pager",
    "protocol",
    "pull",
    "push",
    "rebase",
    "receive",
    "remote",
    "rerere",
    "safe",
    "sendemail",
    "stash",
    "submodule",
    "tag",
    "user",
    "web",
];

/// Names below `core` that don't change anything that git prints into a pipe.
const HARMLESS_OF_CORE: [&str; 5] = ["editor", "pager", "askpass", "sshcommand", "commentchar"];

/// Settings of npm and similar package managers that don't change how scripts run.
const HARMLESS_OF_PACKAGES: [&str; 20] = [
    "registry",
    "save",
    "save-exact",
    "save-prefix",
    "audit",
    "audit-level",
    "fund",
    "progress",
    "loglevel",
    "package-lock",
    "legacy-peer-deps",
    "engine-strict",
    "always-auth",
    "email",
    "cache",
    "update-notifier",
    "strict-ssl",
    "cafile",
    "proxy",
    "https-proxy",
];

/// Sections of a `pyproject.toml` that people edit: the description of the project, and tools that
/// check texts.
const HARMLESS_OF_PYTHON: [&str; 14] = [
    "dependency-groups",
    "project.dependencies",
    "project.optional-dependencies",
    "project.urls",
    "tool.black",
    "tool.coverage",
    "tool.flake8",
    "tool.isort",
    "tool.mypy",
    "tool.pylint",
    "tool.pyright",
    "tool.pytest",
    "tool.ruff",
    "tool.semantic_release",
];

/// Dependencies of a project, for poetry and in general, and its name.
const HARMLESS_TABLES_OF_PYTHON: [&str; 4] = [
    "project",
    "tool.poetry",
    "tool.poetry.dependencies",
    "tool.poetry.group",
];

impl FilePart {
    /// Returns the current content of the part, which is equal as long as nothing in it changes.
    pub fn current_content(&self) -> String {
        if self.part == Part::GitIndex {
            return hidden_in(&self.file);
        }
        let text = real_path(&self.file).and_then(|it| text_of(&it));
        self.part.of(text.as_deref())
    }
}

impl Part {
    /// Returns the content of the part in a text; `None` stands for a file that doesn't exist.
    pub fn of(&self, text: Option<&str>) -> String {
        let Some(text) = text else {
            return String::new();
        };
        match self {
            Self::Scripts(names) => scripts(names, text),
            Self::PackageSettings => significant_lines(text, |line| {
                let key = line.split('=').next().unwrap_or_default().trim();
                !(key.starts_with("//")
                    || key.starts_with('@') && key.ends_with(":registry")
                    || key.starts_with("init-")
                    || HARMLESS_OF_PACKAGES.contains(&key))
            }),
            Self::GitSettings(asked) => git_settings(text, asked),
            Self::PythonTools => python_tools(text),
            Self::RustWorkspace => rust_workspace(text),
            Self::GitLines => git_lines(text),
            Self::Submodules => settings_of_git(text, |_, name| name == "ignore"),
            Self::GitIndex => String::new(),
            Self::GitReplacements => significant_lines(text, |line| line.contains(REPLACEMENTS)),
            Self::Whole => text.to_owned(),
        }
    }

    /// Returns whether a setting with this name belongs to the part.
    pub fn counts(&self, key: &str) -> bool {
        match self {
            Self::GitSettings(asked) => {
                let (section, name) = key.split_once('.').unwrap_or((key, ""));
                counts_for_git(section, name, asked)
            }
            Self::GitIndex => HIDING_FROM_GIT.contains(&key),
            part => !part.of(Some(&format!("{key}=x\n"))).is_empty(),
        }
    }

    /// Returns the word for the part in a person's agreement; `None` for a part that isn't in one,
    /// because no project brings it along.
    pub(crate) fn agreed_as(&self) -> Option<String> {
        match self {
            Self::Scripts(names) => {
                let names = names.iter().map(|it| format!(" {it}"));
                Some(format!("scripts{}", names.collect::<String>()))
            }
            Self::PackageSettings => Some("settings".to_owned()),
            Self::PythonTools => Some("tools".to_owned()),
            Self::RustWorkspace => Some("patches".to_owned()),
            Self::GitSettings(_)
            | Self::GitLines
            | Self::Submodules
            | Self::GitIndex
            | Self::GitReplacements
            | Self::Whole => None,
        }
    }

    /// Returns whether a command could change the part by its text; what it writes isn't known.
    pub fn may_be_changed_by(&self, text: &str) -> bool {
        match self {
            Self::Scripts(names) => {
                text.contains("scripts") || names.iter().any(|it| text.contains(it.as_str()))
            }
            _ => true,
        }
    }
}

/// Makes an aspect of a file, depending on where its name leads.
pub(crate) fn aspect(file: &Path, part: Part) -> FilePart {
    FilePart {
        file: real_path(file).unwrap_or_else(|| file.to_path_buf()),
        part,
    }
}

fn scripts(names: &BTreeSet<String>, text: &str) -> String {
    let described: Option<Value> = serde_json::from_str(text).ok();
    let Some(described) = described else {
        return "unreadable".to_owned();
    };
    let mut found = String::new();
    let scripts = described.get("scripts");
    for name in names {
        for name in [format!("pre{name}"), name.clone(), format!("post{name}")] {
            if let Some(line) = scripts.and_then(|it| it.get(&name)) {
                found.extend([name.as_str(), "=", &line.to_string(), "\n"]);
            }
        }
    }
    for field in ["packageManager", "config", "workspaces"] {
        if let Some(value) = described.get(field) {
            found.extend([field, "=", &value.to_string(), "\n"]);
        }
    }
    found
}

/// Returns the lines that mean something, without blanks around them.
fn significant_lines(text: &str, counts: impl Fn(&str) -> bool) -> String {
    let lines = text.lines().map(str::trim);
    let said = lines.filter(|it| !it.is_empty() && !it.starts_with(['#', ';']));
    said.filter(|it| counts(it))
        .fold(String::new(), |all, it| all + it + "\n")
}

/// Returns the lines of a list that git reads. Blanks belong to a pattern.
fn git_lines(text: &str) -> String {
    let said = text
        .lines()
        .filter(|it| !it.trim().is_empty() && !it.starts_with('#'));
    said.fold(String::new(), |all, it| all + it + "\n")
}

fn counts_for_git(section: &str, name: &str, asked: &BTreeSet<String>) -> bool {
    let section = section.to_ascii_lowercase();
    let name = name.to_ascii_lowercase();
    if asked.contains("*") || asked.contains(&section) {
        return true;
    }
    if section == "core" {
        return !HARMLESS_OF_CORE.contains(&name.as_str());
    }
    !HARMLESS_OF_GIT.contains(&section.as_str())
}

fn git_settings(text: &str, asked: &BTreeSet<String>) -> String {
    settings_of_git(text, |section, name| counts_for_git(section, name, asked))
}

/// Returns the git settings that count, by section and name, both in lower case.
fn settings_of_git(text: &str, does_count: impl Fn(&str, &str) -> bool) -> String {
    let mut found = String::new();
    let mut section = String::new();
    let mut head = String::new();
    let mut goes_on = false;
    let mut counts = false;
    for line in text.trim_start_matches('\u{feff}').lines().map(str::trim) {
        let mut line = line;
        // A continuation line belongs to the one before it; a line may contain several section
        // headers.
        while !goes_on && let Some(rest) = line.strip_prefix('[') {
            let end = hookloop_shell::end_of_head(rest);
            let name = rest[..end].split([' ', '\t', '.', '"']).next();
            section = name.unwrap_or_default().to_ascii_lowercase();
            head = rest[..end].to_ascii_lowercase();
            line = rest.get(end + 1..).unwrap_or_default().trim();
            if end == rest.len() {
                found.push_str("unreadable\n");
            }
        }
        let is_comment = !goes_on && line.starts_with(['#', ';']);
        if !goes_on {
            let name = line.split(['=', ' ', '\t', '#', ';']).next();
            let name = name.unwrap_or_default().to_ascii_lowercase();
            counts = does_count(&section, &name);
        }
        goes_on = !is_comment && line.ends_with('\\');
        if !line.is_empty() && !is_comment && counts {
            found.extend([head.as_str(), ".", line, "\n"]);
        }
    }
    found
}

/// Returns the packages that a manifest takes from elsewhere than where they are published, and how
/// they are built.
fn rust_workspace(text: &str) -> String {
    let mut found = String::new();
    let mut section = String::new();
    for line in text
        .lines()
        .map(str::trim)
        .filter(|it| !it.starts_with('#'))
    {
        if let Some(name) = line.strip_prefix('[') {
            name.trim_end_matches(']').trim().clone_into(&mut section);
        }
        let is_patch = ["patch", "replace"]
            .iter()
            .any(|it| section.starts_with(it));
        let is_elsewhere = section.starts_with("workspace.dependencies")
            && ["path", "git"].iter().any(|it| line.contains(it));
        if (is_patch || is_elsewhere) && !line.is_empty() {
            found.extend([section.as_str(), ".", line, "\n"]);
        }
    }
    found
}

fn python_tools(text: &str) -> String {
    let mut section = String::new();
    let mut found = String::new();
    for line in text.lines().map(str::trim) {
        let name = line.trim_start_matches('[').trim_end_matches(']').trim();
        // An element of a list may also be in brackets.
        let is_head =
            line.starts_with('[') && line.ends_with(']') && !name.contains([',', '[', '{']);
        if is_head {
            name.clone_into(&mut section);
        }
        if !line.is_empty() && !line.starts_with('#') && !is_harmless(&section) {
            found.extend([line, "\n"]);
        }
    }
    found
}

fn is_harmless(section: &str) -> bool {
    HARMLESS_TABLES_OF_PYTHON.contains(&section)
        || section.starts_with("tool.poetry.group.")
        || HARMLESS_OF_PYTHON.iter().any(|it| {
            section == *it
                || section
                    .strip_prefix(it)
                    .is_some_and(|it| it.starts_with('.'))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(all: &[&str]) -> BTreeSet<String> {
        all.iter().map(|it| (*it).to_owned()).collect()
    }

    /// TR-8: in a file that people edit, the part that decides is distinguished from the rest.
    #[test]
    fn what_decides_is_told_from_the_rest() {
        let scripts = Part::Scripts(names(&["guard"]));
        let git = Part::GitSettings(BTreeSet::new());
        let asked = Part::GitSettings(names(&["guard"]));
        let npm = Part::PackageSettings;
        let python = Part::PythonTools;
        for (part, before, after, decides) in [
            (
                &scripts,
                r#"{"scripts":{"guard":"a"}}"#,
                r#"{"version":"2","scripts":{"b":"c","guard":"a"}}"#,
                false,
            ),
            (
                &scripts,
                r#"{"scripts":{"guard":"a"}}"#,
                r#"{"scripts":{"guard":"b"}}"#,
                true,
            ),
            (
                &scripts,
                r#"{"scripts":{"guard":"a"}}"#,
                r#"{"scripts":{"guard":"a","preguard":"b"}}"#,
                true,
            ),
            (&scripts, r#"{"scripts":{"guard":"a"}}"#, "{", true),
            (
                &git,
                "[core]\n\tbare = false\n",
                "[core]\n\tbare = false\n[user]\n\tname = a\n[remote \"o\"]\n\turl = x\n",
                false,
            ),
            (
                &git,
                "[core]\n\tbare = false\n",
                "[core]\n\tbare = false\n\tfsmonitor = ./x\n",
                true,
            ),
            (&git, "", "[user]\nname=a\\\nb\n[diff]external=x", true),
            (&git, "", "[include]\n\tpath = x\n", true),
            (&git, "", "[guard]\nlevel=off\n", true),
            (&git, "[user]\nname=a\n", "[user]\nname=b\n", false),
            (&asked, "", "[Guard \"x\"]\nlevel=off\n", true),
            (
                &npm,
                "",
                "registry=http://x/\n//x/:_authToken=a\n@a:registry=b\n",
                false,
            ),
            (
                &npm,
                "registry=x\n",
                "registry=x\n script-shell = /bin/true\n",
                true,
            ),
            (&npm, "", "node-options=-r ./x.js", true),
            (
                &python,
                "[project]\nname='a'\n",
                "[project]\nname='a'\ndependencies = [\n \"b\",\n]\n[tool.ruff.lint]\nselect=[\"E\"]\n",
                false,
            ),
            (
                &python,
                "[project]\nname='a'\n",
                "[project]\nname='a'\n[project.scripts]\nguard='x:y'\n",
                true,
            ),
            (&python, "", "[tool.uv]\npackage=false\n", true),
        ] {
            let differs = part.of(Some(before)) != part.of(Some(after));
            assert_eq!(differs, decides, "{part:?}: {before:?} {after:?}");
        }
    }

    /// TR-8: git settings are distinguished in upper and lower case and with several of them in one
    /// line; in git's lists, each line counts exactly as written.
    #[test]
    fn settings_and_lists_of_git_are_read_as_git_does() {
        let git = Part::GitSettings(BTreeSet::new());
        let submodules = Part::Submodules;
        for (part, before, after, decides) in [
            (&git, "", "[core] hooksPath = x\n", true),
            (
                &git,
                "",
                "[user \"a]b\"] name = x\n[Diff] External = x\n",
                true,
            ),
            (&git, "", "[user][core]fsmonitor=x\n", true),
            (&Part::GitLines, "# a\nx\n", "x\n", false),
            (&Part::GitLines, "x\n", " x\n", true),
            (&Part::GitLines, "", ";x\n", true),
            (&submodules, "", "[submodule \"x\"]\n\tIgnore = all\n", true),
            (&submodules, "", "[submodule \"x\"] ignore = all\n", true),
            (&submodules, "", "[submodule \"a]b\"] IGNORE=all\n", true),
            (
                &submodules,
                "",
                "[submodule \"x\"]\n\tpath = ignore\n",
                false,
            ),
        ] {
            let differs = part.of(Some(before)) != part.of(Some(after));
            assert_eq!(differs, decides, "{part:?}: {before:?} {after:?}");
        }
    }

    /// TR-8: a single setting counts as it would in its file.
    #[test]
    fn settings_count_by_their_names() {
        let git = Part::GitSettings(names(&["remote"]));
        for (part, key, counts) in [
            (&git, "core.fsmonitor", true),
            (&git, "core.editor", false),
            (&git, "user.name", false),
            (&git, "remote.origin.url", true),
            (&git, "guard.level", true),
            (&Part::PackageSettings, "script-shell", true),
            (&Part::PackageSettings, "registry", false),
        ] {
            assert_eq!(part.counts(key), counts, "{key}");
        }
    }
}
