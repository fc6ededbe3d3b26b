use serde_json::{Value, json};

use crate::world::{World, each};

fn hook(name: &str) -> Value {
    json!({ "type": "command", "name": name, "command": name })
}

/// CM-1: `panel`, `list`, `show` and a bare `hooks` print the same.
#[test]
fn the_list_has_four_names() {
    let world = World::new();
    world.user_command("SessionStart", "true");
    let bare = world.json(&[]).json;
    for name in ["list", "panel", "show"] {
        assert_eq!(world.json(&[name]).json, bare);
    }
}

/// CM-1, PL-6: hooks are listed by event, and inside it project, user, system, extensions.
#[test]
fn hooks_are_listed_in_order() {
    let world = World::new();
    world.project_hooks(&json!({ "BeforeTool": [{ "hooks": [hook("p")] }] }));
    world.user_hooks(&json!({
        "BeforeTool": [{ "hooks": [hook("u")] }],
        "SessionStart": [{ "hooks": [hook("s")] }],
    }));
    let system = json!({ "hooks": { "BeforeTool": [{ "hooks": [hook("y")] }] } });
    std::fs::write(world.system_file(), system.to_string()).unwrap();
    world.extension("ext", "e");
    let json = world.json(&["list"]).json;
    assert_eq!(each(&json["hooks"], "label"), ["s", "p", "u", "y", "e"]);
    let layers: Vec<&Value> = json["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["source"]["layer"])
        .collect();
    assert_eq!(layers, ["user", "project", "user", "system", "extension"]);
    assert_eq!(each(&json["layers"], "state"), ["loaded"; 4]);
    assert_eq!(json["hooks"][4]["source"]["extension"], "ext");
}

/// ST-1: files that are missing or broken are listed with their state.
#[test]
fn layers_are_listed_with_their_state() {
    let world = World::new();
    world.sandbox.project_settings("{ no json");
    std::fs::create_dir_all(world.sandbox.home().join(".gemini/settings.json")).unwrap();
    let json = world.json(&["list"]).json;
    assert_eq!(
        each(&json["layers"], "state"),
        ["invalid", "unreadable", "missing"]
    );
}

/// ST-3, ST-4: a hook is listed as configured, with defaults filled in and its place.
#[test]
fn a_hook_is_listed_with_its_values() {
    let world = World::new();
    let file = world.sandbox.user_settings(
        r#"{"hooks": {"BeforeTool": [{"matcher": "glob", "sequential": true, "hooks": [
  {"type": "command", "command": "$GEMINI_PROJECT_DIR/x", "name": "n", "description": "d",
   "timeout": "2s", "env": {"B": "1", "A": "2"}, "onFailure": "deny"}]}]}}"#,
    );
    let hook = &world.json(&["list"]).json["hooks"][0];
    assert_eq!(hook["command"], "$GEMINI_PROJECT_DIR/x");
    assert_eq!(hook["env"], json!(["A", "B"]));
    assert_eq!(hook["timeout_ms"], 2000);
    assert_eq!(hook["on_failure"], "deny");
    assert_eq!(hook["sequential"], true);
    assert_eq!(hook["matcher"], "glob");
    assert_eq!(
        (&hook["label"], &hook["description"]),
        (&json!("n"), &json!("d"))
    );
    assert_eq!(hook["trust"], "not_needed");
    let source = json!({
        "layer": "user", "extension": null, "file": file.to_str().unwrap(), "line": 2, "column": 3
    });
    assert_eq!(hook["source"], source);
}

/// ST-6: the list says that hooks are off, and where that was set.
#[test]
fn the_list_says_that_hooks_are_off() {
    let world = World::new();
    world.sandbox.user_settings(
        r#"{"hooksConfig": {"enabled": false},
            "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#,
    );
    let json = world.json(&["list"]).json;
    assert_eq!(json["hooks_enabled"], false);
    assert_eq!(json["hooks_enabled_source"]["line"], 1);
    assert_eq!(json["hooks_enabled_source"]["column"], 29);
    let text = world.hooks(&["list"]).stdout;
    assert!(
        text.starts_with("Hooks are off:") && text.contains("settings.json:1:29"),
        "{text}"
    );
}

/// ST-6: `--no-hooks` turns hooks off for a run, and has no place.
#[test]
fn no_hooks_turns_hooks_off() {
    let world = World::new();
    world.user_command("SessionStart", "true");
    let json = world.json(&["list", "--no-hooks"]).json;
    assert_eq!(json["hooks_enabled"], false);
    assert!(json["hooks_enabled_source"].is_null());
    assert_eq!(json["hooks"][0]["causes"][0]["code"], "hooks_off");
    assert!(json["hooks"][0]["causes"][0]["source"].is_null());
}

/// CM-1: text shows control characters from files escaped, JSON unchanged.
#[test]
fn control_characters_are_escaped_in_text() {
    let world = World::new();
    let strange = "a\u{1b}[2J\u{9b}1m\u{202e}\r\nb";
    world.user_hooks(&json!({ "BeforeTool": [{ "matcher": strange, "hooks": [
        { "type": "command", "name": strange, "description": strange, "command": strange }
    ] }] }));
    for arguments in [
        &["list"][..],
        &["why", "BeforeTool", "--tool", strange],
        &["check"],
    ] {
        let finished = world.hooks(arguments);
        let text = finished.stdout + &finished.stderr;
        assert!(
            text.contains("a\\u{1b}[2J\\u{9b}1m\\u{202e}\\r\\nb"),
            "{text}"
        );
        assert!(
            !text.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\r']),
            "{text:?}"
        );
    }
    assert_eq!(world.json(&["list"]).json["hooks"][0]["name"], strange);
}

/// TR-7: listing, explaining and checking start nothing, and trust nothing.
#[test]
fn nothing_runs_while_looking() {
    let world = World::new();
    let touch = |name: &str| format!("touch {}", world.project().join(name).display());
    for event in ["SessionStart", "BeforeTool", "AfterTool"] {
        world.user_command(event, &touch("user"));
        world.project_hooks(&json!({ event: [{ "hooks": [
            { "type": "command", "command": touch("project") }
        ] }] }));
        world.extension("ext", &touch("extension"));
        for arguments in [
            &["list"][..],
            &["why", event],
            &["check"],
            &["check", "--skip-trust"],
        ] {
            world.hooks(arguments);
            world.json(arguments);
        }
    }
    for name in ["user", "project", "extension"] {
        assert!(!world.project().join(name).exists(), "{name}");
    }
    assert!(
        !world
            .sandbox
            .home()
            .join(".gemini/trusted_hooks.json")
            .exists()
    );
}

/// CM-1: without hooks, the files that were looked for are named.
#[test]
fn an_empty_list_says_where_was_looked() {
    let world = World::new();
    let text = world.hooks(&[]).stdout;
    assert!(text.contains("No hooks are configured"), "{text}");
    assert!(
        text.contains(world.system_file().to_str().unwrap()),
        "{text}"
    );
}
