use serde_json::{Value, json};

use crate::world::{Printed, World, printed};

/// A world whose hook of an event saves what it reads.
fn saving(event: &str) -> World {
    let world = World::new();
    world.user_command(event, "cat > read.json");
    world
}

fn read(world: &World) -> Value {
    let text = std::fs::read_to_string(world.project().join("read.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn fire(world: &World, event: &str, input: &str) -> Printed {
    world.json(&["fire", event, "--input", input])
}

/// CM-5: JSON text, a file and standard input give the same.
#[test]
fn input_comes_from_three_places() {
    let world = saving("BeforeAgent");
    let given = r#"{"prompt": "from outside"}"#;
    world.sandbox.file("given.json", given);
    for input in [given, "@given.json", "-"] {
        let arguments = ["hooks", "fire", "BeforeAgent", "--input", input, "--json"];
        let printed = printed(&world.run_with(&arguments, &[], given));
        assert_eq!(printed.json["input"]["prompt"], "from outside", "{input}");
        assert_eq!(read(&world)["prompt"], "from outside", "{input}");
    }
}

/// CM-5: top-level keys replace whole values, whatever they are: common fields and unknown ones
/// too.
#[test]
fn every_key_can_be_given() {
    let world = saving("BeforeTool");
    let given = json!({
        "session_id": "mine", "cwd": "/somewhere/else", "timestamp": "2020-01-01T00:00:00.000Z",
        "hook_event_name": "Other", "tool_input": { "a": { "deep": [1, 2.5, null] } },
        "more": { "x": true }, "agent_id": "sub",
    });
    let printed = fire(&world, "BeforeTool", &given.to_string());
    assert_eq!(printed.code, 0, "{}", printed.json);
    let seen = read(&world);
    for (key, value) in given.as_object().unwrap() {
        assert_eq!(seen[key], *value, "{key}");
        assert_eq!(printed.json["runs"][0]["input"][key], *value, "{key}");
    }
    assert_eq!(printed.json["input"], seen);
    assert_eq!(seen["tool_name"], "write_file");
}

/// CM-5: parts that the engine doesn't use are passed on as they were given.
#[test]
fn unknown_parts_are_handed_on() {
    let world = saving("AfterModel");
    let request = json!({ "model": "m", "unheard": 1, "messages": [] });
    fire(
        &world,
        "AfterModel",
        &json!({ "llm_request": request }).to_string(),
    );
    assert_eq!(read(&world)["llm_request"], request);
}

/// CM-5: `--tool`, `--prompt` and `--trigger` override the input.
#[test]
fn options_are_laid_over_the_input() {
    let world = World::new();
    let input =
        |arguments: &[&str]| world.json(&[&["fire"], arguments].concat()).json["input"].clone();
    let tool = input(&[
        "AfterTool",
        "--input",
        r#"{"tool_name": "glob"}"#,
        "--tool",
        "replace",
    ]);
    assert_eq!(tool["tool_name"], "replace");
    let prompt = input(&[
        "AfterAgent",
        "--input",
        r#"{"prompt": "a"}"#,
        "--prompt",
        "-b",
    ]);
    assert_eq!(prompt["prompt"], "-b");
    let start = input(&[
        "SessionStart",
        "--input",
        r#"{"source": "resume"}"#,
        "--trigger",
        "clear",
    ]);
    assert_eq!(start["source"], "clear");
    assert_eq!(
        input(&["SessionEnd", "--trigger", "logout"])["reason"],
        "logout"
    );
    assert_eq!(
        input(&["PreCompress", "--trigger", "manual"])["trigger"],
        "manual"
    );
    let model = input(&["BeforeModel", "--prompt", "hello"]);
    assert_eq!(model["llm_request"]["messages"][0]["content"], "hello");
}

/// CM-5: the subject of the payload decides which hooks run.
#[test]
fn the_subject_of_the_payload_counts() {
    let world = World::new();
    world.user_hooks(&json!({ "BeforeTool": [
        { "matcher": "^glob$", "hooks": [{ "type": "command", "command": "true" }] },
    ] }));
    let runs = |printed: &Printed| printed.json["runs"].as_array().unwrap().len();
    assert_eq!(
        runs(&fire(&world, "BeforeTool", r#"{"tool_name": "glob"}"#)),
        1
    );
    assert_eq!(
        runs(&fire(&world, "BeforeTool", r#"{"tool_name": "globe"}"#)),
        0
    );
}

/// CM-5: invalid input is an error, and no hook runs.
#[test]
fn bad_input_is_an_error() {
    let cases = [
        ("BeforeTool", "{ no json"),
        ("BeforeTool", "[1]"),
        ("BeforeTool", "@no-such-file"),
        ("BeforeTool", r#"{"tool_name": 5}"#),
        ("BeforeTool", r#"{"tool_input": "text"}"#),
        ("BeforeTool", r#"{"session_id": 5}"#),
        ("AfterAgent", r#"{"stop_hook_active": "yes"}"#),
        ("SessionStart", r#"{"source": "nonsense"}"#),
        ("BeforeModel", r#"{"llm_request": []}"#),
    ];
    for (event, input) in cases {
        let world = saving(event);
        let printed = fire(&world, event, input);
        assert_eq!(
            (printed.code, &printed.json["error"]["code"]),
            (1, &json!("bad_input")),
            "{input}"
        );
        assert_eq!(printed.json["command"], "hooks fire");
        assert!(!world.project().join("read.json").exists(), "{input}");
    }
}

/// CM-5, PL-8: in a sequence each hook reads what those before changed, and the rest of what was
/// given.
#[test]
fn a_sequence_hands_changes_on() {
    let world = World::new();
    let rewrite = r#"echo '{"hookSpecificOutput": {"tool_input": {"b": 2}}}'"#;
    world.user_hooks(&json!({ "BeforeTool": [{ "sequential": true, "hooks": [
        { "type": "command", "command": rewrite },
        { "type": "command", "command": "cat > read.json" },
    ] }] }));
    let given = json!({ "tool_input": { "a": 1 }, "extra": "kept" }).to_string();
    let printed = fire(&world, "BeforeTool", &given);
    assert_eq!(read(&world)["tool_input"], json!({ "a": 1, "b": 2 }));
    assert_eq!(read(&world)["extra"], "kept");
    assert_eq!(
        printed.json["runs"][0]["input"]["tool_input"],
        json!({ "a": 1 })
    );
}

/// CM-5: a key that no payload of the event has is reported, with the place of an argument if it is
/// one; fields that some payloads have aren't.
#[test]
fn a_key_that_no_payload_has_is_reported() {
    let world = World::new();
    world.user_command("BeforeTool", "true");
    let fired = |input: &str| {
        let arguments = ["fire", "BeforeTool", "--tool", "run_shell_command"];
        world.hooks(&[&arguments[..], &["--input", input]].concat())
    };
    let finished = fired(r#"{"command": "rm -rf /"}"#);
    assert!(
        finished.stderr.contains("\"command\""),
        "{}",
        finished.stderr
    );
    assert!(
        finished.stderr.contains("tool_input"),
        "{}",
        finished.stderr
    );
    for known in [
        r#"{"tool_input": {"command": "ls"}}"#,
        r#"{"original_request_name": "x"}"#,
    ] {
        assert_eq!(fired(known).stderr, "");
    }
}
