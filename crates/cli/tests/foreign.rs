//! The hooks under `examples/foreign/`, adopted where they are and run unchanged in a real turn.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::fs;
use std::path::Path;

use hookloop_testkit::{Finished, Sandbox};
use serde_json::{Value, json};

fn hookloop(sandbox: &Sandbox, arguments: &[&str]) -> Finished {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    sandbox.run(command.args(arguments), b"")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A project with the hooks of one agent, adopted and trusted.
fn adopted(agent: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/foreign");
    copy(&examples.join(agent), sandbox.project());
    let adopt = ["hooks", "adopt", agent, "--scope", "project"];
    let done = hookloop(&sandbox, &adopt);
    assert_eq!(done.code, Some(0), "{agent}: {}", done.stderr);
    let trusted = hookloop(&sandbox, &["hooks", "trust"]);
    assert_eq!(trusted.code, Some(0), "{agent}: {}", trusted.stderr);
    sandbox
}

fn call(name: &str, args: &Value) -> Value {
    json!({"functionCall": {"name": name, "args": args}})
}

/// Answers of the model, each made of these parts.
fn answers(sandbox: &Sandbox, answers: &[Vec<Value>]) -> String {
    let lines: Vec<String> = answers
        .iter()
        .map(|parts| {
            let content = json!({"role": "model", "parts": parts});
            let chunk = json!({"candidates": [{"content": content, "finishReason": "STOP"}]});
            json!({"method": "generateContentStream", "response": [chunk]}).to_string()
        })
        .collect();
    let file = sandbox.root().join("model");
    fs::write(&file, lines.join("\n")).unwrap();
    file.to_str().unwrap().to_owned()
}

/// FD-2, FD-10, FD-11, FD-12, FD-14, FD-20, FD-31: ten hooks of typical published kinds have the
/// same effect in each dialect as in their own agent, in a real turn.
fn has_its_effect(agent: &str) {
    let sandbox = adopted(agent);
    let project = sandbox.project().to_path_buf();
    fs::create_dir(project.join("build")).unwrap();
    let shell = |command: &str| call("run_shell_command", &json!({ "command": command }));
    let write = |path: &str, content: &str| {
        call(
            "write_file",
            &json!({"file_path": path, "content": content}),
        )
    };
    let model = answers(
        &sandbox,
        &[
            vec![shell("rm -rf build")],
            vec![shell("touch pushed; git push origin main")],
            vec![write("key.txt", "AKIAIOSFODNN7EXAMPLE")],
            vec![write("code.txt", "one  \ntwo\t\n")],
            vec![json!({"text": "Finished."})],
            vec![write("NOTES.md", "what was done")],
            vec![json!({"text": "Finished with notes."})],
            vec![json!({"text": "Finished for good."})],
        ],
    );
    let arguments = [
        "--yolo",
        "--fake-responses",
        &model,
        "-p",
        "sort the receipts",
    ];
    let turn = hookloop(&sandbox, &arguments);
    let read = |file: &str| fs::read_to_string(project.join(file)).unwrap_or_default();
    let said = format!("{agent}: {}\n{}", turn.stdout, turn.stderr);
    assert_eq!(turn.code, Some(0), "{said}");
    assert!(turn.stdout.contains("Finished for good."), "{said}");
    // The three guards.
    assert!(project.join("build").is_dir(), "{said}");
    assert!(!project.join("pushed").exists(), "{said}");
    assert!(!project.join("key.txt").exists(), "{said}");
    for reason in ["whole folders", "pull request", "access key"] {
        assert!(turn.stderr.contains(reason), "{reason}: {said}");
    }
    assert_eq!(read("code.txt"), "one\ntwo\n", "{said}");
    // The gate and the loop.
    assert_eq!(read("NOTES.md").trim(), "what was done", "{said}");
    assert_eq!(read("rounds.txt"), "3", "{said}");
    // Those that only watch.
    let prompts = read("prompts.log");
    assert!(prompts.contains(" sort the receipts\n"), "{prompts} {said}");
    assert!(read("notified.log").contains("finished"), "{said}");
    assert_eq!(read("cost.tsv").lines().count(), 2, "{said}");
    let transcript = transcripts(sandbox.home());
    assert!(transcript.contains("never of invoices"), "{said}");
}

/// Returns everything that sessions wrote below a home folder.
fn transcripts(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            text.push_str(&transcripts(&path));
        } else if path.extension().is_some_and(|it| it == "jsonl") {
            text.push_str(&fs::read_to_string(path).unwrap_or_default());
        }
    }
    text
}

/// FD-31: Claude Code.
#[test]
fn hooks_of_claude_code_have_their_effect() {
    has_its_effect("claude-code");
}

/// FD-31: Codex.
#[test]
fn hooks_of_codex_have_their_effect() {
    has_its_effect("codex");
}

/// FD-31: Cursor.
#[test]
fn hooks_of_cursor_have_their_effect() {
    has_its_effect("cursor");
}

/// FD-31: Copilot.
#[test]
fn hooks_of_copilot_have_their_effect() {
    has_its_effect("copilot");
}

/// FD-31: Qwen Code.
#[test]
fn hooks_of_qwen_have_their_effect() {
    has_its_effect("qwen");
}

