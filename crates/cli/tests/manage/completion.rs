use serde_json::json;

use crate::world::World;

fn world() -> World {
    let world = World::new();
    world.user_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "guard", "command": "touch ran" },
        { "type": "command", "name": "two\nlines", "command": "true" },
        { "type": "command", "command": "format all" },
    ] }] }));
    world
}

fn complete(world: &World, words: &[&str]) -> Vec<String> {
    let index = (words.len() - 1).to_string();
    let finished = world.run_with(&[&["__complete", &index, "--"], words].concat(), &[], "");
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let lines = finished.stdout.lines();
    lines
        .map(|line| line.split('\t').next().unwrap().to_owned())
        .collect()
}

/// CM-2: completion offers the names of hooks that can be typed, and runs nothing.
#[test]
fn names_of_hooks_are_offered() {
    let world = world();
    for command in ["enable", "disable", "trust", "untrust", "review"] {
        let offered = complete(&world, &["hookloop", "hooks", command, "g"]);
        assert_eq!(offered, ["guard"], "{command}");
    }
    let all = complete(&world, &["hookloop", "hooks", "disable", ""]);
    assert!(all.contains(&"format all".to_owned()) && !all.iter().any(|it| it.contains("two")));
    assert!(!world.project().join("ran").exists());
}

/// CM-2: commands and values of options are offered; hidden commands aren't.
#[test]
fn commands_and_values_are_offered() {
    let world = world();
    let commands = complete(&world, &["hookloop", "hooks", "disable"]);
    assert_eq!(commands, ["disable", "disable-all"]);
    let scopes = complete(
        &world,
        &["hookloop", "hooks", "disable-all", "--scope", "p"],
    );
    assert_eq!(scopes, ["project"]);
    let hidden = complete(&world, &["hookloop", "c"]);
    assert!(hidden.contains(&"completions".to_owned()), "{hidden:?}");
    assert!(!hidden.iter().any(|it| it.starts_with("__")));
}

/// CM-2: what a command accepts by name is offered, whatever the workspace contains.
#[test]
fn fixed_names_are_offered() {
    let world = world();
    let cases: &[(&[&str], &str)] = &[
        (&["hooks", "why", "BeforeT"], "BeforeTool"),
        (&["hooks", "fire", "Sess"], "SessionStart"),
        (&["hooks", "new", "x", "--event", "After"], "AfterAgent"),
        (
            &["hooks", "fire", "BeforeTool", "--tool", "wr"],
            "write_file",
        ),
        (&["hooks", "fire", "BeforeTool", "--only", "g"], "guard"),
        (&["hooks", "adopt", "cla"], "claude-code"),
        (&["guards", "add", "env"], "env-files"),
        (&["guards", "remove", "dang"], "dangerous-commands"),
        (&["guards", "test", "sec"], "secrets"),
        (&["bridge", "install", "goo"], "goose"),
        (&["bridge", "uninstall", "copi"], "copilot"),
        (&["bridge", "doctor", "cod"], "codex"),
    ];
    for (words, expected) in cases {
        let offered = complete(&world, &[&["hookloop"], *words].concat());
        assert!(
            offered.iter().any(|it| it == expected),
            "{words:?}: {offered:?}"
        );
        let current = words[words.len() - 1];
        assert!(
            offered.iter().all(|it| it.starts_with(current)),
            "{words:?}: {offered:?}"
        );
    }
}

/// CM-2: the script for bash completes names, quoted where a shell would split them.
#[test]
fn bash_completes_names() {
    let world = world();
    let script = world.run_with(&["completions", "bash"], &[], "").stdout;
    let script = world.sandbox.file("complete.bash", &script);
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_hookloop"));
    let line = format!(
        "PATH={}:$PATH; source {}; COMP_WORDS=(hookloop hooks disable f); COMP_CWORD=3; _hookloop; \
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        program.parent().unwrap().display(),
        script.display()
    );
    let mut bash = world.sandbox.command("bash");
    let system = world.system_file();
    bash.args(["-c", &line])
        .env("GEMINI_CLI_SYSTEM_SETTINGS_PATH", system);
    let finished = world.sandbox.run(&mut bash, b"");
    assert_eq!(finished.stdout, "format\\ all\n", "{}", finished.stderr);
}

/// CM-2: there is a script for each shell, and none for others.
#[test]
fn every_shell_has_a_script() {
    let world = world();
    for shell in ["bash", "zsh", "fish"] {
        let finished = world.run_with(&["completions", shell], &[], "");
        assert_eq!(finished.code, Some(0));
        assert!(finished.stdout.contains("hookloop __complete "), "{shell}");
        assert!(!finished.stdout.contains('@'.to_string().repeat(2).as_str()));
    }
    let finished = world.run_with(&["completions", "cmd"], &[], "");
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""));
}
