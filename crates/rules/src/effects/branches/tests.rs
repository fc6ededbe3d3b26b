//! What happens to branches, in repositories that are described.

use std::collections::HashMap;
use std::sync::Arc;

use hookloop_shell::{Surroundings, understand};

use crate::repositories::Repositories;
use crate::{Places, effects_of};

mod others;

/// Work trees by their roots.
#[derive(Debug, Default)]
struct Described {
    branches: HashMap<&'static str, &'static str>,
    previous: HashMap<&'static str, &'static str>,
    known: Vec<&'static str>,
    settings: Vec<(&'static str, &'static str)>,
}

impl Described {
    fn root_of(&self, folder: &str) -> Option<&'static str> {
        let mut roots: Vec<_> = self.branches.keys().copied().collect();
        roots.sort_by_key(|it| std::cmp::Reverse(it.len()));
        roots.into_iter().find(|it| folder.starts_with(it))
    }
}

impl Repositories for Described {
    fn root(&self, folder: &str) -> Option<String> {
        self.root_of(folder).map(str::to_owned)
    }

    fn branch(&self, folder: &str) -> Option<String> {
        let root = self.root_of(folder)?;
        self.branches.get(root).map(|it| (*it).to_owned())
    }

    fn has_branch(&self, folder: &str, name: &str) -> bool {
        self.root_of(folder).is_some() && self.known.contains(&name)
    }

    fn has_path(&self, _folder: &str, name: &str) -> bool {
        name == "notes"
    }

    fn text(&self, path: &str) -> Option<String> {
        let text = match path {
            "/w/p/Makefile" => "lint:\n\ttrue\nship: lint\n\t@git push origin HEAD:main\n",
            "/w/p/justfile" => "test:\n    true\nship x='': test\n    git push origin HEAD:main\n",
            "/w/p/Taskfile.yml" => {
                "tasks:\n  test:\n    cmds:\n      - true\n  ship:\n    cmds:\n      - git push origin HEAD:main\n"
            }
            "/w/p/package.json" => {
                r#"{"scripts":{"preship":"git push origin HEAD:main","ship":"true","save":"git commit -am x"}}"#
            }
            "/w/p/scripts/ship.sh" => "#!/bin/bash\nset -e\ngit push origin HEAD:main\n",
            "/w/p/scripts/ship.py" => {
                "#!/usr/bin/env python3\nimport subprocess\nsubprocess.run(['git','push','origin','HEAD:main'])\n"
            }
            _ => return None,
        };
        Some(text.to_owned())
    }

    fn previous_branch(&self, folder: &str) -> Option<String> {
        let root = self.root_of(folder)?;
        self.previous.get(root).map(|it| (*it).to_owned())
    }

    fn settings(&self, _folder: &str, key: &str) -> Vec<String> {
        let set = self.settings.iter().filter(|(known, _)| *known == key);
        set.map(|(_, value)| (*value).to_owned()).collect()
    }
}

/// A workspace on `branch`, another work tree on `main`, a third on `topic`.
fn places(branch: &'static str) -> Places {
    let repositories = Described {
        branches: HashMap::from([("/w/p", branch), ("/w/main", "main"), ("/w/topic", "topic")]),
        previous: HashMap::from([("/w/p", "main")]),
        known: vec!["main", "topic", "fix/x"],
        settings: vec![
            ("alias.yolo", "!git push origin HEAD:main"),
            ("alias.cn", "commit --no-verify"),
            ("alias.loop", "loop"),
            ("alias.st", "status"),
            ("alias.sw", "switch"),
            ("alias.twice", "!git twice; git twice"),
            ("push.default", "current"),
            ("push.default", "upstream"),
            ("branch.topic.merge", "refs/heads/main"),
            ("remote.several.push", "refs/heads/main"),
            ("remote.several.push", "refs/heads/topic:refs/heads/topic"),
            ("remote.tags.push", "refs/tags/*"),
            ("remote.tags.push", "HEAD:refs/heads/topic"),
        ],
    };
    Places {
        workspace: "/w/p".to_owned(),
        home: "/home/u".to_owned(),
        branch: Some(branch.to_owned()),
        repositories: Some(Arc::new(repositories)),
        protected_branches: ["main", "master", "develop"].map(str::to_owned).to_vec(),
        ..Places::default()
    }
}

