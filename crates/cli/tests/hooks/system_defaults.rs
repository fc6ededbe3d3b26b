//! Hooks of the system's defaults (ST-1).

use serde_json::json;

use crate::world::World;

/// ST-1: a hook of the system's defaults refuses like any other of the system, needs no trust, and
/// can't be disabled by a project; the defaults may be elsewhere, and broken ones are reported.
#[test]
fn hooks_of_the_defaults_refuse() {
    let world = World::new();
    let guard = json!({ "hooks": { "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "low", "command": "exit 2" }
    ] }] } });
    let beside = world.system_file().with_file_name("system-defaults.json");
    std::fs::write(&beside, guard.to_string()).unwrap();
    let off = json!({ "hooksConfig": { "disabled": ["low"], "enabled": false } });
    world.sandbox.project_settings(&off.to_string());
    let fire = ["hooks", "fire", "BeforeTool", "--tool", "glob"];
    assert_eq!(world.run_with(&fire, &[], "").code, Some(2));
    let other = world.sandbox.root().join("other.json");
    let elsewhere = [("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", other.to_str().unwrap())];
    assert_eq!(world.run_with(&fire, &elsewhere, "").code, Some(0));
    std::fs::rename(&beside, &other).unwrap();
    assert_eq!(world.run_with(&fire, &[], "").code, Some(0));
    assert_eq!(world.run_with(&fire, &elsewhere, "").code, Some(2));
    std::fs::write(&other, "{").unwrap();
    let check = world.run_with(&["hooks", "check"], &elsewhere, "");
    assert_eq!(check.code, Some(1));
    assert!(check.stdout.contains("other.json:1:"), "{}", check.stdout);
}
