use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::world::World;

/// Marks the place of a problem in the text of a file.
const MARK: char = '§';

/// Removes the mark from a text, and returns where it was.
fn unmark(text: &str) -> (String, u64, u64) {
    let (before, after) = text.split_once(MARK).expect("a mark");
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    (format!("{before}{after}"), line as u64, column as u64)
}

fn find<'a>(json: &'a Value, code: &str) -> &'a Value {
    let found = json["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["code"] == code);
    found.unwrap_or_else(|| panic!("{code} is missing in {}", json["diagnostics"]))
}

/// Checks the user's settings; the problem has this code and is at the mark.
fn assert_problem(code: &str, severity: &str, marked: &str) -> Value {
    let world = World::new();
    assert_problem_in(&world, code, severity, marked)
}

fn assert_problem_in(world: &World, code: &str, severity: &str, marked: &str) -> Value {
    let (text, line, column) = unmark(marked);
    let file = world.sandbox.user_settings(&text);
    let json = world.json(&["check"]).json;
    assert_place(&json, code, &file, line, column);
    assert_eq!(find(&json, code)["severity"], severity, "{code}");
    find(&json, code).clone()
}

fn assert_place(json: &Value, code: &str, file: &Path, line: u64, column: u64) {
    let problem = find(json, code);
    let source = &problem["source"];
    assert_eq!(source["file"], file.to_str().unwrap(), "{code}");
    assert_eq!(
        (&source["line"], &source["column"]),
        (&json!(line), &json!(column)),
        "{code}"
    );
    let text = std::fs::read_to_string(file).unwrap();
    let snippet = text
        .lines()
        .nth(usize::try_from(line).unwrap() - 1)
        .unwrap();
    assert_eq!(problem["snippet"], snippet, "{code}");
    assert_ne!(problem["help"], "", "{code}");
}

fn event(name: &str, groups: &str) -> String {
    format!("{{\"hooks\": {{\n  \"{name}\": [{groups}]\n}}}}")
}

/// ST-5: what is wrong in a file is reported with its place, code and severity.
#[test]
fn errors_have_their_place() {
    let hook = |fields: &str| event("BeforeTool", &format!("{{\"hooks\": [{fields}]}}"));
    let cases = [
        ("invalid_json", "{\n  \"hooks\": §nonsense".to_owned()),
        (
            "wrong_type",
            hook("{\"type\": \"command\", \"command\": §5}"),
        ),
        ("missing_field", hook("§{\"type\": \"command\"}")),
        (
            "invalid_value",
            hook("{\"type\": \"command\", \"command\": \"true\", \"timeout\": §-1}"),
        ),
        (
            "unknown_event",
            "{\"hooks\": {§\"beforeTool\": []}}".to_owned(),
        ),
        (
            "unknown_hook_type",
            hook("{\"type\": §\"fax\", \"command\": \"true\"}"),
        ),
        (
            "script_missing",
            hook("{\"type\": \"command\", \"command\": §\"./no/such.sh\"}"),
        ),
        (
            "interpreter_missing",
            hook("{\"type\": \"command\", \"command\": §\"no-such-program-x\"}"),
        ),
    ];
    for (code, marked) in cases {
        assert_problem(code, "error", &marked);
    }
}

/// CM-3: what is suspicious is a warning with its place.
#[test]
fn warnings_have_their_place() {
    let with = |event_name: &str, matcher: &str| {
        event(
            event_name,
            &format!(
                "{{\"matcher\": {matcher}, \"hooks\": [{{\"type\": \"command\", \"command\": \"true\"}}]}}"
            ),
        )
    };
    let hook = |fields: &str| event("BeforeTool", &format!("{{\"hooks\": [{fields}]}}"));
    let cases = [
        (
            "unknown_field",
            hook("{\"type\": \"command\", \"command\": \"true\", §\"tiemout\": 5}"),
        ),
        (
            "duplicate_key",
            "{\"hooks\": {}, §\"hooks\": {}}".to_owned(),
        ),
        ("matcher_no_tool", with("BeforeTool", "§\"Bsh_nothing\"")),
        ("matcher_extra_tool", with("BeforeTool", "§\"read\"")),
        (
            "matcher_invalid_regex",
            with("BeforeTool", "§\"(unclosed\""),
        ),
        (
            "matcher_without_subject",
            with("BeforeAgent", "§\"write_file\""),
        ),
        (
            "timeout_suspicious",
            hook("{\"type\": \"command\", \"command\": \"true\", \"timeout\": §30}"),
        ),
        (
            "duplicate_hook",
            hook(
                "{\"type\": \"command\", \"command\": \"true\"}, §{\"type\": \"command\", \"command\": \"true\"}",
            ),
        ),
        (
            "unknown_disabled_name",
            "{\"hooksConfig\": {\"disabled\": [§\"nobody\"]}}".to_owned(),
        ),
    ];
    for (code, marked) in cases {
        assert_problem(code, "warning", &marked);
    }
    assert_problem(
        "hooks_off",
        "info",
        "{\"hooksConfig\": {\"enabled\": §false}}",
    );
}

