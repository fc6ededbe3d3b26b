//! What Cursor is told at the events that can refuse, according to its documentation.

use hookloop_testkit::Finished;
use serde_json::{Value, json};

use crate::world::World;

/// Payloads of the events that ask about one kind of call, and what they are about.
fn asked(world: &World) -> [(&'static str, Value); 5] {
    let with = |fields: Value| {
        let mut payload = json!({
            "conversation_id": "c", "generation_id": "g", "cursor_version": "3.6", "cwd": "",
            "workspace_roots": [world.sandbox.project()],
        });
        let fields = fields.as_object().unwrap().clone();
        payload.as_object_mut().unwrap().extend(fields);
        payload
    };
    [
        (
            "beforeShellExecution",
            with(json!({"command": "secret", "sandbox": false})),
        ),
        (
            "beforeReadFile",
            with(json!({"file_path": "/w/secret", "content": "x", "attachments": []})),
        ),
        (
            "beforeMCPExecution",
            with(
                json!({"tool_name": "fetch", "tool_input": "{\"what\": \"secret\"}", "url": "https://x"}),
            ),
        ),
        (
            "subagentStart",
            with(json!({"subagent_id": "a", "subagent_type": "explore", "task": "secret"})),
        ),
        (
            "preToolUse",
            with(json!({"tool_name": "Shell", "tool_input": {"command": "secret"}})),
        ),
    ]
}

fn reply(said: &Finished) -> Value {
    serde_json::from_str(&said.stdout).unwrap_or_default()
}

/// BR-20: at each event that can refuse, a refusal is reported in Cursor's words and by exit code
/// 2; no opinion is nothing at all. Hooks read our names and arguments.
#[test]
fn every_event_that_can_refuse_refuses() {
    let world = World::with_hook(
        "BeforeTool",
        "grep secret > ../read && { echo never >&2; exit 2; }",
    );
    for (event, payload) in asked(&world) {
        let said = world.call("cursor", event, &payload);
        assert_eq!(said.code, Some(2), "{event}: {said:?}");
        let reply = reply(&said);
        assert_eq!(reply["permission"], "deny", "{event}: {said:?}");
        assert_eq!(reply["user_message"], "never", "{event}: {said:?}");
        let is_told_model = !matches!(event, "beforeReadFile" | "subagentStart");
        assert_eq!(
            reply["agent_message"] == "never",
            is_told_model,
            "{event}: {said:?}"
        );
        let read: Value = serde_json::from_str(&world.read("read")).unwrap();
        let (tool, argument) = match event {
            "beforeReadFile" => ("read_file", "file_path"),
            "beforeMCPExecution" => ("mcp__mcp__fetch", "what"),
            "subagentStart" => ("delegate_to_agent", "objective"),
            _ => ("run_shell_command", "command"),
        };
        assert_eq!(read["tool_name"], tool, "{event}");
        let argument = read["tool_input"][argument].as_str().unwrap();
        assert!(argument.ends_with("secret"), "{event}: {read}");
        assert_eq!(read["cwd"], json!(world.sandbox.project()), "{event}");
        let text = payload.to_string().replace("secret", "other");
        let said = world.call("cursor", event, &serde_json::from_str(&text).unwrap());
        assert_eq!(
            (said.code, said.stdout.as_str()),
            (Some(0), ""),
            "{event}: {said:?}"
        );
    }
}

/// BR-20, BR-21: what an event can't express refuses: other arguments, and a question if nobody is
/// asked.
#[test]
fn what_an_event_of_cursor_cannot_take_refuses() {
    let rewrite = r#"echo '{"hookSpecificOutput": {"tool_input": {"command": "true", "file_path": "/x", "objective": "y", "what": "z"}}}'"#;
    let world = World::with_hook("BeforeTool", rewrite);
    for (event, payload) in asked(&world) {
        let said = world.call("cursor", event, &payload);
        let reply = reply(&said);
        if event == "preToolUse" {
            assert_eq!(reply["updated_input"]["command"], "true", "{said:?}");
            continue;
        }
        assert_eq!(said.code, Some(2), "{event}: {said:?}");
        assert_eq!(reply["permission"], "deny", "{event}: {said:?}");
        assert_eq!(reply.get("updated_input"), None, "{event}: {said:?}");
    }
    let asks = r#"echo '{"decision": "ask", "reason": "sure?"}'"#;
    let world = World::with_hook("BeforeTool", asks);
    for (event, payload) in asked(&world) {
        let said = world.call("cursor", event, &payload);
        let is_asked = !matches!(event, "beforeReadFile" | "subagentStart");
        let permission = if is_asked { "ask" } else { "deny" };
        assert_eq!(reply(&said)["permission"], permission, "{event}: {said:?}");
        assert_eq!(said.code == Some(2), !is_asked, "{event}: {said:?}");
    }
}

/// BR-22: if the payload of such an event can't be understood, or there is no such event, the
/// answer refuses and says why.
#[test]
fn what_cannot_be_understood_refuses() {
    let world = World::new();
    for (event, payload) in [
        ("beforeShellExecution", json!({"conversation_id": "c"})),
        (
            "beforeReadFile",
            json!({"conversation_id": "c", "content": "x"}),
        ),
        ("beforeMCPExecution", json!({"tool_input": "{}"})),
        (
            "beforeMCPExecution",
            json!({"tool_name": "x", "tool_input": "{"}),
        ),
        ("beforeTabFileRead", json!({"file_path": "/x"})),
        ("beforeEverything", json!({})),
    ] {
        let said = world.call("cursor", event, &payload);
        assert_eq!(said.code, Some(2), "{event}: {said:?}");
        assert!(!said.stderr.trim().is_empty(), "{event}: {said:?}");
    }
    for event in ["afterFileEdit", "afterShellExecution", "subagentStop"] {
        let said = world.call("cursor", event, &json!({"conversation_id": "c"}));
        assert_eq!(
            (said.code, said.stdout.as_str()),
            (Some(0), ""),
            "{event}: {said:?}"
        );
    }
}
