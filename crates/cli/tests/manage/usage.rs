use serde_json::json;

use crate::world::World;

/// CM-9: commands that change something do nothing on a usage error, and exit with 2.
#[test]
fn usage_errors_change_nothing() {
    let world = World::new();
    world.user_hooks(&json!({ "BeforeTool": [{ "hooks": [
        { "type": "command", "name": "guard", "command": "true" }
    ] }] }));
    let file = world.sandbox.home().join(".gemini/settings.json");
    let before = std::fs::read_to_string(&file).unwrap();
    let lines = [
        &["hooks", "enable"][..],
        &["hooks", "disable", "guard", "more"],
        &["hooks", "disable", "guard", "--scope", "system"],
        &["hooks", "disable", "guard", "--no-hooks"],
        &["hooks", "disable-all", "--skip-trust"],
        &["hooks", "new", "x"],
        &[
            "hooks",
            "new",
            "x",
            "--event",
            "BeforeTool",
            "--lang",
            "perl",
        ],
        &["hooks", "migrate"],
        &["hooks", "migrate", "--from-claude", "--from-codex"],
        &["hooks", "schema", "more"],
        &["extensions", "install"],
        &["extensions", "update"],
        &["extensions", "update", "x", "--all"],
        &["extensions", "list", "--skip-trust"],
        &["extensions", "remove", "x"],
    ];
    for line in lines {
        let finished = world.run_with(line, &[], "");
        assert_eq!(
            (finished.code, finished.stdout.as_str()),
            (Some(2), ""),
            "{line:?}"
        );
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    assert!(!world.project().join(".gemini").exists());
}
