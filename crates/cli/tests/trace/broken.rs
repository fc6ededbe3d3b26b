use std::path::PathBuf;

use serde_json::json;

use crate::support::{databases, fire, session};
use crate::world::World;

/// A world whose trace is damaged.
fn world() -> (World, PathBuf) {
    let world = World::new();
    world.user_command("BeforeAgent", "echo noted");
    fire(&world, &["BeforeAgent"]);
    let [database] = databases(&world).try_into().unwrap();
    for file in std::fs::read_dir(database.parent().unwrap()).unwrap() {
        // The log would compensate for the damage.
        let path = file.unwrap().path();
        if path.is_file() {
            std::fs::remove_file(path).unwrap();
        }
    }
    std::fs::write(&database, "no database any more, and longer than a header").unwrap();
    (world, database)
}

/// CM-6: a damaged trace fails no turn; it is reported once, and stays as it is.
#[test]
fn a_damaged_trace_fails_no_turn() {
    let (world, database) = world();
    let before = std::fs::read(&database).unwrap();
    let finished = session(&world);
    assert_eq!(
        (finished.code, finished.stdout.as_str()),
        (Some(0), "Hello.\n")
    );
    assert_eq!(
        finished.stderr.matches("trace.sqlite").count(),
        1,
        "{}",
        finished.stderr
    );
    let fired = world.json(&["fire", "BeforeAgent"]);
    assert_eq!(
        (fired.code, &fired.json["runs"][0]["result"]),
        (0, &json!("proceed"))
    );
    assert!(fired.stderr.contains("trace.sqlite"), "{}", fired.stderr);
    assert_eq!(std::fs::read(&database).unwrap(), before);
}

/// CM-1, CM-3: without a readable trace hooks are still listed and checked, with a warning.
#[test]
fn a_damaged_trace_is_reported_by_who_reads_it() {
    let (world, _) = world();
    for command in ["list", "check"] {
        let printed = world.json(&[command]);
        assert_eq!(printed.code, 0);
        assert!(
            printed.stderr.contains("trace.sqlite"),
            "{}",
            printed.stderr
        );
    }
    assert_eq!(world.json(&["list"]).json["hooks"][0]["stats"]["runs"], 0);
    for arguments in [&["trace"][..], &["replay", "x"]] {
        let printed = world.json(arguments);
        assert_eq!(
            (printed.code, &printed.json["error"]["code"]),
            (1, &json!("trace_unreadable"))
        );
    }
}
