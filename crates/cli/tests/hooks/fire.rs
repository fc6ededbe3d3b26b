use serde_json::{Value, json};

use crate::world::{Printed, World};

/// Fires an event at one hook of the user.
fn fire(event: &str, command: &str) -> Printed {
    let world = World::new();
    world.user_command(event, command);
    world.json(&["fire", event])
}

fn reply(event: &str, reply: &Value) -> Printed {
    fire(event, &format!("echo '{reply}'"))
}

/// CM-5: exit 0 proceed, 2 refused, 3 stopped.
#[test]
fn the_exit_code_is_the_verdict() {
    let proceed = reply("BeforeTool", &json!({ "decision": "allow" }));
    assert_eq!(
        (proceed.code, &proceed.json["outcome"]["verdict"]),
        (0, &json!("proceed"))
    );
    assert_eq!(proceed.json["outcome"]["decision"], "allow");
    let refused = reply(
        "BeforeTool",
        &json!({ "decision": "block", "reason": "because" }),
    );
    assert_eq!(
        (refused.code, &refused.json["outcome"]["verdict"]),
        (2, &json!("refused"))
    );
    assert_eq!(refused.json["outcome"]["decision"], "deny");
    assert_eq!(refused.json["outcome"]["reason"], "because");
    assert_eq!(refused.json["runs"][0]["reply"]["decision"], "deny");
    let stopped = reply(
        "BeforeTool",
        &json!({ "continue": false, "stopReason": "enough" }),
    );
    assert_eq!(
        (stopped.code, &stopped.json["outcome"]["verdict"]),
        (3, &json!("stopped"))
    );
    assert_eq!(stopped.json["outcome"]["stop_reason"], "enough");
    assert_eq!(stopped.json["runs"][0]["result"], "stopped");
}

/// CM-5, BT-5: `ask` counts as refused, because nobody is there to answer.
#[test]
fn a_question_counts_as_refused() {
    let printed = reply(
        "BeforeTool",
        &json!({ "decision": "ask", "reason": "sure?" }),
    );
    assert_eq!(printed.code, 2);
    assert_eq!(printed.json["outcome"]["decision"], "ask");
    assert_eq!(printed.json["runs"][0]["result"], "ask");
}

/// IO-14, IO-21: a hook that fails refuses only if its `onFailure` says so.
#[test]
fn a_failure_is_not_a_refusal() {
    let printed = fire("BeforeTool", "echo broken >&2; exit 7");
    assert_eq!(printed.code, 0);
    let run = &printed.json["runs"][0];
    assert_eq!(
        run["ending"],
        json!({ "kind": "exited", "exit_code": 7, "signal": null })
    );
    assert_eq!(
        run["failure"],
        json!({ "kind": "exit_code", "message": "exit code 7: broken" })
    );
    assert_eq!(
        (&run["result"], &run["stderr"]),
        (&json!("failed"), &json!("broken\n"))
    );
    assert!(printed.stderr.contains("exit code 7"), "{}", printed.stderr);
    let world = World::new();
    world.user_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "command": "exit 7", "onFailure": "deny" }
    ] }] }));
    assert_eq!(world.json(&["fire", "BeforeTool"]).code, 2);
}

/// IO-20: every kind of ending is distinguished.
#[test]
fn endings_are_told_apart() {
    let ending = |command: &str| fire("BeforeTool", command).json["runs"][0].clone();
    let killed = ending("kill -9 $$");
    assert_eq!(
        killed["ending"],
        json!({ "kind": "signalled", "exit_code": null, "signal": "SIGKILL" })
    );
    assert_eq!(killed["failure"]["kind"], "signalled");
    assert_eq!(
        ending("no-such-program-x")["failure"]["kind"],
        "not_started"
    );
    assert_eq!(
        ending("echo '{\"decision\": 5}'")["failure"]["kind"],
        "malformed_reply"
    );
    let world = World::new();
    world.user_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "command": "sleep 600", "timeout": 100 }
    ] }] }));
    let late = world.json(&["fire", "BeforeTool"]).json["runs"][0].clone();
    assert_eq!(
        (&late["ending"]["kind"], &late["failure"]["kind"]),
        (&json!("timed_out"), &json!("timed_out"))
    );
}

/// IO-17: output over the cap is cut, and reported as cut.
#[test]
fn output_over_the_cap_is_said_to_be_cut() {
    let world = World::new();
    world.sandbox.user_settings(
        r#"{"hooksConfig": {"maxOutputBytes": 1024}, "hooks": {"BeforeTool": [{"hooks": [
            {"type": "command", "command": "head -c 5000 /dev/zero | tr '\\0' x"}]}]}}"#,
    );
    let run = &world.json(&["fire", "BeforeTool"]).json["runs"][0];
    assert_eq!(
        (&run["truncated"], &run["failure"]["kind"]),
        (&json!(true), &json!("output_over_cap"))
    );
    assert_eq!(run["stdout"].as_str().unwrap().len(), 1024);
}

