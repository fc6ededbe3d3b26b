//! Folders that a call fetches from elsewhere: what is in them isn't known before it ran, so that
//! whatever carries out their files can't be looked through.

use std::path::{Path, PathBuf};

use hookloop_shell::{Command, Word};

use super::before::Before;
use super::built::builds;
use super::carriers::VARIABLES;
use super::commands::Place;
use super::concern::Concern;
use super::tables;
use super::tokens::Language;

/// Programs that fetch a whole folder, with their verbs. The source and the folder follow.
const FETCHERS: [(&str, &[&str]); 14] = [
    ("git", &["clone"]),
    ("git", &["submodule add"]),
    ("gh", &["repo clone"]),
    ("glab", &["repo clone"]),
    ("hg", &["clone"]),
    ("svn", &["checkout", "co", "export"]),
    ("bzr", &["branch", "checkout", "clone"]),
    ("brz", &["branch", "checkout", "clone"]),
    ("fossil", &["clone"]),
    ("jj", &["git clone"]),
    ("darcs", &["clone", "get"]),
    ("degit", &[""]),
    ("tiged", &[""]),
    ("giget", &[""]),
];

/// Programs that fetch folders which they don't name, with their verbs.
const GENERATORS: [(&str, &[&str]); 6] = [
    ("cargo", &["generate"]),
    ("cookiecutter", &[""]),
    ("copier", &["copy"]),
    ("git", &["submodule update", "subtree add"]),
    ("repo", &["sync"]),
    ("fossil", &["open"]),
];

/// Programs that copy folders from other machines.
const COPIERS: [&str; 4] = ["scp", "rsync", "wget", "wget2"];

/// Options with a folder or a file of a project, for programs that build.
const OF_PROJECT: [&str; 16] = [
    "-C",
    "--directory",
    "--dir",
    "--prefix",
    "--cwd",
    "--project",
    "--project-directory",
    "--manifest-path",
    "-f",
    "--file",
    "--makefile",
    "-S",
    "-r",
    "--rcfile",
    "--path",
    "--rootdir",
];

/// Other programs that carry out the files of a project.
const OPERATORS: [&str; 11] = [
    "ansible-playbook",
    "docker-compose",
    "helmfile",
    "nextflow",
    "packer",
    "podman-compose",
    "pulumi",
    "snakemake",
    "terraform",
    "tofu",
    "vagrant",
];

/// Returns whether a command carries out files of a project without naming each.
fn carries_out(command: &Command) -> bool {
    let program = command.program.as_str();
    let composes = command.subcommand.as_deref();
    let composes = composes.is_some_and(|it| it.split(' ').next() == Some("compose"));
    builds(command) || composes || OPERATORS.contains(&program) || tables::COMPILERS.holds(program)
}

/// The folders that the earlier commands of a text fetch.
#[derive(Debug, Default)]
pub(super) struct Fetched {
    folders: Vec<PathBuf>,
    /// Something was fetched to a folder whose name isn't known.
    anywhere: bool,
    /// Commits were fetched.
    commits: bool,
}

impl Fetched {
    /// Records what a command fetches; returns its folders.
    pub(super) fn note(&mut self, command: &Command) -> Vec<PathBuf> {
        let verb = command.subcommand.as_deref().unwrap_or_default();
        let is_git = command.program == "git";
        self.commits |= is_git && ["fetch", "pull", "remote update"].contains(&verb);
        // Another working tree with what was fetched.
        let of_tree = || {
            let words = behind_verb(command, "git", "worktree add")?;
            let shows = self.commits || words.iter().any(|it| it.text == "FETCH_HEAD");
            words.first().filter(|_| shows).map(|it| known(it))
        };
        let Some(made) = fetched_by(command).or_else(of_tree) else {
            return Vec::new();
        };
        let Some(name) = made else {
            self.anywhere = true;
            return Vec::new();
        };
        let folders = command.folders.iter();
        let folders: Vec<PathBuf> = folders
            .map(|it| PathBuf::from(absolute(it, &name)))
            .collect();
        self.folders.extend(folders.iter().cloned());
        folders
    }

    const fn is_empty(&self) -> bool {
        self.folders.is_empty() && !self.anywhere
    }

    /// Returns whether a path is in a fetched folder, or may be: it isn't there yet.
    fn may_hold(&self, path: &Path) -> bool {
        self.folders.iter().any(|it| path.starts_with(it)) || self.anywhere && !path.exists()
    }
}

fn absolute(folder: &str, name: &str) -> String {
    hookloop_shell::normalize_path(&hookloop_shell::join_path(folder, name))
}

/// Returns the words of a command that aren't options.
fn plain_words(command: &Command) -> Vec<&Word> {
    let words = command.words_after_program().iter();
    words
        .filter(|it| !it.is_option_value && !it.text.starts_with('-'))
        .collect()
}

/// Returns the words behind a verb of a program.
fn behind_verb<'c>(command: &'c Command, program: &str, verb: &str) -> Option<Vec<&'c Word>> {
    let plain = plain_words(command);
    (command.program == program).then(|| behind(&plain, verb).map(<[_]>::to_vec))?
}

