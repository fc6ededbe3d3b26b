//! Fields that are there, or aren't, because that was measured on the agents' builds.

use super::*;

/// What a payload has at a place; `None` where it has nothing.
type Expected = (&'static str, Option<Value>);

fn absent(place: &'static str) -> Expected {
    (place, None)
}

fn has(place: &'static str, value: Value) -> Expected {
    (place, Some(value))
}

fn assert_payload(dialect: Dialect, event: &str, ours: &Value, expected: &[Expected]) {
    let hook_dialect = HookDialect {
        event: Some(event),
        ..hook_dialect(dialect)
    };
    let ours = object(ours.clone());
    let payload = Value::Object(foreign_payload(hook_dialect, &ours).expect("it is spoken"));
    for (place, value) in expected {
        assert_eq!(
            payload.pointer(place),
            value.as_ref(),
            "{dialect} {event} {place}"
        );
    }
}

/// One of our payloads, with all common fields.
fn fired(event: &str) -> Value {
    json!({"hook_event_name": event, "session_id": "s", "turn_id": "t", "model": "m",
        "approval_mode": "yolo", "cwd": "/p", "agent_id": "a", "agent_name": "n",
        "timestamp": "2026-01-01T00:00:00.000Z"})
}

/// FD-10: which events state the turn, the approval mode, the model and scheduled prompts.
#[test]
fn common_fields_are_where_they_were_measured() {
    let mode = "/permission_mode";
    for (dialect, event, ours_event, expected) in [
        (
            Dialect::ClaudeCode,
            "SessionStart",
            "SessionStart",
            &[absent("/prompt_id")][..],
        ),
        (
            Dialect::ClaudeCode,
            "SessionEnd",
            "SessionEnd",
            &[absent(mode), has("/prompt_id", json!("t"))],
        ),
        (
            Dialect::ClaudeCode,
            "PreCompact",
            "PreCompress",
            &[absent(mode), has("/prompt_id", json!("t"))],
        ),
        (
            Dialect::ClaudeCode,
            "SubagentStart",
            "BeforeTool",
            &[absent(mode)],
        ),
        (
            Dialect::ClaudeCode,
            "SubagentStop",
            "AfterAgent",
            &[
                has("/session_crons", json!([])),
                has(mode, json!("bypassPermissions")),
            ],
        ),
        (
            Dialect::Qwen,
            "SubagentStop",
            "AfterAgent",
            &[has("/crons", json!([])), has(mode, json!("yolo"))],
        ),
        (
            Dialect::Codex,
            "SessionEnd",
            "SessionEnd",
            &[absent(mode), absent("/model"), absent("/turn_id")],
        ),
        (
            Dialect::Codex,
            "SessionStart",
            "SessionStart",
            &[
                has("/model", json!("m")),
                has(mode, json!("bypassPermissions")),
            ],
        ),
    ] {
        assert_payload(dialect, event, &fired(ours_event), expected);
    }
}

/// FD-10: Copilot's payloads in the format of Claude Code state no approval mode, and the start of
/// a sub-agent in its own format, but for the names of the agent.
#[test]
fn copilot_states_sub_agents_as_measured() {
    let own = [absent("/permission_mode"), has("/agent_id", json!("a"))];
    assert_payload(Dialect::Copilot, "PreToolUse", &fired("BeforeTool"), &own);
    let beginning = [
        has("/sessionId", json!("s")),
        has("/timestamp", json!(1_767_225_600_000_i64)),
        has("/agent_id", json!("a")),
        absent("/agentId"),
        absent("/hook_event_name"),
    ];
    assert_payload(
        Dialect::Copilot,
        "SubagentStart",
        &fired("BeforeTool"),
        &beginning,
    );
}

/// FD-10: a server's tool goes by the name that Copilot asks for permission by, which differs from
/// the one in other events; the suggestions that it always states are none here.
#[test]
fn copilot_asks_for_tools_of_servers_by_both_names() {
    let mut ours = Value::Object(call(
        "BeforeTool",
        "mcp__my-srv__say-hi",
        &json!({"name": "Ada"}),
    ));
    ours["mcp_context"] = json!({"server_name": "my-srv", "tool_name": "say-hi"});
    ours["agent_id"] = json!("a");
    ours["agent_name"] = json!("n");
    let asked = [
        has("/toolName", json!("my-srv/say-hi")),
        has("/toolInput/name", json!("Ada")),
        has("/permissionSuggestions", json!([])),
    ];
    let (camel, pascal) = ("permissionRequest", "PermissionRequest");
    assert_payload(Dialect::Copilot, camel, &ours, &asked);
    assert_payload(
        Dialect::Copilot,
        camel,
        &ours,
        &[has("/agentId", json!("a"))],
    );
    assert_payload(Dialect::Copilot, pascal, &ours, &asked);
    assert_payload(
        Dialect::Copilot,
        pascal,
        &ours,
        &[has("/agent_type", json!("n")), absent("/agentType")],
    );
    let name = has("/toolName", json!("my-srv-say-hi"));
    assert_payload(Dialect::Copilot, "preToolUse", &ours, &[name]);
    let mut edit = ours.clone();
    edit["tool_name"] = json!("write_file");
    edit["tool_input"] = json!({"file_path": "a", "content": "b"});
    let suggestions = has("/permissionSuggestions", json!([]));
    assert_payload(Dialect::Copilot, camel, &edit, &[suggestions]);
}

/// FD-10: results are told as the agents' tools tell them: which file a patch added or changed, and
/// the parts that a server's tool returned.
#[test]
fn results_are_told_as_they_were_measured() {
    let result = |tool: &str, response: Value| {
        let mut ours = call("AfterTool", tool, &json!({"file_path": "/p/a"}));
        ours.insert("tool_response".to_owned(), response);
        ours.insert(
            "mcp_context".to_owned(),
            json!({"server_name": "s", "tool_name": "t"}),
        );
        Value::Object(ours)
    };
    let written = |is_new: bool| json!({"llmContent": "Done.", "returnDisplay": {"isNewFile": is_new, "fileDiff": ""}});
    let translated = |mark: &str| {
        let text = format!("Success. Updated the following files:\n{mark} /p/a\n");
        [has("/tool_response", Value::from(text))]
    };
    let event = "PostToolUse";
    let (added, changed) = (
        result("write_file", written(true)),
        result("replace", written(false)),
    );
    assert_payload(Dialect::Codex, event, &added, &translated("A"));
    assert_payload(Dialect::Codex, event, &changed, &translated("M"));
    let unknown = result("replace", json!({"llmContent": "Done."}));
    let text = [has("/tool_response", json!("Done."))];
    assert_payload(Dialect::Codex, event, &unknown, &text);
    let of_server = result("mcp__s__t", json!({"llmContent": "hi"}));
    let parts = [has("/tool_response/llmContent", json!([{"text": "hi"}]))];
    assert_payload(Dialect::Qwen, event, &of_server, &parts);
    let mut own = result("read_file", json!({"llmContent": "hi"}));
    own.as_object_mut()
        .expect("an object")
        .remove("mcp_context");
    let text = [has("/tool_response/llmContent", json!("hi"))];
    assert_payload(Dialect::Qwen, event, &own, &text);
}
