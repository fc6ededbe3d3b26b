//! What belongs to a fingerprint (TR-1).

use hookloop_trust::Standing;
use serde_json::json;

use crate::fixture::Fixture;

/// TR-1: the bytes of a file that the command names belong to the fingerprint, however it is named.
#[test]
fn every_way_to_name_a_file_counts() {
    for command in [
        "hooks/a.sh",
        "./hooks/a.sh --fast",
        "bash hooks/a.sh",
        "bash \"hooks/a.sh\"",
        "bash 'hooks/a.sh'",
        "$GEMINI_PROJECT_DIR/hooks/a.sh",
        "\"${GEMINI_PROJECT_DIR}/hooks/a.sh\"",
        "${GEMINI_PROJECT_DIR:-.}/hooks/a.sh",
        "\"$CLAUDE_PROJECT_DIR\"/hooks/a.sh",
        "$GEMINI_CWD/hooks/a.sh",
        "$PWD/hooks/a.sh",
        "lint --config=hooks/a.sh",
        "CONFIG=hooks/a.sh lint",
        "true && (bash hooks/a.sh) | cat",
        "bash -c 'bash hooks/a.sh && true'",
        "bash -c \"bash -c 'hooks/a.sh'\"",
        "cat<hooks/a.sh|sh",
        "echo `hooks/a.sh`",
        "echo \"$(hooks/a.sh)\"",
        "curl -d @hooks/a.sh x",
        "bash ./x/../hooks//a.sh",
        "bash hooks/a\\.sh",
    ] {
        let fixture = Fixture::new();
        fixture.write("project/hooks/a.sh", "one");
        let hook = fixture.command(command);
        fixture.trust(&hook);
        fixture.write("project/hooks/a.sh", "two");
        let changes = fixture.changes(&hook);
        assert_eq!(
            changes,
            ["files: hooks/a.sh changed since it was trusted"],
            "{command}"
        );
        fixture.write("project/hooks/a.sh", "one");
        assert_eq!(
            fixture.vouch(&hook).standing,
            Standing::Trusted,
            "{command}"
        );
    }
}

/// TR-1, ENV-2: the values of a hook's own variables are never split, even if a shell would do it.
#[test]
fn files_in_odd_folders_count() {
    for command in [
        "$GEMINI_PROJECT_DIR/hooks/a.sh",
        "${GEMINI_PROJECT_DIR}/hooks/a.sh --fast",
        "bash $CLAUDE_PROJECT_DIR/hooks/a.sh",
        "true && bash \"$GEMINI_CWD/hooks/a.sh\"",
        "cd $GEMINI_PROJECT_DIR && bash hooks/a.sh",
    ] {
        let fixture = Fixture::in_odd_folder();
        fixture.write("project/hooks/a.sh", "one");
        let hook = fixture.command(command);
        fixture.trust(&hook);
        fixture.write("project/hooks/a.sh", "two");
        let changes = fixture.changes(&hook);
        let expected = ["files: hooks/a.sh changed since it was trusted"];
        assert_eq!(changes, expected, "{command}");
    }
}

