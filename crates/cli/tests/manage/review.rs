use serde_json::json;

use crate::world::{World, fields};

const SCRIPT: &str = "#!/bin/sh\necho one\n";

fn world() -> World {
    let world = World::new();
    world.sandbox.script("hook.sh", SCRIPT);
    world.project_hooks(&json!({ "BeforeTool": [{ "matcher": "glob", "hooks": [
        { "type": "command", "name": "h", "command": "./hook.sh --fast", "env": { "A": "1" } },
        { "type": "command", "command": "echo plain" },
    ] }] }));
    world.user_command("AfterTool", "true");
    world
}

/// TR-4: `review` shows the project's hooks with the files that they run, and what wasn't trusted
/// yet.
#[test]
fn new_hooks_are_shown_with_their_scripts() {
    let world = world();
    let printed = world.json(&["review"]);
    assert_eq!(printed.code, 0);
    let hooks = printed.json["hooks"].as_array().unwrap();
    assert_eq!(hooks.len(), 2, "the user's hooks need no trust");
    assert_eq!(fields(&hooks[0])[24..], ["files", "changes"]);
    let path = world.project().join("hook.sh");
    let files = json!([{ "path": path.to_str().unwrap(), "state": "added", "content": SCRIPT,
        "diff": null }]);
    assert_eq!(hooks[0]["files"], files);
    assert_eq!(
        (&hooks[0]["changes"], &hooks[1]["files"]),
        (&json!([]), &json!([]))
    );
    let text = world.hooks(&["review"]).stdout;
    for part in [
        "./hook.sh --fast",
        "    | echo one",
        "A=1",
        "matcher: glob",
        "your own risk",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// TR-4: values that look secret are masked wherever they are in a variable; what else a variable
/// says is shown, since it may decide what runs.
#[test]
fn secrets_of_variables_are_masked() {
    let world = World::new();
    let key = "ghp_q7Rk2Vx9LmT4bWz8NcJfq7Rk2Vx9LmT4bWz8";
    world.project_hooks(
        &json!({ "BeforeTool": [{ "hooks": [{ "type": "command", "command": "true",
        "env": { "API_KEY": "hunter-two", "REMOTE": format!("https://me:{key}@example.org/x"),
            "BASH_ENV": "./begin.sh" } }] }] }),
    );
    let text = world.hooks(&["review"]).stdout;
    for shown in ["API_KEY=[redacted]", "example.org/x", "BASH_ENV=./begin.sh"] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    for hidden in ["hunter-two", key] {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }
}

/// TR-4: for a hook that changed, the difference to what was trusted is shown.
#[test]
fn changes_are_shown_as_a_difference() {
    let world = world();
    world.json(&["trust"]);
    let same = world.json(&["review", "h"]).json;
    assert_eq!(same["hooks"][0]["files"][0]["state"], "same");
    world.sandbox.script("hook.sh", "#!/bin/sh\necho two\n");
    let json = world.json(&["review", "h"]).json;
    assert_eq!(json["hooks"].as_array().unwrap().len(), 1);
    let hook = &json["hooks"][0];
    assert_eq!(
        (&hook["trust"], &hook["changes"]),
        (&json!("modified"), &json!(["files"]))
    );
    assert_eq!(hook["files"][0]["state"], "changed");
    let diff = hook["files"][0]["diff"].as_str().unwrap();
    assert!(diff.contains("\n-echo one\n+echo two\n"), "{diff}");
    std::fs::remove_file(world.project().join("hook.sh")).unwrap();
    let json = world.json(&["review", "h"]).json;
    let file = &json["hooks"][0]["files"][0];
    assert_eq!(
        (&file["state"], &file["content"]),
        (&json!("missing"), &json!(null))
    );
}

/// TR-4: terminal control sequences are escaped, in names and in scripts.
#[test]
fn scripts_can_not_steer_the_terminal() {
    let world = world();
    world
        .sandbox
        .script("hook.sh", "#!/bin/sh\n\techo x\x1b[2J\r\n");
    let text = world.hooks(&["review"]).stdout;
    assert!(text.contains("\techo x\\u{1b}[2J\\r"), "{text}");
    assert!(!text.contains('\x1b') && !text.contains('\r'));
}

/// TR-4, TR-7: `review` runs and trusts nothing; an unknown name is an error.
#[test]
fn reviewing_has_no_effect() {
    let world = World::new();
    world.project_hooks(&json!({ "SessionStart": [{ "hooks": [
        { "type": "command", "name": "h", "command": "touch ran" }
    ] }] }));
    world.hooks(&["review"]);
    assert!(!world.project().join("ran").exists());
    assert!(
        !world
            .sandbox
            .home()
            .join(".gemini/trusted_hooks.json")
            .exists()
    );
    let printed = world.json(&["review", "hh"]);
    assert_eq!(printed.json["error"]["code"], "unknown_hook");
    assert_eq!(printed.code, 1);
}

/// TR-4: a link out of the project is named, and its target isn't shown.
#[test]
fn what_lies_outside_is_named() {
    let world = world();
    let secret = world.sandbox.root().join("secret");
    std::fs::write(&secret, "TOP").unwrap();
    std::fs::remove_file(world.project().join("hook.sh")).unwrap();
    std::os::unix::fs::symlink(&secret, world.project().join("hook.sh")).unwrap();
    let text = world.hooks(&["review", "h"]).stdout;
    assert!(
        text.contains("links out of the project") && !text.contains("TOP"),
        "{text}"
    );
    let check = world.hooks(&["check"]).stdout;
    assert!(
        check.contains("hook.sh links out to") && check.contains("isn't watched"),
        "{check}"
    );
}

/// TR-4: the time to review very many hooks grows with their number, and not with its square.
#[test]
fn very_many_hooks_can_be_reviewed() {
    const MANY: usize = 3000;
    let world = World::new();
    let hooks: Vec<_> = (0..MANY)
        .map(|n| json!({ "type": "command", "name": format!("h{n}"), "command": "true" }))
        .collect();
    world.project_hooks(&json!({ "BeforeTool": [{ "hooks": hooks }] }));
    world.json(&["trust"]);
    let started = std::time::Instant::now();
    assert_eq!(world.json(&["list"]).code, 0);
    let list = started.elapsed();
    let started = std::time::Instant::now();
    let printed = world.json(&["review"]);
    let review = started.elapsed();
    assert_eq!(printed.json["hooks"].as_array().unwrap().len(), MANY);
    // The list is measured on the same machine; with quadratic time it was fifty times as long.
    assert!(review < list * 12, "list {list:?}, review {review:?}");
}
