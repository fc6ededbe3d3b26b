use hookloop_dialects::{Agent, Manner};
use serde_json::{Value, json};

use super::*;
use crate::world::World;

const PROJECT: &str = "project/.gemini/settings.json";

fn wishes(writing: Writing) -> MigrationWishes {
    MigrationWishes {
        from: Agent::ClaudeCode,
        manner: Manner::InDialect,
        scope: Scope::Project,
        writing,
    }
}

/// CM-7: what is planned is what is done afterwards, and nothing is added twice.
#[test]
fn what_is_planned_is_what_is_written() {
    let world = World::new();
    world.write(
        "project/.claude/settings.json",
        &json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
            {"type": "command", "command": "true"},
        ]}]}}),
    );
    let planned = migrate_hooks(world.task(), wishes(Writing::Nothing)).unwrap();
    assert_eq!(world.read(PROJECT), Value::Null);
    assert!(planned.added.contains_key("BeforeTool"));
    let written = migrate_hooks(world.task(), wishes(Writing::Settings)).unwrap();
    assert_eq!(written.added, planned.added);
    assert_eq!(world.read(PROJECT)["hooks"], Value::Object(written.added));
    let again = migrate_hooks(world.task(), wishes(Writing::Settings)).unwrap();
    assert_eq!(again.migration.additions().count(), 0);
}

/// CM-7: if there is nothing to migrate, nothing is written.
#[test]
fn nothing_to_take_over_is_a_failure() {
    let world = World::new();
    let failure = migrate_hooks(world.task(), wishes(Writing::Settings)).err();
    assert_eq!(failure.unwrap().code, FailureCode::NoSource);
    assert_eq!(world.read(PROJECT), Value::Null);
}
