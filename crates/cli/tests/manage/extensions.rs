use std::path::{Path, PathBuf};

use hookloop_testkit::Finished;
use serde_json::{Value, json};

use crate::world::{Printed, World, fields, printed};

pub(crate) const HELLO: &str = "#!/bin/sh\ntouch \"$GEMINI_PROJECT_DIR/ran\"\n";

/// Writes the source of an extension with a hook, a server, a context file and a setting.
pub(crate) fn source(world: &World) -> PathBuf {
    let folder = world.sandbox.root().join("source");
    let manifest = json!({
        "name": "tools", "version": "1.0.0",
        "mcpServers": { "notes": { "command": "node", "args": ["${extensionPath}/server.js"],
            "env": { "MODE": "quiet" } } },
        "contextFileName": "CONTEXT.md",
        "excludeTools": ["web_fetch"],
        "settings": [
            { "name": "key", "description": "the key", "envVar": "TOOLS_KEY", "sensitive": true },
            { "name": "place", "description": "a place", "envVar": "TOOLS_PLACE" },
        ],
    });
    write(&folder.join("gemini-extension.json"), &manifest.to_string());
    write(&folder.join("CONTEXT.md"), "# Tools\n");
    write(&folder.join("hooks/hello.sh"), HELLO);
    hooks(&folder, "sh \"${extensionPath}/hooks/hello.sh\"");
    folder
}

pub(crate) fn hooks(folder: &Path, command: &str) {
    let hooks = json!({ "hooks": { "SessionStart": [{ "hooks": [
        { "type": "command", "name": "hello", "command": command }
    ] }] } });
    write(&folder.join("hooks/hooks.json"), &hooks.to_string());
}

pub(crate) fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

pub(crate) fn place(world: &World) -> PathBuf {
    world.sandbox.home().join(".gemini/extensions/tools")
}

/// Runs `hookloop extensions …`.
pub(crate) fn run(world: &World, arguments: &[&str]) -> Finished {
    world.run_with(&[&["extensions"], arguments].concat(), &[], "")
}

pub(crate) fn run_json(world: &World, arguments: &[&str]) -> Printed {
    printed(&run(world, &[arguments, &["--json"]].concat()))
}

pub(crate) fn install(world: &World, source: &Path) -> Printed {
    run_json(world, &["install", source.to_str().unwrap(), "--consent"])
}

pub(crate) fn listed(world: &World) -> Vec<Value> {
    let list = run_json(world, &["list"]).json["extensions"].take();
    list.as_array().unwrap().clone()
}