/// Returns whether a text changes `main`, or skips checks.
fn is_caught(branch: &'static str, text: &str) -> bool {
    let caught = |name: &str| name.starts_with("branch.") || name == "git.no-verify";
    effects(branch, text).iter().any(|it| caught(it))
}

/// Returns the names of what a text does.
fn effects(branch: &'static str, text: &str) -> Vec<String> {
    let places = places(branch);
    let around = Surroundings {
        folder: Some("/w/p"),
        home: Some("/home/u"),
        repository: Some("/w/p"),
        ..Surroundings::default()
    };
    let effects = effects_of(&understand(text, around), &places);
    effects.into_iter().map(|it| it.name).collect()
}

/// HT-40: what is done to `main` is found wherever and by whatever it is done.
#[test]
fn what_changes_a_protected_branch_is_found() {
    for text in [
        "git -C ../main commit -am x",
        "cd ../main && git commit -am x",
        "(cd /w/main && git merge topic)",
        "pushd ../main >/dev/null; git commit -m x; popd",
        "git --git-dir=/w/main/.git --work-tree=/w/main commit -am x",
        "git --git-dir /w/main/.git commit -am x",
        "GIT_DIR=/w/main/.git git commit -am x",
        "export GIT_DIR=/w/main/.git; git commit -am x",
        "env -C /w/main git commit -am x",
        "git -C ../main push",
        "git push",
        "git push origin",
        "git yolo",
        "git cn -m x",
        "git symbolic-ref refs/heads/main refs/heads/topic",
        "rm .git/refs/heads/main",
        "mv .git/refs/heads/main /tmp/x",
        "git fast-import < dump",
        "echo \"update refs/heads/main $(git rev-parse HEAD)\" | git update-ref --stdin",
        "git push origin HEAD:$DEFAULT_BRANCH",
        "git checkout - && git commit -am x",
        "git switch - && git merge topic",
        "git checkout -fB main",
        "git push origin HEAD:${MAIN}",
        "gh api -X PUT repos/a/b/merges -f base=main -f head=topic -f commit_message=checkout",
        "gh api -X POST repos/a/b/merges -f base=main -f head=x checkout",
        "git checkout main && git cherry-pick topic && git push",
        "git checkout master && git merge topic",
        "git switch develop && git revert HEAD --no-edit",
        "dulwich push origin HEAD:main",
        "ghp-import -n -p -b main build/html",
        "sl push --to main",
        "az repos ref delete --name heads/main --object-id 3f2a9bc",
        "aws codecommit delete-branch --branch-name main",
        "gh api -X PUT repos/a/b/contents/x --input body.json",
        "curl -X POST https://gitlab.com/api/v4/projects/7/repository/commits -d 'branch=main&x=y'",
    ] {
        assert!(is_caught("topic", text), "{text}");
    }
    for text in [
        "git push -u origin $(git branch --show-current)",
        "git push origin \"$(git rev-parse --abbrev-ref HEAD)\"",
        "git checkout README.md && git commit -am x",
        "git checkout . ; git commit -am x",
        "git checkout src/ && git commit -am x",
        "git checkout notes && git commit -am x",
        "git checkout nowhere; git commit -am x",
        "git checkout -- topic && git commit -am x",
        "git checkout --theirs topic && git commit -am x",
        "git checkout nowhere 2>/dev/null; git commit -am x",
        "git -C ../topic checkout -b z && git commit -am x",
        "(cd ../topic && git switch -c z); git commit -am x",
        "git switch -c fix/y; git switch -; git commit -am x",
        "git checkout -b y --help; git commit -am x",
        "git reset --keep HEAD~2",
        "git reset --mixed origin/main",
        "BR=$(git branch --show-current); git push origin \"$BR\"",
        "gh pr checkout 12; git commit -am x",
        "git reset HEAD~1",
        "git reset 3f2a9bc",
        "npm version patch",
        "npx standard-version",
        "cz bump --yes",
        "cargo release patch --execute",
        "dulwich commit x",
        "stg refresh",
        "gt modify --all",
        "jj git push",
        "git subtree add --prefix=v https://x/y main --squash",
        "git lfs migrate import --include=x --everything",
    ] {
        assert!(is_caught("main", text), "{text}");
    }
}

