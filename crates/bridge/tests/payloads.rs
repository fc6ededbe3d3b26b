//! Every payload that was measured is translated correctly (BR-40). `payloads/AGENT.json` contains
//! what an agent wrote, `payloads/AGENT.expected.json` the events and fields that hooks read.
#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::path::Path;

use hookloop_bridge::{
    Agent, AgentPayload, CallContext, Memory, PayloadAction, PayloadError, TranslatedPayload,
    translate_payload,
};
use serde_json::{Map, Value, json};

const AGENTS: [(&str, Agent); 10] = [
    ("claude-code", Agent::ClaudeCode),
    ("codex", Agent::Codex),
    ("copilot", Agent::Copilot),
    ("copilot-pascal", Agent::Copilot),
    ("qwen", Agent::Qwen),
    ("goose", Agent::Goose),
    ("kimi", Agent::Kimi),
    ("droid", Agent::Droid),
    ("cline", Agent::Cline),
    ("opencode", Agent::Opencode),
];

fn read(name: &str) -> Map<String, Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/payloads");
    serde_json::from_str(&std::fs::read_to_string(folder.join(name)).unwrap()).unwrap()
}

/// The event of a payload: the first word of its name, and the whole name in opencode.
fn event_of(agent: Agent, name: &str) -> &str {
    if agent == Agent::Opencode {
        return name;
    }
    let name = name.split('.').next().unwrap();
    name.strip_suffix("-sub").unwrap_or(name)
}

fn translated(
    agent: Agent,
    event: &str,
    payload: &Value,
    memory: &Memory,
) -> Result<TranslatedPayload, PayloadError> {
    let agent_payload = AgentPayload {
        agent,
        event,
        payload: payload.as_object().cloned().unwrap_or_default(),
    };
    let around = CallContext {
        cwd: Path::new("/home/dev/project"),
        memory,
        raw: false,
    };
    translate_payload(agent_payload, around)
}

fn shown(translated: &TranslatedPayload) -> Value {
    match &translated.action {
        PayloadAction::Nothing(_) => json!("nothing"),
        PayloadAction::ConfigChange { .. } => json!("config"),
        PayloadAction::Fires(firings) => firings
            .iter()
            .map(|it| {
                let mut fields = it.fields.clone();
                assert!(fields.remove("bridge").is_some());
                json!([it.event.as_str(), fields])
            })
            .collect(),
    }
}

/// BR-10, BR-11, BR-40: every payload that was measured becomes the events, names, arguments, ids
/// and results that our hooks read, and what isn't an event becomes nothing.
#[test]
fn every_measured_payload_is_understood() {
    for (name, agent) in AGENTS {
        let expected = read(&format!("{name}.expected.json"));
        let payloads = read(&format!("{name}.json"));
        assert_eq!(payloads.len(), expected.len());
        for (payload_name, payload) in &payloads {
            let event = event_of(agent, payload_name);
            let translated = translated(agent, event, payload, &Memory::default());
            let translated =
                translated.unwrap_or_else(|error| panic!("{name} {payload_name}: {error}"));
            assert_eq!(
                shown(&translated),
                expected[payload_name],
                "{name} {payload_name}"
            );
            assert_eq!(
                translated.cwd,
                Path::new("/home/dev/project"),
                "{name} {payload_name}"
            );
            assert_ne!(translated.session_id, "unknown", "{name} {payload_name}");
        }
    }
}

/// BR-10: what a payload contains in addition to ours is under `bridge`.
#[test]
fn extras_are_under_bridge() {
    let payload = &read("codex.json")["UserPromptSubmit"];
    let translated = translated(
        Agent::Codex,
        "UserPromptSubmit",
        payload,
        &Memory::default(),
    )
    .unwrap();
    let PayloadAction::Fires(firings) = translated.action else {
        panic!("a prompt")
    };
    let bridge = &firings[0].fields["bridge"];
    assert_eq!(bridge["agent"], "codex");
    assert_eq!(bridge["event"], "UserPromptSubmit");
    assert_eq!(bridge["turn_id"], payload["turn_id"]);
    assert_eq!(bridge["permission_mode"], "bypassPermissions");
}

