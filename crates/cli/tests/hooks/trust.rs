use serde_json::{Value, json};

use crate::world::{World, each};

fn world() -> World {
    let world = World::new();
    world.project_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "one", "command": "true" },
        { "type": "command", "command": "two" },
    ] }] }));
    world
}

fn standing(world: &World) -> Vec<String> {
    let json = world.json(&["list"]).json;
    each(&json["hooks"], "trust")
        .into_iter()
        .map(|it| it.as_str().unwrap().to_owned())
        .collect()
}

/// TR-4: `trust` without names trusts all hooks of the project, and says which file was written.
#[test]
fn all_hooks_are_trusted() {
    let world = world();
    let printed = world.json(&["trust"]);
    assert_eq!(printed.code, 0);
    let store = world.sandbox.home().join(".gemini/trusted_hooks.json");
    assert_eq!(printed.json["changed"], true);
    assert_eq!(printed.json["files"], json!([store.to_str().unwrap()]));
    assert_eq!(printed.json["labels"], json!(["one", "two"]));
    assert_eq!(standing(&world), ["trusted", "trusted"]);
    let again = world.json(&["trust"]).json;
    assert_eq!(
        (&again["changed"], &again["files"]),
        (&json!(false), &json!([]))
    );
}

/// TR-4: `trust` and `untrust` take names, and commands of hooks without one.
#[test]
fn hooks_are_trusted_by_name() {
    let world = world();
    assert_eq!(world.json(&["trust", "two"]).json["labels"], json!(["two"]));
    assert_eq!(standing(&world), ["new", "trusted"]);
    world.json(&["trust", "one"]);
    assert_eq!(world.json(&["untrust", "two"]).json["changed"], true);
    assert_eq!(standing(&world), ["trusted", "new"]);
    world.json(&["untrust"]);
    assert_eq!(standing(&world), ["new", "new"]);
    assert_eq!(world.json(&["untrust"]).json["changed"], false);
}

/// CM-8, TR-1: a component that isn't built yet can't be trusted; other hooks can.
#[test]
fn what_is_not_built_is_not_trusted() {
    let world = World::new();
    world.project_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "one", "command": "true" },
        { "type": "plugin", "name": "two", "plugin": ".gemini/two.wasm" },
    ] }] }));
    let named = world.json(&["trust", "two"]);
    assert_eq!(
        (named.code, &named.json["error"]["code"]),
        (1, &json!("bad_input"))
    );
    assert_eq!(standing(&world), ["new", "new"]);
    let all = world.json(&["trust"]).json;
    assert_eq!(all["labels"], json!(["one"]));
    assert_eq!(standing(&world), ["trusted", "new"]);
}

/// TR-1: hooks that run no command are distinguished by their names: another one is new, not a
/// change of one that was trusted.
#[test]
fn hooks_without_a_command_are_not_one_another() {
    let rule = |name: &str| json!({ "type": "rule", "name": name, "when": "tool.name == 'glob'", "then": "deny" });
    let world = World::new();
    let configure = |hooks: &[Value]| {
        world.project_hooks(&json!({ "BeforeTool": [{ "hooks": hooks }] }));
    };
    configure(&[rule("one"), rule("two")]);
    world.json(&["trust"]);
    configure(&[rule("one"), rule("two"), rule("three")]);
    assert_eq!(standing(&world), ["trusted", "trusted", "new"]);
    configure(&[rule("one"), rule("three")]);
    assert_eq!(standing(&world), ["trusted", "new"]);
}

/// TR-4: an unknown name is an error with near matches; nothing is trusted.
#[test]
fn an_unknown_name_trusts_nothing() {
    let world = world();
    for command in ["trust", "untrust"] {
        let printed = world.json(&[command, "two", "oen"]);
        assert_eq!(printed.code, 1);
        assert_eq!(printed.json["error"]["code"], "unknown_hook");
        assert_eq!(printed.json["error"]["candidates"], json!(["one"]));
    }
    assert_eq!(standing(&world), ["new", "new"]);
}