/// HT-40: work that leaves `main` alone continues.
#[test]
fn what_changes_no_protected_branch_goes_on() {
    for text in [
        "git -C ../topic commit -am x",
        "cd ../topic && git commit -am x",
        "(cd /w/topic && git commit -am x)",
        "git --git-dir=../topic/.git --work-tree=../topic commit -am x",
        "git commit --help",
        "git merge --help",
        "git push --tags",
        "git push --tags origin",
        "git push origin v$VERSION",
        "git push origin \"$TAG\"",
        "git reset --hard HEAD",
        "git reset HEAD README.md",
        "git checkout topic && git commit -am x",
        "git checkout topic; git commit -am x",
        "git checkout elsewhere && git commit -am x",
        "git branch new && git switch new; git commit -am x",
        "git checkout -b new && git commit -am x",
        "git switch -qc new && git commit -am x",
        "gh pr checkout 12 && git commit -am x",
        "SKIP= git status",
        "npm version",
        "npm version patch --no-git-tag-version",
        "cargo release patch",
        "git st",
        "git loop",
        "bump2version patch --dry-run",
        "jj git fetch",
        "stg series",
        "gt log",
        "dulwich status",
    ] {
        assert!(!is_caught("main", text), "{text}");
    }
    for text in [
        "git commit -am x",
        "git commit --no-gpg-sign -m x",
        "dulwich commit x",
        "stg refresh",
        "jj git push",
        "jj git push -b topic",
        "git push origin maintenance/$V",
        "git push origin HEAD:fix/$DOMAIN",
        "git push -u origin $(git branch --show-current)",
        "gh api repos/a/b/pulls -f base=main -f head=topic -f title=x",
        "curl -X POST https://api.github.com/repos/a/b/pulls -d '{\"head\":\"topic\",\"base\":\"main\"}'",
        "git reset HEAD~1",
    ] {
        assert!(!is_caught("topic", text), "{text}");
    }
}

/// HT-40: where a command runs in a folder that nobody knows, what was checked out last counts.
#[test]
fn an_unknown_folder_has_what_was_checked_out_last() {
    for text in [
        "git checkout main; git -C \"$D\" commit -am x",
        "git switch main && cd \"$(mktemp -d)\" && git commit -am x",
        "cd ../main && git switch main && cd \"$D\" && git merge topic",
        "git switch main; cd \"$D\"; git push",
        "cd \"$D\"; git push several",
    ] {
        assert!(is_caught("topic", text), "{text}");
    }
    for text in [
        "git switch -c fix/z && git -C \"$D\" commit -am x",
        "git switch -c fix/z && cd \"$D\" && git commit -am x",
    ] {
        assert!(!is_caught("main", text), "{text}");
    }
}

/// HT-40: a branch that may have come from elsewhere counts as there.
#[test]
fn branches_may_have_come_from_elsewhere() {
    for brings in [
        "git fetch",
        "git fetch origin new",
        "git pull --all",
        "git remote add other u && git remote update",
        "git bundle unbundle x.bundle",
    ] {
        let text = format!("{brings}; git checkout new; git commit -am x");
        assert!(!is_caught("main", &text), "{text}");
        let text = format!("{brings}; git checkout master; git commit -am x");
        assert!(is_caught("topic", &text), "{text}");
    }
    assert!(is_caught(
        "main",
        "git status; git checkout new; git commit -am x"
    ));
}

/// HT-40: two dashes are followed by files only if something follows them.
#[test]
fn dashes_with_nothing_behind_them_leave_a_branch() {
    assert!(is_caught(
        "topic",
        "git checkout main -- && git commit -am x"
    ));
    assert!(!is_caught(
        "main",
        "git checkout topic -- && git commit -am x"
    ));
    assert!(!is_caught(
        "topic",
        "git checkout main -- a.rs && git commit -am x"
    ));
    assert!(is_caught(
        "main",
        "git checkout topic -- a.rs && git commit -am x"
    ));
}

/// HT-40: of a setting with several values, all say what is pushed; if only one can count, the last
/// does.
#[test]
fn all_values_of_what_is_pushed_count() {
    for text in [
        "git push several",
        "git -c remote.several.push=HEAD:refs/heads/x push several",
        "git -c remote.tags.push=HEAD:refs/heads/main push tags",
        "git push",
    ] {
        assert!(is_caught("topic", text), "{text}");
    }
    for text in ["git push tags", "git -c remote.tags.push=HEAD:x push tags"] {
        assert!(!is_caught("main", text), "{text}");
    }
}