/// BR-11: prompts that nobody wrote, and ends of sub-agents that can only be recognised by
/// counting, aren't prompts or ends.
#[test]
fn what_is_not_a_prompt_and_no_end_is_nothing() {
    let none = |agent, event, payload: Value, memory: &Memory| {
        let translated = translated(agent, event, &payload, memory).unwrap();
        matches!(translated.action, PayloadAction::Nothing(_))
    };
    let fresh = Memory::default();
    let event = "UserPromptSubmit";
    assert!(none(Agent::Qwen, event, json!({"prompt": ""}), &fresh));
    let both = json!({"prompt": "do", "submitted_prompt": "do"});
    assert!(!none(Agent::Qwen, event, both, &fresh));
    // Anybody can write what looks like a notification, or a prompt in parts: hooks judge both.
    let notification = json!({"prompt": "<task-notification>done</task-notification>"});
    assert!(!none(
        Agent::ClaudeCode,
        event,
        notification.clone(),
        &fresh
    ));
    let notification = translated(Agent::ClaudeCode, event, &notification, &fresh).unwrap();
    assert!(notification.is_perhaps_notification());
    let parts = json!({"prompt": [{"text": "do"}]});
    assert!(!none(Agent::Qwen, event, parts, &fresh));
    let notified = json!({"prompt": "<task-notification>do</task-notification>"});
    assert!(!none(Agent::Qwen, event, notified, &fresh));
    // Whose a prompt is can't be told in Droid, so hooks judge it.
    assert!(!none(
        Agent::Droid,
        event,
        json!({"prompt": "# Task Tool Invocation"}),
        &fresh
    ));
    let running = Memory {
        sub_agents: 1,
        ..Memory::default()
    };
    let end = || json!({"session_id": "s", "stop_hook_active": false});
    assert!(none(Agent::Kimi, "Stop", end(), &running));
    assert!(!none(Agent::Kimi, "Stop", end(), &fresh));
}