/// ST-5: the right value is suggested if there is one.
#[test]
fn the_right_value_is_suggested() {
    let problem = assert_problem(
        "unknown_event",
        "error",
        "{\"hooks\": {§\"beforeTool\": []}}",
    );
    assert_eq!(problem["suggestion"], "BeforeTool");
    assert_eq!(problem["source"]["layer"], "user");
}

/// CM-3: a script that isn't executable, and an interpreter that doesn't exist, are errors.
#[test]
fn scripts_are_looked_at() {
    let world = World::new();
    world.sandbox.file("plain.sh", "#!/bin/sh\ntrue\n");
    world
        .sandbox
        .script("orphan.sh", "#!/no/such/interpreter\n");
    world
        .sandbox
        .script("sound.sh", "#!/usr/bin/env sh\ntrue\n");
    let hook = |command: &str| {
        event(
            "BeforeTool",
            &format!("{{\"hooks\": [{{\"type\": \"command\", \"command\": {command}}}]}}"),
        )
    };
    assert_problem_in(
        &world,
        "script_not_executable",
        "error",
        &hook("§\"$GEMINI_PROJECT_DIR/plain.sh\""),
    );
    assert_problem_in(
        &world,
        "interpreter_missing",
        "error",
        &hook("§\"./orphan.sh\""),
    );
    world
        .sandbox
        .user_settings(&hook("\"./sound.sh && sh plain.sh\""));
    let sound = world.json(&["check"]);
    let found = sound.json["diagnostics"].as_array().unwrap();
    let codes: Vec<&Value> = found.iter().map(|it| &it["code"]).collect();
    assert_eq!(sound.code, 0);
    assert_eq!(codes, ["guard_without_on_failure"]);
}

/// PL-7: of identical hooks the most trusted one stays; the other one is reported at its own place.
#[test]
fn a_shadowed_hook_is_reported() {
    let world = World::new();
    let (text, line, column) = unmark(&event(
        "BeforeTool",
        "{\"hooks\": [§{\"type\": \"command\", \"command\": \"true\"}]}",
    ));
    let file = world.sandbox.user_settings(&text);
    std::fs::write(world.system_file(), &text).unwrap();
    let json = world.json(&["check"]).json;
    assert_place(&json, "shadowed_hook", &file, line, column);
    assert_eq!(find(&json, "shadowed_hook")["severity"], "warning");
    assert_eq!(find(&json, "shadowed_hook")["event"], "BeforeTool");
}

/// ST-6: a key that the system has locked is reported where another layer sets it.
#[test]
fn a_locked_key_is_reported() {
    let world = World::new();
    let locked = r#"{"hooksConfig": {"locked": ["enabled"], "enabled": true}}"#;
    std::fs::write(world.system_file(), locked).unwrap();
    assert_problem_in(
        &world,
        "locked_key",
        "warning",
        "{\"hooksConfig\": {\"enabled\": §false}}",
    );
    assert_eq!(world.json(&["list"]).json["hooks_enabled"], true);
}

/// TR-2: a hook that waits for trust is reported.
#[test]
fn an_untrusted_hook_is_reported() {
    let world = World::new();
    let (text, line, column) = unmark(&event(
        "BeforeTool",
        "{\"hooks\": [§{\"type\": \"command\", \"command\": \"true\"}]}",
    ));
    let file = world.sandbox.project_settings(&text);
    let json = world.json(&["check"]).json;
    assert_place(&json, "untrusted_hook", &file, line, column);
    assert_eq!(find(&json, "untrusted_hook")["severity"], "warning");
    assert!(find(&json, "untrusted_hook")["hook_id"].is_string());
}

