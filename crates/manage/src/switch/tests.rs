use serde_json::{Value, json};

use super::*;
use crate::world::World;

const PROJECT: &str = "project/.gemini/settings.json";
const USER: &str = "home/.gemini/settings.json";

fn hook(name: &str) -> Value {
    json!({"hooks": {"BeforeTool": [{"hooks": [
        {"type": "command", "name": name, "command": "true"},
    ]}]}})
}

/// CM-2: a name is added to the settings that its hook comes from, and removed again.
#[test]
fn a_hook_is_switched_where_it_is_configured() {
    let world = World::new();
    world.write(PROJECT, &hook("guard"));
    let off = disable_hook(world.task(), "guard", None).unwrap();
    assert_eq!(off.effect, SwitchEffect::Effective);
    assert_eq!(off.change.files, [world.path(PROJECT)]);
    assert_eq!(
        world.read(PROJECT)["hooksConfig"]["disabled"],
        json!(["guard"])
    );
    let on = enable_hook(world.task(), "guard").unwrap();
    assert!(on.change.still_disabled_by.is_empty());
    assert_eq!(on.change.files, [world.path(PROJECT)]);
    let again = enable_hook(world.task(), "guard").unwrap();
    assert!(again.change.files.is_empty());
}

/// CM-2: the user's list names the project whose hook is meant.
#[test]
fn the_users_list_says_which_project_it_means() {
    let world = World::new();
    world.write(PROJECT, &hook("guard"));
    disable_hook(world.task(), "guard", Some(Scope::User)).unwrap();
    let entry = format!("guard@{}", world.path("project").display());
    assert_eq!(world.read(USER)["hooksConfig"]["disabled"], json!([entry]));
}

/// CM-2: a name that no hook has changes nothing, and the message suggests what may have been
/// meant.
#[test]
fn an_unknown_name_is_refused() {
    let world = World::new();
    world.write(PROJECT, &hook("guard"));
    for failure in [
        disable_hook(world.task(), "gard", None).err().unwrap(),
        enable_hook(world.task(), "gard").err().unwrap(),
    ] {
        assert_eq!(failure.code, FailureCode::UnknownHook);
        assert_eq!(failure.candidates, ["guard"]);
    }
    assert_eq!(world.read(USER), Value::Null);
}

/// ST-6: hooks that the system's settings lock on can't be turned off.
#[test]
fn what_the_system_locks_stays() {
    let world = World::new();
    world.write(PROJECT, &hook("guard"));
    world.write(
        "system.json",
        &json!({"hooksConfig": {"enabled": true, "locked": ["enabled"]}}),
    );
    let failure = switch_all_hooks(world.task(), Scope::User, Turn::Off);
    assert_eq!(failure.err().unwrap().code, FailureCode::Locked);
    assert_eq!(world.read(USER), Value::Null);
}
