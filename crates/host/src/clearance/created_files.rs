//! What earlier commands of the same text create, so that a script that a later one runs isn't the
//! one that is on the disk now.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookloop_shell::{Command, Input, Understood};

use super::reading::bytes_of;
use super::tokens::Language;
use super::{operands, tables};

/// Programs that leave a file's text unchanged, or only change words in it.
const TEXT_PRESERVING: [&str; 12] = [
    "chmod", "chown", "chgrp", "touch", "mkdir", "sed", "gsed", "perl", "ruby", "rm", "black",
    "prettier",
];

/// Programs that copy or move a file over another.
const COPY: [&str; 9] = [
    "cp", "gcp", "install", "ginstall", "ln", "gln", "link", "mv", "gmv",
];

/// Programs that count as reading, but create files whose names aren't in the command.
const UNPACK: [&str; 11] = [
    "split", "csplit", "tar", "gtar", "bsdtar", "xxd", "openssl", "rsync", "unzip", "cpio", "patch",
];

/// What is before the name of a file in a patch: a unified one, one with context, one of git.
const PATCH_HEADS: [&str; 7] = [
    "+++ ",
    "--- ",
    "*** ",
    "Index: ",
    "rename from ",
    "rename to ",
    "copy to ",
];

/// The maximum length of a patch, in bytes.
const MAX_PATCH_BYTES: u64 = 4 << 20;

/// What commands created, the latest last.
#[derive(Debug, Default)]
pub(super) struct CreatedFiles {
    /// A file or folder, with the source of its text, if known.
    all: Vec<(PathBuf, Option<PathBuf>)>,
    /// Program text in other languages that ran.
    texts: Vec<String>,
    /// Files whose new texts are all known: these are examined separately.
    known: Vec<PathBuf>,
    /// Whether something ran that may write anywhere.
    acts: bool,
    /// Whether a patch was applied that can't be read.
    is_patched: bool,
}

/// What a script will be when it runs.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ScriptState {
    /// The existing file.
    Itself,
    /// A copy of another file.
    Copy(PathBuf),
    /// Unknown.
    Unknown,
}

impl CreatedFiles {
    pub(super) fn of(understood: &Understood) -> Self {
        // The last text of a file isn't the one that a program reads before it is written.
        let otherwise: BTreeSet<&String> = understood
            .commands
            .iter()
            .flat_map(written_otherwise)
            .collect();
        let settled = understood.written.iter();
        let settled = settled
            .filter(|(path, _)| !understood.unsettled.contains(path) && !otherwise.contains(path));
        Self {
            known: settled.map(|(path, _)| PathBuf::from(path)).collect(),
            ..Self::default()
        }
    }

    /// Returns whether an earlier command may have created a file without naming it.
    pub(super) const fn may_create_files(&self) -> bool {
        self.acts
    }