/// HT-40: aliases that stand for aliases are followed up to a limit; what is beyond it can't be
/// known. What they check out stays checked out.
#[test]
fn aliases_are_followed_within_bounds() {
    let begin = std::time::Instant::now();
    for text in ["git twice", "git loop", "git twice; git twice; git twice"] {
        let found = effects("topic", text);
        assert!(
            found.contains(&"run.unknown".to_owned()),
            "{text}: {found:?}"
        );
    }
    assert!(begin.elapsed() < std::time::Duration::from_secs(10));
    assert!(is_caught("topic", "git sw main && git commit -am x"));
    assert!(!is_caught("main", "git sw topic && git commit -am x"));
    assert!(is_caught(
        "topic",
        "git -c alias.a='-c alias.b=\"push origin main\" b' a"
    ));
}

/// HT-40: what a script or a task of the project does to branches counts for the command that runs
/// it.
#[test]
fn scripts_of_the_project_are_looked_into() {
    for text in [
        "make ship",
        "make -s lint ship",
        "just ship",
        "task ship",
        "npm run ship",
        "yarn ship",
        "bash scripts/ship.sh",
        "./scripts/ship.sh",
        "source scripts/ship.sh",
        "python3 scripts/ship.py",
        "./scripts/ship.py",
        "git switch main && npm run save",
    ] {
        assert!(is_caught("topic", text), "{text}");
    }
    for text in [
        "make",
        "make -n ship",
        "bash -n scripts/ship.sh",
        "just test",
        "just",
        "task test",
        "npm test",
        "npm run save",
        "bash scripts/other.sh",
    ] {
        assert!(!is_caught("topic", text), "{text}");
    }
}

/// HT-40: updating a branch from its own upstream doesn't count as a change, nor does `git pull`.
#[test]
fn to_catch_up_is_no_commit() {
    for text in [
        "git merge --ff-only origin/main",
        "git merge @{u}",
        "git rebase origin/main",
    ] {
        assert!(!is_caught("main", text), "{text}");
    }
    for text in [
        "git merge origin/topic",
        "git rebase --onto origin/main HEAD~3",
    ] {
        assert!(is_caught("main", text), "{text}");
    }
}

/// HT-40: what is done to `main` is found under any name, also with settings that the text itself
/// makes.
#[test]
fn other_names_for_a_push_are_found() {
    for text in [
        "git-push origin main",
        "/usr/lib/git-core/git-push origin main",
        "git worktree add -B main ../wt topic",
        "git push origin \"${BRANCH:-main}\"",
        "B=${B:-main}; git push origin $B",
        "git push --al origin",
        "git checkout -t origin/main && git commit -m x",
        "git switch -m main && git commit -m x",
        "git config push.default upstream && git branch -u origin/main && git push",
        "git rebase -i --root main",
        "xh put https://api.github.com/repos/o/r/pulls/1/merge",
        "curl -X PUT \"$CI_API_V4_URL/projects/1/merge_requests/7/merge?squash=true\"",
        "nix run nixpkgs#git -- push origin main",
        "git checkout -Bmain topic",
        "git push origin HEAD:main%submit",
        "git push origin \"$(git branch --show-current):main\"",
        "$GIT push origin main",
        "repo forall -c 'git push origin main'",
    ] {
        assert!(is_caught("topic", text), "{text}");
    }
}

/// HT-40: a name that only contains the branch's is another one, and what a rebase runs isn't a
/// branch.
#[test]
fn names_beside_the_branch_are_others() {
    for text in [
        "git push origin \"HEAD:refs/heads/user/$USER/main-fix\"",
        "git rebase -x 'npm test' main",
    ] {
        assert!(!is_caught("topic", text), "{text}");
    }
}

