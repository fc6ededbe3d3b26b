use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::world::{World, each};

/// The user's settings with two hooks, and a comment that must survive.
const USER: &str = r#"{
  // mine
  "hooks": {
    "BeforeTool": [
      { "hooks": [
        { "type": "command", "name": "guard", "command": "true" },
        { "type": "command", "command": "format --all" }, // no name
      ] },
    ],
  },
}
"#;

fn world() -> World {
    let world = World::new();
    world.sandbox.user_settings(USER);
    world
}

fn user_file(world: &World) -> std::path::PathBuf {
    world.sandbox.home().join(".gemini/settings.json")
}

fn statuses(world: &World) -> Vec<String> {
    let json = world.json(&["list"]).json;
    each(&json["hooks"], "status")
        .into_iter()
        .map(|it| it.as_str().unwrap().to_owned())
        .collect()
}

/// CM-2, ST-10: `disable` writes the name into the user's settings, and every other byte stays.
#[test]
fn a_disabled_hook_is_saved_and_does_not_run() {
    let world = world();
    let printed = world.json(&["disable", "guard"]);
    let file = user_file(&world);
    assert_eq!(printed.code, 0);
    assert_eq!(printed.json["changed"], true);
    assert_eq!(printed.json["files"], json!([file.to_str().unwrap()]));
    assert_eq!(printed.json["labels"], json!(["guard"]));
    assert_eq!(printed.json["still_disabled_by"], json!([]));
    assert_eq!(statuses(&world), ["disabled", "enabled"]);
    let text = std::fs::read_to_string(&file).unwrap();
    let kept = USER.strip_suffix("\n}\n").unwrap();
    assert!(
        text.starts_with(kept) && text.contains("\"hooksConfig\""),
        "{text}"
    );
    let again = world.json(&["disable", "guard"]);
    assert_eq!(
        (again.code, &again.json["changed"], &again.json["files"]),
        (0, &json!(false), &json!([]))
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}

/// CM-2: a hook without a name is disabled by its command; text says what was done.
#[test]
fn a_hook_without_a_name_goes_by_its_command() {
    let world = world();
    let finished = world.hooks(&["disable", "format --all"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(
        finished.stdout.starts_with("disabled: format --all\n"),
        "{}",
        finished.stdout
    );
    assert_eq!(statuses(&world), ["enabled", "disabled"]);
}

/// CM-2: `enable` removes the name from the user's and the project's lists, including older
/// spellings.
#[test]
fn enabling_clears_every_writable_list() {
    let world = world();
    let project = world.sandbox.project_settings(
        r#"{ "hooks": { "disabled": ["other", "guard"] }, "hooksConfig": { "disabled": ["guard"] } }"#,
    );
    world.json(&["disable", "guard"]);
    let printed = world.json(&["enable", "guard"]);
    assert_eq!(printed.code, 0, "{}", printed.json);
    let files = [
        project.to_str().unwrap(),
        user_file(&world).to_str().unwrap(),
    ]
    .map(str::to_owned);
    assert_eq!(printed.json["files"], json!(files));
    assert_eq!(statuses(&world), ["enabled", "enabled"]);
    let left: Value = serde_json::from_str(&std::fs::read_to_string(project).unwrap()).unwrap();
    assert_eq!(left["hooks"]["disabled"], json!(["other"]));
    let again = world.json(&["enable", "guard"]);
    assert_eq!((again.code, &again.json["changed"]), (0, &json!(false)));
}

/// CM-2: what the system's settings disable stays disabled; that is reported, with the place, and
/// the exit code is 1.
#[test]
fn the_layer_that_still_disables_is_named() {
    let world = world();
    let system = world.system_file();
    std::fs::write(
        &system,
        "{\"hooksConfig\": {\n  \"disabled\": [\"guard\"]}}",
    )
    .unwrap();
    world.json(&["disable", "guard"]);
    let printed = world.json(&["enable", "guard"]);
    assert_eq!(printed.code, 1);
    assert_eq!(printed.json["changed"], true);
    let still = json!([{ "layer": "system", "extension": null, "file": system.to_str().unwrap(),
        "line": 2, "column": 16 }]);
    assert_eq!(printed.json["still_disabled_by"], still);
    let finished = world.hooks(&["enable", "guard"]);
    assert_eq!(finished.code, Some(1));
    assert!(
        finished.stdout.contains("system.json:2:16"),
        "{}",
        finished.stdout
    );
    let before = std::fs::read_to_string(&system).unwrap();
    assert!(before.contains("guard"));
}

/// CM-2: a file that is read-only is such a layer too, and stays as it is.
#[test]
fn a_read_only_file_still_disables() {
    let world = world();
    world.json(&["disable", "guard"]);
    let file = user_file(&world);
    std::fs::set_permissions(&file, Permissions::from_mode(0o444)).unwrap();
    let before = std::fs::read_to_string(&file).unwrap();
    let printed = world.json(&["enable", "guard"]);
    assert_eq!(printed.code, 1);
    assert_eq!(printed.json["changed"], false);
    assert_eq!(printed.json["still_disabled_by"][0]["layer"], "user");
    let refused = world.json(&["disable", "format --all"]);
    assert_eq!(refused.code, 1);
    assert_eq!(refused.json["error"]["code"], "not_writable");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
}

/// CM-2: an unknown name is an error with near matches; nothing is written.
#[test]
fn an_unknown_name_changes_nothing() {
    let world = world();
    for command in ["enable", "disable"] {
        let printed = world.json(&[command, "gaurd"]);
        assert_eq!(printed.code, 1);
        assert_eq!(printed.json["error"]["code"], "unknown_hook");
        assert_eq!(printed.json["error"]["candidates"], json!(["guard"]));
    }
    assert_eq!(std::fs::read_to_string(user_file(&world)).unwrap(), USER);
}

/// CM-2: a name that is only in a list can be removed from it, and not be disabled again.
#[test]
fn a_name_without_a_hook_can_be_removed() {
    let world = World::new();
    let file = world
        .sandbox
        .user_settings(r#"{ "hooksConfig": { "disabled": ["gone"] } }"#);
    let printed = world.json(&["enable", "gone"]);
    assert_eq!((printed.code, &printed.json["changed"]), (0, &json!(true)));
    assert!(!std::fs::read_to_string(file).unwrap().contains("gone"));
    assert_eq!(
        world.json(&["disable", "gone"]).json["error"]["code"],
        "unknown_hook"
    );
}

/// CM-2: `--scope project` writes the project's settings; it is reported that they have no effect
/// on the user's hooks before somebody agreed, even in a trusted folder (ST-13).
#[test]
fn the_scope_says_which_file_is_written() {
    let world = world();
    let printed = world.json(&["disable", "guard", "--scope", "project"]);
    let file = world.project().join(".gemini/settings.json");
    assert_eq!(printed.json["files"], json!([file.to_str().unwrap()]));
    assert_eq!(
        each(&printed.json["diagnostics"], "code"),
        ["folder_untrusted"]
    );
    assert_eq!(statuses(&world), ["enabled", "enabled"]);
    assert_eq!(std::fs::read_to_string(user_file(&world)).unwrap(), USER);
    world.mark_folder("TRUST_FOLDER");
    assert_eq!(statuses(&world), ["enabled", "enabled"]);
    let listed = world.json(&["list"]).json;
    assert_eq!(each(&listed["diagnostics"], "code"), ["loosening_ignored"]);
}

/// CM-2, ST-6, ST-13: hooks of the system can't be disabled from elsewhere, locked or not, and
/// nothing is written.
#[test]
fn hooks_of_the_system_stay_enabled() {
    for locked in [json!(["disabled"]), json!([])] {
        let world = World::new();
        let system = json!({
            "hooksConfig": { "locked": locked },
            "hooks": { "BeforeTool": [{ "hooks": [
                { "type": "command", "name": "audit", "command": "true" }
            ] }] },
        });
        std::fs::write(world.system_file(), system.to_string()).unwrap();
        let printed = world.json(&["disable", "audit"]);
        assert_eq!(printed.code, 1);
        assert_eq!(printed.json["error"]["code"], "locked");
        assert!(!user_file(&world).exists());
        assert_eq!(statuses(&world), ["enabled"]);
    }
}

/// ST-10: a file that isn't JSON is never rewritten.
#[test]
fn a_broken_file_is_left_alone() {
    let world = World::new();
    world.project_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "guard", "command": "true" }
    ] }] }));
    let file = world.sandbox.user_settings("{ broken");
    let printed = world.json(&["disable", "guard", "--scope", "user"]);
    assert_eq!(printed.code, 1);
    assert_eq!(printed.json["error"]["code"], "invalid_settings");
    assert!(
        printed.json["error"]["message"]
            .as_str()
            .unwrap()
            .contains("settings.json:1:3")
    );
    assert_eq!(std::fs::read_to_string(file).unwrap(), "{ broken");
}

