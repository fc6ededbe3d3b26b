//! Programs other than git that commit, push, or change branches at a code host.

use std::sync::LazyLock;

use hookloop_shell::Command;
use regex::Regex;

use super::super::{Effect, note};
use super::{Branches, bare};

/// Options with which such programs change nothing, or leave out the commit.
const DRY: [&str; 9] = [
    "--dry-run",
    "--help",
    "--no-commit",
    "--no-git-tag-version",
    "--git-tag-version=false",
    "--no-git-commit",
    "--skip.commit",
    "--list",
    "--show",
];

impl Branches<'_> {
    /// Finds what a program other than git does to branches.
    pub(super) fn by_tool(&self, command: &Command, effects: &mut Vec<Effect>) {
        let words: Vec<&str> = command.texts_after_program().collect();
        if words.iter().any(|it| DRY.contains(it)) {
            return;
        }
        if commits(command, &words) || commits_by_code(command) {
            self.note_commit(command, None, effects);
        }
        for target in targets(command, &words) {
            let name = bare(target);
            if self.is_protected(name) {
                note(effects, "branch.push", command, name);
            }
        }
    }
}

/// Returns whether program text uses a git library to commit to what is checked out.
fn commits_by_code(command: &Command) -> bool {
    static COMMITS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r#"\.index\.commit\(|\bgit\.commit\(|\bcreate_commit\(\s*["']HEAD|porcelain\.commit\(|\bsimple-?git\b[\s\S]*\.commit\("#,
        )
        .ok()
    });
    let code = command.code.as_deref();
    code.is_some_and(|it| COMMITS.as_ref().is_none_or(|known| known.is_match(it)))
}

/// Returns whether a program commits what it changes.
fn commits(command: &Command, words: &[&str]) -> bool {
    let has = |word: &str| words.contains(&word);
    match command.program.as_str() {
        "npm" | "pnpm" => {
            let at = words.iter().position(|it| *it == "version");
            // Without a new version, it only shows the current one.
            at.is_some_and(|at| words[at + 1..].iter().any(|it| !it.starts_with('-')))
        }
        "yarn" => {
            has("version")
                && words.iter().any(|it| {
                    [
                        "--patch",
                        "--minor",
                        "--major",
                        "--new-version",
                        "--prerelease",
                    ]
                    .contains(it)
                })
        }
        "lerna" => has("version") || has("publish") && !has("from-package") && !has("from-git"),
        "aider" => has("--auto-commits") || !has("--no-auto-commits") && !has("--no-git"),
        "mvn" | "mvnw" => words.iter().any(|it| it.starts_with("release:")),
        "gradle" | "gradlew" => has("release"),
        "git-absorb" | "standard-version" | "commit-and-tag-version" | "release-it" | "np" => true,
        "bump2version" | "bumpversion" | "bump-my-version" => !words.is_empty(),
        // Without a subcommand, the one from npm commits.
        "cz" | "commitizen" => words.is_empty() || has("bump") || has("commit") || has("c"),
        "git-cz" | "gcz" | "oco" | "opencommit" | "aicommits" | "koji" => {
            let tells = ["config", "hook", "--help", "-h", "--version", "-v"];
            !words.first().is_some_and(|it| tells.contains(it))
        }
        "gitmoji" => has("-c") || has("--commit"),
        "dulwich" => has("commit") || has("merge") || has("rebase"),
        "stg" => ["new", "refresh", "squash", "push", "pop", "goto"]
            .iter()
            .any(|it| has(it)),
        "gt" => has("modify") || has("commit") || has("squash"),
        // Without a name, it pushes what stands at the current change.
        "jj" => has("git") && has("push") && targets(command, words).is_empty(),
        "cargo" => has("release") && (has("--execute") || has("-x")),
        _ => false,
    }
}

/// Returns the branches at a server that a program changes, by its words.
fn targets<'w>(command: &Command, words: &[&'w str]) -> Vec<&'w str> {
    let behind = |options: &[&str]| -> Vec<&'w str> {
        let mut found = Vec::new();
        for (at, word) in words.iter().enumerate() {
            if options.contains(word) {
                found.extend(words.get(at + 1));
            } else if let Some((option, value)) = word.split_once('=')
                && options.contains(&option)
            {
                found.push(value);
            }
        }
        found
    };
    let has = |word: &str| words.contains(&word);
    match command.program.as_str() {
        "ghp-import" if has("-p") || has("--push") => behind(&["-b", "--branch"]),
        "mkdocs" | "mike" => behind(&["--remote-branch", "-b", "--branch"]),
        "gh-pages" => behind(&["-b", "--branch"]),
        "sl" | "hg" if has("push") => behind(&["--to", "-b", "--branch", "-B", "--delete"]),
        "jj" if has("push") => behind(&["-b", "--bookmark", "--branch"]),
        "dulwich" if has("push") => {
            let specs = words.iter().skip(1).filter(|it| !it.starts_with('-'));
            specs.filter_map(|it| it.rsplit(':').next()).collect()
        }
        "az" if has("repos")
            && ["create", "update", "delete", "lock"]
                .iter()
                .any(|it| has(it)) =>
        {
            behind(&["--name", "-n", "--branch"])
        }
        "aws" if has("codecommit") => {
            let writes = [
                "put-",
                "delete-",
                "merge-",
                "create-commit",
                "update-default",
            ];
            let writes = words
                .iter()
                .any(|it| writes.iter().any(|verb| it.starts_with(verb)));
            let named = behind(&[
                "--branch-name",
                "--target-branch",
                "--destination-commit-specifier",
                "--default-branch-name",
            ]);
            if writes { named } else { Vec::new() }
        }
        _ => Vec::new(),
    }
}
