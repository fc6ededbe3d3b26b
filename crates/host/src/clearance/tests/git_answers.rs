//! TR-8: what determines git's answers to a guard that queries it.

use super::trial::{assert_free, bash, begin, concern};
use super::*;

/// A project with a repository, and a guard of the person that queries git.
fn guarded_by(question: &str) -> Fixture {
    let fixture = Fixture::new();
    fixture.write("home/guards/g.sh", question);
    let settings = json!({"hooks": {"BeforeTool": [{"hooks": [
        {"type": "command", "command": "sh ~/guards/g.sh"}]}]}});
    fixture.write("home/.gemini/settings.json", &settings.to_string());
    fixture.write("project/.gitignore", "secret.txt\n");
    fixture.write("project/sub/a", "1");
    bash(&fixture, "git init -q .");
    fixture
}

fn open<'c>(fixture: &Fixture, commands: &[&'c str]) -> Vec<&'c str> {
    let watch = begin(fixture);
    let commands = commands.iter().copied();
    commands
        .filter(|it| concern(&watch, it).is_none())
        .collect()
}

/// TR-8: ignore lists are held back if a guard's query depends on them, in each folder on the way.
#[test]
fn lists_of_what_is_ignored_are_held_for_who_asks() {
    let fixture = guarded_by("git check-ignore -q sub/secret.txt || exit 2");
    let blocked = [
        "echo '!secret.txt' >> .gitignore",
        "cd sub && echo '!secret.txt' > .gitignore",
        "mv .gitignore x",
        "git mv .gitignore x",
        "sed -i d .gitignore",
        "ln -sf /dev/null .gitignore",
        "python3 -c \"open('.gitignore','w')\"",
    ];
    assert_eq!(open(&fixture, &blocked), [] as [&str; 0]);
    let free = [
        "echo '*.log' > other/.gitignore",
        "printf '# secrets\\nsecret.txt\\n' > .gitignore",
        "git add -A",
        "git status",
    ];
    assert_free(&begin(&fixture), &free);
    for question in [
        "git check-ignore -q \"$1\" || exit 2",
        "git status --porcelain | grep -q . && exit 2",
        "git ls-files -o --exclude-standard",
    ] {
        let fixture = guarded_by(question);
        let blocked = ["echo x > other/.gitignore", "echo x >> .gitignore"];
        assert_eq!(open(&fixture, &blocked), [] as [&str; 0], "{question}");
    }
}

/// TR-8: if a guard queries git about something else, people may change these lists.
#[test]
fn lists_are_free_where_no_answer_depends_on_them() {
    for question in [
        "[ \"$(git branch --show-current)\" = main ] && exit 2",
        "git status --porcelain -uno | grep -q . && exit 2",
        "git diff --quiet HEAD || exit 2",
        "git log -1 --format=%s | grep -q WIP && exit 2",
        "git rev-parse --show-toplevel",
    ] {
        let fixture = guarded_by(question);
        let free = [
            "echo x >> .gitignore",
            "echo '* text=auto' > .gitattributes",
            "echo x > sub/.gitignore",
            "echo 'A <a@b>' > .mailmap",
            "git update-index --refresh",
        ];
        assert_free(&begin(&fixture), &free);
    }
}

/// TR-8: attributes, names of people and what git is told to ignore are held back if a guard's
/// query depends on them.
#[test]
fn what_else_git_looks_up_is_held_for_who_asks() {
    for (question, held) in [
        (
            "git diff HEAD | grep -q SECRET && exit 2",
            [
                "echo '* -diff' > .gitattributes",
                "echo 'a binary' > sub/.gitattributes",
            ],
        ),
        (
            "git log -1 --format=%aN",
            ["echo 'A <a@b>' > .mailmap", "git replace HEAD HEAD~1"],
        ),
        (
            "git status --porcelain",
            [
                "git update-index --assume-unchanged sub/a",
                "git update-index --skip-worktree sub/a",
            ],
        ),
        (
            "git diff --stat",
            [
                "git sparse-checkout set --no-cone '/*'",
                "git sparse-checkout add x",
            ],
        ),
    ] {
        let fixture = guarded_by(question);
        assert_eq!(open(&fixture, &held), [] as [&str; 0], "{question}");
    }
}

/// TR-8: settings files that others include, and lists that settings name, count as settings that
/// affect git's answers.
#[test]
fn what_settings_of_git_name_is_held() {
    let fixture = guarded_by("[ \"$(git config guard.on)\" = true ] && exit 2");
    fixture.write(
        "home/.gitconfig",
        "[include]\n\tpath = ~/extra.inc\n[includeIf \"gitdir:~/\"]\n\tpath = cond.inc\n[core]\n\texcludesFile = ~/all\n",
    );
    fixture.write("home/extra.inc", "[guard]\n\ton = true\n");
    fixture.write("home/cond.inc", "[include]\n\tpath = deep/er.inc\n");
    fixture.write("home/deep/er.inc", "[user]\n\tname = x\n");
    fixture.write("home/all", "x\n");
    let blocked = [
        "echo > ~/extra.inc",
        "sed -i s/true/false/ ~/extra.inc",
        "git config -f ~/extra.inc guard.on false",
        "printf '[guard]\\non=false\\n' >> ~/cond.inc",
        "printf '[guard]\\non=false\\n' >> ~/deep/er.inc",
        "echo '!x' >> ~/all",
        "mv ~/extra.inc ~/x",
    ];
    assert_eq!(open(&fixture, &blocked), [] as [&str; 0]);
    assert_free(
        &begin(&fixture),
        &["echo x > ~/other.inc", "git config user.name B"],
    );
    let named = "[ \"$(GIT_CONFIG_GLOBAL=$HOME/own.conf git config guard.on)\" = true ] && exit 2";
    let fixture = guarded_by(named);
    fixture.write("home/own.conf", "[guard]\n\ton = true\n");
    assert_eq!(open(&fixture, &["echo > ~/own.conf"]), [] as [&str; 0]);
}