/// CM-2: if a hook stays off for another reason, that is reported.
#[test]
fn other_reasons_are_said() {
    let world = World::new();
    world.project_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "guard", "command": "true" }
    ] }] }));
    world.json(&["disable", "guard"]);
    let finished = world.hooks(&["enable", "guard"]);
    assert_eq!(finished.code, Some(0));
    assert!(
        finished.stderr.contains("doesn't run: not trusted yet"),
        "{}",
        finished.stderr
    );
}

/// ST-7, ST-13: a hook of the user's whose name a project disables continues to run, even in a
/// trusted folder, and whoever wrote it there is told so.
#[test]
fn a_disabled_name_without_effect_is_reported() {
    let world = world();
    let finished = world.hooks(&["disable", "guard", "--scope", "project"]);
    assert_eq!(finished.code, Some(0));
    assert_eq!(statuses(&world), ["enabled", "enabled"]);
    let stays = "hook \"guard\"";
    assert!(
        finished.stderr.contains(stays) && finished.stderr.contains("stays on"),
        "{}",
        finished.stderr
    );
    assert!(finished.stdout.contains("has no effect: guard"));
    world.mark_folder("TRUST_FOLDER");
    let finished = world.hooks(&["disable", "guard", "--scope", "project"]);
    assert_eq!(statuses(&world), ["enabled", "enabled"]);
    assert!(
        finished.stderr.contains(stays) && finished.stderr.contains("once somebody has agreed"),
        "{}",
        finished.stderr
    );
}