/// HT-40: what is checked out on another machine, or in a folder that only a container has, is
/// known only if the same text checked it out there.
#[test]
fn what_is_checked_out_out_of_sight_is_unknown() {
    for text in [
        "ssh h 'cd /srv/r && git commit -am x'",
        "ssh h git -C /srv/r commit -am x",
        "ssh h 'git commit -am x'",
        "ssh h <<E\ncd /srv/r\ngit commit -am x\nE",
        "ssh -T -p 2222 h <<< 'git commit -am x'",
        "echo 'git commit -am x' | ssh h",
        "ssh h bash -s <<E\ngit commit -am x\nE",
        "git switch -c fix/y && ssh h 'git commit -am x'",
        "ssh h 'cd /srv/r && git push'",
        "ssh h 'cd /srv/r && git push origin HEAD'",
        "ssh h 'cd /srv/r && git merge topic'",
        "docker exec web sh -c 'cd /app && git commit -am x'",
        "docker exec web git commit -am x",
        "docker run -v vault:/w/p -w /w/p alpine/git commit -am x",
        "docker run -v $PWD:/src -w /app alpine/git commit -am x",
        "docker run -v $PWD:/src -v /w/main/.git:/src/.git -w /src alpine/git commit -am x",
        "docker run -v $PWD:/src alpine/git commit -am x",
        "kubectl exec web -- git -C /app cherry-pick abc123",
        "gcloud compute ssh ci --command 'cd app && git revert HEAD'",
        "gh codespace ssh -- 'cd /workspaces/r && git commit -am x'",
    ] {
        let found = effects("topic", text);
        assert!(
            found.contains(&"branch.unknown".to_owned()),
            "{text}: {found:?}"
        );
    }
    for text in [
        "ssh h 'cd /srv/r && git switch -c fix/y && git commit -am x && git push -u origin HEAD'",
        "ssh h 'cd /srv/r && git push origin fix/y'",
        "ssh h <<E\ncd /srv/r && git switch -c fix/y && git commit -am x\nE",
        "ssh h <<< uptime",
        "ssh h 'cd /srv/r && git fetch && git merge origin/main'",
        "ssh h 'cd /srv/r && git pull origin main'",
        "ssh h 'cd /srv/r && git commit --dry-run'",
        "docker exec web sh -c 'cd /w/p && git commit -am x'",
        "docker exec web sh -c 'cd /app && git status'",
    ] {
        assert!(!is_caught("topic", text), "{text}");
    }
}

/// HT-40: in a folder of this machine that a container was given, what is checked out here counts,
/// wherever the container sees it.
#[test]
fn mounted_work_trees_are_seen() {
    for start in [
        "docker run --rm -v $PWD:/src -w /src alpine/git",
        "docker run --rm -v\"$PWD\":/src --workdir=/src alpine/git",
        "podman run --mount type=bind,source=.,target=/src -w /src alpine/git",
        "docker run -v .:/src -w /src/lib alpine/git",
        "docker run -v /w/main:/src -v .:/src/inner -w /src/inner alpine/git",
        "docker exec -w /w/p web git",
    ] {
        let commit = format!("{start} commit -am x");
        assert_eq!(effects("topic", &commit), [""; 0], "{commit}");
        let found = effects("main", &commit);
        assert!(
            found.contains(&"branch.commit".to_owned()),
            "{commit}: {found:?}"
        );
        let left = format!("git switch -c fix/y && {commit}");
        assert!(!is_caught("main", &left), "{left}");
    }
    for text in [
        "docker run -v /w/main:/src -w /src alpine/git commit -am x",
        "docker run -v .:/src -v /w/main:/src/inner -w /src/inner alpine/git commit -am x",
        "docker run -v .:/src -w /src -e GIT_DIR=/w/main/.git alpine/git commit -am x",
        "docker run -v .:/src -v /w/main:/w/topic -w /src alpine/git -C /w/topic commit -am x",
        "docker run -v .:/src -w /src -e HUSKY=0 node sh -c 'git commit -am x'",
    ] {
        assert!(is_caught("topic", text), "{text}");
    }
}

/// HT-40: programs that ask for a message and commit count as a commit; a window for one doesn't.
#[test]
fn programs_that_ask_for_a_message_commit() {
    for text in [
        "npx cz",
        "git-cz",
        "npx git-cz",
        "gitmoji -c",
        "oco",
        "git citool",
    ] {
        assert!(is_caught("main", text), "{text}");
        assert!(!is_caught("topic", text), "{text}");
    }
    for text in [
        "cz check",
        "gitmoji --list",
        "oco config set A=b",
        "git gui",
    ] {
        assert!(!is_caught("main", text), "{text}");
    }
}
