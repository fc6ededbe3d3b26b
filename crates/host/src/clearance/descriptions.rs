//! Calls that change a part of a file that affects hooks (TR-8): the `type` and scripts in a
//! `package.json`, settings of git and npm. The rest of such a file belongs to the project.

use std::path::{Path, PathBuf};

use hookloop_shell::{Command, Place as RunsAt, RedirectKind};
use serde_json::{Map, Value};

use super::commands::Place;
use super::reading::bytes_of;

/// The maximum length of a description, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Programs that write descriptions.
const WRITERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];

/// Programs that replace a file by another.
const COPIERS: [&str; 5] = ["cp", "mv", "install", "ln", "rsync"];

/// Options of `git config` that only query, and those that remove.
const ASKING: [&str; 8] = [
    "--get",
    "--get-all",
    "--get-regexp",
    "--get-urlmatch",
    "--list",
    "-l",
    "--get-color",
    "get",
];
const TAKING: [&str; 8] = [
    "--unset",
    "--unset-all",
    "--remove-section",
    "--rename-section",
    "unset",
    "remove-section",
    "rename-section",
    "--edit",
];

impl Place {
    /// Returns the description that a call of a file tool would change so that a script is
    /// interpreted differently.
    pub(super) fn changed_by_tool(
        &self,
        path: &str,
        arguments: &Map<String, Value>,
    ) -> Option<PathBuf> {
        let path = self.path_of(path);
        let file = self.protected.describing_file(&path)?;
        let text = |name: &str| arguments.get(name).and_then(Value::as_str);
        let written = match (text("content"), text("old_string"), text("new_string")) {
            (Some(content), ..) => content.to_owned(),
            (None, Some(old), Some(new)) => {
                let bytes = bytes_of(&file, MAX_BYTES).unwrap_or_default();
                let before = String::from_utf8_lossy(&bytes);
                if old.is_empty() {
                    new.to_owned()
                } else {
                    before.replace(old, new)
                }
            }
            _ => return None,
        };
        self.protected.read_otherwise(&path, &written)
    }

    /// Returns the file in which a command would change a deciding part, as far as the written
    /// content is known; otherwise, a mention in the whole text counts.
    pub(super) fn changed_by_command(
        &self,
        command: &Command,
        text: &str,
        known: &[(String, String)],
    ) -> Option<PathBuf> {
        if command.place != RunsAt::Here {
            return None;
        }
        if let Some(file) = self.changed_setting(command) {
            return Some(file);
        }
        let mut written = command.writes.iter().flat_map(|it| &it.paths);
        let written = written.find_map(|path| {
            let file = self.protected.describing_file(Path::new(path))?;
            self.may_differ(command, &file, text, known).then_some(file)
        });
        written.or_else(|| {
            let writes = ["pkg", "init", "create", "set-script"];
            let subcommand = command.subcommand.as_deref();
            let first = command.texts_after_program();
            let mut first = first.filter(|it| !it.starts_with('-'));
            let subcommand = subcommand.or_else(|| first.next()).unwrap_or_default();
            let subcommand = subcommand.split(' ').next().unwrap_or_default();
            if !WRITERS.contains(&&*command.program) || !writes.contains(&subcommand) {
                return None;
            }
            // A query writes nothing.
            let mut operands = command.operands();
            if subcommand == "pkg" && operands.any(|it| it.text == "get") {
                return None;
            }
            let mut folders = command
                .folders
                .iter()
                .map(|it| Path::new(it).join("package.json"));
            folders.find_map(|it| {
                let file = self.protected.describing_file(&it)?;
                self.mentions(&file, text).then_some(file)
            })
        })
    }

