//! What is in a folder that is removed or replaced goes with it (HT-1).

use hookloop_shell::{Command, PathUse, Place, component_may_meet, normalize_path};

use super::Places;
use super::places::PlaceKind;

/// What happens to a folder's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Deleted,
    Replaced,
}

impl Fate {
    /// Returns the word for it in `paths`.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Deleted => "delete",
            Self::Replaced => "write",
        }
    }
}

/// What is in folders that a command removes or replaces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FolderContents {
    /// Absolute paths, each with what becomes of it.
    pub(crate) paths: Vec<(String, Fate)>,
    /// Folders that contain more than could be looked at.
    pub(crate) in_part: Vec<String>,
}

/// Finds what is in the folders of the workspace that a command removes or replaces.
pub(crate) fn by_command(command: &Command, places: &Places) -> FolderContents {
    let mut found = FolderContents::default();
    if places.repositories.is_none() || command.place != Place::Here {
        return found;
    }
    let of_git = command.program == "git";
    for used in &command.deletes {
        add(used, Fate::Deleted, places, &mut found);
    }
    if of_git {
        for used in &command.writes {
            add(used, Fate::Replaced, places, &mut found);
        }
        if let Some(folder) = replaced_by_git(command, places) {
            extend(&folder, Fate::Replaced, places, &mut found);
        }
        // git keeps its own folder.
        let is_own = |path: &str| path.split('/').any(|part| part == ".git");
        found.paths.retain(|(path, _)| !is_own(path));
    }
    found
}

/// Finds what is in a folder that a tool removes.
pub(crate) fn by_path(absolute: &str, places: &Places) -> FolderContents {
    let mut found = FolderContents::default();
    extend(absolute, Fate::Deleted, places, &mut found);
    found
}

fn add(used: &PathUse, fate: Fate, places: &Places, found: &mut FolderContents) {
    for path in used.paths.iter().filter(|_| used.known) {
        extend(path, fate, places, found);
    }
}

/// Adds the content of a path, which may end in a pattern.
fn extend(path: &str, fate: Fate, places: &Places, found: &mut FolderContents) {
    let Some(repositories) = places.repositories.as_ref() else {
        return;
    };
    let path = normalize_path(path);
    let parts: Vec<&str> = path.split('/').filter(|it| !it.is_empty()).collect();
    let named = parts.iter().position(|it| it.contains(['*', '?', '[']));
    let (folder, pattern) = parts.split_at(named.unwrap_or(parts.len()));
    let folder = format!("/{}", folder.join("/"));
    let workspace = places.workspace.trim_end_matches('/');
    let within = |inner: &str, outer: &str| {
        let outer = outer.trim_end_matches('/');
        inner
            .strip_prefix(outer)
            .is_some_and(|it| it.is_empty() || it.starts_with('/'))
    };
    // For a folder that contains the workspace, only the workspace counts.
    let start = match workspace {
        _ if within(&folder, workspace) => folder.as_str(),
        _ if !workspace.is_empty() && within(workspace, &folder) && pattern.len() < 2 => workspace,
        _ => return,
    };
    let is_disposable = |it: &str| places.kind(it, false) == PlaceKind::Disposable;
    if is_disposable(start) {
        return;
    }
    let depth = start.split('/').filter(|it| !it.is_empty()).count();
    let below = repositories.below(start, &is_disposable);
    if below.more {
        found.in_part.push(start.to_owned());
    }
    for path in below.paths {
        let inner = path.split('/').filter(|it| !it.is_empty()).skip(depth);
        // A program's own search also finds hidden files.
        let mut pairs = pattern.iter().zip(inner);
        let fits =
            start != folder || pairs.all(|(it, part)| component_may_meet(it, part) || *it == "*");
        if fits {
            found.paths.push((path, fate));
        }
    }
}

