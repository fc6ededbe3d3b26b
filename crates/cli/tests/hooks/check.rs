use serde_json::json;

use crate::world::{World, each};

const SUSPICIOUS: &str = r#"{"hooks": {
  "BeforeAgent": [{"matcher": "x", "hooks": [{"type": "command", "command": "true"}]}],
  "SessionStart": [{"hooks": [{"type": "command", "command": "true", "timeout": 5}]}]}}"#;

/// CM-3: a sound configuration has no diagnostics.
#[test]
fn a_sound_configuration_passes() {
    let world = World::new();
    world.user_command("SessionStart", "true");
    let printed = world.json(&["check", "--strict"]);
    assert_eq!(printed.code, 0);
    assert_eq!(printed.json["strict"], true);
    assert_eq!(
        printed.json["counts"],
        json!({ "errors": 0, "warnings": 0, "infos": 0 })
    );
    assert_eq!(world.hooks(&["check"]).stdout, "0 errors, 0 warnings\n");
}

/// CM-3: warnings fail the check only with `--strict`, with and without JSON.
#[test]
fn warnings_fail_a_strict_check() {
    let world = World::new();
    world.sandbox.user_settings(SUSPICIOUS);
    for (arguments, code) in [(&["check"][..], 0), (&["check", "--strict"], 1)] {
        assert_eq!(world.hooks(arguments).code, Some(code));
        let printed = world.json(arguments);
        assert_eq!(printed.code, code);
        assert_eq!(
            printed.json["counts"],
            json!({ "errors": 0, "warnings": 2, "infos": 1 })
        );
    }
}

/// CM-3: errors fail every check; `list`, `why` and `fire` continue.
#[test]
fn errors_fail_the_check_alone() {
    let world = World::new();
    world
        .sandbox
        .user_settings(r#"{"hooks": {"PreToolUse": []}}"#);
    assert_eq!(world.json(&["check"]).code, 1);
    for arguments in [
        &["list"][..],
        &["why", "BeforeTool"],
        &["fire", "BeforeTool"],
    ] {
        let printed = world.json(arguments);
        assert_eq!(printed.code, 0);
        assert_eq!(
            each(&printed.json["diagnostics"], "code"),
            ["unknown_event"]
        );
        assert!(
            world
                .hooks(arguments)
                .stderr
                .contains("error[unknown_event]")
        );
    }
}

/// CM-3: diagnostics are sorted by file and place.
#[test]
fn diagnostics_are_sorted() {
    let world = World::new();
    world.sandbox.user_settings(SUSPICIOUS);
    world.sandbox.project_settings("{\n\n\n \"hooks\": 5}");
    let json = world.json(&["check"]).json;
    let mut places: Vec<(String, u64)> = Vec::new();
    for problem in json["diagnostics"].as_array().unwrap() {
        let source = &problem["source"];
        places.push((
            source["file"].as_str().unwrap().to_owned(),
            source["line"].as_u64().unwrap(),
        ));
    }
    let mut sorted = places.clone();
    sorted.sort();
    assert_eq!((places.len(), &places), (4, &sorted));
}

/// CM-3, ST-5: text shows the place, the line with the wrong thing underlined, and the remedy.
#[test]
fn text_shows_place_line_and_remedy() {
    let world = World::new();
    let file = world
        .sandbox
        .user_settings("{\"hooks\": {\n  \"BeforeTol\": []\n}}");
    let finished = world.hooks(&["check"]);
    assert_eq!(finished.code, Some(1));
    let expected = format!(
        "error[unknown_event]: \"BeforeTol\" isn't an event\n  --> {}:2:3\n 2 |   \"BeforeTol\": []\n   |   ^^^^^^^^^^^\n",
        file.display()
    );
    assert!(
        finished.stdout.starts_with(&expected),
        "{}",
        finished.stdout
    );
    assert!(finished.stdout.contains("= help: "));
    assert!(finished.stdout.ends_with("1 error, 0 warnings\n"));
}
