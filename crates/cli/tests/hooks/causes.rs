use serde_json::{Value, json};

use crate::world::{World, cause_codes};

const COMMAND: &str = r#"{"type": "command", "name": "n", "command": "true"}"#;

fn first(world: &World) -> Value {
    world.json(&["list"]).json["hooks"][0].clone()
}

/// ST-7: each entry of a `disabled` list, in each layer, is a cause with its place.
#[test]
fn a_hook_disabled_by_name_names_every_entry() {
    let world = World::new();
    world.sandbox.user_settings(&format!(
        "{{\"hooksConfig\": {{\"disabled\": [\"n\"]}},\n\"hooks\": {{\"BeforeTool\": [{{\"hooks\": [{COMMAND}]}}]}}}}"
    ));
    std::fs::write(
        world.system_file(),
        r#"{"hooks": {"disabled": ["x", "n"]}}"#,
    )
    .unwrap();
    let hook = first(&world);
    assert_eq!(hook["status"], "disabled");
    assert_eq!(cause_codes(&hook), ["disabled_by_name"; 2]);
    assert_eq!(hook["causes"][0]["source"]["line"], 1);
    assert_eq!(hook["causes"][0]["source"]["column"], 31);
    assert_eq!(hook["causes"][1]["source"]["layer"], "system");
    assert_eq!(hook["causes"][1]["source"]["column"], 30);
    let why = world.json(&["why", "BeforeTool"]).json;
    assert_eq!(why["hooks"][0]["runs"], false);
}

/// ST-6: hooks that are switched off say which setting did it.
#[test]
fn hooks_that_are_off_name_the_setting() {
    let world = World::new();
    world.sandbox.user_settings(&format!(
        "{{\"hooksConfig\": {{\"enabled\": false}}, \"hooks\": {{\"BeforeTool\": [{{\"hooks\": [{COMMAND}]}}]}}}}"
    ));
    let hook = first(&world);
    assert_eq!(
        (cause_codes(&hook), &hook["status"]),
        (vec!["hooks_off"], &json!("disabled"))
    );
    assert_eq!(hook["causes"][0]["source"]["column"], 29);
}

