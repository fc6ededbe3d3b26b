//! What git commands do to the working tree: files that they restore, remove or move.

use std::path::{Path, PathBuf};

use hookloop_shell::{Command, Word};

use super::{operands, reading, trees};
use crate::lazy_protected::LazyProtected;
use crate::protected::Touch;

/// Options and variables that change the meaning of all pathspecs.
const MAGIC: [&str; 2] = ["--icase-pathspecs", "GIT_ICASE_PATHSPECS"];

/// `git checkout -- .`, `git clean -fdx`, `git stash -u`, `git reset --hard`, `git apply x.diff`.
pub(super) fn restored_file(protected: &LazyProtected, command: &Command) -> Option<PathBuf> {
    if command.program != "git" {
        return None;
    }
    let has = |flags: &[&str]| command.has_option(flags);
    let operands: Vec<&Word> = command.operands().collect();
    let below = |words: &[&Word]| pathspec_file(protected, command, words);
    let everywhere = || everywhere(protected, command);
    let forces = has(&["-f", "--force", "--discard-changes"]);
    match command.subcommand.as_deref()? {
        // Uncommitted changes are discarded.
        "checkout" | "switch" if forces => everywhere(),
        // Removes every tracked file.
        "switch" if has(&["--orphan"]) => everywhere(),
        "checkout" | "restore" if has(&["--pathspec-from-file"]) => everywhere(),
        "checkout" | "restore" | "rm" | "mv" => below(&operands),
        // A setting may make `--force` unnecessary.
        "clean" if !only_lists(command) => {
            if operands.is_empty() {
                let mut folders = command.folders.iter();
                folders.find_map(|folder| trees::existing_below(protected, Path::new(folder)))
            } else {
                below(&operands)
            }
        }
        "stash" | "stash push" | "stash save" => {
            let takes = has(&["-u", "--include-untracked", "-a", "--all"]);
            if takes { everywhere() } else { None }
        }
        "reset" if has(&["--hard"]) => everywhere(),
        "read-tree" if has(&["-u"]) => everywhere(),
        // `sparse-checkout` removes the files that it excludes.
        "checkout-index"
        | "filter-branch"
        | "filter-repo"
        | "sparse-checkout"
        | "sparse-checkout set"
        | "sparse-checkout init"
        | "sparse-checkout add"
        | "sparse-checkout reapply" => everywhere(),
        "apply" | "am" => trees::patched_file(protected, command),
        "clone" | "submodule add" => cloned_file(protected, command, &operands),
        "submodule update" | "submodule init" => submodules(protected, command),
        "worktree remove" | "submodule deinit" => {
            let mut paths = operands
                .iter()
                .flat_map(|it| operands::absolute(command, it));
            paths.find_map(|it| {
                let own = protected.affected(Touch::Remove, &it);
                own.or_else(|| trees::existing_below(protected, &it))
            })
        }
        "worktree add" | "worktree move" => {
            let first = operands.first().into_iter();
            let mut paths = first.flat_map(|it| operands::absolute(command, it));
            paths.find_map(|it| protected.affected(Touch::Remove, &it))
        }
        _ => None,
    }
}

/// Returns whether `git clean` only lists what it would delete; the last option counts.
fn only_lists(command: &Command) -> bool {
    let words = command.words.iter().map(|it| it.text.as_str());
    let mut words = words.skip_while(|it| *it != "clean").skip(1);
    let mut lists = false;
    while let Some(word) = words.next() {
        let Some(letters) = word.strip_prefix('-') else {
            continue;
        };
        if letters == "-" {
            break;
        }
        if let Some(long) = letters.strip_prefix('-') {
            // Git accepts abbreviated options.
            if "dry-run".starts_with(long) {
                lists = true;
            } else if long
                .strip_prefix("no-")
                .is_some_and(|it| "dry-run".starts_with(it))
            {
                lists = false;
            } else if "exclude".starts_with(long) {
                words.next();
            }
            continue;
        }
        // The rest after `e` is a pattern.
        let end = letters.find('e');
        lists |= letters[..end.unwrap_or(letters.len())].contains('n');
        if end.is_some_and(|it| it + 1 == letters.len()) {
            words.next();
        }
    }
    lists
}

fn everywhere(protected: &LazyProtected, command: &Command) -> Option<PathBuf> {
    let mut folders = command.folders.iter();
    folders.find_map(|folder| trees::existing_below(protected, &top_of(Path::new(folder))))
}