    /// Returns whether a command may change the deciding part of a file.
    fn may_differ(
        &self,
        command: &Command,
        file: &Path,
        text: &str,
        known: &[(String, String)],
    ) -> bool {
        let differs = |text: &str| self.protected.read_otherwise(file, text).is_some();
        let before = || {
            let bytes = bytes_of(file, MAX_BYTES).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let mut texts = known.iter().filter(|(path, _)| Path::new(path) == file);
        if let Some((_, text)) = texts.next_back() {
            let mut redirects = command.redirects.iter();
            let appends = redirects.any(|it| it.kind == RedirectKind::Append)
                || command.program == "tee" && command.has_option(&["-a", "--append"]);
            return differs(&if appends {
                format!("{}\n{text}", before())
            } else {
                text.clone()
            });
        }
        if COPIERS.contains(&&*command.program) {
            let mut sources = command.operands().filter_map(|word| {
                let mut folders = command.folders.iter();
                let path = folders.find_map(|it| {
                    let path = Path::new(it).join(&word.text);
                    (path.is_file() && path != file).then_some(path)
                })?;
                let bytes = bytes_of(&path, MAX_BYTES)?;
                Some(String::from_utf8_lossy(&bytes).into_owned())
            });
            if let Some(text) = sources.next() {
                return differs(&text);
            }
        }
        self.mentions(file, text)
    }

    /// Returns whether a text mentions the deciding part of a file.
    fn mentions(&self, file: &Path, text: &str) -> bool {
        let words = ["type", "es6", "esm"];
        let kind = file.ends_with("package.json") && words.iter().any(|it| text.contains(it));
        kind || self
            .protected
            .parts_of(file)
            .any(|it| it.may_be_changed_by(text))
    }

    /// `git config core.fsmonitor ./x`, `npm config set script-shell x`: a program that writes its
    /// own settings.
    fn changed_setting(&self, command: &Command) -> Option<PathBuf> {
        let words: Vec<&str> = command.texts_after_program().collect();
        match command.program.as_str() {
            "git" => self.set_by_git(command, &words),
            program if WRITERS.contains(&program) => self.set_by_packages(command, &words),
            _ => None,
        }
    }

    fn set_by_git(&self, command: &Command, words: &[&str]) -> Option<PathBuf> {
        let subcommand = command.subcommand.as_deref()?;
        if subcommand.split(' ').next() != Some("config") {
            return self.hidden_from_git(command, words);
        }
        let asks = words.iter().any(|it| ASKING.contains(it) || *it == "list");
        let operands: Vec<&str> = command.operands().map(|it| it.text.as_str()).collect();
        let operands: Vec<&str> = operands
            .into_iter()
            .skip_while(|it| {
                [
                    "config",
                    "set",
                    "unset",
                    "edit",
                    "remove-section",
                    "rename-section",
                ]
                .contains(it)
            })
            .collect();
        let takes = words
            .iter()
            .any(|it| TAKING.contains(it) || ["edit", "-e"].contains(it));
        if asks || operands.len() < 2 && !takes {
            return None;
        }
        let key = command.operands().find(|it| it.text.contains('.'));
        let key = key.filter(|it| it.known).map(|it| it.text.as_str());
        let home = self.home.as_ref();
        let is = |option: &str| words.contains(&option);
        let given = command.values_of(&["-f", "--file"]).into_iter().next();
        let mut files = Vec::new();
        for folder in command.folders.iter().map(Path::new) {
            if let Some(given) = &given {
                files.push(folder.join(&given.text));
            } else if !is("--global") {
                files.extend(super::git_files::settings_in(folder));
            }
        }
        if is("--global") || is("--system") {
            files.extend(home.map(|it| it.join(".gitconfig")));
            files.extend(home.map(|it| it.join(".config/git/config")));
            files.extend(self.git_variable_files(command));
        }
        self.deciding_file(&files, key.or_else(|| operands.first().copied()))
    }

    /// Returns the settings files that variables name for git instead of the usual ones.
    fn git_variable_files(&self, command: &Command) -> Vec<PathBuf> {
        let of_variable = |name: &str| {
            let before = command.env.iter().rev().find(|it| it.name == name);
            let before = before.map(|it| it.value.text.clone());
            before.or_else(|| self.variable(name))
        };
        let folder = of_variable("XDG_CONFIG_HOME").map(|it| it + "/git/config");
        let files = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"].map(of_variable);
        let files = files.into_iter().flatten().chain(folder);
        files.map(|it| self.cwd.join(it)).collect()
    }

    /// `git update-index --assume-unchanged x`, `git replace a b`: what git ignores from then on,
    /// if a hook queries git.
    fn hidden_from_git(&self, command: &Command, words: &[&str]) -> Option<PathBuf> {
        let subcommand = command.subcommand.as_deref()?;
        let subcommand = subcommand.split(' ').next()?;
        let has = |options: &[&str]| words.iter().any(|it| is_cut_from(it, options));
        let hides = match subcommand {
            "update-index" => has(&[
                "--assume-unchanged",
                "--skip-worktree",
                "--fsmonitor-valid",
                "--fsmonitor",
                "--split-index",
                "--ignore-skip-worktree-entries",
            ]),
            "sparse-checkout" => has(&["set", "add", "init", "reapply"]),
            "replace" => !has(&["-l", "--list"]) && words.len() > 1,
            "update-ref" | "symbolic-ref" => {
                has(&["--stdin"]) || words.iter().any(|it| it.contains("refs/replace"))
            }
            "fetch" | "pull" => words.iter().any(|it| brings_replacements(it)),
            _ => false,
        };
        let folders = command.folders.iter().map(Path::new);
        let indexes: Vec<PathBuf> = folders.map(super::git_files::index_in).collect();
        hides
            .then(|| self.deciding_file(&indexes, Some(subcommand)))
            .flatten()
    }

    fn set_by_packages(&self, command: &Command, words: &[&str]) -> Option<PathBuf> {
        let mut operands = words.iter().filter(|it| !it.starts_with('-'));
        let first = operands.next()?;
        let second = if *first == "config" || *first == "c" {
            operands.next().copied()
        } else {
            Some(*first)
        };
        let sets = ["set", "delete", "rm", "edit", "fix", "unset"];
        if !second.is_some_and(|it| sets.contains(&it)) {
            return None;
        }
        let home = self.home.iter().map(|it| it.join(".npmrc"));
        let folders = command
            .folders
            .iter()
            .map(|it| Path::new(it).join(".npmrc"));
        let files: Vec<PathBuf> = home.chain(folders).collect();
        let operands: Vec<&str> = operands.copied().collect();
        let has_pairs = operands.first().is_some_and(|it| it.contains('='));
        // `set name value`
        let count = if second == Some("set") && !has_pairs {
            1
        } else {
            operands.len()
        };
        let keys = operands.iter().take(count);
        let keys: Vec<&str> = keys
            .map(|it| it.split('=').next().unwrap_or_default())
            .collect();
        match keys.first() {
            None => self.deciding_file(&files, None),
            Some(_) => keys
                .iter()
                .find_map(|it| self.deciding_file(&files, Some(it))),
        }
    }

    /// Returns the first of some files in which a setting with this name is deciding; without a
    /// name, any setting.
    fn deciding_file(&self, files: &[PathBuf], key: Option<&str>) -> Option<PathBuf> {
        files.iter().find_map(|file| {
            let file = self.protected.describing_file(file)?;
            let mut parts = self.protected.parts_of(&file);
            parts
                .any(|it| key.is_none_or(|key| it.counts(key)))
                .then_some(file.clone())
        })
    }
}

/// Returns whether a word is one of some options, possibly abbreviated, as git accepts.
fn is_cut_from(word: &str, options: &[&str]) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    let is_short = |it: &&str| it.starts_with("--") && name.len() > 2 && it.starts_with(name);
    options.iter().any(|it| *it == name || is_short(it))
}

/// `x:refs/replace/y`, `+refs/*:refs/*`: references with which git replaces commits.
fn brings_replacements(refspec: &str) -> bool {
    const THERE: &str = "refs/replace/";
    let Some((_, target)) = refspec.split_once(':') else {
        return refspec.starts_with("--refmap");
    };
    match target.split_once('*') {
        Some((before, _)) => THERE.starts_with(before) || before.starts_with(THERE),
        None => target.starts_with(THERE),
    }
}