/// EX-4: the hooks of a disabled extension are listed with that cause.
#[test]
fn a_disabled_extension_is_a_cause() {
    let world = World::new();
    world.extension("ext", "true");
    world
        .sandbox
        .user_settings(r#"{"extensions": {"disabled": ["ext"]}}"#);
    let hook = first(&world);
    assert_eq!(
        (cause_codes(&hook), &hook["status"]),
        (vec!["extension_disabled"], &json!("disabled"))
    );
    world.sandbox.user_settings("{}");
    assert_eq!(first(&world)["status"], "enabled");
    let none = world.json(&["list", "--extensions", "none"]).json;
    assert_eq!(cause_codes(&none["hooks"][0]), ["extension_disabled"]);
}

/// TR-2: a project's hook that nobody has trusted doesn't run, and says so.
#[test]
fn a_new_hook_is_untrusted() {
    let world = World::new();
    world.project_hooks(
        &json!({ "BeforeTool": [{ "hooks": [{ "type": "command", "command": "true" }] }] }),
    );
    let hook = first(&world);
    assert_eq!(
        (cause_codes(&hook), &hook["status"]),
        (vec!["untrusted_new"], &json!("untrusted"))
    );
    assert_eq!(hook["trust"], "new");
    assert!(hook["causes"][0]["source"].is_null());
}

/// TR-1, TR-2: a hook whose script changed says what changed.
#[test]
fn a_modified_hook_says_what_changed() {
    let world = World::new();
    world.sandbox.script("format.sh", "#!/bin/sh\n");
    world.project_hooks(
        &json!({ "BeforeTool": [{ "hooks": [{ "type": "command", "command": "./format.sh" }] }] }),
    );
    assert_eq!(world.json(&["trust"]).code, 0);
    assert_eq!(first(&world)["trust"], "trusted");
    world.sandbox.script("format.sh", "#!/bin/sh\nevil\n");
    let hook = first(&world);
    assert_eq!(cause_codes(&hook), ["untrusted_modified"]);
    assert_eq!(hook["trust"], "modified");
    let message = hook["causes"][0]["message"].as_str().unwrap();
    assert!(
        message.contains("format.sh changed since it was trusted"),
        "{message}"
    );
}

/// TR-5: a folder marked `DO_NOT_TRUST` keeps its hooks from running, even with `--skip-trust`.
#[test]
fn an_untrusted_folder_is_a_cause() {
    let world = World::new();
    world.project_hooks(
        &json!({ "BeforeTool": [{ "hooks": [{ "type": "command", "command": "true" }] }] }),
    );
    let file = world.mark_folder("DO_NOT_TRUST");
    for arguments in [&["list"][..], &["list", "--skip-trust"]] {
        let json = world.json(arguments).json;
        assert_eq!(cause_codes(&json["hooks"][0]), ["folder_untrusted"]);
        let source = &json["hooks"][0]["causes"][0]["source"];
        assert_eq!(source["file"], file.to_str().unwrap());
        assert!(source["layer"].is_null() && source["line"] == 1);
        assert_eq!(json["layers"][0]["state"], "untrusted");
    }
}

/// TR-3: `--skip-trust` and the environment variable let new hooks run, for this run.
#[test]
fn a_workspace_can_be_trusted_for_a_run() {
    let world = World::new();
    world.project_hooks(
        &json!({ "BeforeTool": [{ "hooks": [{ "type": "command", "command": "true" }] }] }),
    );
    let skipped = world.json(&["list", "--skip-trust"]).json;
    assert_eq!(skipped["hooks"][0]["status"], "enabled");
    assert_eq!(skipped["hooks"][0]["trust"], "new");
    let variables = [("GEMINI_CLI_TRUST_WORKSPACE", "true")];
    let finished = world.run_with(&["hooks", "list", "--json"], &variables, "");
    let trusted: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(trusted["hooks"][0]["status"], "enabled");
    assert_eq!(first(&world)["status"], "untrusted");
}

/// PL-7: of two identical hooks the less trusted one is shadowed, and names the other: the user's
/// names that of the system.
#[test]
fn a_shadowed_hook_names_the_one_that_stays() {
    let world = World::new();
    let hooks = json!({ "BeforeTool": [{ "hooks": [{ "type": "command", "command": "true" }] }] });
    world.user_hooks(&hooks);
    std::fs::write(world.system_file(), json!({ "hooks": hooks }).to_string()).unwrap();
    for arguments in [&["list"][..], &["why", "BeforeTool", "--tool", "glob"]] {
        let json = world.json(arguments).json;
        let (shadowed, stays) = (&json["hooks"][0], &json["hooks"][1]);
        assert_eq!(
            (cause_codes(shadowed), &shadowed["status"]),
            (vec!["shadowed"], &json!("shadowed"))
        );
        assert_eq!(shadowed["causes"][0]["hook_id"], stays["id"]);
        assert_eq!(stays["causes"], json!([]));
    }
    let text = world.hooks(&["list"]).stdout;
    let place = world.system_file();
    assert!(text.contains(&format!("({}:1:", place.display())), "{text}");
}

/// CM-4, CM-5: a matcher that doesn't match, and a hook that wasn't selected, are causes.
#[test]
fn what_was_asked_for_can_be_a_cause() {
    let world = World::new();
    world.user_hooks(&json!({ "BeforeTool": [
        { "matcher": "replace", "hooks": [{ "type": "command", "command": "a" }] },
        { "hooks": [{ "type": "command", "command": "true" }, { "type": "command", "command": ":" }] },
    ] }));
    let why = world.json(&["why", "BeforeTool", "--tool", "glob"]).json;
    assert_eq!(cause_codes(&why["hooks"][0]), ["matcher_mismatch"]);
    assert_eq!(why["hooks"][0]["status"], "enabled");
    let fired = world
        .json(&["fire", "BeforeTool", "--tool", "glob", "--only", ":"])
        .json;
    assert_eq!(cause_codes(&fired["hooks"][1]), ["not_selected"]);
    assert_eq!(fired["hooks"][2]["runs"], true);
    assert_eq!(fired["runs"].as_array().unwrap().len(), 1);
}

/// CM-1: a hook's id is the same in every output.
#[test]
fn ids_are_the_same_everywhere() {
    let world = World::new();
    world.user_command("BeforeTool", "true");
    let id = first(&world)["id"].clone();
    assert_eq!(
        world.json(&["why", "BeforeTool"]).json["hooks"][0]["id"],
        id
    );
    let fired = world.json(&["fire", "BeforeTool"]).json;
    assert_eq!(
        (&fired["hooks"][0]["id"], &fired["runs"][0]["hook_id"]),
        (&id, &id)
    );
}