/// CM-2: a project's hook is disabled where it comes from, or in the user's list for that project
/// only, and never one with the same name elsewhere; `enable` removes either entry.
#[test]
fn a_hook_of_a_project_is_disabled_in_that_project_alone() {
    let world = World::new();
    let project = world.project_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "guard", "command": "true" }
    ] }] }));
    let off = |word: &str| {
        let hooks = world.json(&["list"]).json["hooks"].take();
        let causes = hooks[0]["causes"].to_string();
        causes.contains("disabled_by_name") == (word == "off")
    };
    let disabled = world.json(&["disable", "guard"]).json;
    assert_eq!(disabled["files"], json!([project.to_str().unwrap()]));
    assert!(off("off"));
    world.json(&["enable", "guard"]);
    assert!(off("on"));
    let root = world.project().to_str().unwrap().to_owned();
    world.json(&["disable", "guard", "--scope", "user"]);
    let user = std::fs::read_to_string(user_file(&world)).unwrap();
    assert!(
        user.contains(&format!("guard@{root}")) && off("off"),
        "{user}"
    );
    assert_eq!(
        world.json(&["enable", "guard"]).json["still_disabled_by"],
        json!([])
    );
    assert!(off("on"));
    world.sandbox.user_settings(
        &json!({"hooksConfig": {"disabled": [format!("guard@{root}/elsewhere")]}}).to_string(),
    );
    assert!(off("on"));
    let checked = world.json(&["check"]).json["diagnostics"].to_string();
    assert!(!checked.contains("unknown_disabled_name"), "{checked}");
}