/// TR-5: a folder marked `DO_NOT_TRUST` is reported at the entry.
#[test]
fn an_untrusted_folder_is_reported() {
    let world = World::new();
    world.sandbox.project_settings("{}");
    let file = world.mark_folder("DO_NOT_TRUST");
    let json = world.json(&["check"]).json;
    let source = &find(&json, "folder_untrusted")["source"];
    assert_eq!(
        (&source["file"], &source["line"]),
        (&json!(file.to_str().unwrap()), &json!(1))
    );
}

/// TR-4, TR-5: trust files that can't be read are reported, by every command.
#[test]
fn broken_trust_files_are_reported() {
    for name in ["trusted_hooks.json", "trustedFolders.json"] {
        let world = World::new();
        let file = world.home_file(name, "{ no json");
        for arguments in [
            &["list"][..],
            &["check"],
            &["why", "BeforeTool"],
            &["fire", "BeforeTool"],
        ] {
            let json = world.json(arguments).json;
            assert_eq!(
                find(&json, "trust_file_invalid")["source"]["file"],
                file.to_str().unwrap()
            );
        }
    }
}

/// ST-5: a file that can't be read is reported as a whole; EX-5: so is a broken extension.
#[test]
fn files_that_cannot_be_read_are_reported() {
    let world = World::new();
    let unreadable: PathBuf = world.sandbox.home().join(".gemini/settings.json");
    std::fs::create_dir_all(&unreadable).unwrap();
    world.extension("sound", "true");
    world.home_file("extensions/broken/gemini-extension.json", "{");
    let printed = world.json(&["check"]);
    assert_eq!(printed.code, 1);
    let source = &find(&printed.json, "unreadable_file")["source"];
    assert_eq!(source["file"], unreadable.to_str().unwrap());
    assert!(source["line"].is_null() && source["column"].is_null());
    find(&printed.json, "extension_invalid");
    assert_eq!(
        world.json(&["list"]).json["hooks"][0]["source"]["extension"],
        "sound"
    );
}

/// CM-3, ST-5: a hook beside `hooks` looks installed and never runs: that is an error, which every
/// command reports.
#[test]
fn a_hook_in_the_wrong_place_is_an_error() {
    let problem = assert_problem(
        "misplaced_hooks",
        "error",
        r#"{"hooksConfig": {},
  §"BeforeTool": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}"#,
    );
    assert!(problem["help"].as_str().unwrap().contains("\"hooks\""));
    let world = World::new();
    world.user_hooks(&json!({}));
    world.sandbox.user_settings(r#"{"PreToolUse": []}"#);
    assert!(
        world
            .hooks(&["list"])
            .stderr
            .contains("error[misplaced_hooks]")
    );
}

/// CM-3: a script with Windows line ends names an interpreter that doesn't exist.
#[cfg(unix)]
#[test]
fn line_ends_of_windows_are_reported() {
    use std::os::unix::fs::PermissionsExt;

    let world = World::new();
    let script = world.project().join("guard.sh");
    std::fs::write(&script, "#!/usr/bin/env bash\r\nexit 2\r\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    for (command, code) in [
        ("$GEMINI_PROJECT_DIR/guard.sh", "interpreter_missing"),
        ("sh $GEMINI_PROJECT_DIR/guard.sh", "script_line_ends"),
    ] {
        world.user_command("BeforeTool", command);
        let json = world.json(&["check"]).json;
        let problem = find(&json, code);
        assert!(
            problem["help"].as_str().unwrap().contains("sed -i"),
            "{problem}"
        );
    }
}

/// ST-3: a command beside something else that decides would never run, and is reported.
#[test]
fn a_command_of_a_hook_that_runs_none_is_reported() {
    let types = [
        r#""type": "http", "url": "http://127.0.0.1:1/""#,
        r#""type": "plugin", "plugin": "hook.wasm""#,
        r#""type": "rule", "when": "true", "then": "deny", "reason": "no""#,
        r#""type": "mcp_tool", "server": "s", "tool": "t""#,
        r#""type": "prompt", "prompt": "Is that right?""#,
    ];
    for of_type in types {
        let hook = format!("{{{of_type}, §\"command\": \"./guard.sh\"}}");
        let marked = event("BeforeTool", &format!("{{\"hooks\": [{hook}]}}"));
        let problem = assert_problem("unknown_field", "warning", &marked);
        let message = problem["message"].as_str().unwrap();
        assert!(message.contains("\"command\""), "{of_type}: {message}");
    }
}
