use serde_json::{Value, json};

use crate::world::{World, each, fields};

const CLAUDE: &str = r#"{
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [
        { "type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/guard", "timeout": 5 }
      ] },
      { "matcher": "Bash(git:*)", "hooks": [{ "type": "command", "command": "git-guard" }] }
    ],
    "PostToolUse": [{ "hooks": [{ "type": "agent", "prompt": "Is it done?" }] }]
  }
}"#;

const TARGET: &str = "{\n  // mine\n  \"hooks\": {},\n}\n";

fn world() -> World {
    let world = World::new();
    world.sandbox.file(".claude/settings.json", CLAUDE);
    world.sandbox.file(
        ".claude/settings.local.json",
        r#"{ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "touch ran" }] }] } }"#,
    );
    world
}

fn read(path: &std::path::Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// CM-7: both files of Claude Code are read; what happens to each hook is reported, with its place.
#[test]
fn hooks_of_claude_code_are_taken_over() {
    let world = world();
    let target = world.sandbox.project_settings(TARGET);
    let printed = world.json(&["migrate", "--from-claude"]);
    assert_eq!(printed.code, 0, "{}", printed.json);
    let json = &printed.json;
    let own = ["dry_run", "target", "sources", "items", "settings"];
    assert_eq!(fields(json)[3..8], own);
    assert_eq!(
        (&json["dry_run"], &json["target"]),
        (&json!(false), &json!(target.to_str().unwrap()))
    );
    assert_eq!(json["sources"].as_array().unwrap().len(), 2);
    let results = ["converted", "approximated", "not_possible", "converted"];
    assert_eq!(each(&json["items"], "result"), results);
    let item = &json["items"][0];
    let names = [
        "result",
        "source",
        "event_from",
        "event_to",
        "matcher_from",
        "matcher_to",
        "command",
        "message",
    ];
    assert_eq!(fields(item), names);
    assert_eq!(
        (&item["event_from"], &item["event_to"]),
        (&json!("PreToolUse"), &json!("BeforeTool"))
    );
    assert_eq!(
        (&item["source"]["layer"], &item["source"]["line"]),
        (&json!(null), &json!(5))
    );
    assert!(
        json["items"][2]["message"]
            .as_str()
            .unwrap()
            .contains("agent"),
        "{}",
        json["items"][2]
    );
    let text = read(&target);
    assert!(
        text.contains("// mine") && text.contains("$CLAUDE_PROJECT_DIR"),
        "{text}"
    );
    let list = world.json(&["list"]).json;
    assert_eq!(list["hooks"].as_array().unwrap().len(), 3);
    assert!(
        list["hooks"]
            .as_array()
            .unwrap()
            .iter()
            .any(|it| it["timeout_ms"] == 5000)
    );
}

/// CM-7: migrating twice gives the same result as once.
#[test]
fn migrating_twice_gives_the_same() {
    let world = world();
    let target = world.sandbox.project_settings(TARGET);
    world.json(&["migrate", "--from-claude"]);
    let once = read(&target);
    let again = world.json(&["migrate", "--from-claude"]).json;
    assert_eq!(read(&target), once);
    assert_eq!(again["settings"], json!({}));
    let results = [
        "already_there",
        "already_there",
        "not_possible",
        "already_there",
    ];
    assert_eq!(each(&again["items"], "result"), results);
}

/// CM-7: a dry run reports the same and writes nothing.
#[test]
fn a_dry_run_writes_nothing() {
    let world = world();
    let mut dry = world.json(&["migrate", "--from-claude", "--dry-run"]).json;
    assert!(!world.project().join(".gemini").exists());
    assert_eq!(dry["dry_run"], true);
    let mut real = world.json(&["migrate", "--from-claude"]).json;
    let written: Value =
        serde_json::from_str(&read(&world.project().join(".gemini/settings.json"))).unwrap();
    assert_eq!(written["hooks"], dry["settings"]);
    // The notice that nothing reads the other agent's file disappears once its hooks are here
    // (ST-12).
    for document in [&mut dry, &mut real] {
        document["dry_run"] = Value::Null;
        document["diagnostics"] = Value::Null;
    }
    assert_eq!(dry, real);
}

/// CM-7, TR-7: migrating runs and trusts nothing.
#[test]
fn migrating_runs_and_trusts_nothing() {
    let world = world();
    let finished = world.hooks(&["migrate", "--from-claude"]);
    assert_eq!(finished.code, Some(0));
    assert!(!world.project().join("ran").exists());
    let list = world.json(&["list"]).json;
    assert!(each(&list["hooks"], "trust").iter().all(|it| **it == "new"));
    assert!(
        finished.stdout.contains("hookloop hooks trust"),
        "{}",
        finished.stdout
    );
    assert!(
        finished.stdout.contains("Not possible (1)"),
        "{}",
        finished.stdout
    );
}

/// CM-7: `--scope user` reads and writes the user's files.
#[test]
fn the_users_hooks_are_taken_over_too() {
    let world = World::new();
    let folder = world.sandbox.home().join(".claude");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("settings.json"), CLAUDE).unwrap();
    let json = world
        .json(&["migrate", "--from-claude", "--scope", "user"])
        .json;
    let target = world.sandbox.home().join(".gemini/settings.json");
    assert_eq!(json["target"], target.to_str().unwrap());
    assert!(target.exists() && !world.project().join(".gemini").exists());
}

