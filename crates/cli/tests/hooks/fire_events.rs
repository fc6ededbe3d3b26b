use serde_json::{Value, json};

use crate::world::{World, fields};

/// All events, with the fields that their payload adds (`hooks.md` §6).
const EVENTS: [(&str, &[&str]); 11] = [
    ("SessionStart", &["source"]),
    ("SessionEnd", &["reason"]),
    ("BeforeAgent", &["prompt"]),
    (
        "AfterAgent",
        &["prompt", "prompt_response", "stop_hook_active"],
    ),
    ("BeforeModel", &["llm_request"]),
    ("BeforeToolSelection", &["llm_request"]),
    (
        "AfterModel",
        &["llm_request", "llm_response", "content", "full_content"],
    ),
    ("BeforeTool", &["tool_name", "tool_input", "tool_call_id"]),
    (
        "AfterTool",
        &["tool_name", "tool_input", "tool_response", "tool_call_id"],
    ),
    ("PreCompress", &["trigger"]),
    ("Notification", &["notification_type", "message", "details"]),
];

/// The events whose action a hook may refuse (`hooks.md` §1).
const CAN_REFUSE: [&str; 6] = [
    "BeforeAgent",
    "AfterAgent",
    "BeforeModel",
    "AfterModel",
    "BeforeTool",
    "AfterTool",
];

/// CM-5, IO-1: every event is fired with its own fields, and the hook reads the payload shown.
#[test]
fn every_event_has_a_realistic_payload() {
    for (event, own) in EVENTS {
        let world = World::new();
        world.user_command(event, "cat > read.json");
        let printed = world.json(&["fire", event]);
        assert_eq!(printed.code, 0, "{event}: {}", printed.json);
        let common = [
            "session_id",
            "transcript_path",
            "cwd",
            "hook_event_name",
            "timestamp",
        ];
        assert_eq!(
            fields(&printed.json["input"]),
            [&common[..], own].concat(),
            "{event}"
        );
        let text = std::fs::read_to_string(world.project().join("read.json")).unwrap();
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read, printed.json["input"], "{event}");
        assert_eq!(printed.json["runs"][0]["input"], read, "{event}");
        assert_eq!(read["hook_event_name"], event);
        assert_eq!(read["cwd"], world.project().to_str().unwrap());
    }
}

/// CM-5: exit 2 of a hook refuses if the event can refuse, and not otherwise.
#[test]
fn refusals_count_where_the_event_can_refuse() {
    for (event, _) in EVENTS {
        let world = World::new();
        world.user_command(event, "echo never >&2; exit 2");
        let printed = world.json(&["fire", event]);
        let (code, verdict) = if CAN_REFUSE.contains(&event) {
            (2, "refused")
        } else {
            (0, "proceed")
        };
        assert_eq!(printed.json["outcome"]["verdict"], verdict, "{event}");
        assert_eq!(printed.code, code, "{event}");
        assert_eq!(world.hooks(&["fire", event]).code, Some(code), "{event}");
    }
}

/// CM-5: the transcript of the payload exists while the hook runs, and is gone afterwards.
#[test]
fn the_transcript_can_be_read() {
    let world = World::new();
    world.user_command(
        "BeforeTool",
        "cp \"$(sed 's/.*transcript_path\":\"\\([^\"]*\\).*/\\1/')\" copy.jsonl",
    );
    let printed = world.json(&["fire", "BeforeTool"]);
    let copy = std::fs::read_to_string(world.project().join("copy.jsonl")).unwrap();
    for line in copy.lines() {
        serde_json::from_str::<Value>(line).unwrap();
    }
    assert_eq!(copy.lines().count(), 2);
    let path = printed.json["input"]["transcript_path"].as_str().unwrap();
    assert!(!std::path::Path::new(path).exists());
}

/// CM-5: the arguments fit the tool, and are about a file of the project.
#[test]
fn arguments_fit_the_tool() {
    let world = World::new();
    let file = world.sandbox.file("README.md", "# App\n");
    let input =
        |tool: &str| world.json(&["fire", "BeforeTool", "--tool", tool]).json["input"].clone();
    let written = input("write_file");
    assert_eq!(written["tool_input"]["file_path"], file.to_str().unwrap());
    assert_eq!(
        input("run_shell_command")["tool_input"]["command"],
        "git status --short"
    );
    assert_eq!(input("replace")["tool_input"]["old_string"], "# App");
    let given = world.json(&[
        "fire",
        "BeforeTool",
        "--input",
        r#"{"tool_name": "read_file"}"#,
    ]);
    assert_eq!(
        given.json["input"]["tool_input"],
        json!({ "file_path": file.to_str().unwrap() })
    );
}

/// CM-5: an MCP tool says where it comes from, if it is configured.
#[test]
fn an_mcp_tool_says_where_it_comes_from() {
    let world = World::new();
    world.sandbox.user_settings(
        r#"{"mcpServers": {"git": {"command": "git-mcp", "args": ["-x"], "env": {"SECRET": "s"}}}}"#,
    );
    let input = world
        .json(&["fire", "BeforeTool", "--tool", "mcp__git__log"])
        .json["input"]
        .clone();
    let expected =
        json!({ "server_name": "git", "tool_name": "log", "command": "git-mcp", "args": ["-x"] });
    assert_eq!(input["mcp_context"], expected);
}