/// TR-1: what a command writes itself changes with each run, and isn't part of it, unless it runs
/// it.
#[test]
fn what_a_command_writes_itself_is_not_a_part_of_it() {
    for command in [
        "cat > .claude/last.json; grep -q rm .claude/last.json && exit 2",
        "echo x >> state/count; wc -l state/count",
        "touch state/dirty; [ -s state/dirty ] && cat state/dirty",
        "git diff | tee state/x; head -1 state/x",
        "jq . in.json > state/new && mv state/new state/kept; cat state/kept",
        // Their `-f` and `-L` name no list.
        "[ -f state/dirty ] || touch state/dirty; date >> state/dirty",
        "[ -L state/x ] || date >> state/x; test -f state/x && cat state/x",
        "rm -f state/x; date > state/x; cat state/x",
        "date >> state/x; tail -f state/x",
        "date >> state/x; grep -L a state/x",
        "date > state/new; mv -f state/new state/kept; ls -L state/kept; cp -f state/kept state/x",
    ] {
        for event in ["BeforeTool", "SessionStart"] {
            let fixture = Fixture::new();
            let hook = fixture.hook_of(event, &json!({"command": command}));
            fixture.trust(&hook);
            for file in [
                ".claude/last.json",
                "state/count",
                "state/dirty",
                "state/x",
                "state/kept",
            ] {
                fixture.write(&format!("project/{file}"), "new");
            }
            assert_eq!(
                fixture.vouch(&hook).standing,
                Standing::Trusted,
                "{command}"
            );
        }
    }
    for command in [
        "cp a.sh b.sh; sh b.sh",
        // It leaves the content in the file.
        "chmod +x b.sh; cat b.sh",
        "chown me b.sh && grep -q x b.sh",
        // What runs isn't seen through.
        "touch b.sh; eval \"$(cat b.sh)\"",
        "echo x >> b.sh; cat b.sh | sh",
        "date > b.sh; bash -s < b.sh",
        // Others may carry it out.
        "touch b.sh; psql -f b.sh",
        "date >> b.sh; tool --read b.sh",
        "date >> b.sh; crontab b.sh",
        "touch b.sh; jq -f b.sh in.json",
        "touch b.sh; grep -f b.sh in.json",
        "touch b.sh; git grep -f b.sh",
        "touch b.sh; awk -f b.sh in.json",
        "touch b.sh; sed -n -f b.sh in.json",
        "touch b.sh; tool -f b.sh",
    ] {
        for event in ["BeforeTool", "AfterAgent"] {
            let fixture = Fixture::new();
            fixture.write("project/b.sh", "old");
            let hook = fixture.hook_of(event, &json!({"command": command}));
            fixture.trust(&hook);
            fixture.write("project/b.sh", "new");
            assert_ne!(
                fixture.vouch(&hook).standing,
                Standing::Trusted,
                "{event}: {command}"
            );
        }
    }
}

/// TR-1: if no action waits for the hook, what it only reads is what it judges; what it could run,
/// and a list of patterns, are always parts of it.
#[test]
fn what_a_hook_looks_at_is_not_a_part_of_it() {
    let standing = |event: &str, command: &str| {
        let fixture = Fixture::new();
        for file in ["app.py", "list.txt"] {
            fixture.write(&format!("project/{file}"), "one");
        }
        let hook = fixture.hook_of(event, &json!({"command": command}));
        fixture.trust(&hook);
        for file in ["app.py", "list.txt"] {
            fixture.write(&format!("project/{file}"), "two");
        }
        fixture.vouch(&hook).standing
    };
    for command in [
        "cat app.py",
        "if grep -q FIXME app.py; then echo no >&2; exit 2; fi",
        "wc -l < app.py",
        "git diff -- app.py",
        "eslint app.py",
        "head -5 \"$GEMINI_PROJECT_DIR/app.py\"",
        "wc -c app.py",
        "grep -c FIXME app.py",
    ] {
        assert_eq!(
            standing("AfterAgent", command),
            Standing::Trusted,
            "{command}"
        );
        assert_eq!(
            standing("SessionStart", command),
            Standing::Trusted,
            "{command}"
        );
        for event in [
            "BeforeTool",
            "BeforeAgent",
            "BeforeModel",
            "BeforeToolSelection",
        ] {
            assert_ne!(
                standing(event, command),
                Standing::Trusted,
                "{event}: {command}"
            );
        }
    }
    for command in [
        "python3 app.py",
        "cat app.py | sh",
        "cat app.py | python3 -",
        "sh < app.py",
        "eval \"$(cat app.py)\"",
        "bash -c \"$(cat app.py)\"",
        ". ./app.py",
        "git diff | grep -qf list.txt",
        "cp app.py /tmp/x.py; python3 /tmp/x.py",
        "cat app.py > ../copy; sh ../copy",
        "cat app.py | tee ../copy",
        "install app.py ../bin/tool; tool",
        "crontab app.py",
        "cat app.py | xargs -I{} sh -c '{}'",
        "xargs -a app.py -n1 sh -c",
        "sudo sh < app.py",
        "while read -r line; do $line; done < app.py",
        "psql < app.py",
        "jq -f app.py in.json",
        "jq --slurpfile known list.txt . in.json",
        "jq --rawfile known list.txt . in.json",
        "eslint --config app.py src",
        "eslint -c list.txt src",
        "rubocop --config=app.py",
        "shellcheck --rcfile list.txt x.sh",
    ] {
        assert_ne!(
            standing("AfterAgent", command),
            Standing::Trusted,
            "{command}"
        );
    }
}