/// Returns the protected file that pathspecs match. Their patterns are git's own, quoted or not.
fn pathspec_file(protected: &LazyProtected, command: &Command, words: &[&Word]) -> Option<PathBuf> {
    let is_magic = |word: &&Word| word.text.starts_with(':') && word.text != ":/";
    let of_all = command
        .words
        .iter()
        .any(|it| MAGIC.contains(&it.text.as_str()))
        || command
            .env
            .iter()
            .any(|it| MAGIC.contains(&it.name.as_str()));
    let looks_closer = words.iter().any(|it| is_magic(it) && !leaves_out(&it.text));
    let only_leaves_out = !words.is_empty() && words.iter().all(|it| leaves_out(&it.text));
    // In these patterns, a backslash escapes any character.
    let is_escaped = words.iter().any(|it| it.text.contains('\\'));
    if looks_closer || is_escaped || only_leaves_out || of_all && !words.is_empty() {
        return everywhere(protected, command);
    }
    let mut patterns = words.iter().filter(|it| it.text.contains(['*', '?', '[']));
    let fitting = patterns.find_map(|word| {
        let mut patterns = operands::absolute(command, word).into_iter();
        patterns.find_map(|it| matching_file(protected, command, &it.to_string_lossy()))
    });
    fitting.or_else(|| {
        let mut paths = words
            .iter()
            .flat_map(|word| operands::absolute(command, word));
        paths.find_map(|path| {
            let path = if path.is_absolute() && path.ends_with(":") {
                path.parent().map(Path::to_path_buf).unwrap_or_default()
            } else {
                path
            };
            trees::existing_below(protected, &path)
        })
    })
}

/// `:!src`, `:(exclude)src`: everything but this.
fn leaves_out(pathspec: &str) -> bool {
    pathspec.starts_with(":!") || pathspec.starts_with(":^") || pathspec.starts_with(":(exclude)")
}

/// Returns a protected file that a pattern may match: in git, `*` also matches `/`.
fn matching_file(protected: &LazyProtected, command: &Command, pattern: &str) -> Option<PathBuf> {
    let first = pattern.find(['*', '?', '['])?;
    let last = pattern.rfind(['*', '?', ']'])?;
    let (begins, ends) = (&pattern[..first], pattern.get(last + 1..)?);
    let mut folders = command.folders.iter();
    folders.find_map(|folder| {
        let mut all = protected.below(&top_of(Path::new(folder))).into_iter();
        all.find(|path| {
            let text = path.to_string_lossy();
            let is_way = text.starts_with(begins) && holds_such(path, ends);
            path.exists() && (is_way || text.starts_with(begins) && text.ends_with(ends))
        })
    })
}

/// Returns whether a folder contains a file with this ending, or folders, which may contain one.
fn holds_such(folder: &Path, ends: &str) -> bool {
    let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|it| it.path().is_dir() || it.file_name().to_string_lossy().ends_with(ends))
}

/// `git submodule update`: folders that a file names.
fn submodules(protected: &LazyProtected, command: &Command) -> Option<PathBuf> {
    let mut folders = command.folders.iter();
    folders.find_map(|folder| {
        let top = top_of(Path::new(folder));
        let text = reading::text_of(&top.join(".gitmodules"))?;
        let settings = text.lines().filter_map(|it| it.split_once('='));
        let mut named = settings.filter(|(key, _)| key.trim().eq_ignore_ascii_case("path"));
        named.find_map(|(_, path)| {
            let path = top.join(path.trim().trim_matches('"'));
            protected.affected(Touch::Remove, &path)
        })
    })
}

/// `git clone ADDRESS [FOLDER]`: a folder with files that the other side names.
fn cloned_file(
    protected: &LazyProtected,
    command: &Command,
    operands: &[&Word],
) -> Option<PathBuf> {
    let (address, folder) = (operands.first()?, operands.get(1));
    let name = address.text.trim_end_matches('/').trim_end_matches(".git");
    let name = name.rsplit(['/', ':']).next().unwrap_or(name);
    let made: Vec<PathBuf> = if let Some(folder) = folder {
        operands::absolute(command, folder)
    } else {
        let folders = command.folders.iter();
        folders.map(|it| Path::new(it).join(name)).collect()
    };
    made.iter()
        .filter(|it| !trees::holds_all(command, it))
        .find_map(|it| protected.affected(Touch::Remove, it))
}

/// Returns the root of a folder's repository.
pub(super) fn top_of(folder: &Path) -> PathBuf {
    let mut above = folder.ancestors();
    above
        .find(|it| it.join(".git").exists())
        .unwrap_or(folder)
        .to_path_buf()
}
