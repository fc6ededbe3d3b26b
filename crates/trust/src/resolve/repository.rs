//! What git reads before it answers a hook (TR-8).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookloop_shell::{Command, alias_of_git, settings_of_git};

use crate::aspect::{Depth, NamedFiles, Part};
use crate::named_file::text_of;
use crate::real_path::real_path;
use crate::resolve::{Finder, commands};

/// Git commands that print the content of files according to attributes.
const PRINTING: [&str; 9] = [
    "diff",
    "show",
    "log",
    "grep",
    "blame",
    "archive",
    "diff-index",
    "diff-files",
    "diff-tree",
];

/// Options by which those print names, or nothing.
const NAMES_ALONE: [&str; 6] = [
    "--name-only",
    "--name-status",
    "--quiet",
    "-q",
    "--raw",
    "--summary",
];

/// Options by which a log prints more than messages.
const WITH_CHANGES: [&str; 9] = [
    "-p",
    "-u",
    "--patch",
    "--stat",
    "--numstat",
    "--shortstat",
    "-S",
    "-G",
    "-L",
];

/// Options that list files that are, or aren't, ignored.
const LISTING: [&str; 8] = [
    "-o",
    "--others",
    "-i",
    "--ignored",
    "--exclude-standard",
    "--exclude-per-directory",
    "-X",
    "--exclude-from",
];

/// How many settings files are followed from one to the next.
const MAX_SETTINGS: usize = 32;

/// What git reads besides its settings before it answers a command.
struct GitLookup<'c> {
    command: &'c Command,
    subcommand: &'c str,
}

impl<'c> GitLookup<'c> {
    fn of(command: &'c Command) -> Self {
        let subcommand = command.subcommand.as_deref().unwrap_or_default();
        Self {
            command,
            subcommand,
        }
    }

    fn words(&self) -> impl Iterator<Item = &'c str> {
        self.command.texts_after_program()
    }

    fn has(&self, options: &[&str]) -> bool {
        let flags = self.command.flags.iter().map(String::as_str);
        let mut all = flags.chain(self.words());
        all.any(|it| options.contains(&it.split('=').next().unwrap_or(it)))
    }

    /// Returns whether the answer depends on what is ignored.
    fn ignores(&self) -> bool {
        match self.subcommand {
            "status" => {
                let mut words = self.words();
                !words.any(|it| it == "-uno" || it == "--untracked-files=no")
            }
            "ls-files" => self.has(&LISTING),
            "add" | "clean" => self.has(&["-n", "--dry-run"]),
            "grep" => self.has(&["--untracked", "--no-index"]),
            _ => false,
        }
    }

    /// Returns whether it depends on the attributes of files.
    fn has_attributes(&self) -> bool {
        match self.subcommand {
            "check-attr" => true,
            "log" => self.has(&WITH_CHANGES),
            it => PRINTING.contains(&it) && !self.has(&NAMES_ALONE),
        }
    }

    /// Returns whether it depends on the mapping of people's names.
    fn names_people(&self) -> bool {
        match self.subcommand {
            "shortlog" | "check-mailmap" | "blame" => true,
            "log" | "show" => {
                let mut forms = self.words().filter(|it| it.contains('%')).peekable();
                let is_mapped = |it: &str| {
                    ["%aN", "%aE", "%aL", "%cN", "%cE"]
                        .iter()
                        .any(|name| it.contains(name))
                };
                let is_usual = forms.peek().is_none() && !self.has(&["--oneline"]);
                is_usual || forms.any(is_mapped)
            }
            _ => false,
        }
    }

    /// Returns whether it depends on which parts of submodules are left out.
    fn looks_at_submodules(&self) -> bool {
        ["status", "diff", "diff-index", "diff-files", "submodule"].contains(&self.subcommand)
    }
}

