use serde_json::{Value, json};

use crate::world::{World, cause_codes};

fn world() -> World {
    let world = World::new();
    world.user_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "guard", "command": "touch ran" }
    ] }] }));
    world
}

fn system(world: &World, config: &Value) {
    let text = json!({ "hooksConfig": config }).to_string();
    std::fs::write(world.system_file(), text).unwrap();
}

/// CM-2, ST-6: `disable-all` keeps every hook from running, and `enable-all` lets them run again.
#[test]
fn all_hooks_are_turned_off_and_on() {
    let world = world();
    let file = world.sandbox.home().join(".gemini/settings.json");
    let off = world.json(&["disable-all"]);
    assert_eq!((off.code, &off.json["changed"]), (0, &json!(true)));
    assert_eq!(off.json["files"], json!([file.to_str().unwrap()]));
    assert_eq!(off.json["labels"], json!(["guard"]));
    let list = world.json(&["list"]).json;
    assert_eq!(list["hooks_enabled"], false);
    assert_eq!(cause_codes(&list["hooks"][0]), ["hooks_off"]);
    world.json(&["fire", "BeforeTool"]);
    assert!(!world.project().join("ran").exists());
    let on = world.json(&["enable-all"]);
    assert_eq!((on.code, &on.json["still_disabled_by"]), (0, &json!([])));
    world.json(&["fire", "BeforeTool"]);
    assert!(world.project().join("ran").exists());
    let again = world.json(&["enable-all"]);
    assert_eq!((again.code, &again.json["changed"]), (0, &json!(false)));
}

/// CM-2: a higher layer that keeps hooks off is named, and the exit code is 1.
#[test]
fn a_higher_layer_keeps_hooks_off() {
    let world = world();
    world.mark_folder("TRUST_FOLDER");
    let file = world
        .sandbox
        .project_settings("{\"hooksConfig\": {\"enabled\": false}}");
    let printed = world.json(&["enable-all"]);
    assert_eq!((printed.code, &printed.json["changed"]), (1, &json!(true)));
    let still = &printed.json["still_disabled_by"][0];
    assert_eq!(still["file"], file.to_str().unwrap());
    assert_eq!(
        (&still["layer"], &still["line"]),
        (&json!("project"), &json!(1))
    );
    let project = world.json(&["enable-all", "--scope", "project"]);
    assert_eq!(project.code, 0);
}

/// CM-2, ST-6, ST-13: hooks that stay on because another layer has the last word are reported, each
/// by name: a project's for its own, the system's for its own.
#[test]
fn a_higher_layer_keeps_hooks_on() {
    let world = world();
    world.mark_folder("TRUST_FOLDER");
    let hooks = |name: &str| {
        json!({ "BeforeTool": [{ "hooks": [
            { "type": "command", "name": name, "command": "true" }
        ] }] })
    };
    let config = json!({ "enabled": true });
    world
        .sandbox
        .project_settings(&json!({ "hooksConfig": config, "hooks": hooks("local") }).to_string());
    let system = json!({ "hooks": hooks("audit") });
    std::fs::write(world.system_file(), system.to_string()).unwrap();
    let finished = world.hooks(&["disable-all"]);
    let stays = |name: &str| {
        let mut lines = finished.stderr.lines();
        lines.any(|line| line.contains(&format!("\"{name}\"")) && line.contains("stays on"))
    };
    assert_eq!(
        ["local", "audit", "guard"].map(stays),
        [true, true, false],
        "{}",
        finished.stderr
    );
    let listed = world.json(&["list"]).json;
    assert_eq!(listed["hooks_enabled"], false);
    let is_off = |index: usize| cause_codes(&listed["hooks"][index]).contains(&"hooks_off");
    assert_eq!([0, 1, 2].map(is_off), [false, true, false]);
}

/// CM-2, ST-6: what the system has locked can't be switched either way.
#[test]
fn locked_switches_are_not_turned() {
    let world = world();
    let file = world.sandbox.home().join(".gemini/settings.json");
    let before = std::fs::read_to_string(&file).unwrap();
    system(&world, &json!({ "enabled": true, "locked": ["enabled"] }));
    let printed = world.json(&["disable-all"]);
    assert_eq!(printed.code, 1);
    assert_eq!(printed.json["error"]["code"], "locked");
    system(&world, &json!({ "enabled": false, "locked": ["enabled"] }));
    let printed = world.json(&["enable-all"]);
    assert_eq!(printed.code, 1);
    assert_eq!(printed.json["still_disabled_by"][0]["layer"], "system");
    assert_eq!(std::fs::read_to_string(file).unwrap(), before);
}

/// CM-2: hooks that stay disabled by their names are reported, with the lists that name them.
#[test]
fn names_that_stay_disabled_are_reported() {
    let world = world();
    world.json(&["disable", "guard"]);
    let finished = world.hooks(&["enable-all"]);
    assert_eq!(finished.code, Some(1));
    assert!(
        finished.stderr.contains("\"guard\" stays disabled"),
        "{}",
        finished.stderr
    );
    let still = world.json(&["enable-all"]).json["still_disabled_by"].take();
    assert_eq!(still.as_array().unwrap().len(), 1, "{still}");
}