/// TR-1: the user's hooks need no trust, and get none.
#[test]
fn user_hooks_need_no_trust() {
    let world = World::new();
    world.user_command("BeforeTool", "true");
    let printed = world.json(&["trust", "true"]);
    assert_eq!((printed.code, &printed.json["changed"]), (0, &json!(false)));
    assert!(
        !world
            .sandbox
            .home()
            .join(".gemini/trusted_hooks.json")
            .exists()
    );
}

/// TR-2, TR-4: a hook runs once it is trusted, and no longer when its script changed.
#[test]
fn trust_lets_a_hook_run_until_it_changes() {
    let world = World::new();
    world.sandbox.script("hook.sh", "#!/bin/sh\ntouch ran\n");
    world.project_hooks(
        &json!({ "SessionStart": [{ "hooks": [{ "type": "command", "command": "./hook.sh" }] }] }),
    );
    let ran = world.project().join("ran");
    let skipped = world.json(&["fire", "SessionStart"]);
    assert!(!ran.exists());
    assert!(
        skipped.stderr.contains("hookloop hooks trust ./hook.sh"),
        "{}",
        skipped.stderr
    );
    world.json(&["trust"]);
    world.json(&["fire", "SessionStart"]);
    assert!(ran.exists());
    std::fs::remove_file(&ran).unwrap();
    world
        .sandbox
        .script("hook.sh", "#!/bin/sh\ntouch ran # changed\n");
    let changed = world.json(&["fire", "SessionStart"]);
    assert!(!ran.exists());
    assert!(
        changed
            .stderr
            .contains("hook.sh changed since it was trusted"),
        "{}",
        changed.stderr
    );
}

/// CM-5, CM-6, TR-8: a guard that was trusted and has changed since refuses when it is fired and
/// when it is tested, as in a session, instead of being skipped; after a person's consent it
/// decides again.
#[test]
fn a_changed_guard_refuses_when_it_is_fired() {
    let world = World::new();
    world.sandbox.script("guard.sh", "#!/bin/sh\nexit 0\n");
    world.project_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "command": "./guard.sh", "onFailure": "deny" }
    ] }] }));
    world.json(&["trust"]);
    let fire = ["fire", "BeforeTool", "--tool", "write_file"];
    assert_eq!(world.json(&fire).code, 0);
    world
        .sandbox
        .script("guard.sh", "#!/bin/sh\ntouch ran\nexit 0\n");
    let fired = world.json(&fire);
    assert_eq!(fired.code, 2, "{}", fired.json);
    assert_eq!(fired.json["outcome"]["decision"], "deny", "{}", fired.json);
    let case = ".gemini/hooks/tests/BeforeTool/changed";
    for (file, content) in [
        (
            "input.json",
            r#"{"tool_name": "write_file", "tool_input": {}}"#,
        ),
        ("expect.json", r#"{"decision": "deny"}"#),
    ] {
        world.sandbox.file(format!("{case}/{file}"), content);
    }
    let tested = world.json(&["test"]);
    assert_eq!(tested.code, 0, "{}", tested.json);
    assert!(!world.project().join("ran").exists());
    world.json(&["trust"]);
    assert_eq!(world.json(&fire).code, 0);
    assert!(world.project().join("ran").exists());
}

/// TR-3: `--skip-trust` lets hooks run for this run, after a warning that names them.
#[test]
fn a_workspace_trusted_for_a_run_is_warned_of() {
    let world = World::new();
    world.project_hooks(&json!({ "SessionStart": [{ "hooks": [
        { "type": "command", "name": "greet", "command": "touch ran" }
    ] }] }));
    let printed = world.json(&["fire", "SessionStart", "--skip-trust"]);
    assert!(world.project().join("ran").exists());
    assert!(printed.stderr.contains("--skip-trust") && printed.stderr.contains("\"greet\""));
    assert_eq!(standing(&world), ["new"]);
}

