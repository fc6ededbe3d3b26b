//! `hooks test`.

use serde_json::{Value, json};

use crate::support::{before_tool, databases, fire, hook, runs};
use crate::world::{World, each, fields};

/// Writes a test into the usual folder.
fn write(world: &World, case: &str, input: &Value, expect: &Value) {
    let folder = format!(".gemini/hooks/tests/{case}");
    world
        .sandbox
        .file(format!("{folder}/input.json"), &input.to_string());
    world
        .sandbox
        .file(format!("{folder}/expect.json"), &expect.to_string());
}

/// A world with a hook of the user that refuses `sudo`.
fn world() -> World {
    let world = World::new();
    let guard = "if grep -q sudo; then echo 'no sudo, please' >&2; exit 2; fi";
    world.user_hooks(&before_tool(&[hook("guard", guard)]));
    world
}

fn command(command: &str) -> Value {
    json!({ "tool_name": "run_shell_command", "tool_input": { "command": command } })
}

/// CM-6: tests pass if everything that is expected occurred, and the exit code says so.
#[test]
fn tests_pass_when_all_is_as_expected() {
    let world = world();
    let refused = json!({
        "verdict": "refused", "decision": "deny", "reason": { "contains": "sudo" }, "changes": {},
        "hooks": { "guard": { "result": "refused", "ending": { "exit_code": 2 } }, "other": null },
    });
    write(&world, "BeforeTool/sudo", &command("sudo rm"), &refused);
    let proceed = json!({ "verdict": "proceed", "reason": null });
    write(&world, "before_tool/plain", &command("ls"), &proceed);
    let printed = world.json(&["test"]);
    assert_eq!(printed.code, 0, "{}", printed.json);
    let expected = [
        "schema_version",
        "command",
        "project_dir",
        "folder",
        "folders",
        "counts",
        "cases",
        "diagnostics",
    ];
    assert_eq!(fields(&printed.json), expected);
    assert_eq!(
        printed.json["counts"],
        json!({ "passed": 2, "failed": 0, "broken": 0 })
    );
    assert_eq!(each(&printed.json["cases"], "name"), ["sudo", "plain"]);
    let text = world.hooks(&["test"]);
    assert_eq!(text.code, Some(0));
    assert!(
        text.stdout.ends_with("2 passed, 0 failed\n"),
        "{}",
        text.stdout
    );
    // Tests don't count as past runs of the hooks.
    assert!(databases(&world).is_empty());
}

/// CM-6: a failing test shows the expected and the actual result, and fails the command.
#[test]
fn a_failing_test_shows_the_difference() {
    let world = world();
    let expect = json!({ "verdict": "proceed", "hooks": { "guard": { "result": "proceed" } } });
    write(&world, "BeforeTool/sudo", &command("sudo rm"), &expect);
    let printed = world.json(&["test"]);
    assert_eq!(
        (printed.code, &printed.json["counts"]["failed"]),
        (1, &json!(1))
    );
    assert_eq!(
        printed.json["cases"][0]["differences"],
        json!([
            { "field": "verdict", "expected": "proceed", "actual": "refused" },
            { "field": "hooks.guard.result", "expected": "proceed", "actual": "refused" },
        ])
    );
    let text = world.hooks(&["test"]);
    assert_eq!(text.code, Some(1));
    let expected = "  verdict\n    expected: \"proceed\"\n    actual:   \"refused\"\n";
    assert!(text.stdout.contains(expected), "{}", text.stdout);
    assert!(
        text.stdout.contains("FAIL BeforeTool/sudo"),
        "{}",
        text.stdout
    );
}

/// TR-2: tests obey trust: a hook that may not run fails the test that expects it, with the cause.
#[test]
fn tests_obey_trust() {
    let world = World::new();
    world.project_hooks(&before_tool(&[hook("theirs", "touch ran; exit 2")]));
    write(
        &world,
        "BeforeTool/x",
        &json!({}),
        &json!({ "verdict": "refused" }),
    );
    let printed = world.json(&["test"]);
    assert_eq!(printed.code, 1);
    let skipped = printed.json["cases"][0]["skipped"][0].as_str().unwrap();
    assert!(skipped.starts_with("theirs: "), "{skipped}");
    assert!(
        printed.stderr.contains("hooks trust theirs"),
        "{}",
        printed.stderr
    );
    assert!(!world.project().join("ran").exists());
    assert_eq!(world.json(&["test", "--skip-trust"]).code, 0);
    assert!(world.project().join("ran").exists());
}

