//! What earlier commands of the same text imply for a later one.

use std::path::{Path, PathBuf};

use hookloop_shell::{Assignment, Command, PathUse, Timing, Understood, Word};

use super::created_files::CreatedFiles;
use super::fetched::Fetched;
use super::refs::Refs;
use super::tables;
use crate::protected::Reach;

/// Git commands that create commits, or references, without the working tree.
const MAKE_COMMITS: [&str; 15] = [
    "commit-tree",
    "update-ref",
    "symbolic-ref",
    "fast-import",
    "replace",
    "mktree",
    "read-tree",
    "update-index",
    "bundle",
    "remote add",
    "remote set-url",
    "remote rename",
    "filter-branch",
    "write-tree",
    "unpack-objects",
];

/// What earlier commands of the same text do.
pub(super) struct Before {
    /// The files that they write.
    pub(super) written: Vec<PathBuf>,
    /// Variables that they set for later programs.
    pub(super) exported: Vec<Assignment>,
    /// Files whose text is known after all of them have run.
    texts: Vec<PathBuf>,
    /// Whether they change what commit names refer to, or create commits from something other than
    /// the working tree.
    pub(super) makes_commits: bool,
    /// Their changes to references.
    pub(super) refs: Refs,
    /// Whether they wait, so that later background commands run later.
    pub(super) waits: bool,
    /// What lists of names in them can refer to.
    pub(super) reach: Reach,
    /// What they created, for commands that run files.
    pub(super) made: CreatedFiles,
    /// The folders that they fetch from elsewhere.
    pub(super) fetched: Fetched,
    /// Whether there are no earlier commands.
    pub(super) is_begin: bool,
}

impl Before {
    pub(super) fn of(understood: &Understood) -> Self {
        Self {
            written: Vec::new(),
            exported: Vec::new(),
            texts: understood
                .written
                .iter()
                .map(|(path, _)| PathBuf::from(path))
                .collect(),
            makes_commits: false,
            refs: Refs::default(),
            waits: false,
            reach: reach_of(understood),
            made: CreatedFiles::of(understood),
            fetched: Fetched::default(),
            is_begin: true,
        }
    }

    /// Returns whether the content of a file that was written before is known.
    pub(super) fn knows(&self, path: &Path) -> bool {
        self.texts.iter().any(|it| it == path)
    }

    pub(super) fn note(&mut self, command: &Command) {
        self.is_begin &= changes_no_file(command);
        let written = command.writes.iter().flat_map(|it| &it.paths);
        self.written.extend(written.map(PathBuf::from));
        self.made.note(command);
        self.made.note_folders(self.fetched.note(command));
        self.exported.extend(exported(command));
        self.makes_commits |= makes_commits(command);
        self.refs.note(command);
        let of_git = |it: &PathUse| {
            let ends = [
                ".git",
                ".gitconfig",
                "git/config",
                "config.worktree",
                "/commondir",
                "/gitdir",
            ];
            ends.iter().any(|end| it.written.ends_with(end))
        };
        let mut written = command.writes.iter();
        self.refs.moves_tree |= written.any(of_git);
        self.waits |=
            command.timing != Timing::InOrder && tables::PROGRAMS_THAT_WAIT.holds(&command.program);
    }
}

/// `cd sub &&`, `mkdir -p out &&`: commands that only determine where the rest happens.
fn changes_no_file(command: &Command) -> bool {
    const SAYING_WHERE: [&str; 9] = [
        "cd", "pushd", "mkdir", "set", "true", ":", "test", "[", "pwd",
    ];
    SAYING_WHERE.contains(&command.invoked.as_str())
        && command.timing == Timing::InOrder
        && command.redirects.is_empty()
        && command.known
}

/// `export NAME=value`, or `NAME=value` alone, which may be exported.
fn exported(command: &Command) -> Vec<Assignment> {
    let declares = ["export", "declare", "typeset", "readonly"];
    if command.program.is_empty() {
        return command.env.clone();
    }
    if !declares.contains(&command.program.as_str()) {
        return Vec::new();
    }
    let words = command.words_after_program().iter();
    let set = words.filter_map(|word| {
        let (name, value) = word.text.split_once('=')?;
        Some(Assignment {
            name: name.to_owned(),
            value: Word {
                text: value.to_owned(),
                ..word.clone()
            },
        })
    });
    set.collect()
}

/// Returns how deep programs that list names descend.
fn reach_of(understood: &Understood) -> Reach {
    const LISTERS: [&str; 8] = ["find", "fd", "grep", "rg", "ag", "ls", "tree", "git"];
    let lists = |it: &Command| {
        LISTERS.contains(&hookloop_shell::usual_name(&it.program))
            && (it.program != "git" || it.subcommand.as_deref() == Some("ls-files"))
    };
    if understood.commands.iter().any(lists) {
        Reach::Below
    } else {
        Reach::OneFolder
    }
}

/// Returns whether a command changes what commit names refer to, or creates commits from something
/// other than the working tree.
fn makes_commits(command: &Command) -> bool {
    if command.program != "git" {
        return false;
    }
    let Some(subcommand) = command.subcommand.as_deref() else {
        return false;
    };
    let resets = subcommand == "reset" && command.operands().next().is_some();
    // If the branch exists, it points to another commit afterwards.
    let resets = resets || subcommand == "worktree add" && command.has_flag("-B");
    // `git fetch origin other:main`
    let mut words = command.operands();
    let resets = resets || subcommand == "fetch" && words.any(|it| it.text.contains(':'));
    resets || MAKE_COMMITS.contains(&subcommand) || takes_from_elsewhere(command)
}

/// `git pull ../other main`: takes commits from a source that isn't in the settings.
pub(super) fn takes_from_elsewhere(command: &Command) -> bool {
    let takes = matches!(command.subcommand.as_deref(), Some("pull" | "fetch"));
    let from = command.operands().next();
    takes && from.is_some_and(|it| it.text.contains(['/', ':']) || it.text.starts_with('.'))
}