/// TR-8: a list that affects git's answers is held back however it is replaced: with a whole
/// folder, by a patch, from an archive, from another commit, by a server's tool.
#[test]
fn lists_are_held_in_every_way_of_writing() {
    let fixture = guarded_by("git status --porcelain | grep -q zz && exit 2");
    fixture.write("project/d/.gitignore", "d\nzz\n");
    fixture.write("project/plain/x", "1");
    fixture.write(
        "project/p.diff",
        "--- a/.gitignore\n+++ b/.gitignore\n@@ -1 +1,2 @@\n secret.txt\n+zz\n",
    );
    bash(
        &fixture,
        "git config user.email a@b; git config user.name a; git add -f .gitignore sub; git commit -qm a; \
         git checkout -qb o; echo zz > .gitignore; git commit -qam b; git checkout -q -; \
         tar cf t.tar -C d .gitignore; tar cf plain.tar -C plain x",
    );
    let blocked = [
        "git switch -q o",
        "git cherry-pick o",
        "git checkout o -- .gitignore",
        "cp -r d/. .",
        "cp -r d/. sub",
        "cp -t . d/.gitignore",
        "cp d/.gitignore sub/",
        "rsync -a d/ sub/",
        "tar xf t.tar",
        "patch -p1 < p.diff",
        "git apply p.diff",
        "python3 -c \"import shutil; shutil.copytree('d','.',dirs_exist_ok=True)\"",
        "node -e \"require('fs').cpSync('d','.',{recursive:true})\"",
    ];
    assert_eq!(open(&fixture, &blocked), [] as [&str; 0]);
    let free = [
        "cp -r plain/. sub",
        "tar xf plain.tar",
        "git add .gitignore",
        "cat .gitignore",
        "git checkout -q -b other",
        "cp -r d /tmp/elsewhere",
    ];
    assert_free(&begin(&fixture), &free);
    let watch = begin(&fixture);
    let arguments = json!({"path": "sub/.gitignore", "content": "x"});
    let arguments = arguments.as_object().expect("an object");
    assert!(watch.concern("mcp__fs__write", arguments).is_some());
}

/// TR-8: a list that still changed is detected after the call, including a new one.
#[test]
fn changed_lists_are_seen_afterwards() {
    let fixture = guarded_by("git status --porcelain | grep -q zz && exit 2");
    let watch = begin(&fixture);
    let before = watch.protected().snapshot();
    fixture.write("project/sub/x", "1");
    fixture.write("project/.gitignore", "# note\nsecret.txt\n");
    assert_eq!(watch.protected().changes_since(&before), []);
    fixture.write("project/sub/.gitignore", "*\n");
    bash(
        &fixture,
        "git add -f sub/a; git update-index --assume-unchanged sub/a",
    );
    let changes = watch.protected().changes_since(&before);
    let paths: Vec<PathBuf> = changes.into_iter().map(|it| it.path).collect();
    for path in ["project/sub/.gitignore", "project/.git/index"] {
        assert!(paths.contains(&fixture.path(path)), "{paths:?}");
    }
}

/// TR-8: what git is told to ignore is held back however it is told, even if a guard queries by an
/// alias of the person.
#[test]
fn what_git_is_told_is_held_however_it_is_told() {
    let fixture =
        guarded_by("git st | grep -q zz && exit 2; git log -1 --format=%s | grep -q base");
    fixture.write("home/.gitconfig", "[Alias]\n\tST = status --porcelain\n");
    let blocked = [
        "git update-index --assume-unch sub/a",
        "git update-index --skip-w sub/a",
        "git replace --gra HEAD",
        "git replace HEAD HEAD~1",
        "git update-ref refs/replace/0123456789012345678901234567890123456789 HEAD",
        "git fetch . HEAD:refs/replace/0123456789012345678901234567890123456789",
        "git fetch . '+refs/*:refs/*'",
        "git pull . HEAD:refs/replace/0123456789012345678901234567890123456789",
        "echo x >> .gitignore",
        "echo x > sub/.gitignore",
        "git config core.excludesFile ~/e",
        "printf '[core] excludesFile = ~/e\\n' >> .git/config",
    ];
    assert_eq!(open(&fixture, &blocked), [] as [&str; 0]);
    let free = [
        "git replace --list",
        "git fetch origin main",
        "git fetch origin main:refs/remotes/origin/main",
        "git update-index --refresh",
        "git update-ref refs/heads/x HEAD",
    ];
    assert_free(&begin(&fixture), &free);
}