    /// Returns what a script is after all of these commands.
    pub(super) fn at(&self, path: &Path) -> ScriptState {
        let path = normalize_path(path);
        if self.known.contains(&path) {
            return ScriptState::Itself;
        }
        let found = self
            .all
            .iter()
            .rev()
            .find(|(made, _)| path.starts_with(made));
        match found {
            None if self.is_patched => ScriptState::Unknown,
            Some((made, Some(source))) => match path.strip_prefix(made) {
                Ok(rest) if rest.as_os_str().is_empty() => ScriptState::Copy(source.clone()),
                Ok(rest) => ScriptState::Copy(source.join(rest)),
                Err(_) => ScriptState::Unknown,
            },
            Some(_) => ScriptState::Unknown,
            None => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                let is_written = name.len() > 2 && self.texts.iter().any(|it| it.contains(&*name));
                if is_written {
                    ScriptState::Unknown
                } else {
                    ScriptState::Itself
                }
            }
        }
    }

    /// Records what a command creates.
    pub(super) fn note(&mut self, command: &Command) {
        let program = command.program.as_str();
        let unpacks = UNPACK.contains(&program);
        if unpacks {
            let folders = command.values_of(&["-C", "--directory", "-d"]);
            let paths = folders
                .iter()
                .flat_map(|it| operands::absolute(command, it));
            let made: Vec<_> = paths.map(|it| (normalize_path(&it), None)).collect();
            self.all.extend(made);
        }
        self.acts |= unpacks
            || !program.is_empty()
                && (!tables::PROGRAMS_THAT_READ.holds(program)
                    || program == "git" && !reads_only(command));
        if let Some(code) = &command.code {
            self.acts = true;
            let is_language = Language::from_program(program).is_some();
            self.texts.extend(is_language.then(|| code.clone()));
        }
        if applies_patch(command) {
            match self.patched_files(command) {
                Some(files) => self.all.extend(files.into_iter().map(|it| (it, None))),
                None => self.is_patched = true,
            }
        }
        if TEXT_PRESERVING.contains(&program) || tables::COMPILERS.holds(program) {
            return self.note_redirects(command);
        }
        if COPY.contains(&program) {
            self.note_copies(command);
            return self.note_redirects(command);
        }
        if program == "git" {
            let changes = ["mv", "checkout", "restore", "checkout-index", "apply"];
            let subcommand = command.subcommand.as_deref().unwrap_or_default();
            if changes.contains(&subcommand) {
                let named = command
                    .operands()
                    .flat_map(|it| operands::expand(command, it));
                let named: Vec<PathBuf> = named.filter(|it| it.is_file() || !it.exists()).collect();
                self.all
                    .extend(named.iter().map(|it| (normalize_path(it), None)));
            }
        }
        let loads = ["curl", "wget", "wget2"].contains(&program);
        let filled = command.fills.iter().filter(|_| !loads);
        let written = command.writes.iter().chain(filled);
        self.note_unknown(written.flat_map(|it| &it.paths));
    }

    /// Records folders whose files nobody knows.
    pub(super) fn note_folders(&mut self, folders: Vec<PathBuf>) {
        self.all.extend(folders.into_iter().map(|it| (it, None)));
    }

    /// Returns the files that a patch changes, as each of its names may be meant; `None` if it
    /// can't be read.
    fn patched_files(&self, command: &Command) -> Option<Vec<PathBuf>> {
        let mut texts = Vec::new();
        let mut patches: Vec<String> = command
            .values_of(&["-i", "--input"])
            .into_iter()
            .map(|it| it.text)
            .collect();
        let skipped = usize::from(command.program != "git");
        let operands = command.operands().skip(skipped);
        patches.extend(operands.map(|it| it.text.clone()));
        match &command.input {
            Input::Text(text) => texts.push(text.clone()),
            Input::File(file) => patches.push(file.clone()),
            Input::Output(_) | Input::Names(_) => return None,
            Input::Inherited => {}
        }
        for patch in patches {
            let mut folders = command.folders.iter().map(|it| Path::new(it).join(&patch));
            let bytes = folders.find_map(|it| {
                let path = normalize_path(&it);
                // The same call writes another one.
                let is_new =
                    self.known.contains(&path) || self.all.iter().any(|(made, _)| *made == path);
                (!is_new).then(|| bytes_of(&it, MAX_PATCH_BYTES))?
            })?;
            texts.push(String::from_utf8_lossy(&bytes).into_owned());
        }
        // A whole patch may be indented.
        let lines = texts.iter().flat_map(|it| it.lines().map(str::trim_start));
        let changed =
            lines.filter_map(|line| PATCH_HEADS.iter().find_map(|it| line.strip_prefix(it)));
        let mut files = Vec::new();
        for name in changed {
            let name = name
                .split('\t')
                .next()
                .unwrap_or_default()
                .trim_matches('"');
            let parts: Vec<&str> = name.split('/').collect();
            for folder in &command.folders {
                // `-p1`: how many components are left out.
                let meant =
                    (0..parts.len()).map(|it| Path::new(folder).join(parts[it..].join("/")));
                files.extend(meant.map(|it| normalize_path(&it)));
            }
        }
        Some(files)
    }

    fn note_redirects(&mut self, command: &Command) {
        let targets = command.redirects.iter().filter(|it| {
            use hookloop_shell::RedirectKind::{Append, Write};
            matches!(it.kind, Write | Append)
        });
        let paths: Vec<String> = targets
            .flat_map(|it| {
                let folders = command.folders.iter();
                folders.map(|folder| hookloop_shell::join_path(folder, &it.target.text))
            })
            .collect();
        self.note_unknown(paths.iter());
    }

    fn note_unknown<'p>(&mut self, paths: impl Iterator<Item = &'p String>) {
        let paths = paths.filter(|it| !it.starts_with("/dev/"));
        let made: Vec<(PathBuf, Option<PathBuf>)> = paths
            .map(|it| (normalize_path(Path::new(it)), None))
            .collect();
        self.all.extend(made);
    }

    fn note_copies(&mut self, command: &Command) {
        let Some((sources, target)) = operands::targets(command) else {
            return;
        };
        let goes_in = command.target_folder().is_some() || sources.len() > 1;
        let mut found = Vec::new();
        for place in operands::absolute(command, &target) {
            for source in sources.iter().flat_map(|it| operands::expand(command, it)) {
                let is_folder = goes_in || place.is_dir() || target.text.ends_with('/');
                let place = match source.file_name() {
                    Some(name) if is_folder => place.join(name),
                    _ => place.clone(),
                };
                let source = match self.at(&source) {
                    ScriptState::Itself => Some(source),
                    ScriptState::Copy(source) => Some(source),
                    ScriptState::Unknown => None,
                };
                found.push((normalize_path(&place), source));
            }
        }
        self.all.extend(found);
    }
}

