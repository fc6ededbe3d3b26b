//! Hooks of Claude Code that say in their first line that nobody need wait for them.

use hookloop_testkit::Finished;
use serde_json::{Value, json};

use crate::world::World;

/// A world with one hook of Claude Code for an event.
fn announcing(event: &str, behind: &str) -> World {
    let world = World::new();
    let command = format!("echo '{{\"async\": true}}'; {behind}");
    world.settings(&json!({"hooks": {event: [{"hooks": [{
        "type": "command", "name": "going", "command": command, "dialect": "claude-code"
    }]}]}}));
    world
}

fn after_tool(world: &World, further: &[&str]) -> Finished {
    let payload = json!({
        "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"},
        "tool_response": {"stdout": "x"}, "tool_use_id": "t"
    });
    let arguments = [
        &["hooks", "bridge", "claude-code", "PostToolUse"][..],
        further,
    ];
    world.call_with(&arguments.concat(), payload.to_string().as_bytes())
}

fn losses(world: &World) -> String {
    let trace = world.run(&["hooks", "trace", "--json"]);
    let trace: Value = serde_json::from_str(&trace.stdout).unwrap();
    trace["losses"].to_string()
}

/// FD-22, BR-21: what such a hook does behind its first line is done before the bridge answers, with which it
/// would end; that it was waited for is told once a session, and stands in the trace.
#[test]
fn what_a_hook_does_behind_its_announcement_is_done() {
    let world = announcing("AfterTool", "sleep 0.3; echo done >> ../done");
    let first = after_tool(&world, &[]);
    assert_eq!(world.read("done"), "done\n");
    assert_eq!(first.code, Some(0), "{first:?}");
    assert!(first.stderr.contains("was waited for"), "{first:?}");
    assert!(first.stderr.contains("\"going\""), "{first:?}");
    let second = after_tool(&world, &[]);
    assert_eq!(world.read("done"), "done\ndone\n");
    assert!(!second.stderr.contains("was waited for"), "{second:?}");
    assert!(
        losses(&world).contains("was waited for"),
        "{}",
        losses(&world)
    );
}

/// FD-22, BR-22: one that goes on for longer than the bridge may take is ended, and both are told.
#[test]
fn one_that_goes_on_too_long_is_ended_and_told() {
    let world = announcing("AfterTool", "sleep 60; echo done > ../done");
    let said = after_tool(&world, &["--timeout", "2"]);
    assert!(said.stderr.contains("was waited for"), "{said:?}");
    assert!(said.stderr.contains("cancelled"), "{said:?}");
    assert_eq!(world.read("done"), "");
}

/// FD-22: before a tool the announcement counts for nothing, and the refusal behind it holds.
#[test]
fn no_announcement_loosens_a_refusal() {
    let world = announcing("BeforeTool", "echo never >&2; exit 2");
    let said = world.before_shell("ls");
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.stderr.contains("never"), "{said:?}");
    let denial = r#"echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "never"}}'"#;
    let world = announcing("BeforeTool", denial);
    assert_eq!(world.before_shell("ls").code, Some(2));
}

/// FD-22: what an entry says is told apart: one with `async` is started apart, and its announcement changes
/// nothing about that.
#[test]
fn an_entry_that_says_so_holds_up_nobody() {
    let world = World::new();
    let command =
        "echo '{\"async\": true}'; until [ -e ../go ]; do sleep 0.02; done; echo > ../done";
    world.settings(&json!({"hooks": {"AfterTool": [{"hooks": [{
        "type": "command", "name": "going", "command": command, "dialect": "claude-code",
        "async": true
    }]}]}}));
    let said = after_tool(&world, &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(!said.stderr.contains("was waited for"), "{said:?}");
    assert!(!world.file("done").exists());
    std::fs::write(world.file("go"), "").unwrap();
    hookloop_testkit::wait_until("it goes on to its end", || world.file("done").exists());
}