/// BR-10: a patch inside a shell command is planned as the writes that it means, beside the
/// command.
#[test]
fn a_patch_in_a_shell_command_is_planned_as_writes() {
    let command = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: .env\n+KEY=1\n*** Delete File: a b\n\
        *** Update File: c\n*** Move to: d\n@@\n-x\n+y\n*** End Patch\nEOF";
    let payload =
        json!({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": command}});
    let translated = translated(Agent::Codex, "PreToolUse", &payload, &Memory::default()).unwrap();
    let calls: Vec<(&str, Value)> = translated
        .calls()
        .iter()
        .map(|it| (it.tool.as_str(), Value::Object(it.arguments.clone())))
        .collect();
    assert_eq!(
        calls,
        [
            ("run_shell_command", json!({"command": command})),
            (
                "write_file",
                json!({"file_path": ".env", "content": "KEY=1\n"})
            ),
            ("run_shell_command", json!({"command": "rm -- 'a b'"})),
            (
                "replace",
                json!({"file_path": "c", "old_string": "x\n", "new_string": "y\n"})
            ),
            ("run_shell_command", json!({"command": "mv -- c d"})),
        ]
    );
}

/// BR-10: several commands in one call are one call each; BR-22: a call that can't be understood
/// may not run.
#[test]
fn several_commands_are_several_calls() {
    let call = |input: Value| {
        let payload = json!({
            "taskId": "t", "tool_call": {"id": "1", "name": "run_commands", "input": input}
        });
        translated(Agent::Cline, "PreToolUse", &payload, &Memory::default())
    };
    let both = call(json!({"commands": ["ls", "rm -rf /"]})).unwrap();
    assert_eq!(both.calls().len(), 2);
    assert!(call(json!({"commands": [{"what": 1}]})).is_err());
    assert!(call(json!({})).is_err());
    let payload = json!({"tool_name": "apply_patch", "tool_input": {"command": "no patch"}});
    assert!(translated(Agent::Codex, "PreToolUse", &payload, &Memory::default()).is_err());
    let payload = json!({"session_id": "s"});
    assert!(
        translated(
            Agent::ClaudeCode,
            "PreToolUse",
            &payload,
            &Memory::default()
        )
        .is_err()
    );
    let prompt = translated(
        Agent::ClaudeCode,
        "UserPromptSubmit",
        &payload,
        &Memory::default(),
    );
    assert!(prompt.is_err());
}

/// BR-10, BR-20: a rewrite is written in the agent's own names, and every key that we don't know
/// stays.
#[test]
fn a_rewrite_keeps_what_is_not_ours() {
    let rewritten = |agent, event, payload: Value, changes: Value| {
        let translated = translated(agent, event, &payload, &Memory::default()).unwrap();
        let changes = changes.as_object().unwrap();
        translated.rewritten(agent, changes).map(Value::Object)
    };
    let input =
        json!({"command": "a", "description": "d", "timeout": 5, "run_in_background": false});
    assert_eq!(
        rewritten(
            Agent::ClaudeCode,
            "PreToolUse",
            json!({"tool_name": "Bash", "tool_input": input}),
            json!({"command": "b"})
        ),
        Some(json!({"command": "b", "description": "d", "timeout": 5, "run_in_background": false}))
    );
    assert_eq!(
        rewritten(
            Agent::Copilot,
            "preToolUse",
            json!({"toolName": "edit", "toolArgs": {"path": "/p/a", "old_str": "x", "new_str": "y", "z": 1}}),
            json!({"new_string": "w"})
        ),
        Some(json!({"path": "/p/a", "old_str": "x", "new_str": "w", "z": 1}))
    );
    let patch = "*** Begin Patch\n*** Add File: a.txt\n+alpha\n*** End Patch\n";
    assert_eq!(
        rewritten(
            Agent::Codex,
            "PreToolUse",
            json!({"tool_name": "apply_patch", "tool_input": {"command": patch}}),
            json!({"content": "beta\n"})
        ),
        Some(json!({"command": "*** Begin Patch\n*** Add File: a.txt\n+beta\n*** End Patch\n"}))
    );
    let two = format!("{patch}\n{patch}");
    assert_eq!(
        rewritten(
            Agent::Codex,
            "PreToolUse",
            json!({"tool_name": "apply_patch", "tool_input": {"command": two}}),
            json!({"content": "beta\n"})
        ),
        None
    );
}

fn calls_of(agent: Agent, tool: &str, input: &Value) -> Result<Vec<(String, Value)>, PayloadError> {
    let event = match agent {
        Agent::Opencode => "tool.execute.before",
        Agent::Copilot => "preToolUse",
        _ => "PreToolUse",
    };
    let payload = match agent {
        Agent::Opencode => json!({"input": {"tool": tool}, "output": {"args": input}}),
        Agent::Cline => json!({"tool_call": {"id": "1", "name": tool, "input": input}}),
        Agent::Copilot => json!({"toolName": tool, "toolArgs": input}),
        _ => json!({"tool_name": tool, "tool_input": input}),
    };
    let translated = translated(agent, event, &payload, &Memory::default())?;
    let calls = translated.calls().iter();
    let call = calls.map(|it| (it.tool.clone(), Value::Object(it.arguments.clone())));
    Ok(call.collect())
}

/// BR-10: whatever an agent's tool that runs commands is called, it reaches guards as one.
#[test]
fn every_tool_that_runs_commands_is_known_as_one() {
    let command = |text: &str| json!({"command": text});
    for (agent, tool, input, expected) in [
        (Agent::ClaudeCode, "Monitor", command("rm x"), "rm x"),
        (Agent::ClaudeCode, "PowerShell", command("rm x"), "rm x"),
        (
            Agent::ClaudeCode,
            "REPL",
            json!({"code": "rm('x')"}),
            r"node -e 'rm('\''x'\'')'",
        ),
        (Agent::Copilot, "powershell", command("rm x"), "rm x"),
        (
            Agent::Copilot,
            "write_bash",
            json!({"sessionId": "1", "input": "rm x{enter}"}),
            "rm x\n",
        ),
        (
            Agent::Codex,
            "write_stdin",
            json!({"chars": "rm x"}),
            "rm x",
        ),
        (
            Agent::Codex,
            "Bash",
            json!({"command": ["bash", "-c", "rm x"]}),
            "bash -c 'rm x'",
        ),
        (
            Agent::Cline,
            "run_commands",
            json!({"commands": [{"command": "rm", "args": ["-rf", "a b"]}]}),
            "rm -rf 'a b'",
        ),
        (
            Agent::Cline,
            "run_commands",
            json!({"commands": "[\"rm x\"]"}),
            "rm x",
        ),
    ] {
        let calls = calls_of(agent, tool, &input).unwrap();
        assert_eq!(calls.len(), 1, "{tool}");
        assert_eq!(calls[0].0, "run_shell_command", "{tool}");
        assert_eq!(calls[0].1["command"], expected, "{tool}");
    }
}

/// BR-10: whatever an agent's tool that edits is called, and however it writes its parts, it
/// reaches guards as an edit of its file.
#[test]
fn every_tool_that_edits_is_known_as_one() {
    let edit = |file: &str, old: &str, new: &str| {
        let part = json!({old: "a", new: "b"});
        json!({file: "/p/.env", "edits": [part]})
    };
    for (agent, tool, input) in [
        (
            Agent::ClaudeCode,
            "NotebookEdit",
            json!({"notebook_path": "/p/.env", "new_source": "b"}),
        ),
        (
            Agent::ClaudeCode,
            "MultiEdit",
            edit("file_path", "old_string", "new_string"),
        ),
        (
            Agent::Opencode,
            "multiedit",
            edit("filePath", "oldString", "newString"),
        ),
        (
            Agent::Droid,
            "MultiEdit",
            edit("file_path", "old_str", "new_str"),
        ),
        (
            Agent::Kimi,
            "StrReplaceFile",
            json!({"path": "/p/.env", "edit": {"old": "a", "new": "b"}}),
        ),
        (
            Agent::Copilot,
            "str_replace_editor",
            json!({"command": "str_replace", "path": "/p/.env", "old_str": "a", "new_str": "b"}),
        ),
        (
            Agent::Cline,
            "replace_in_file",
            json!({"path": "/p/.env", "diff": "b"}),
        ),
        (
            Agent::Opencode,
            "batch",
            json!({"tool_calls": [{"tool": "edit", "parameters": {"filePath": "/p/.env", "newString": "b"}}]}),
        ),
    ] {
        let calls = calls_of(agent, tool, &input).unwrap();
        assert_eq!(calls.len(), 1, "{tool}");
        assert_eq!(calls[0].0, "replace", "{tool}");
        assert_eq!(calls[0].1["file_path"], "/p/.env", "{tool}");
        assert_eq!(calls[0].1["new_string"], "b", "{tool}");
    }
}

/// BR-10: a patch is a write for each file, whichever agent's tool gets it and however; a rewrite
/// goes back where the patch came from.
#[test]
fn a_patch_is_a_write_in_every_agent() {
    let patch =
        "*** Begin Patch\n*** Add File: a\n+*** End Patch\n*** Add File: .env\n+K\n*** End Patch";
    for (agent, tool, name) in [
        (Agent::Codex, "apply_patch", "command"),
        (Agent::Opencode, "apply_patch", "patchText"),
        (Agent::Opencode, "patch", "patchText"),
        (Agent::Droid, "ApplyPatch", "input"),
        (Agent::Cline, "apply_patch", "input"),
        (Agent::Copilot, "apply_patch", "input"),
    ] {
        let calls = calls_of(agent, tool, &json!({name: patch})).unwrap();
        let files: Vec<_> = calls.iter().map(|it| &it.1["file_path"]).collect();
        assert_eq!(files, ["a", ".env"], "{}", agent.name());
        assert!(calls.iter().all(|it| it.0 == "write_file"));
        for unclear in [json!({}), json!({name: "no patch"}), json!({name: 1})] {
            let read = calls_of(agent, tool, &unclear);
            assert!(read.is_err(), "{} {unclear}", agent.name());
        }
        assert!(calls_of(agent, tool, &json!(patch)).is_ok() || agent == Agent::Opencode);
    }
}

/// BR-10, BR-12: the tools of Gemini CLI are ours, so that one call stays one call, and its
/// arguments can be rewritten.
#[test]
fn a_call_of_gemini_cli_is_one_of_ours() {
    for (tool, input) in [
        ("run_shell_command", json!({"command": "touch x"})),
        ("write_file", json!({"file_path": "a", "content": "b"})),
        (
            "replace",
            json!({"file_path": "a", "old_string": "b", "new_string": "c"}),
        ),
        ("read_file", json!({"file_path": "a"})),
        ("read_many_files", json!({"include": ["a"]})),
    ] {
        let payload = json!({"tool_name": tool, "tool_input": input});
        let translated =
            translated(Agent::GeminiCli, "BeforeTool", &payload, &Memory::default()).unwrap();
        let calls: Vec<_> = translated
            .calls()
            .iter()
            .map(|it| it.tool.clone())
            .collect();
        assert_eq!(calls, [tool]);
    }
}

/// BR-10: a server's tool is planned under its own name, and as what it does, in every agent; one
/// that neither runs commands nor touches files is only planned as itself.
#[test]
fn tools_of_servers_are_planned_as_what_they_do() {
    let written = json!({"path": ".env", "content": "x"});
    let run = json!({"command": "rm -rf x"});
    let harmless = json!({"query": "rm -rf x", "title": "delete .env"});
    for (agent, mark) in [
        (Agent::ClaudeCode, "mcp__srv__"),
        (Agent::Codex, "mcp__srv__"),
        (Agent::Qwen, "mcp__srv__"),
        (Agent::Kimi, "mcp__srv__"),
        (Agent::Droid, "mcp__srv__"),
        (Agent::Cline, "mcp__srv__"),
        (Agent::Copilot, "srv-"),
        (Agent::Opencode, "srv_"),
    ] {
        let tools = |tool: &str, input: &Value| {
            let calls = calls_of(agent, &format!("{mark}{tool}"), input).unwrap();
            calls.into_iter().map(|it| it.0).collect::<Vec<_>>()
        };
        let is_own = |it: &String| it.starts_with("mcp__srv");
        for (tool, input, ours) in [
            ("write_file", &written, "write_file"),
            ("start_process", &run, "run_shell_command"),
        ] {
            let planned = tools(tool, input);
            assert!(is_own(&planned[0]), "{}: {planned:?}", agent.name());
            assert!(
                planned[1..].iter().any(|it| it == ours),
                "{}: {planned:?}",
                agent.name()
            );
        }
        let planned = tools("search_issues", &harmless);
        assert!(planned.iter().all(is_own), "{}: {planned:?}", agent.name());
    }
    let code = calls_of(
        Agent::ClaudeCode,
        "mcp__ide__executeCode",
        &json!({"code": "print(1)"}),
    )
    .unwrap();
    assert_eq!(code[1].1, json!({"command": "python3 -c 'print(1)'"}));
}

/// BR-10, PL-5: if the names of a server and its tool can't be separated, there is no guessing: the
/// name matches every reading of it.
#[test]
fn a_joined_name_of_a_tool_is_not_guessed() {
    // What a server's tool is called is one of the names that it may have.
    for (agent, name, ours) in [
        (Agent::Copilot, "srv-tool", "mcp__srv__tool"),
        (Agent::Copilot, "my-srv-tool", "mcp__my-srv-tool"),
        (Agent::Opencode, "my_srv_tool", "mcp__my_srv_tool"),
        (Agent::GeminiCli, "mcp_my_srv_tool", "mcp__my_srv_tool"),
    ] {
        let event = if agent == Agent::GeminiCli {
            "BeforeTool"
        } else {
            ""
        };
        let calls = if event.is_empty() {
            calls_of(agent, name, &json!({})).unwrap()
        } else {
            let payload = json!({"tool_name": name, "tool_input": {}});
            let translated = translated(agent, event, &payload, &Memory::default()).unwrap();
            vec![(translated.calls()[0].tool.clone(), Value::Null)]
        };
        assert_eq!(calls[0].0, ours);
    }
}
