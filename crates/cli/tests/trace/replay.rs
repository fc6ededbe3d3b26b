use serde_json::{Value, json};

use crate::support::{RUN, before_tool, fire, hook, runs, texts};
use crate::world::{World, fields};

/// A hook that refuses what contains a word.
fn guard(word: &str) -> Value {
    hook(
        "guard",
        &format!("if grep -q {word}; then echo 'no {word}' >&2; exit 2; fi"),
    )
}

/// Fires `BeforeTool` with an argument, and returns the id of its first run.
fn recorded(world: &World, argument: &str) -> String {
    let input = json!({ "tool_input": { "command": argument } }).to_string();
    fire(
        world,
        &[
            "BeforeTool",
            "--tool",
            "run_shell_command",
            "--input",
            &input,
        ],
    );
    runs(world, &["--last", "1"])[0]["run_id"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// CM-6: the same hooks on the same input change nothing; a refusal isn't a failure of the command.
#[test]
fn nothing_changes_without_a_cause() {
    let world = World::new();
    world.user_hooks(&before_tool(&[guard("sudo")]));
    let id = recorded(&world, "sudo rm");
    let printed = world.json(&["replay", &id]);
    assert_eq!(printed.code, 0);
    let expected = [
        "schema_version",
        "command",
        "project_dir",
        "recorded",
        "runs",
        "outcome",
        "changed",
        "changes",
        "hooks",
        "plan",
        "diagnostics",
    ];
    assert_eq!(fields(&printed.json), expected);
    assert_eq!(fields(&printed.json["recorded"]), RUN);
    assert_eq!(fields(&printed.json["runs"][0]), RUN);
    assert_eq!(printed.json["recorded"]["run_id"], *id);
    assert_eq!(
        (&printed.json["changed"], &printed.json["changes"]),
        (&json!(false), &json!([]))
    );
    assert_eq!(printed.json["outcome"]["verdict"], "refused");
    let text = world.hooks(&["replay", &id[..8]]);
    assert_eq!(text.code, Some(0));
    assert!(
        text.stdout.ends_with("Nothing changed.\n"),
        "{}",
        text.stdout
    );
}

/// CM-6: the current hooks read the recorded input, and every difference is named.
#[test]
fn changes_of_hooks_show() {
    let world = World::new();
    world.user_hooks(&before_tool(&[guard("sudo")]));
    let id = recorded(&world, "sudo rm");
    world.user_hooks(&before_tool(&[guard("doas"), hook("new", "cat >&2")]));
    let printed = world.json(&["replay", &id]);
    assert_eq!((printed.code, &printed.json["changed"]), (0, &json!(true)));
    let changes = printed.json["changes"].as_array().unwrap();
    let change = |label: &str, field: &str| {
        let found = changes
            .iter()
            .find(|it| it["label"] == label && it["field"] == field);
        let found = found.unwrap_or_else(|| panic!("{label} {field}: {changes:?}"));
        assert_eq!(fields(found), ["label", "field", "before", "after"]);
        (found["before"].clone(), found["after"].clone())
    };
    assert_eq!(
        change("guard", "result"),
        (json!("refused"), json!("proceed"))
    );
    assert_eq!(
        change("guard", "reply.reason"),
        (json!("no sudo"), Value::Null)
    );
    assert_eq!(change("new", "result"), (Value::Null, json!("proceed")));
    let read: Value =
        serde_json::from_str(printed.json["runs"][1]["stderr"].as_str().unwrap()).unwrap();
    assert_eq!(read["tool_input"]["command"], "sudo rm");
    assert_eq!(read, printed.json["recorded"]["input"]);
    let text = world.hooks(&["replay", &id]).stdout;
    let expected = "  guard: result\n      - \"refused\"\n      + \"proceed\"\n";
    assert!(text.contains(expected), "{text}");
}

/// CM-6: what `replay` runs is recorded with its origin.
#[test]
fn replays_are_recorded_with_their_origin() {
    let world = World::new();
    world.user_hooks(&before_tool(&[guard("sudo")]));
    let id = recorded(&world, "ls");
    world.json(&["replay", &id]);
    let runs = runs(&world, &[]);
    assert_eq!(texts(&runs, "origin"), ["fire", "replay"]);
    assert_eq!(runs[0]["input"], runs[1]["input"]);
}

/// CM-6, TR-2: `replay` obeys trust and `disabled`; what it skips is reported with its cause.
#[test]
fn what_may_not_run_is_not_replayed() {
    let world = World::new();
    world.user_hooks(&before_tool(&[hook("mine", "true")]));
    let id = recorded(&world, "ls");
    world.project_hooks(&before_tool(&[hook("theirs", "touch ran")]));
    world.sandbox.user_settings(
        &json!({
            "hooksConfig": { "disabled": ["mine"] },
            "hooks": before_tool(&[hook("mine", "touch ran")]),
        })
        .to_string(),
    );
    let printed = world.json(&["replay", &id]);
    assert_eq!((printed.code, &printed.json["runs"]), (0, &json!([])));
    assert_eq!(
        printed.json["hooks"][0]["causes"][0]["code"],
        "untrusted_new"
    );
    assert_eq!(
        printed.json["hooks"][1]["causes"][0]["code"],
        "disabled_by_name"
    );
    assert!(printed.stderr.contains("theirs"), "{}", printed.stderr);
    assert!(!world.project().join("ran").exists());
    world.json(&["replay", &id, "--skip-trust"]);
    assert!(world.project().join("ran").exists());
}

/// CM-6, TR-8: a guard that isn't what was agreed to refuses in a replay as it does in a session.
#[test]
fn a_guard_that_changed_refuses_in_a_replay() {
    let world = World::new();
    let script = world.project().join("guard.sh");
    std::fs::write(&script, "exit 0\n").unwrap();
    let mut guard = hook("theirs", "sh guard.sh");
    guard["onFailure"] = json!("deny");
    world.project_hooks(&before_tool(&[guard]));
    assert_eq!(world.json(&["trust"]).code, 0);
    let id = recorded(&world, "ls");
    let before = world.json(&["replay", &id]).json;
    assert_ne!(before["outcome"]["verdict"], "refused", "{before}");
    std::fs::write(&script, "touch ran; exit 0\n").unwrap();
    let after = world.json(&["replay", &id]).json;
    assert_eq!(after["outcome"]["verdict"], "refused", "{after}");
    assert!(!world.project().join("ran").exists());
}

/// CM-6, PL-8: in a sequence the event is fired again with what the first hook read, whichever run
/// is named, so that the same hooks have the same results.
#[test]
fn a_sequence_is_replayed_from_its_start() {
    let world = World::new();
    let append =
        "cat >/dev/null; echo '{\"hookSpecificOutput\": {\"additionalContext\": \"more\"}}'";
    let show = "cat >&2";
    world.user_hooks(&json!({ "BeforeAgent": [{ "sequential": true, "hooks": [
        hook("append", append), hook("show", show)
    ] }] }));
    fire(&world, &["BeforeAgent", "--prompt", "start"]);
    let runs = runs(&world, &[]);
    assert_eq!(runs[1]["input"]["prompt"], "start\n\nmore");
    let printed = world.json(&["replay", runs[1]["run_id"].as_str().unwrap()]);
    assert_eq!(printed.json["changes"], json!([]));
    assert_eq!(printed.json["runs"][1]["input"]["prompt"], "start\n\nmore");
}

/// AT-1: a result that a hook withheld isn't in the trace, so it can't be replayed, which is
/// reported.
#[test]
fn a_withheld_result_cannot_be_replayed() {
    let world = World::new();
    world.user_hooks(&json!({ "AfterTool": [{ "hooks": [hook("guard", "exit 2")] }] }));
    fire(&world, &["AfterTool"]);
    let id = runs(&world, &[])[0]["run_id"].as_str().unwrap().to_owned();
    let printed = world.json(&["replay", &id]);
    assert_eq!(
        (printed.code, &printed.json["error"]["code"]),
        (1, &json!("bad_input"))
    );
    let message = printed.json["error"]["message"].as_str().unwrap();
    assert!(message.contains("withheld"), "{message}");
}

/// CM-6: a folder that no longer exists is reported, and the hooks run where the command does.
#[test]
fn a_folder_that_is_gone_is_reported() {
    let world = World::new();
    world.user_hooks(&before_tool(&[hook("where", "cat >/dev/null; pwd >&2")]));
    let input = json!({ "cwd": "/no/such/folder" }).to_string();
    fire(&world, &["BeforeTool", "--input", &input]);
    let id = runs(&world, &[])[0]["run_id"].as_str().unwrap().to_owned();
    let printed = world.json(&["replay", &id]);
    assert!(
        printed.stderr.contains("/no/such/folder"),
        "{}",
        printed.stderr
    );
    let expected = format!("{}\n", world.project().display());
    assert_eq!(printed.json["runs"][0]["stderr"], expected);
}