/// CM-6: whatever is wrong with a test fails it; nothing is left out silently.
#[test]
fn a_broken_test_fails() {
    let world = world();
    let proceed = json!({ "verdict": "proceed" });
    write(&world, "BeforTool/event", &json!({}), &proceed);
    write(
        &world,
        "BeforeTool/typo",
        &json!({}),
        &json!({ "verdit": "proceed" }),
    );
    write(
        &world,
        "BeforeTool/types",
        &json!({ "tool_input": 5 }),
        &proceed,
    );
    world
        .sandbox
        .file(".gemini/hooks/tests/BeforeTool/empty/README", "");
    world
        .sandbox
        .file(".gemini/hooks/tests/BeforeTool/half/input.json", "{}");
    let printed = world.json(&["test"]);
    assert_eq!(
        (printed.code, &printed.json["counts"]["broken"]),
        (1, &json!(5))
    );
    let message = |name: &str| {
        let cases = printed.json["cases"].as_array().unwrap();
        let case = cases.iter().find(|it| it["name"] == name).unwrap();
        case["message"].as_str().unwrap().to_owned()
    };
    assert!(
        message("event").contains("\"BeforeTool\""),
        "{}",
        message("event")
    );
    assert!(
        message("typo").contains("\"verdict\""),
        "{}",
        message("typo")
    );
    assert!(
        message("types").contains("BeforeTool"),
        "{}",
        message("types")
    );
    assert!(
        message("empty").contains("input.json"),
        "{}",
        message("empty")
    );
    assert!(
        message("half").contains("expect.json"),
        "{}",
        message("half")
    );
}

/// CM-6: a folder without tests is an error: a check that checks nothing must not pass.
#[test]
fn a_folder_without_tests_is_an_error() {
    let world = world();
    for arguments in [&["test"][..], &["test", "no-such-folder"]] {
        let printed = world.json(arguments);
        assert_eq!(
            (printed.code, &printed.json["error"]["code"]),
            (1, &json!("no_source"))
        );
    }
}

/// CM-6: results are written as `JUnit` XML, with everything from outside escaped.
#[test]
fn results_are_written_as_junit() {
    let world = World::new();
    world.user_hooks(&before_tool(&[hook("a", "printf '<&\"\\001' >&2; exit 2")]));
    write(
        &world,
        "BeforeTool/good",
        &json!({}),
        &json!({ "verdict": "refused" }),
    );
    write(
        &world,
        "BeforeTool/bad",
        &json!({}),
        &json!({ "reason": "x<y" }),
    );
    write(
        &world,
        "Nonsense/broken",
        &json!({}),
        &json!({ "verdict": "refused" }),
    );
    let finished = world.hooks(&["test", "--junit", "out/junit.xml"]);
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    let xml = std::fs::read_to_string(world.project().join("out/junit.xml")).unwrap();
    assert!(
        xml.contains("tests=\"3\" failures=\"1\" errors=\"1\""),
        "{xml}"
    );
    assert!(
        xml.contains("<testcase classname=\"BeforeTool\" name=\"good\""),
        "{xml}"
    );
    assert!(
        xml.contains("<failure message=\"not as expected: reason\">"),
        "{xml}"
    );
    assert!(xml.contains("x&lt;y") && xml.contains("&lt;&amp;"), "{xml}");
    assert!(!xml.contains('\u{1}'));
    let tags = |name: &str| {
        (
            xml.matches(&format!("<{name}")).count(),
            xml.matches(&format!("</{name}>")).count(),
        )
    };
    assert_eq!((tags("failure"), tags("error")), ((1, 1), (1, 1)));
}