/// Returns the folder whose files git puts back, removes or replaces all at once.
fn replaced_by_git(command: &Command, places: &Places) -> Option<String> {
    let has = |flags: &[&str]| flags.iter().any(|it| command.has_flag(it));
    let subcommand = command.subcommand.as_deref()?;
    let verb = subcommand.split(' ').next().unwrap_or("");
    let alone = command.operands().next().is_none();
    let replaces = match verb {
        "reset" => has(&["--hard", "--merge", "--keep"]),
        "clean" => !has(&["-n", "--dry-run"]) && has(&["-f", "--force", "-x", "-X", "-d"]),
        "checkout" | "switch" => has(&["-f", "--force", "--discard-changes"]),
        "read-tree" => has(&["-u", "--reset"]),
        "stash" => {
            let keeps = [
                "list", "show", "pop", "apply", "drop", "clear", "branch", "create", "store",
            ];
            !keeps.iter().any(|it| {
                command
                    .words_after_program()
                    .iter()
                    .any(|word| word.text == *it)
            })
        }
        _ => false,
    };
    let folder = command
        .folders
        .first()
        .map_or(places.workspace.as_str(), String::as_str);
    if !replaces || verb == "clean" && !alone {
        return None;
    }
    let root = (verb != "clean")
        .then(|| places.repositories.as_ref()?.root(folder))
        .flatten();
    Some(root.unwrap_or_else(|| folder.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hookloop_shell::{Surroundings, understand};

    use super::{Places, by_command};
    use crate::repositories::{FolderContent, Repositories};

    #[derive(Debug)]
    struct Tree;

    impl Repositories for Tree {
        fn root(&self, _folder: &str) -> Option<String> {
            Some("/w".to_owned())
        }
        fn branch(&self, _folder: &str) -> Option<String> {
            None
        }
        fn has_branch(&self, _folder: &str, _name: &str) -> bool {
            false
        }
        fn has_path(&self, _folder: &str, _name: &str) -> bool {
            false
        }
        fn text(&self, _path: &str) -> Option<String> {
            None
        }
        fn previous_branch(&self, _folder: &str) -> Option<String> {
            None
        }
        fn settings(&self, _folder: &str, _key: &str) -> Vec<String> {
            Vec::new()
        }
        fn below(&self, folder: &str, _skips: &dyn Fn(&str) -> bool) -> FolderContent {
            let files = [
                "/w/.git/config",
                "/w/Cargo.lock",
                "/w/a/x.lock",
                "/w/build/y.lock",
            ];
            let prefix = format!("{}/", folder.trim_end_matches('/'));
            let below = files.iter().filter(|it| it.starts_with(&prefix));
            FolderContent {
                paths: below.map(|it| (*it).to_owned()).collect(),
                more: folder == "/w/large",
            }
        }
    }

    fn held(text: &str) -> Vec<String> {
        let places = Places {
            workspace: "/w".to_owned(),
            home: "/h".to_owned(),
            disposable: vec!["build".to_owned()],
            repositories: Some(Arc::new(Tree)),
            ..Places::default()
        };
        let around = Surroundings {
            folder: Some("/w"),
            ..Surroundings::default()
        };
        let understood = understand(text, around);
        let commands = understood.commands.iter();
        commands
            .map(|it| by_command(it, &places))
            .flat_map(|it| it.paths.into_iter().map(|it| it.0).chain(it.in_part))
            .collect()
    }

    /// HT-1: what is in a folder that is deleted, moved or replaced goes with it.
    #[test]
    fn folders_go_with_what_they_hold() {
        for text in [
            "rm -rf .",
            "rm -rf ../w",
            "rm -rf /w/*",
            "mv . ../x",
            "find . -delete",
            "rsync -a --delete e/ ./",
            "rm -rf /w",
            "rm -rf /",
            "git reset --hard",
            "git clean -fdx",
            "git checkout -- .",
            "git stash",
            "git checkout -f main",
            "git -C /w/a reset --hard",
        ] {
            assert!(held(text).contains(&"/w/Cargo.lock".to_owned()), "{text}");
        }
        assert_eq!(held("rm -rf a"), ["/w/a/x.lock"]);
        assert_eq!(held("mv a b"), ["/w/a/x.lock"]);
        // A part that wasn't examined doesn't count as empty.
        assert_eq!(held("rm -rf large"), ["/w/large"]);
        assert!(
            !held("git reset --hard")
                .iter()
                .any(|it| it.contains(".git/"))
        );
    }

    /// HT-1: what may be deleted anyway, what is elsewhere and what stays doesn't count.
    #[test]
    fn other_folders_hold_nothing_that_counts() {
        for text in [
            "rm -rf build",
            "rm -rf /tmp/x",
            "ls .",
            "git reset HEAD~1",
            "git clean -n",
            "git stash list",
            "git checkout main",
            "cp -r . /tmp/x",
            "ssh h rm -rf .",
        ] {
            assert!(held(text).is_empty(), "{text}");
        }
    }
}
