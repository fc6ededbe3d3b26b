use serde_json::{Value, json};

use crate::support::{databases, fire, hook, runs};
use crate::world::World;

const CANARY: &str = "canary-4711";

/// A world whose hook suppresses its content.
fn world() -> World {
    let world = World::new();
    let reply = json!({ "suppressOutput": true, "decision": "deny", "reason": CANARY });
    world.user_hooks(&json!({ "BeforeTool": [{ "hooks": [
        hook("secret", &format!("cat >/dev/null; echo '{reply}'; echo {CANARY} >&2"))
    ] }] }));
    world
}

/// OUT-2: the trace only contains that a suppressed hook ran, and how it ended.
#[test]
fn suppressed_content_is_nowhere() {
    let world = world();
    fire(
        &world,
        &[
            "BeforeTool",
            "--input",
            &json!({ "tool_input": { "x": CANARY } }).to_string(),
        ],
    );
    let run = &runs(&world, &[])[0];
    assert_eq!(run["suppressed"], true);
    for field in ["input", "stdout", "stderr", "reply"] {
        assert_eq!(run[field], Value::Null, "{field}");
    }
    assert_eq!(
        (&run["result"], &run["ending"]["exit_code"]),
        (&json!("refused"), &json!(0))
    );
    let id = run["run_id"].as_str().unwrap();
    let page = world.sandbox.root().join("page.html");
    world.hooks(&["trace", "--html", page.to_str().unwrap()]);
    let shown = [
        world.hooks(&["trace"]).stdout,
        world.hooks(&["trace", id]).stdout,
        std::fs::read_to_string(page).unwrap(),
    ];
    for text in shown {
        assert!(text.contains("secret") && !text.contains(CANARY), "{text}");
    }
    assert!(world.json(&["list"]).json["hooks"][0]["stats"]["last_output"].is_null());
    let [database] = databases(&world).try_into().unwrap();
    for entry in std::fs::read_dir(database.parent().unwrap()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains(CANARY));
    }
}

/// OUT-2, CM-6: a suppressed run can be neither replayed nor turned into a test, which is reported.
#[test]
fn a_suppressed_run_cannot_be_fired_again() {
    let world = world();
    fire(&world, &["BeforeTool"]);
    let id = runs(&world, &[])[0]["run_id"].as_str().unwrap().to_owned();
    for arguments in [
        &["replay", &id][..],
        &["test", "--record", &id, "--name", "x"],
    ] {
        let printed = world.json(arguments);
        assert_eq!(
            (printed.code, &printed.json["error"]["code"]),
            (1, &json!("bad_input"))
        );
        let message = printed.json["error"]["message"].as_str().unwrap();
        assert!(message.contains("suppressOutput"), "{message}");
    }
}

/// OUT-2: `replay` shows nothing of a hook that is suppressed now.
#[test]
fn replay_shows_nothing_of_a_suppressed_hook() {
    let world = World::new();
    world.user_hooks(&json!({ "BeforeTool": [{ "hooks": [hook("secret", "true")] }] }));
    fire(&world, &["BeforeTool"]);
    let id = runs(&world, &[])[0]["run_id"].as_str().unwrap().to_owned();
    let reply = json!({ "suppressOutput": true, "hookSpecificOutput": { "x": CANARY } });
    world.user_hooks(
        &json!({ "BeforeTool": [{ "hooks": [hook("secret", &format!("echo '{reply}'"))] }] }),
    );
    let printed = world.json(&["replay", &id]);
    assert_eq!(printed.json["runs"][0]["suppressed"], true);
    assert_eq!(printed.json["runs"][0]["stdout"], Value::Null);
    assert!(
        !printed
            .json
            .to_string()
            .contains(&format!("\"x\":\"{CANARY}\""))
    );
}
