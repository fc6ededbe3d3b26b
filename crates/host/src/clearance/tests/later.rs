//! What doesn't exist yet, or is in other commits.

use super::*;

/// Commands that would replace a guard by another version.
const BRING_GUARDS: &[&str] = &[
    "git checkout evil",
    "git switch -q evil",
    "git switch --detach evil~0",
    "git merge evil",
    "git pull origin evil",
    "git cherry-pick evil",
    "git cherry-pick other..evil",
    "git rebase evil",
    "git reset --keep evil",
    "git stash pop",
    "git stash apply stash@{0}",
    "cd src && git checkout evil",
    "git -C src merge evil",
    "bash -c 'git checkout evil'",
    "git checkout theirs",
    "git switch theirs",
    "git checkout -f",
    "git switch --discard-changes main",
];

/// TR-8: if another commit, or a stash, would replace a guard, it is held back like writing;
/// commits without guards are let through.
#[test]
fn commits_that_change_guards_are_held() {
    let fixture = Fixture::new();
    let git = |text: &str| {
        let ran = std::process::Command::new("bash")
            .args(["-ec", text])
            .current_dir(fixture.path("project"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", fixture.path("home"))
            .envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@b.c")])
            .envs([
                ("GIT_COMMITTER_NAME", "a"),
                ("GIT_COMMITTER_EMAIL", "a@b.c"),
            ])
            .output()
            .expect("bash");
        assert!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
    };
    git(
        "git init -qb main; git add -A; git commit -qm one; git branch far
        git checkout -qb other; echo x > src/main.rs; git commit -qam two
        git checkout -qb evil; echo 'exit 0' > tools/lib.sh; git commit -qam three
        git checkout -q far; git branch -q --set-upstream-to=evil
        echo 'true #' > tools/check.sh; git stash -q
        git checkout -q main; git config remote.origin.url .
        git update-ref refs/remotes/origin/evil evil
        git update-ref refs/remotes/other-place/theirs evil",
    );
    let watch = fixture.watch();
    let concern = |command: &str| {
        let arguments = json!({"command": command});
        let arguments = arguments.as_object().expect("an object");
        watch.concern("run_shell_command", arguments)
    };
    for command in BRING_GUARDS {
        let found = concern(command);
        assert!(
            matches!(found, Some(Concern::Touches(_))),
            "{command}: {found:?}"
        );
    }
    for command in [
        "git checkout $(git commit-tree x)",
        "git --git-dir=/x/.git --work-tree=. checkout evil",
        "GIT_DIR=/x/.git git checkout evil",
        "git -c core.worktree=. merge evil",
    ] {
        assert!(concern(command).is_some(), "{command}");
    }
    for command in [
        "git checkout other",
        "git merge other",
        "git checkout -b feature",
        "git log evil",
        "git diff main evil",
        "git stash list",
        "git stash",
        "git pull",
        "git push origin evil",
        "git reset evil",
    ] {
        assert_eq!(concern(command), None, "{command}");
    }
}

/// TR-8: what a person's guard loads is part of it wherever it is, and so is a module that would be
/// loaded instead of one of these.
#[test]
fn what_a_persons_guard_loads_is_protected() {
    let fixture = Fixture::new();
    fixture.write(
        "home/guards/guard.sh",
        ". ~/guards/lib.sh\n. $HOME/guards/one.sh; exit 0",
    );
    fixture.write("home/guards/lib.sh", "source \"$(dirname \"$0\")/two.sh\"");
    fixture.write("home/guards/one.sh", ". ~/guards/one.sh");
    fixture.write("home/guards/g.py", "import json\nimport rules\n");
    fixture.write("home/guards/rules.py", "");
    let python = json!({"type": "command", "command": "python3 ~/guards/g.py"});
    let shell = json!({"type": "command", "command": "bash ~/guards/guard.sh"});
    let settings = json!({"hooks": {"BeforeTool": [{"hooks": [python, shell]}]}});
    fixture.write("home/.gemini/settings.json", &settings.to_string());
    let watch = fixture.watch();
    for name in [
        "lib.sh",
        "one.sh",
        "rules.py",
        "json.py",
        "json/__init__.py",
    ] {
        let arguments = json!({"command": format!("echo > ~/guards/{name}")});
        let arguments = arguments.as_object().expect("an object");
        let found = watch.concern("run_shell_command", arguments);
        assert!(
            matches!(found, Some(Concern::Touches(_))),
            "{name}: {found:?}"
        );
    }
}

/// TR-8: the memory isn't written if its file is a link to a guard.
#[test]
fn memory_leads_to_no_guard() {
    let fixture = Fixture::new();
    let arguments = json!({"fact": "exit 0"});
    let arguments = arguments.as_object().expect("an object");
    let memory = fixture.path("home/.gemini/GEMINI.md");
    let targets = ["src/main.rs", "tools/check.sh", ".gemini/settings.json"];
    for (number, target) in targets.iter().enumerate() {
        symlink(fixture.path("project").join(target), &memory).expect("a link");
        let found = fixture
            .watch()
            .remembering_in(memory.clone())
            .concern("save_memory", arguments);
        assert_eq!(found.is_some(), number > 0, "{target}: {found:?}");
        std::fs::remove_file(&memory).expect("a link");
    }
    assert_eq!(
        fixture
            .watch()
            .remembering_in(memory.clone())
            .concern("save_memory", arguments),
        None
    );
}

/// TR-8: the model can't write a script that a guard names and that doesn't exist yet.
#[test]
fn missing_scripts_of_guards_are_protected() {
    for command in [
        "~/later/guard.sh",
        "bash ~/later/guard.sh",
        "python3 $HOME/later/guard.sh --strict",
        "cd ~/later && ./guard.sh",
        "node \"$HOME/later/guard.sh\"",
        "test -x ~/later/guard.sh && exec ~/later/guard.sh",
    ] {
        let fixture = Fixture::new();
        let entry = json!({"type": "command", "command": command});
        let settings = json!({"hooks": {"BeforeTool": [{"hooks": [entry]}]}});
        fixture.write("home/.gemini/settings.json", &settings.to_string());
        let watch = fixture.watch();
        let path = fixture.path("home").join("later/guard.sh");
        let writes = json!({"file_path": path, "content": "exit 0"});
        let shell =
            json!({"command": format!("mkdir -p ~/later; echo exit 0 > {}", path.display())});
        for (tool, arguments) in [("write_file", writes), ("run_shell_command", shell)] {
            let arguments = arguments.as_object().expect("an object");
            assert!(
                watch.concern(tool, arguments).is_some(),
                "{command}: {tool}"
            );
        }
    }
}

/// TR-8: what a guard reads by name affects its decisions, and so does what would be found or
/// loaded instead of what it starts and loads now.
#[test]
fn what_decides_with_a_guard_is_protected() {
    let fixture = Fixture::new();
    fixture.write(
        "home/guards/guard.sh",
        "grep -qf \"$(dirname \"$0\")/deny.txt\" && exit 2\nfrob x; echo x >> ~/guards/log; cat /etc/hostname src/main.rs",
    );
    fixture.write(
        "project/tools/check.sh",
        "grep -f tools/names src/main.rs; frob",
    );
    fixture.write("project/tools/names", "x");
    fixture.write("home/guards/deny.txt", "evil");
    fixture.write("home/guards/log", "");
    fixture.write("home/late/frob", "");
    fixture.write("home/guards/g.py", "import rules");
    fixture.write("home/guards/rules.py", "");
    fixture.write("home/guards/g.js", "require('./more')");
    fixture.write("home/guards/more.js", "");
    let entry = |command: &str| json!({"type": "command", "command": command});
    let hooks = [
        entry("bash ~/guards/guard.sh"),
        entry("python3 ~/guards/g.py"),
        entry("node ~/guards/g.js"),
    ];
    let settings = json!({"hooks": {"BeforeTool": [{"hooks": hooks}]}});
    fixture.write("home/.gemini/settings.json", &settings.to_string());
    let mut opening = Opening::of(fixture.path("project"), fixture.path("home"));
    opening.surroundings.search_path = ["early", "late"]
        .map(|it| fixture.path("home").join(it))
        .to_vec();
    let protected = Protected::of(&Workspace::open(&opening));
    let watch = CallWatch::new(
        protected,
        fixture.path("project"),
        Some(fixture.path("home")),
    );
    let concern = |command: &str| {
        let arguments = json!({"command": command});
        watch.concern(
            "run_shell_command",
            arguments.as_object().expect("an object"),
        )
    };
    for file in [
        "~/guards/deny.txt",
        "~/early/frob",
        "~/guards/rules/__init__.py",
        "~/guards/more",
        "tools/names",
    ] {
        let found = concern(&format!("mkdir -p ~/early ~/guards/rules; echo x > {file}"));
        assert!(
            matches!(found, Some(Concern::Touches(_))),
            "{file}: {found:?}"
        );
    }
    for file in ["~/guards/log", "src/main.rs", "~/late/other", "tools/other"] {
        assert_eq!(concern(&format!("echo x > {file}")), None, "{file}");
    }
}

/// TR-8: a session that began below its project's root would get another root if a repository
/// appeared there.
#[test]
fn an_inner_repository_would_hide_the_project() {
    let fixture = Fixture::new();
    let opening = Opening::of(fixture.path("project/src"), fixture.path("home"));
    let protected = Protected::of(&Workspace::open(&opening));
    let watch = CallWatch::new(
        protected,
        fixture.path("project/src"),
        Some(fixture.path("home")),
    );
    for command in ["mkdir .git", "git init -q .", "git init", "echo > .git"] {
        let arguments = json!({"command": command});
        let found = watch.concern(
            "run_shell_command",
            arguments.as_object().expect("an object"),
        );
        assert!(found.is_some(), "{command}: {found:?}");
    }
}