/// TR-4, TR-7: upstream's list isn't an agreement, since that program writes it by itself: a hook
/// on it stays new, doesn't run, and is nowhere recorded as trusted.
#[test]
fn upstream_trust_is_not_an_agreement() {
    let world = World::new();
    world.sandbox.script("hook.sh", "#!/bin/sh\ntouch ran\n");
    world.project_hooks(&json!({ "SessionStart": [{ "hooks": [
        { "type": "command", "name": "h", "command": "./hook.sh" }
    ] }] }));
    let project = world.project().to_str().unwrap();
    let store = world.home_file(
        "trusted_hooks.json",
        &json!({ project: ["h:./hook.sh"] }).to_string(),
    );
    let written = std::fs::read(&store).unwrap();
    assert_eq!(standing(&world), ["new"]);
    world.json(&["why", "SessionStart"]);
    let fired = world.json(&["fire", "SessionStart"]);
    assert!(!world.project().join("ran").exists());
    assert!(
        fired.stderr.contains("hookloop hooks trust h"),
        "{}",
        fired.stderr
    );
    assert_eq!(std::fs::read(&store).unwrap(), written);
    world.json(&["trust"]);
    world.json(&["fire", "SessionStart"]);
    assert!(world.project().join("ran").exists());
    let kept: Value = serde_json::from_slice(&std::fs::read(&store).unwrap()).unwrap();
    assert_eq!(kept[project], json!(["h:./hook.sh"]));
}

/// TR-4: a broken store is an error, and stays as it is.
#[test]
fn a_broken_store_is_not_overwritten() {
    let world = world();
    let store = world.home_file("trusted_hooks.json", "{ broken");
    let printed = world.json(&["trust"]);
    assert_eq!(printed.code, 1);
    assert_eq!(printed.json["error"]["code"], "invalid_settings");
    assert_eq!(std::fs::read_to_string(store).unwrap(), "{ broken");
}

/// TR-5: trust changes nothing in a folder marked `DO_NOT_TRUST`, and says so.
#[test]
fn an_untrusted_folder_stays_untrusted() {
    let world = world();
    world.mark_folder("DO_NOT_TRUST");
    let finished = world.hooks(&["trust"]);
    assert_eq!(finished.code, Some(0));
    assert!(
        finished.stderr.contains("DO_NOT_TRUST"),
        "{}",
        finished.stderr
    );
    assert_eq!(world.json(&["trust"]).json["changed"], false);
}

/// TR-4: hooks with the same name can be trusted, also one after the other: trusting the second
/// doesn't affect the first.
#[test]
fn hooks_of_one_name_can_be_trusted() {
    let world = World::new();
    let hooks = |second: &str| {
        world.project_hooks(&json!({ "BeforeTool": [{ "hooks": [
            { "type": "command", "name": "n", "command": "true" },
            { "type": "command", "name": "n", "command": second },
        ] }] }));
    };
    let standings = || {
        let list = world.json(&["list"]).json;
        each(&list["hooks"], "trust")
            .into_iter()
            .cloned()
            .collect::<Vec<_>>()
    };
    hooks("echo");
    world.hooks(&["trust"]);
    assert_eq!(standings(), ["trusted", "trusted"]);
    hooks("echo changed");
    assert_eq!(standings(), ["trusted", "modified"]);
    world.hooks(&["trust", "n"]);
    assert_eq!(standings(), ["trusted", "trusted"]);
    hooks("echo");
    assert_eq!(
        standings(),
        ["trusted", "modified"],
        "what it was before isn't trusted"
    );
}

/// TR-8, CM-3, CM-10: `check` reports a trusted hook of any kind that is gone, until a person
/// withdraws trust.
#[test]
fn check_reports_a_trusted_hook_that_is_gone() {
    for hook in [
        json!({ "type": "command", "name": "guard", "command": "true" }),
        json!({ "type": "rule", "name": "guard", "rules": [
            { "name": "no", "when": "tool.name == \"write_file\"", "then": "deny", "reason": "no" },
        ] }),
    ] {
        let world = World::new();
        let codes = || {
            let json = world.json(&["check"]).json;
            let problems = each(&json["diagnostics"], "code").into_iter();
            let codes = problems.map(|it| it.as_str().unwrap().to_owned());
            codes.filter(|it| it == "trusted_hook_gone").count()
        };
        world.project_hooks(&json!({ "BeforeTool": [{ "hooks": [hook] }] }));
        assert_eq!(world.json(&["trust"]).code, 0);
        assert_eq!(codes(), 0);
        world.project_hooks(&json!({}));
        assert_eq!(codes(), 1);
        assert_eq!(world.json(&["check"]).code, 1);
        assert_eq!(world.json(&["untrust", "guard"]).code, 0);
        assert_eq!(codes(), 0);
    }
}