/// TR-1: absolute paths into the project count, those outside don't.
#[test]
fn only_files_inside_the_project_count() {
    let fixture = Fixture::new();
    let inside = fixture.write("project/a.sh", "one");
    let outside = fixture.write("elsewhere/b.sh", "one");
    let command = format!(
        "{} {} ../elsewhere/b.sh",
        inside.display(),
        outside.display()
    );
    let hook = fixture.command(&command);
    fixture.trust(&hook);
    fixture.write("elsewhere/b.sh", "two");
    assert_eq!(fixture.vouch(&hook).standing, Standing::Trusted);
    fixture.write("project/a.sh", "two");
    assert_eq!(fixture.changes(&hook).len(), 1);
}

/// TR-1: a file that appears, or disappears, is a change; a plain word that names none isn't.
#[test]
fn missing_files_are_part_of_it() {
    let fixture = Fixture::new();
    let hook = fixture.command("sleep 0.5; node later.js lint https://example.org/x.js");
    let files = fixture.vouch(&hook).fingerprint.unwrap().files.clone();
    assert_eq!(
        files
            .iter()
            .map(|file| file.path.as_str())
            .collect::<Vec<_>>(),
        ["later.js"]
    );
    fixture.trust(&hook);
    fixture.write("project/later.js", "x");
    assert_eq!(
        fixture.changes(&hook),
        ["files: later.js was created since it was trusted"]
    );
    fixture.write("project/lint", "x");
    fixture.trust(&hook);
    std::fs::remove_file(fixture.path("project/lint")).unwrap();
    assert_eq!(
        fixture.changes(&hook),
        ["files: lint was one of its files when it was trusted, and isn't now"]
    );
    std::fs::remove_file(fixture.path("project/later.js")).unwrap();
    assert!(fixture.changes(&hook)[0].contains("later.js disappeared"));
    fixture.trust(&hook);
    fixture.write("project/0.5", "x");
    assert!(fixture.changes(&hook)[0].contains("0.5"));
}

/// TR-1: event, matcher, name, command and env belong to it; what decides nothing doesn't.
#[test]
fn the_declaration_is_part_of_it() {
    let base = json!({"command": "a", "name": "n", "matcher": "m", "env": {"A": "1"}});
    let with = |key: &str, value: serde_json::Value| {
        let mut changed = base.clone();
        changed[key] = value;
        changed
    };
    let fixture = Fixture::new();
    fixture.trust(&fixture.hook(&base));
    for (changed, told) in [
        (
            with("matcher", json!("x")),
            "matcher: its matcher changed since it was trusted",
        ),
        (
            with("command", json!("b")),
            "command: its command changed since it was trusted",
        ),
        (
            with("name", json!("x")),
            "name: its name changed since it was trusted",
        ),
        (
            with("env", json!({"A": "2"})),
            "env: its environment changed since it was trusted",
        ),
        (
            with("env", json!({"A1": ""})),
            "env: its environment changed since it was trusted",
        ),
    ] {
        let changes = fixture.changes(&fixture.hook(&changed));
        assert!(
            changes.len() == 1 && changes[0].starts_with(told),
            "{changes:?}"
        );
    }
    assert_eq!(
        fixture.changes(&fixture.hook_of("AfterTool", &base)),
        ["event: its event changed since it was trusted, from \"BeforeTool\" to \"AfterTool\""]
    );
    let changes = fixture.changes(&fixture.hook(&with("timeout", json!(500))));
    assert!(
        changes.len() == 1 && changes[0].starts_with("timeout: "),
        "{changes:?}"
    );
    // A default that is spelled out is the same entry.
    for same in [
        with("timeout", json!(60_000)),
        with("description", json!("d")),
    ] {
        assert_eq!(
            fixture.vouch(&fixture.hook(&same)).standing,
            Standing::Trusted
        );
    }
}