impl Finder<'_> {
    /// Notes what determines git's answer to a hook: its settings, and files of the working tree.
    pub(super) fn asks_git(&mut self, command: &Command, folder: &Path) {
        if command.program != "git" {
            return;
        }
        let part = Part::GitSettings(printed_sections(command));
        self.asks_by_alias(command, folder);
        let mut settings = self.settings_of_person(command, folder);
        if let Some(home) = self.ground.surroundings.home.clone() {
            let own = self.git_variable("XDG_CONFIG_HOME", command, folder);
            let own = own.unwrap_or_else(|| home.join(".config")).join("git");
            for name in ["ignore", "attributes"] {
                self.implicit(&own.join(name));
            }
        }
        let place = repository(folder);
        if let Some((top, own)) = &place {
            settings.extend(["config", "config.worktree"].map(|it| own.join(it)));
            for name in ["info/exclude", "info/attributes", "info/grafts"] {
                self.implicit(&own.join(name));
            }
            self.aspect(&own_of_tree(top).join("index"), Part::GitIndex);
            self.aspect(&own.join("packed-refs"), Part::GitReplacements);
            self.note_below(&own.join("refs/replace"), "*", Part::Whole);
            self.answered_by(&GitLookup::of(command), top, folder);
        }
        let top = place.map_or_else(|| folder.to_path_buf(), |(top, _)| top);
        self.settings_of_git(settings, &part, &top);
    }

    /// Adds what an alias of the person or the repository stands for:
    /// `alias.st = status --porcelain`.
    fn asks_by_alias(&mut self, command: &Command, folder: &Path) {
        let words: Vec<&str> = command.words.iter().map(|it| it.text.as_str()).collect();
        let name = command.subcommand.as_deref();
        let name = name.or_else(|| command.operands().next().map(|it| it.text.as_str()));
        let name = name.and_then(|it| it.split(' ').next()).unwrap_or_default();
        let Some(at) = words.iter().skip(1).position(|it| *it == name) else {
            return;
        };
        let mut files = self.settings_of_person(command, folder);
        let place = repository(folder);
        files.extend(place.iter().map(|(_, own)| own.join("config")));
        let texts = files
            .iter()
            .filter_map(|it| Some((it, text_of(&real_path(it)?)?)));
        let aliases: Vec<(PathBuf, String)> = texts
            .filter_map(|(file, text)| Some((file.clone(), alias_of_git(&text, name)?)))
            .collect();
        let top = place.map_or_else(|| folder.to_path_buf(), |(top, _)| top);
        let given = hookloop_shell::join(words.iter().skip(at + 2).copied());
        for (file, alias) in aliases {
            match alias.strip_prefix('!') {
                Some(line) => self.started_in(&format!("{line} {given}"), &top, &file),
                None => self.started_in(&format!("git {alias} {given}"), folder, &file),
            }
        }
    }

    /// Notes settings files, and those that they name.
    fn settings_of_git(&mut self, mut files: Vec<PathBuf>, part: &Part, top: &Path) {
        let home = self.ground.surroundings.home.clone();
        let mut at = 0;
        while let Some(file) = files.get(at).cloned() {
            at += 1;
            if at > MAX_SETTINGS {
                return self.unpinned("git reads more settings than are watched".to_owned());
            }
            self.aspect(&file, part.clone());
            let Some(text) = real_path(&file).and_then(|it| text_of(&it)) else {
                continue;
            };
            let settings = settings_of_git(&text);
            let named = |name: &str, folder: &Path| match (name.strip_prefix("~/"), &home) {
                (Some(rest), Some(home)) => home.join(rest),
                _ => folder.join(name),
            };
            for list in &settings.lists {
                self.aspect(&named(list, top), Part::GitLines);
            }
            let folder = file.parent().unwrap_or(top);
            for more in &settings.files {
                let more = named(more, folder);
                if !files.contains(&more) {
                    files.push(more);
                }
            }
        }
    }

    /// Returns the settings files of the person, and those of the system if a variable names them.
    fn settings_of_person(&self, command: &Command, folder: &Path) -> Vec<PathBuf> {
        let of_system = self.git_variable("GIT_CONFIG_SYSTEM", command, folder);
        let mut files: Vec<PathBuf> = of_system.into_iter().collect();
        if let Some(file) = self.git_variable("GIT_CONFIG_GLOBAL", command, folder) {
            files.push(file);
        } else if let Some(home) = &self.ground.surroundings.home {
            let own = self.git_variable("XDG_CONFIG_HOME", command, folder);
            files.push(home.join(".gitconfig"));
            files.push(
                own.unwrap_or_else(|| home.join(".config"))
                    .join("git/config"),
            );
        }
        files
    }

    /// Returns the path that a variable names for a command.
    fn git_variable(&self, name: &str, command: &Command, folder: &Path) -> Option<PathBuf> {
        let before = command.env.iter().rev().find(|it| it.name == name);
        let before = before.map(|it| it.value.text.clone());
        let own = || {
            let own = self.hook.env.get(name)?;
            Some(commands::expand(own, self.ground))
        };
        let value = before.or_else(own).or_else(|| self.start_variable(name))?;
        let value = commands::expand(&value, self.ground);
        let mut at_home = ["~/", "$HOME/", "${HOME}/"].iter();
        let at_home = at_home.find_map(|it| value.strip_prefix(it));
        let path = match (at_home, &self.ground.surroundings.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => folder.join(&value),
        };
        (!value.is_empty()).then_some(path)
    }

    /// Notes the files of the working tree that affect git's answer.
    fn answered_by(&mut self, asked: &GitLookup<'_>, top: &Path, folder: &Path) {
        if asked.subcommand == "check-ignore" {
            let named = checked(asked.command, top, folder);
            let folders = named.unwrap_or_else(|| {
                self.everywhere(top, ".gitignore");
                BTreeSet::from([top.to_path_buf()])
            });
            for folder in folders {
                self.aspect(&folder.join(".gitignore"), Part::GitLines);
            }
        } else if asked.ignores() {
            self.everywhere(top, ".gitignore");
        }
        if asked.has_attributes() {
            self.everywhere(top, ".gitattributes");
        }
        if asked.names_people() {
            self.aspect(&top.join(".mailmap"), Part::GitLines);
        }
        if asked.looks_at_submodules() {
            self.aspect(&top.join(".gitmodules"), Part::Submodules);
        }
    }

    /// Notes files with a given name in a folder, even if they don't exist yet.
    pub(super) fn note_below(&mut self, folder: &Path, name: &str, part: Part) {
        self.found.below.insert(NamedFiles {
            folder: real_path(folder).unwrap_or_else(|| folder.to_path_buf()),
            name: name.to_owned(),
            part,
            depth: Depth::Direct,
        });
    }

    fn everywhere(&mut self, top: &Path, name: &str) {
        let folder = real_path(top).unwrap_or_else(|| top.to_path_buf());
        self.found.below.insert(NamedFiles {
            folder,
            name: name.to_owned(),
            part: Part::GitLines,
            depth: Depth::Any,
        });
    }
}

