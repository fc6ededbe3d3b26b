use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::extensions::{install, listed, place, run, run_json, source, write};
use crate::world::World;

fn rules(world: &World) -> Value {
    let file = world
        .sandbox
        .home()
        .join(".gemini/extensions/extension-enablement.json");
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// EX-4: a disabled extension has no effect anywhere, until it is enabled.
#[test]
fn an_extension_is_switched_off_and_on() {
    let world = World::new();
    install(&world, &source(&world));
    let printed = run_json(&world, &["disable", "tools"]);
    assert_eq!((printed.code, &printed.json["changed"]), (0, &json!(true)));
    assert_eq!(rules(&world), json!({ "tools": { "overrides": ["!/*"] } }));
    let hook = world.json(&["list"]).json["hooks"][0].take();
    assert_eq!(hook["causes"][0]["code"], "extension_disabled");
    world.json(&["fire", "SessionStart"]);
    assert!(!world.project().join("ran").exists());
    let again = run_json(&world, &["disable", "tools"]);
    assert_eq!((again.code, &again.json["changed"]), (0, &json!(false)));
    let printed = run_json(&world, &["enable", "tools"]);
    assert_eq!((printed.code, &printed.json["changed"]), (0, &json!(true)));
    assert_eq!(listed(&world)[0]["enabled"], true);
    world.json(&["fire", "SessionStart"]);
    assert!(world.project().join("ran").exists());
}

/// EX-4: `--scope project`, or `workspace`, only applies to this project.
#[test]
fn a_scope_is_one_project() {
    let world = World::new();
    install(&world, &source(&world));
    let project = world.project().to_str().unwrap();
    run(&world, &["disable", "tools", "--scope", "workspace"]);
    assert_eq!(
        rules(&world)["tools"]["overrides"],
        json!([format!("!{project}/*")])
    );
    assert_eq!(listed(&world)[0]["enabled"], false);
    let other = world.sandbox.root().join("other/.git");
    std::fs::create_dir_all(&other).unwrap();
    let mut command = world.command(&["extensions", "list", "--json"]);
    command.current_dir(other.parent().unwrap());
    let elsewhere = world.sandbox.run(&mut command, b"").stdout;
    assert!(elsewhere.contains("\"enabled\":true"), "{elsewhere}");
    run(&world, &["disable", "tools"]);
    run(&world, &["enable", "tools", "--scope", "project"]);
    assert_eq!(
        rules(&world)["tools"]["overrides"],
        json!(["!/*", format!("{project}/*")])
    );
    assert_eq!(listed(&world)[0]["enabled"], true);
}

/// EX-4: the user's own list is cleared by `enable`; a list that can't be written is named, exit 1.
#[test]
fn the_list_that_still_disables_is_named() {
    let world = World::new();
    install(&world, &source(&world));
    let file = world
        .sandbox
        .user_settings(r#"{ "extensions": { "disabled": ["Tools", "x"] } }"#);
    let printed = run_json(&world, &["enable", "tools"]);
    assert_eq!(printed.code, 0, "{}", printed.stderr);
    assert_eq!(printed.json["files"], json!([file.to_str().unwrap()]));
    assert!(!std::fs::read_to_string(file).unwrap().contains("Tools"));
    let system = world.system_file();
    std::fs::write(&system, r#"{ "extensions": { "disabled": ["tools"] } }"#).unwrap();
    let finished = run(&world, &["enable", "tools"]);
    assert_eq!(finished.code, Some(1));
    assert!(
        finished.stderr.contains("stays disabled"),
        "{}",
        finished.stderr
    );
}

/// EX-4, EX-3: settings are stored where only the user can read them, which is reported for
/// secrets, and they are in the environment of the extension's hooks.
#[test]
fn settings_reach_the_hooks_alone() {
    let world = World::new();
    let source = source(&world);
    let script = "#!/bin/sh\nprintf '%s|%s' \"$TOOLS_KEY\" \"$TOOLS_PLACE\" > \"$GEMINI_PROJECT_DIR/seen\"\n";
    write(&source.join("hooks/hello.sh"), script);
    let path = source.to_str().unwrap();
    let value = "a \"b\" $c\\n\nd";
    let finished = run(
        &world,
        &[
            "install",
            path,
            "--consent",
            "--setting",
            &format!("key={value}"),
            "--setting",
            "TOOLS_PLACE=x=y",
        ],
    );
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(
        finished.stderr.contains("plain text"),
        "{}",
        finished.stderr
    );
    let file = place(&world).join(".env");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    world.json(&["fire", "SessionStart"]);
    let seen = std::fs::read_to_string(world.project().join("seen")).unwrap();
    assert_eq!(seen, format!("{value}|x=y"));
}

/// EX-4: settings without a value are named; an unknown one is an error.
#[test]
fn missing_and_unknown_settings_are_said() {
    let world = World::new();
    let source = source(&world);
    let path = source.to_str().unwrap();
    let unknown = run_json(
        &world,
        &["install", path, "--consent", "--setting", "TOOLS_KAY=1"],
    );
    assert_eq!(
        (unknown.code, &unknown.json["error"]["code"]),
        (1, &json!("bad_input"))
    );
    assert_eq!(unknown.json["error"]["candidates"][0], "TOOLS_KEY");
    let finished = run(&world, &["install", path, "--consent"]);
    assert_eq!(finished.code, Some(0));
    let expected = "have no value: TOOLS_KEY, TOOLS_PLACE";
    assert!(finished.stderr.contains(expected), "{}", finished.stderr);
}