/// TR-1: links are followed: inside, the target's bytes count; outside, the target itself.
#[cfg(unix)]
#[test]
fn links_are_followed() {
    use std::os::unix::fs::symlink;
    let fixture = Fixture::new();
    fixture.write("project/real/a.sh", "one");
    fixture.write("elsewhere/b.sh", "one");
    symlink("real", fixture.path("project/linked")).unwrap();
    symlink(
        fixture.path("elsewhere/b.sh"),
        fixture.path("project/out.sh"),
    )
    .unwrap();
    let hook = fixture.command("linked/a.sh ./out.sh");
    fixture.trust(&hook);
    fixture.write("project/real/a.sh", "two");
    assert_eq!(
        fixture.changes(&hook),
        ["files: real/a.sh changed since it was trusted"]
    );
    fixture.write("project/real/a.sh", "one");
    std::fs::remove_file(fixture.path("project/out.sh")).unwrap();
    symlink(
        fixture.path("elsewhere/c.sh"),
        fixture.path("project/out.sh"),
    )
    .unwrap();
    assert_eq!(
        fixture.changes(&hook),
        ["files: out.sh changed since it was trusted"]
    );
}

/// TR-1: a project reached through a link has the same fingerprints.
#[cfg(unix)]
#[test]
fn a_linked_project_is_the_same() {
    let fixture = Fixture::new();
    fixture.write("project/a.sh", "one");
    let hook = fixture.command("$GEMINI_PROJECT_DIR/a.sh");
    fixture.trust(&hook);
    let link = fixture.path("link");
    std::os::unix::fs::symlink(fixture.project(), &link).unwrap();
    let vouch = |hook: &hookloop_hook::HookDeclaration| {
        let workspace = hookloop_settings::WorkspaceTrust::Untold;
        fixture
            .store()
            .vouch(&link, vec![hook.clone()], &workspace)
            .remove(0)
            .standing
    };
    assert_eq!(vouch(&hook), Standing::Trusted);
    fixture.write("project/a.sh", "two");
    assert!(matches!(vouch(&hook), Standing::Modified { .. }));
}

/// TR-1: what isn't a regular file, or is too large, is part of it as such, and is never read.
#[cfg(unix)]
#[test]
fn odd_files_are_not_read() {
    let fixture = Fixture::new();
    let large = std::fs::File::create(fixture.path("project/large.bin")).unwrap();
    large.set_len(1 << 40).unwrap();
    std::fs::create_dir(fixture.path("project/folder")).unwrap();
    std::os::unix::fs::symlink("loop", fixture.path("project/loop")).unwrap();
    let hook = fixture.command("./large.bin folder ./loop .. / . ''");
    fixture.trust(&hook);
    let files = fixture.vouch(&hook).fingerprint.unwrap().files.clone();
    assert_eq!(
        files
            .iter()
            .map(|file| file.path.as_str())
            .collect::<Vec<_>>(),
        ["large.bin", "loop"]
    );
    large.set_len(1 << 41).unwrap();
    assert_eq!(
        fixture.changes(&hook),
        ["files: large.bin changed since it was trusted"]
    );
}

