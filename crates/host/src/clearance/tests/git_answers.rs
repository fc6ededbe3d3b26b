//! TR-8: by what git answers a guard that asks it.

use super::trial::{assert_free, bash, begin, concern};
use super::*;

/// A project with a repository, and a guard of the person that asks git.
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

/// TR-8: what is ignored is held where a guard asks about it, in each folder on the way.
#[test]
fn lists_of_what_is_ignored_are_held_for_who_asks() {
    let fixture = guarded_by("git check-ignore -q sub/secret.txt || exit 2");
    let held = [
        "echo '!secret.txt' >> .gitignore",
        "cd sub && echo '!secret.txt' > .gitignore",
        "mv .gitignore x",
        "git mv .gitignore x",
        "sed -i d .gitignore",
        "ln -sf /dev/null .gitignore",
        "python3 -c \"open('.gitignore','w')\"",
    ];
    assert_eq!(open(&fixture, &held), [] as [&str; 0]);
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
        let held = ["echo x > other/.gitignore", "echo x >> .gitignore"];
        assert_eq!(open(&fixture, &held), [] as [&str; 0], "{question}");
    }
}

/// TR-8: who asks git about something else leaves these lists to people.
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

/// TR-8: attributes, names of people and what git is told not to look at are held for who asks about them.
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

/// TR-8: settings that others include, and lists that settings name, are settings by which git answers.
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
    let held = [
        "echo > ~/extra.inc",
        "sed -i s/true/false/ ~/extra.inc",
        "git config -f ~/extra.inc guard.on false",
        "printf '[guard]\\non=false\\n' >> ~/cond.inc",
        "printf '[guard]\\non=false\\n' >> ~/deep/er.inc",
        "echo '!x' >> ~/all",
        "mv ~/extra.inc ~/x",
    ];
    assert_eq!(open(&fixture, &held), [] as [&str; 0]);
    assert_free(
        &begin(&fixture),
        &["echo x > ~/other.inc", "git config user.name B"],
    );
    let named = "[ \"$(GIT_CONFIG_GLOBAL=$HOME/own.conf git config guard.on)\" = true ] && exit 2";
    let fixture = guarded_by(named);
    fixture.write("home/own.conf", "[guard]\n\ton = true\n");
    assert_eq!(open(&fixture, &["echo > ~/own.conf"]), [] as [&str; 0]);
}