/// Returns the name of the folder that a command fetches; the inner `None` if nobody knows it.
fn fetched_by(command: &Command) -> Option<Option<String>> {
    let program = command.program.as_str();
    let plain = plain_words(command);
    let behind_verb = |(named, verbs): &(&str, &[&str])| {
        let mut verbs = verbs.iter().filter(|_| *named == program);
        verbs.find_map(|it| behind(&plain, it))
    };
    if let Some(operands) = FETCHERS.iter().find_map(behind_verb) {
        return Some(match operands {
            [] => None,
            [from] => named_after(from),
            [_, folder, ..] => known(folder),
        });
    }
    if GENERATORS.iter().any(|it| behind_verb(it).is_some()) {
        return Some(None);
    }
    let is_remote = |it: &Word| it.text.contains(':');
    if !COPIERS.contains(&program) || !plain.iter().any(|it| is_remote(it)) {
        return None;
    }
    if program.starts_with("wget") {
        let mirrors = ["-r", "-m", "--recursive", "--mirror"];
        return command.has_option(&mirrors).then_some(None);
    }
    plain.last().filter(|it| !is_remote(it)).map(|it| known(it))
}

/// Returns the words behind those of a verb.
fn behind<'c, 'w>(words: &'c [&'w Word], verb: &str) -> Option<&'c [&'w Word]> {
    let verb: Vec<&str> = verb.split_whitespace().collect();
    if verb.is_empty() {
        return Some(words);
    }
    let mut starts = words.windows(verb.len());
    let at = starts.position(|it| it.iter().zip(&verb).all(|(word, verb)| word.text == *verb))?;
    words.get(at + verb.len()..)
}

fn known(word: &Word) -> Option<String> {
    word.known.then(|| word.text.clone())
}

/// `git clone https://a.b/c.git`: the folder is named after the source.
fn named_after(from: &Word) -> Option<String> {
    let text = known(from)?;
    let text = text.trim_end_matches('/').trim_end_matches("/.git");
    let name = text.rsplit(['/', ':']).next().unwrap_or(text);
    Some(name.strip_suffix(".git").unwrap_or(name).to_owned())
}

/// `require('./d/x.js')`: whether a program text loads a file by one of these names.
fn loads_from(code: &str, holds: &dyn Fn(&str) -> bool) -> bool {
    const LOADING: [&str; 6] = ["require", "import", "from", "do", "load", "use lib"];
    let pieces: Vec<&str> = code.split(['"', '\'', '`']).collect();
    pieces.windows(2).any(|it| {
        let before = it[0].trim_end_matches(['(', ' ']);
        let is_loaded = LOADING.iter().any(|word| before.ends_with(word));
        is_loaded && it[1].contains('/') && holds(it[1])
    })
}

impl Place {
    /// `git clone URL d; make -C d`: a program that carries out what the same call fetched.
    pub(super) fn check_fetched(&self, command: &Command, before: &Before) -> Option<Concern> {
        let fetched = &before.fetched;
        let program = command.program.as_str();
        if fetched.is_empty() || program.is_empty() {
            return None;
        }
        let unclear = || {
            let line: String = command.line().chars().take(80).collect();
            Some(Concern::Unclear(line))
        };
        let holds = |name: &str| {
            let mut paths = command.folders.iter().map(|it| absolute(it, name));
            paths.any(|it| fetched.may_hold(Path::new(&it)))
        };
        let is_there = holds("");
        // `d/run.sh`, or `./run.sh` in it.
        if command.invoked.contains('/') && holds(&command.invoked) {
            return unclear();
        }
        // `NODE_OPTIONS=…`, `PATH=d:$PATH`
        let mut set = command.env.iter().chain(&before.exported);
        let loads = |name: &str| name == "PATH" || VARIABLES.iter().any(|(it, _)| *it == name);
        let is_set = set.any(|it| {
            let mut values = it.value.text.split([':', ' ', '=']);
            loads(&it.name) && values.any(|it| !it.is_empty() && holds(it))
        });
        if is_set && !hookloop_shell::is_builtin(program) {
            return unclear();
        }
        let builds = carries_out(command);
        let is_interpreter =
            hookloop_shell::is_shell(program) || Language::from_program(program).is_some();
        let code = command.code.as_deref().filter(|_| is_interpreter);
        if is_there && (builds || code.is_some()) || code.is_some_and(|it| loads_from(it, &holds)) {
            return unclear();
        }
        if !builds && !is_interpreter && !hookloop_shell::runs_text(program) {
            return None;
        }
        let options = command.values_of(&OF_PROJECT);
        let is_named = options.iter().any(|it| holds(&it.text));
        let mut given = command.operands();
        let is_given = if builds {
            given.any(|it| holds(&it.text))
        } else {
            // What follows a script is what it works on.
            given.next().is_some_and(|it| holds(&it.text))
        };
        // `--config=d/x`, `-Id`
        let mut words = command.texts_after_program();
        let is_attached = words.any(|it| {
            let value = it.split_once('=').map(|(_, value)| value);
            let value = value.or_else(|| it.get(2..)).unwrap_or_default();
            it.starts_with('-') && !value.is_empty() && holds(value)
        });
        (is_named || is_given || is_attached).then(unclear)?
    }
}