/// TR-1: a project's extension needs the same trust; the user's own doesn't.
#[test]
fn extensions_of_the_project_need_trust() {
    let fixture = Fixture::new();
    let hooks = json!({"hooks": {"BeforeTool": [{"hooks": [
        {"type": "command", "command": "${extensionPath}${/}x.sh"}]}]}});
    for scope in ["project", "home"] {
        let folder = format!("{scope}/.gemini/extensions/e");
        fixture.write(
            &format!("{folder}/gemini-extension.json"),
            r#"{"name": "e"}"#,
        );
        fixture.write(&format!("{folder}/hooks/hooks.json"), hooks.to_string());
        fixture.write(&format!("{folder}/x.sh"), "one");
    }
    let [of_user, of_project] = fixture.load().try_into().unwrap();
    assert_eq!(fixture.vouch(&of_user).standing, Standing::NotNeeded);
    assert_eq!(fixture.vouch(&of_project).standing, Standing::New);
    fixture.trust(&of_project);
    let manifest = r#"{"name": "e", "settings": [{"envVar": "BASH_ENV"}]}"#;
    fixture.write(
        "project/.gemini/extensions/e/gemini-extension.json",
        manifest,
    );
    fixture.write("project/.gemini/extensions/e/.env", "BASH_ENV=evil.sh");
    let with_settings = fixture.load().pop().unwrap();
    assert_eq!(
        fixture.changes(&with_settings),
        ["env: the settings of its extension changed since it was trusted"]
    );
    fixture.write("project/.gemini/extensions/e/x.sh", "two");
    assert_eq!(
        fixture.changes(&of_project),
        ["files: .gemini/extensions/e/x.sh changed since it was trusted"]
    );
}

proptest::proptest! {
    /// TR-1: no command makes taking a fingerprint panic.
    #[test]
    fn any_command_is_survived(command in "[a-z ./$'\"\\\\={}()@`\u{0}é-]{1,40}") {
        let fixture = Fixture::new();
        let mut hook = fixture.command("x");
        hook.handler = hookloop_hook::Handler::command(command);
        fixture.vouch(&hook);
    }
}

/// TR-1: what a hook only prints names no file: a file that appears with such a name changes
/// nothing. If what is printed is carried out, it counts.
#[test]
fn words_that_are_said_name_no_file() {
    for (command, is_said) in [
        ("echo \"see notes first\"", true),
        (
            "echo '{\"decision\": \"block\", \"reason\": \"fix notes\"}'",
            true,
        ),
        (
            "jq -r .tool_name; printf '%s' 'look at notes' >&2; exit 2",
            true,
        ),
        ("echo notes | xargs sh", false),
        ("echo 'sh notes' | sh", false),
        ("sh \"$(echo notes)\"", false),
    ] {
        let fixture = Fixture::new();
        let hook = fixture.hook(&json!({"command": command}));
        fixture.trust(&hook);
        fixture.write("project/notes", "exit 0");
        let standing = fixture.vouch(&hook).standing;
        assert_eq!(
            standing.as_str() == "trusted",
            is_said,
            "{command}: {standing:?}"
        );
    }
}

/// TR-1: what a command only queries is what it judges, and not part of it, even if it appears or
/// disappears; what it prints about it may be carried out, and what it runs is a part.
#[test]
fn what_a_hook_asks_about_is_not_a_part_of_it() {
    let standing = |command: &str, is_there: bool| {
        let fixture = Fixture::new();
        if is_there {
            fixture.write("project/package.json", "one");
        }
        let hook = fixture.command(command);
        fixture.trust(&hook);
        fixture.write("project/package.json", "two");
        fixture.vouch(&hook).standing
    };
    for command in [
        "[ -f package.json ] && eslint src",
        "[ -f \"package.json\" ] || exit 0; eslint src",
        "test -e ./package.json && make lint",
        "if [[ -f package.json ]]; then echo yes; fi",
        "[[ package.json -nt lock.json ]] && exit 2",
        "ls package.json && eslint src",
        "stat package.json",
        "[ -f package.json ] && bash -c 'eval \"$X\"'",
    ] {
        for is_there in [true, false] {
            assert_eq!(standing(command, is_there), Standing::Trusted, "{command}");
        }
    }
    for command in [
        "[ -f package.json ] && node package.json",
        "[ -f package.json ] && . ./package.json",
        "test -f package.json; tool package.json",
        "ls package.json | xargs bash",
        "bash \"$(ls package.json)\"",
        "X=package.json [ -f x ] && bash x",
    ] {
        assert_ne!(standing(command, true), Standing::Trusted, "{command}");
    }
}