/// FD-2: what is in the files of other agents is listed before it is adopted, and nothing is
/// written.
#[test]
fn what_could_be_adopted_is_listed() {
    let sandbox = Sandbox::new();
    sandbox.file(
        ".claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "guard"}]}],
            "WorktreeCreate": [{"hooks": [{"type": "command", "command": "other"}]}]}}"#,
    );
    let listed = hookloop(&sandbox, &["hooks", "adopt", "--list", "--json"]);
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
    let found = listed["found"].as_array().unwrap();
    assert_eq!(found.len(), 2, "{listed}");
    assert_eq!(found[0]["event_to"], "BeforeTool");
    assert_eq!(
        (&found[0]["runs"], &found[1]["runs"]),
        (&json!(true), &json!(false))
    );
    assert!(!sandbox.project().join(".gemini").exists());
}

/// FD-2, FD-11: an adopted hook keeps its place; an event that never happens is reported; a later
/// edit of its file withdraws trust; the copy that `migrate` made gives way to it.
#[test]
fn an_adopted_hook_is_a_hook_as_any() {
    let sandbox = Sandbox::new();
    let file = ".claude/settings.json";
    let text = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}],
        "WorktreeCreate": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    sandbox.file(file, text);
    assert_eq!(
        hookloop(&sandbox, &["hooks", "migrate", "--from-claude"]).code,
        Some(0)
    );
    assert_eq!(
        hookloop(&sandbox, &["hooks", "adopt", "claude-code"]).code,
        Some(0)
    );
    assert_eq!(hookloop(&sandbox, &["hooks", "trust"]).code, Some(0));
    let list = || -> Value {
        let listed = hookloop(&sandbox, &["hooks", "list", "--json"]);
        serde_json::from_str(&listed.stdout).unwrap()
    };
    let listed = list();
    let hooks = listed["hooks"].as_array().unwrap();
    assert_eq!(hooks.len(), 2, "{listed}");
    let place = |hook: &Value| hook["source"]["file"].as_str().unwrap().to_owned();
    assert!(place(&hooks[0]).ends_with(".gemini/settings.json"));
    assert!(place(&hooks[1]).ends_with(file));
    assert_eq!(hooks[1]["status"], "enabled", "{listed}");
    assert_ne!(hooks[0]["status"], "enabled", "{listed}");
    let reported = listed["diagnostics"].to_string() + &listed.to_string();
    assert!(reported.contains("event_never_happens"), "{listed}");
    sandbox.file(file, &text.replacen("\"true\"", "\"false\"", 1));
    let changed = list();
    assert_ne!(changed["hooks"][1]["trust"], "trusted", "{changed}");
}

/// Returns what hooks of an agent, with these settings in this file, wrote into `told` in a turn,
/// line by line.
fn told(agent: &str, file: &str, settings: &Value, model: &[Vec<Value>]) -> Vec<String> {
    let sandbox = Sandbox::new();
    let project = sandbox.project();
    let target = project.join(file);
    fs::create_dir_all(target.parent().unwrap()).unwrap();
    fs::write(&target, settings.to_string()).unwrap();
    let reader = project.join(".gemini/agents/reader.md");
    fs::create_dir_all(reader.parent().unwrap()).unwrap();
    fs::write(
        reader,
        "---\nname: reader\ndescription: reads\n---\nYou read.\n",
    )
    .unwrap();
    for arguments in [
        &["hooks", "adopt", agent, "--scope", "project"][..],
        &["hooks", "trust"],
    ] {
        let done = hookloop(&sandbox, arguments);
        assert_eq!(done.code, Some(0), "{agent}: {}", done.stderr);
    }
    let model = answers(&sandbox, model);
    let turn = hookloop(
        &sandbox,
        &["--yolo", "--fake-responses", &model, "-p", "go"],
    );
    assert_eq!(turn.code, Some(0), "{agent}: {}", turn.stderr);
    let told = fs::read_to_string(project.join("told")).unwrap_or_default();
    told.lines().map(str::to_owned).collect()
}

/// FD-11: what follows a call of a tool in an agent comes after what that agent asks about the
/// call, and not at all if that is refused: a sub-agent that never begins isn't announced.
#[test]
fn what_follows_a_call_comes_after_it_and_not_after_a_refusal() {
    let claude_code = |guard: &str| {
        let note = |event: &str| json!({"hooks": [{"type": "command", "command": format!("echo {event} >> told")}]});
        let slow = json!({"hooks": [{"type": "command", "command": format!("sleep 0.2; echo PreToolUse >> told; {guard}")}]});
        json!({"hooks": {"PreToolUse": [slow], "SubagentStart": [note("SubagentStart")]}})
    };
    let cursor = |guard: &str| {
        let slow = json!({"command": format!("sleep 0.2; echo preToolUse >> told; {guard}")});
        json!({"version": 1, "hooks": {
            "beforeShellExecution": [{"command": "echo beforeShellExecution >> told"}],
            "preToolUse": [slow],
        }})
    };
    let begin = json!({"agent_name": "reader", "objective": "read"});
    let delegate = vec![
        vec![call("delegate_to_agent", &begin)],
        vec![json!({"text": "one"})],
        vec![json!({"text": "two"})],
    ];
    let run = vec![
        vec![call("run_shell_command", &json!({"command": "true"}))],
        vec![json!({"text": "one"})],
    ];
    for (guard, goes_on) in [("exit 0", true), ("echo no >&2; exit 2", false)] {
        let settings = claude_code(guard);
        let told_there = told("claude-code", ".claude/settings.json", &settings, &delegate);
        let expected = ["PreToolUse", "SubagentStart"];
        assert_eq!(told_there, expected[..=usize::from(goes_on)], "{guard}");
        let told_there = told("cursor", ".cursor/hooks.json", &cursor(guard), &run);
        let expected = ["preToolUse", "beforeShellExecution"];
        assert_eq!(told_there, expected[..=usize::from(goes_on)], "{guard}");
    }
}