/// CM-5, AG-2: messages, context and changes of all hooks are combined.
#[test]
fn the_outcome_combines_all_hooks() {
    let world = World::new();
    let say = |reply: &Value| json!({ "type": "command", "command": format!("echo '{reply}'") });
    world.user_hooks(&json!({
        "BeforeTool": [{ "hooks": [
            say(&json!({ "systemMessage": "one", "hookSpecificOutput": { "tool_input": { "a": 1 } } })),
            say(&json!({ "systemMessage": "two", "hookSpecificOutput": { "tool_input": { "b": 2 } } })),
        ] }],
        "BeforeAgent": [{ "hooks": [say(&json!({ "hookSpecificOutput": { "additionalContext": "know" } }))] }],
    }));
    let outcome = world.json(&["fire", "BeforeTool"]).json["outcome"].clone();
    assert_eq!(outcome["system_messages"], json!(["one", "two"]));
    let changes = &outcome["changes"]["tool_input"];
    assert_eq!((&changes["a"], &changes["b"]), (&json!(1), &json!(2)));
    assert!(outcome["decision"].is_null() && outcome["reason"].is_null());
    let outcome = world.json(&["fire", "BeforeAgent"]).json["outcome"].clone();
    assert_eq!(outcome["additional_context"], "know");
}

/// OUT-2: a hook that suppresses its output is marked, and still shown.
#[test]
fn suppressed_output_is_shown_where_it_is_tried_out() {
    let run = reply("BeforeTool", &json!({ "suppressOutput": true })).json["runs"][0].clone();
    assert_eq!(run["suppressed"], true);
    assert!(run["input"].is_object() && run["reply"].is_object());
}

/// CM-5: `fire` obeys `disabled` like a session, even with `--only`.
#[test]
fn disabled_hooks_do_not_run() {
    let world = World::new();
    world.sandbox.user_settings(
        r#"{"hooksConfig": {"disabled": ["n"]}, "hooks": {"BeforeTool": [{"hooks": [
            {"type": "command", "name": "n", "command": "touch ran"}]}]}}"#,
    );
    for arguments in [
        &["fire", "BeforeTool"][..],
        &["fire", "BeforeTool", "--only", "n"],
    ] {
        let printed = world.json(arguments);
        assert_eq!((printed.code, &printed.json["runs"]), (0, &json!([])));
        assert_eq!(
            printed.json["hooks"][0]["causes"][0]["code"],
            "disabled_by_name"
        );
    }
    assert!(!world.project().join("ran").exists());
}

/// CM-5: `--only` accepts a label that the event has; another is an error with near matches.
#[test]
fn only_takes_a_known_label() {
    let world = World::new();
    world.user_hooks(&json!({
        "BeforeTool": [{ "hooks": [{ "type": "command", "name": "format", "command": "true" }] }],
        "AfterTool": [{ "hooks": [{ "type": "command", "name": "lint", "command": "true" }] }],
    }));
    for (label, candidates) in [("fromat", json!(["format"])), ("lint", json!([]))] {
        let printed = world.json(&["fire", "BeforeTool", "--only", label]);
        assert_eq!(
            (printed.code, &printed.json["error"]["code"]),
            (1, &json!("unknown_hook"))
        );
        assert_eq!(printed.json["error"]["candidates"], candidates);
    }
}

/// CM-5: `--no-hooks` runs nothing, and says why.
#[test]
fn no_hooks_runs_nothing() {
    let world = World::new();
    world.user_command("BeforeTool", "touch ran; exit 2");
    let printed = world.json(&["fire", "BeforeTool", "--no-hooks"]);
    assert_eq!(
        (printed.code, &printed.json["hooks"][0]["status"]),
        (0, &json!("disabled"))
    );
    assert!(!world.project().join("ran").exists());
}

/// ENV-3: the names of withheld variables are shown, never their values.
#[test]
fn withheld_variables_are_named() {
    let world = World::new();
    world.project_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "command": "echo \"{}\"; env >&2" }
    ] }] }));
    let arguments = ["hooks", "fire", "BeforeTool", "--skip-trust", "--json"];
    let finished = world.run_with(&arguments, &[("MY_API_KEY", "hidden-value")], "");
    let json: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(json["runs"][0]["withheld_env"], json!(["MY_API_KEY"]));
    assert!(!finished.stdout.contains("hidden-value"));
}

/// CM-5: text shows ending, streams, reply, outcome and what the agent would do; streams escaped.
#[test]
fn text_shows_what_happened() {
    let world = World::new();
    world.user_command(
        "BeforeTool",
        r#"printf 'a\033[31mb\n' >&2; echo '{"decision": "deny", "reason": "not now"}'"#,
    );
    let finished = world.hooks(&["fire", "BeforeTool", "--tool", "glob"]);
    assert_eq!(finished.code, Some(2));
    let text = &finished.stdout;
    for part in [
        "BeforeTool (tool_name: glob)",
        "refused, exited with 0 after",
        "| a\\u{1b}[31mb",
        "reply: {\"decision\":\"deny\",\"reason\":\"not now\"}",
        "Outcome: refused",
        "reason: not now",
        "agent: ",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    assert!(!text.contains('\u{1b}'));
}

/// CM-5: it is reported with its run that a hook is in shadow mode, and so decides nothing.
#[test]
fn shadow_mode_is_said() {
    let world = World::new();
    for (mode, is_said) in [("shadow", true), ("active", false)] {
        world.user_hooks(
            &json!({"BeforeTool": [{"hooks": [{"type": "command", "name": "watcher",
            "command": "exit 2", "mode": mode}]}]}),
        );
        let fired = world.hooks(&["fire", "BeforeTool"]);
        assert_eq!(fired.code == Some(0), is_said, "{}", fired.stdout);
        assert_eq!(
            fired.stdout.contains("shadow mode"),
            is_said,
            "{}",
            fired.stdout
        );
        let run = &world.json(&["fire", "BeforeTool"]).json["runs"][0];
        assert_eq!(run["shadow"] == true, is_said, "{run}");
    }
}