/// CM-7: hooks of Codex and Cursor are migrated as well.
#[test]
fn hooks_of_other_agents_are_taken_over() {
    let world = World::new();
    world.sandbox.file(
        ".codex/hooks.json",
        r#"{ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": "codex-guard" }] }] } }"#,
    );
    world.sandbox.file(
        ".cursor/hooks.json",
        r#"{ "version": 1, "hooks": { "preToolUse": [{ "command": "cursor-guard" }] } }"#,
    );
    for (option, command) in [
        ("--from-codex", "codex-guard"),
        ("--from-cursor", "cursor-guard"),
    ] {
        let json = world.json(&["migrate", option]).json;
        let written = json["settings"].to_string();
        assert!(written.contains(command), "{option}: {json}");
    }
}

/// CM-7: it is an error if there is nothing to migrate, or if the target isn't JSON.
#[test]
fn failures_leave_everything_as_it_was() {
    let world = World::new();
    let printed = world.json(&["migrate", "--from-claude"]);
    assert_eq!(
        (printed.code, &printed.json["error"]["code"]),
        (1, &json!("no_source"))
    );
    assert!(!world.project().join(".gemini").exists());
    world.sandbox.file(".claude/settings.json", CLAUDE);
    let target = world.sandbox.project_settings("{ broken");
    for more in [&[][..], &["--dry-run"]] {
        let printed = world.json(&[&["migrate", "--from-claude"], more].concat());
        assert_eq!(
            (printed.code, &printed.json["error"]["code"]),
            (1, &json!("invalid_settings"))
        );
    }
    assert_eq!(read(&target), "{ broken");
}

/// TR-10: a pipe instead of another agent's file, or of ours, delays no command.
#[cfg(unix)]
#[test]
fn no_command_waits_for_a_pipe() {
    let agents = [
        ".claude/settings.json",
        ".cursor/hooks.json",
        ".codex/hooks.json",
    ];
    for piped in agents.into_iter().chain([".gemini/settings.json"]) {
        let world = World::new();
        let pipe = world.sandbox.project().join(piped);
        std::fs::create_dir_all(pipe.parent().unwrap()).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        for words in [
            &["hooks", "check"][..],
            &["hooks", "migrate", "--from-claude"],
            &["hooks", "adopt"],
            &["hooks", "adopt", "claude-code"],
            &["hooks", "adopt", "cursor"],
            &["bridge", "install", "claude-code", "--project"],
            &["bridge", "install", "codex", "--project"],
            &["bridge", "list"],
            &["bridge", "doctor", "claude-code"],
            &["bridge", "uninstall", "claude-code", "--project"],
            &["mcp", "list"],
            &["mcp", "add", "served", "true"],
            &["mcp", "remove", "served"],
            &["mcp", "remove", "served", "--scope", "user"],
        ] {
            let mut command = world.sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
            command.args(words).stdin(std::process::Stdio::null());
            command
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null());
            let mut running = command.spawn().unwrap();
            let what = format!("{words:?} is back, {piped} being a pipe");
            hookloop_testkit::wait_until(&what, || running.try_wait().unwrap().is_some());
        }
    }
}