/// Returns the files that a command gives a text which isn't known: those that it writes by itself
/// (`curl -o FILE`), not through a redirect, and not as `tee` does.
fn written_otherwise(command: &Command) -> impl Iterator<Item = &String> {
    let program = command.program.as_str();
    let is_followed = ["tee", "sponge"].contains(&program) || TEXT_PRESERVING.contains(&program);
    let redirected: BTreeSet<String> = command
        .redirects
        .iter()
        .flat_map(|it| {
            let folders = command.folders.iter();
            folders.map(|folder| hookloop_shell::join_path(folder, &it.target.text))
        })
        .collect();
    // A file that is copied or moved had its text before.
    let sources: BTreeSet<PathBuf> = operands::targets(command)
        .filter(|_| COPY.contains(&program))
        .into_iter()
        .flat_map(|(sources, _)| sources)
        .flat_map(|it| operands::absolute(command, &it))
        .map(|it| normalize_path(&it))
        .collect();
    let written = command.writes.iter().filter(move |_| !is_followed);
    written.flat_map(|it| &it.paths).filter(move |path| {
        !redirected.contains(*path) && !sources.contains(&normalize_path(Path::new(path)))
    })
}

/// Returns whether a command applies a patch to files that the patch names.
fn applies_patch(command: &Command) -> bool {
    let subcommand = command.subcommand.as_deref().unwrap_or_default();
    match command.program.as_str() {
        "patch" | "gpatch" => !command.has_flag("--dry-run"),
        "git" => ["apply", "am"].contains(&subcommand) && !command.has_flag("--check"),
        _ => false,
    }
}

/// Returns whether a git command doesn't change the working tree.
pub(super) fn reads_only(command: &Command) -> bool {
    command
        .subcommand
        .as_deref()
        .is_none_or(|it| tables::READERS_OF_GIT.holds(it.split(' ').next().unwrap_or(it)))
}

fn normalize_path(path: &Path) -> PathBuf {
    PathBuf::from(hookloop_shell::normalize_path(&path.to_string_lossy()))
}

/// Returns the files that match a path with patterns.
pub(super) fn matching_files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() || !path.to_string_lossy().contains(['*', '?', '[']) {
        return vec![path.to_path_buf()];
    }
    let mut found = vec![PathBuf::new()];
    for component in path.components() {
        let name = component.as_os_str().to_string_lossy();
        if !name.contains(['*', '?', '[']) {
            for path in &mut found {
                path.push(component);
            }
            continue;
        }
        let entries = found.iter().filter_map(|it| std::fs::read_dir(it).ok());
        let entries = entries.flatten().flatten();
        let fitting =
            entries.filter(|it| hookloop_shell::matches(&name, &it.file_name().to_string_lossy()));
        found = fitting.map(|it| it.path()).collect();
    }
    found
}

/// Returns whether a command in a container, or copying from one, is examined with the container's
/// mounts: its own words alone mean nothing then.
pub(super) fn is_followed(command: &Command) -> bool {
    copies_out_of_containers(command) || hookloop_shell::contained(command).is_some()
}

/// Returns whether a command copies between a container and this machine.
pub(super) fn copies_out_of_containers(command: &Command) -> bool {
    let copies = |it: &str| it.ends_with("cp");
    ["docker", "podman", "nerdctl"].contains(&command.program.as_str())
        && command.subcommand.as_deref().is_some_and(copies)
}