/// CM-6: a recorded run becomes a test that passes as long as hooks do what they did.
#[test]
fn a_recorded_run_becomes_a_test() {
    let world = world();
    let input = command("sudo rm").to_string();
    fire(&world, &["BeforeTool", "--input", &input]);
    let id = runs(&world, &[])[0]["run_id"].as_str().unwrap().to_owned();
    let record = ["test", "--record", &id[..8], "--name", "sudo"];
    let printed = world.json(&record);
    assert_eq!(printed.code, 0, "{}", printed.json);
    let folder = world.project().join(".gemini/hooks/tests/BeforeTool/sudo");
    let read = |name: &str| -> Value {
        serde_json::from_str(&std::fs::read_to_string(folder.join(name)).unwrap()).unwrap()
    };
    let input = read("input.json");
    assert_eq!(input["tool_input"]["command"], "sudo rm");
    assert!(input.get("session_id").is_none() && input.get("cwd").is_none());
    assert_eq!(read("expect.json")["verdict"], "refused");
    assert_eq!(
        read("expect.json")["hooks"]["guard"]["reply"]["reason"],
        "no sudo, please"
    );
    assert_eq!(world.json(&["test"]).code, 0);
    world.user_hooks(&before_tool(&[hook("guard", "true")]));
    assert_eq!(world.json(&["test"]).code, 1);
    let again = world.json(&record);
    assert_eq!(
        (again.code, &again.json["error"]["code"]),
        (1, &json!("already_exists"))
    );
    let outside = world.json(&["test", "--record", &id, "--name", "../x"]);
    assert_eq!(
        (outside.code, &outside.json["error"]["code"]),
        (1, &json!("bad_input"))
    );
}

/// CM-6: another folder can be given, from the current one.
#[test]
fn tests_can_appear_elsewhere() {
    let world = world();
    world.sandbox.file("checks/BeforeTool/x/input.json", "{}");
    world.sandbox.file(
        "checks/BeforeTool/x/expect.json",
        "{\"verdict\": \"proceed\"}",
    );
    let printed = world.json(&["test", "checks"]);
    assert_eq!(printed.code, 0);
    assert_eq!(
        printed.json["folder"],
        world.project().join("checks").to_str().unwrap()
    );
}

/// BR-30: a test can name an agent, and expects what that agent would read, to the byte; an answer
/// with a single different letter fails, and what can't be expected is rejected.
#[test]
fn a_test_can_name_an_agent() {
    let world = world();
    let payload = |command: &str| json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": command}});
    let agent = |name: &str, more: Value| {
        let mut agent = json!({"name": name, "event": "PreToolUse"});
        agent
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        json!({ "agent": agent })
    };
    let object = json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "deny",
        "permissionDecisionReason": "no sudo, please"
    }});
    let refused = json!({
        "exit": 2, "stdout": object.to_string(), "stderr": "no sudo, please\n"
    });
    write(
        &world,
        "BeforeTool/codex",
        &payload("sudo rm"),
        &agent("codex", refused.clone()),
    );
    let quiet = json!({"exit": 0, "stdout": "", "stderr": ""});
    write(
        &world,
        "BeforeTool/quiet",
        &payload("ls"),
        &agent("kimi", quiet),
    );
    let printed = world.json(&["test"]);
    assert_eq!(printed.code, 0, "{}", printed.json);
    assert_eq!(printed.json["counts"]["passed"], 2);
    let mut other = refused;
    other["stderr"] = json!("no sudo, please");
    write(
        &world,
        "BeforeTool/codex",
        &payload("sudo rm"),
        &agent("codex", other),
    );
    write(
        &world,
        "BeforeTool/event",
        &payload("ls"),
        &agent("cline", json!({"exit": 0})),
    );
    let none = json!({"agent": {"name": "cline", "event": "Nothing", "exit": 0}});
    write(&world, "BeforeTool/unknown", &payload("ls"), &none);
    let both =
        json!({"agent": {"name": "codex", "event": "Stop", "exit": 0}, "verdict": "proceed"});
    write(&world, "BeforeTool/both", &payload("ls"), &both);
    let printed = world.json(&["test"]);
    assert_eq!(printed.code, 1, "{}", printed.json);
    let counts = &printed.json["counts"];
    assert_eq!(
        (&counts["failed"], &counts["broken"]),
        (&json!(1), &json!(2))
    );
    // Nothing of it is recorded, even if the home folder moves the state.
    assert!(databases(&world).is_empty());
    let home = world.sandbox.home().to_str().unwrap();
    let moved = [("GEMINI_CLI_HOME", home)];
    let tested = world.run_with(&["hooks", "test", "--json"], &moved, "");
    assert!(tested.stdout.contains("\"failed\":1"), "{tested:?}");
    assert!(databases(&world).is_empty());
}