/// Returns the folders whose patterns decide about the files that a command asks about by name;
/// `None` if these aren't known.
fn checked(command: &Command, top: &Path, folder: &Path) -> Option<BTreeSet<PathBuf>> {
    let mut folders = BTreeSet::new();
    let operands: Vec<_> = command.operands().collect();
    let is_plain = !command.has_option(&["--stdin"]) && !operands.is_empty();
    if !is_plain
        || operands
            .iter()
            .any(|it| !it.known || it.pattern || it.text.is_empty())
    {
        return None;
    }
    for operand in operands {
        let path = real_path(&folder.join(&operand.text))?;
        let top = real_path(top)?;
        let above = path.ancestors().skip(1);
        folders.extend(
            above
                .take_while(|it| it.starts_with(&top))
                .map(Path::to_path_buf),
        );
    }
    Some(folders)
}

/// Returns the sections of settings that a git command prints: all of them if it isn't known which.
fn printed_sections(command: &Command) -> BTreeSet<String> {
    let all = || BTreeSet::from(["*".to_owned()]);
    match command.subcommand.as_deref() {
        Some("config") => {
            let mut keys = command.operands().filter(|it| it.text.contains('.'));
            let Some(key) = keys
                .next()
                .filter(|it| it.known && !it.text.contains(['$', '*']))
            else {
                return all();
            };
            let section = key.text.split('.').next().unwrap_or_default();
            BTreeSet::from([section.to_ascii_lowercase()])
        }
        Some("remote") => BTreeSet::from(["remote".to_owned()]),
        Some("var") => BTreeSet::from([
            "user".to_owned(),
            "author".to_owned(),
            "committer".to_owned(),
        ]),
        _ => {
            let mut words = command.texts_after_program();
            if words.any(|it| it.contains("@{u") || it.contains("@{p") || it.contains("upstream")) {
                BTreeSet::from(["branch".to_owned(), "remote".to_owned(), "push".to_owned()])
            } else {
                BTreeSet::new()
            }
        }
    }
}

/// Returns the folder in which git keeps the data of a working tree.
fn own_of_tree(top: &Path) -> PathBuf {
    let own = top.join(".git");
    let named = text_of(&own).and_then(|it| Some(it.strip_prefix("gitdir:")?.trim().to_owned()));
    named.map_or(own, |it| top.join(it))
}

/// Returns the root of the repository that a folder is in, and the folder of its settings.
fn repository(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let top = folder.ancestors().find(|it| it.join(".git").exists())?;
    let own = top.join(".git");
    if own.is_dir() {
        return Some((top.to_path_buf(), own));
    }
    // A linked worktree uses the settings of its repository.
    let text = text_of(&own)?;
    let named = text.strip_prefix("gitdir:")?.trim();
    let inner = top.join(named);
    let common = text_of(&inner.join("commondir")).map(|it| inner.join(it.trim()));
    Some((top.to_path_buf(), common.unwrap_or(inner)))
}
