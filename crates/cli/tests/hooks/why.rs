use serde_json::{Value, json};

use crate::world::{World, each};

fn world() -> World {
    let world = World::new();
    world.user_hooks(&json!({
        "BeforeTool": [
            { "matcher": "write_file", "hooks": [{ "type": "command", "command": "a" }] },
            { "matcher": "^(?!write)", "hooks": [{ "type": "command", "command": "b" }] },
            { "hooks": [{ "type": "command", "command": "c" }] },
        ],
        "SessionStart": [{ "matcher": "startup|clear", "hooks": [{ "type": "command", "command": "d" }] }],
        "BeforeAgent": [{ "matcher": "ignored", "hooks": [{ "type": "command", "command": "e" }] }],
    }));
    world
}

fn runs(json: &Value) -> Vec<&Value> {
    each(&json["hooks"], "runs")
}

/// CM-4: for a tool, every hook is reported to run or not, and the plan contains those that do.
#[test]
fn a_tool_decides_which_hooks_run() {
    let json = world()
        .json(&["why", "BeforeTool", "--tool", "write_file"])
        .json;
    assert_eq!(runs(&json), [true, false, true]);
    assert_eq!(
        json["subject"],
        json!({ "field": "tool_name", "value": "write_file" })
    );
    assert_eq!(json["plan"]["mode"], "parallel");
    let ids = each(&json["hooks"], "id");
    assert_eq!(json["plan"]["hook_ids"], json!([ids[0], ids[2]]));
}

/// CM-4: without a tool, it stays open what depends on it.
#[test]
fn without_a_tool_it_is_open() {
    let json = world().json(&["why", "BeforeTool"]).json;
    assert_eq!(runs(&json), [&Value::Null, &Value::Null, &json!(true)]);
    assert!(json["subject"].is_null());
    assert_eq!(json["hooks"][0]["causes"][0]["code"], "subject_unknown");
}

/// CM-4: a trigger decides if the subject is a word.
#[test]
fn a_trigger_decides_which_hooks_run() {
    let world = world();
    let json = world
        .json(&["why", "SessionStart", "--trigger", "clear"])
        .json;
    assert_eq!(
        json["subject"],
        json!({ "field": "source", "value": "clear" })
    );
    assert_eq!(runs(&json), [true]);
    assert_eq!(
        runs(
            &world
                .json(&["why", "SessionStart", "--trigger", "resume"])
                .json
        ),
        [false]
    );
}

/// PL-4: an event without subject runs all of its hooks.
#[test]
fn an_event_without_subject_needs_none() {
    let json = world().json(&["why", "BeforeAgent"]).json;
    assert_eq!(runs(&json), [true]);
    assert!(json["subject"].is_null());
}

/// CM-4: an option that doesn't apply to the event isn't silently ignored.
#[test]
fn options_that_mean_nothing_are_errors() {
    let world = world();
    for arguments in [
        &["why", "SessionStart", "--tool", "glob"][..],
        &["why", "BeforeTool", "--trigger", "startup"],
        &["why", "SessionStart", "--trigger", "statup"],
        &["fire", "BeforeAgent", "--tool", "glob"],
        &["fire", "PreCompress", "--prompt", "hi"],
    ] {
        let printed = world.json(arguments);
        assert_eq!(printed.code, 1);
        assert_eq!(printed.json["error"]["code"], "bad_input", "{arguments:?}");
    }
    let printed = world.json(&["why", "SessionStart", "--trigger", "statup"]);
    assert_eq!(printed.json["error"]["candidates"], json!(["startup"]));
}

/// PL-8: one sequential group makes the plan of the event sequential.
#[test]
fn a_sequential_group_makes_the_plan_sequential() {
    let world = World::new();
    world.user_hooks(&json!({ "AfterModel": [
        { "hooks": [{ "type": "command", "command": "a" }] },
        { "sequential": true, "hooks": [{ "type": "command", "command": "b" }] },
    ] }));
    assert_eq!(
        world.json(&["why", "AfterModel"]).json["plan"]["mode"],
        "sequential"
    );
    let text = world.hooks(&["why", "AfterModel"]).stdout;
    assert!(text.contains("one after another: a, then b"), "{text}");
}

/// CM-4: an unknown event is an error with the near names, on standard output as JSON only.
#[test]
fn an_unknown_event_is_an_error() {
    let world = world();
    for command in ["why", "fire"] {
        let printed = world.json(&[command, "beforetool"]);
        assert_eq!(printed.code, 1);
        let error = &printed.json["error"];
        assert_eq!(error["code"], "unknown_event");
        assert_eq!(error["candidates"][0], "BeforeTool");
        assert_eq!(printed.json["command"], format!("hooks {command}"));
        let finished = world.hooks(&[command, "beforetool"]);
        assert_eq!((finished.code, finished.stdout.as_str()), (Some(1), ""));
        assert!(
            finished.stderr.contains("did you mean \"BeforeTool\""),
            "{}",
            finished.stderr
        );
    }
}

/// CM-4, TR-8: a trusted guard that isn't what was agreed to refuses: `why` says the same as
/// `fire`.
#[test]
fn a_changed_guard_refuses_in_why_as_well() {
    let world = World::new();
    let script = world.sandbox.file("guard.sh", "exit 0\n");
    world.project_hooks(
        &json!({"BeforeTool": [{"hooks": [{"type": "command", "name": "guard",
        "command": "sh guard.sh", "onFailure": "deny"}]}]}),
    );
    world.hooks(&["trust"]);
    let before = world.json(&["why", "BeforeTool"]).json;
    assert_eq!(
        (runs(&before), &before["hooks"][0]["refuses"]),
        (vec![&json!(true)], &json!(false))
    );
    std::fs::write(script, "exit 0 # changed\n").unwrap();
    let fired = world.json(&["fire", "BeforeTool"]);
    assert_eq!(fired.code, 2, "{}", fired.json);
    let why = world.json(&["why", "BeforeTool"]).json;
    assert_eq!(why["hooks"][0]["refuses"], true, "{why}");
    assert_eq!(why["plan"]["hook_ids"].as_array().unwrap().len(), 1);
    assert_eq!(
        why["hooks"][0]["refuses"],
        fired.json["hooks"][0]["refuses"]
    );
    let text = world.hooks(&["why", "BeforeTool"]).stdout;
    assert!(
        text.contains("refuses: guard") && !text.contains("nothing runs"),
        "{text}"
    );
}

/// CM-4, CM-5: a tool that nothing is called like is no silent reason for hooks not to run.
#[test]
fn a_tool_that_does_not_exist_is_questioned() {
    let world = world();
    for (name, meant) in [
        ("write_fil", Some("write_file")),
        ("Bash", Some("run_shell_command")),
        ("write_file", None),
        ("mcp_files_write", None),
        ("deploy", None),
    ] {
        for command in ["why", "fire"] {
            let arguments = ["hooks", command, "BeforeTool", "--tool", name, "--json"];
            let finished = world.run_with(&arguments, &[], "");
            let warned = finished
                .stderr
                .lines()
                .find(|it| it.contains("did you mean"));
            let is_expected = match (warned, meant) {
                (Some(line), Some(meant)) => line.contains(meant),
                (warned, meant) => warned.is_none() && meant.is_none(),
            };
            assert!(is_expected, "{command} {name}: {}", finished.stderr);
        }
    }
}