/// The names of everything in the folder of extensions, including hidden entries.
pub(crate) fn standing(world: &World) -> Vec<String> {
    let folder = world.sandbox.home().join(".gemini/extensions");
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let names = entries.map(|it| it.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// EX-4: installing shows the whole content of the extension, and no answer means no.
#[test]
fn nothing_is_installed_without_consent() {
    let world = World::new();
    let source = source(&world);
    let source = source.to_str().unwrap();
    for answer in ["", "n\n"] {
        let arguments = ["extensions", "install", source];
        let finished = world.run_with(&arguments, &[], answer);
        assert_eq!(finished.code, Some(1));
        let place = place(&world);
        let shown = [
            format!("runs: sh \"{}/hooks/hello.sh\"", place.display()),
            format!(
                "notes: node {}/server.js (with MODE=quiet)",
                place.display()
            ),
            "CONTEXT.md".to_owned(),
            "web_fetch".to_owned(),
            "TOOLS_KEY (secret): the key".to_owned(),
            "warning: hooks are programs".to_owned(),
            "warning: MCP servers are programs".to_owned(),
        ];
        for part in shown {
            assert!(
                finished.stderr.contains(&part),
                "{part}: {}",
                finished.stderr
            );
        }
    }
    let declined = run_json(&world, &["install", source]);
    assert_eq!(
        (declined.code, &declined.json["error"]["code"]),
        (1, &json!("declined"))
    );
    assert_eq!(standing(&world), [""; 0]);
    assert!(!world.project().join("ran").exists());
}

/// EX-4: with consent the extension is copied, listed, and its hook runs without further trust.
#[test]
fn an_installed_extension_takes_part() {
    let world = World::new();
    let source = source(&world);
    let printed = install(&world, &source);
    assert_eq!(printed.code, 0, "{}", printed.json);
    assert_eq!(printed.json["names"], json!(["tools"]));
    assert!(
        !world.project().join("ran").exists(),
        "installing runs nothing"
    );
    std::fs::remove_dir_all(&source).unwrap();
    let list = listed(&world);
    let names = [
        "name", "version", "scope", "path", "linked", "enabled", "hooks",
    ];
    assert_eq!(fields(&list[0]), names);
    let place = place(&world);
    let expected = json!({ "name": "tools", "version": "1.0.0", "scope": "user",
        "path": place.to_str().unwrap(), "linked": false, "enabled": true, "hooks": 1 });
    assert_eq!(list, [expected]);
    world.json(&["fire", "SessionStart"]);
    assert!(world.project().join("ran").exists());
    assert_eq!(standing(&world), ["tools"]);
}

/// EX-4: installing doesn't overwrite what exists.
#[test]
fn installing_twice_is_an_error() {
    let world = World::new();
    let source = source(&world);
    install(&world, &source);
    hooks(&source, "evil");
    let again = install(&world, &source);
    assert_eq!(
        (again.code, &again.json["error"]["code"]),
        (1, &json!("already_exists"))
    );
    let kept = std::fs::read_to_string(place(&world).join("hooks/hooks.json")).unwrap();
    assert!(!kept.contains("evil"));
    std::fs::rename(place(&world), place(&world).with_file_name("renamed")).unwrap();
    let again = install(&world, &source);
    assert_eq!(again.json["error"]["code"], "already_exists");
    assert_eq!(standing(&world), ["renamed"]);
}

/// EX-4: an update with another hook asks again, and without an answer everything stays as it was.
#[test]
fn an_update_asks_again() {
    let world = World::new();
    let source = source(&world);
    install(&world, &source);
    hooks(&source, "other-command");
    let finished = run(&world, &["update", "tools"]);
    assert_eq!(finished.code, Some(1));
    let change = "new or changed hook: SessionStart: other-command";
    assert!(finished.stderr.contains(change), "{}", finished.stderr);
    let file = place(&world).join("hooks/hooks.json");
    assert!(
        !std::fs::read_to_string(&file)
            .unwrap()
            .contains("other-command")
    );
    let agreed = run_json(&world, &["update", "tools", "--consent"]);
    assert_eq!((agreed.code, &agreed.json["changed"]), (0, &json!(true)));
    assert!(
        std::fs::read_to_string(&file)
            .unwrap()
            .contains("other-command")
    );
    assert_eq!(standing(&world), ["tools"]);
}

/// EX-4: if only the version has changed, there is nothing to agree to; if anything else has, even
/// only in the manifest, the person is asked.
#[test]
fn a_newer_version_alone_asks_nothing() {
    let world = World::new();
    let source = source(&world);
    let manifest = source.join("gemini-extension.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let old: Value = serde_json::from_str(&text).unwrap();
    install(&world, &source);
    let old = old["version"].as_str().unwrap();
    let newer = text.replacen(&format!("\"{old}\""), "\"9.9.9\"", 1);
    write(&manifest, &newer);
    let updated = run_json(&world, &["update", "tools"]);
    assert_eq!((updated.code, &updated.json["changed"]), (0, &json!(true)));
    assert_eq!(listed(&world)[0]["version"], "9.9.9");
    let server = r#"{"mcpServers": {"evil": {"command": "evil"}}, "#;
    write(
        &manifest,
        &newer
            .replacen('{', server, 1)
            .replacen("9.9.9", "9.9.10", 1),
    );
    assert_eq!(run(&world, &["update", "tools"]).code, Some(1));
    assert_eq!(listed(&world)[0]["version"], "9.9.9");
}

/// EX-4: a script that a hook uses is part of what was agreed to.
#[test]
fn a_changed_script_asks_again() {
    let world = World::new();
    let source = source(&world);
    install(&world, &source);
    write(&source.join("hooks/hello.sh"), "evil");
    let finished = run(&world, &["update", "tools"]);
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    let script = std::fs::read_to_string(place(&world).join("hooks/hello.sh")).unwrap();
    assert_eq!(script, HELLO);
}

/// EX-4: what is up to date isn't asked about; settings outlive an update.
#[test]
fn settings_outlive_an_update() {
    let world = World::new();
    let source = source(&world);
    let path = source.to_str().unwrap();
    run(
        &world,
        &[
            "install",
            path,
            "--consent",
            "--setting",
            "TOOLS_PLACE=here",
        ],
    );
    let same = run_json(&world, &["update", "--all"]);
    assert_eq!((same.code, &same.json["changed"]), (0, &json!(false)));
    write(&source.join("CONTEXT.md"), "# New\n");
    let updated = run_json(&world, &["update", "--all", "--consent"]);
    assert_eq!((updated.code, &updated.json["changed"]), (0, &json!(true)));
    let settings = std::fs::read_to_string(place(&world).join(".env")).unwrap();
    assert_eq!(settings, "TOOLS_PLACE=\"here\"\n");
}

/// EX-4: an extension that is uninstalled is gone, with everything stored about it.
#[test]
fn uninstalling_leaves_nothing() {
    let world = World::new();
    install(&world, &source(&world));
    run(&world, &["disable", "tools"]);
    let printed = run_json(&world, &["uninstall", "tools"]);
    assert_eq!((printed.code, &printed.json["changed"]), (0, &json!(true)));
    assert_eq!(standing(&world), ["extension-enablement.json"]);
    install(&world, &source(&world));
    assert_eq!(listed(&world)[0]["enabled"], true);
}

/// EX-4: an unknown name is an error with near matches.
#[test]
fn unknown_extensions_are_an_error() {
    let world = World::new();
    install(&world, &source(&world));
    for command in ["uninstall", "update", "enable", "disable"] {
        let printed = run_json(&world, &[command, "tolos"]);
        assert_eq!(printed.code, 1, "{command}");
        assert_eq!(printed.json["error"]["code"], "unknown_extension");
        assert_eq!(printed.json["error"]["candidates"], json!(["tools"]));
    }
}

/// EX-4: `new` creates an extension that can be linked at once.
#[test]
fn a_new_extension_can_be_linked() {
    let world = World::new();
    let created = run_json(&world, &["new", "mine"]);
    assert_eq!(created.code, 0, "{}", created.json);
    let again = run_json(&world, &["new", "mine"]);
    assert_eq!(again.json["error"]["code"], "already_exists");
    assert_eq!(run(&world, &["link", "mine", "--consent"]).code, Some(0));
    let fired = world.json(&["fire", "SessionStart"]).json;
    let context = fired["outcome"]["additional_context"].as_str().unwrap();
    assert_eq!(context, "The extension mine is active.");
}
