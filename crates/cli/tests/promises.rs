//! Ways in which a repository, or the agent itself, might circumvent the user's hooks.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that can't go on fails"
)]

use hookloop_testkit::{Finished, Sandbox};
use serde_json::{Value, json};

fn hookloop(sandbox: &Sandbox, arguments: &[&str]) -> Finished {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    sandbox.run(command.args(arguments), b"")
}

/// Runs a session whose model calls these tools, one after another, and then says "done".
fn converse(sandbox: &Sandbox, calls: &[(&str, Value)], options: &[&str]) -> Finished {
    let parts = calls
        .iter()
        .map(|(name, args)| json!({"functionCall": {"name": name, "args": args}}))
        .chain([json!({"text": "done"})]);
    let lines: Vec<String> = parts
        .map(|part| {
            let content = json!({"role": "model", "parts": [part]});
            let chunk = json!({"candidates": [{"content": content, "finishReason": "STOP"}]});
            json!({"method": "generateContentStream", "response": [chunk]}).to_string()
        })
        .collect();
    std::fs::write(sandbox.root().join("model"), lines.join("\n")).unwrap();
    let model = sandbox.root().join("model");
    let mut arguments = vec!["--fake-responses", model.to_str().unwrap(), "-p", "go"];
    arguments.extend(options);
    let finished = hookloop(sandbox, &arguments);
    assert!(finished.stdout.contains("done"), "{}", finished.stderr);
    finished
}

fn look() -> (&'static str, Value) {
    ("list_directory", json!({"dir_path": "."}))
}

fn before_tool(matcher: &str, command: &str) -> Value {
    json!({"BeforeTool": [{"matcher": matcher, "hooks": [
        {"type": "command", "name": "guard", "command": command}
    ]}]})
}

/// IO-13: a refusal is read even if the program was started with the ends of children ignored.
#[test]
fn a_refusal_is_read_where_ends_of_children_are_ignored() {
    let sandbox = Sandbox::new();
    let hooks = json!({"hooks": before_tool("*", "echo 'not that' >&2; exit 2")});
    std::fs::create_dir_all(sandbox.home().join(".gemini")).unwrap();
    std::fs::write(
        sandbox.home().join(".gemini/settings.json"),
        hooks.to_string(),
    )
    .unwrap();
    let fired = json!({"tool_input": {"command": "true"}}).to_string();
    let script = r#"trap '' CHLD; exec "$0" "$@""#;
    let mut command = sandbox.command("bash");
    command.args(["-c", script, env!("CARGO_BIN_EXE_hookloop")]);
    command.args(["hooks", "fire", "BeforeTool", "--tool", "run_shell_command"]);
    let finished = sandbox.run(command.args(["--input", &fired]), b"");
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
    let output = finished.stdout + &finished.stderr;
    assert!(
        output.contains("not that") && !output.contains("couldn't start"),
        "{output}"
    );
}

/// TR-8: an unattended agent can't overwrite the script of a guard, and says what it wanted to
/// change.
#[test]
fn a_guards_script_is_not_edited() {
    let (sandbox, finished) = edit_the_guard(&[]);
    let script = std::fs::read_to_string(sandbox.project().join("guard.sh")).unwrap();
    assert_eq!(script, "exit 0");
    assert!(
        finished.stderr.contains("would change") && finished.stderr.contains("guard.sh"),
        "{}",
        finished.stderr
    );
}

/// TR-6, IO-21: a trusted script that the agent overwrites where that was allowed doesn't run; the
/// hook refuses instead, which is reported.
#[test]
fn an_edited_script_stops_running() {
    let (sandbox, finished) = edit_the_guard(&["--allow-config-edits"]);
    assert!(!sandbox.project().join("ran").exists());
    let why = "guard.sh changed since it was trusted";
    assert!(finished.stderr.contains(why), "{}", finished.stderr);
    let refused = finished.stderr.lines().any(|line| {
        line.contains("list_directory") && line.contains("blocked") && line.contains(why)
    });
    assert!(refused, "{}", finished.stderr);
}

/// Lets the model overwrite the script of a trusted guard, and then call a tool.
fn edit_the_guard(options: &[&str]) -> (Sandbox, Finished) {
    let sandbox = Sandbox::new();
    let hooks = before_tool("*", "sh $GEMINI_PROJECT_DIR/guard.sh");
    sandbox.project_settings(&json!({ "hooks": hooks }).to_string());
    std::fs::write(sandbox.project().join("guard.sh"), "exit 0").unwrap();
    hookloop(&sandbox, &["hooks", "trust"]);
    let edit = json!({"file_path": "guard.sh", "content": "touch $GEMINI_PROJECT_DIR/ran"});
    let calls = [("write_file", edit), look()];
    let options = [&["--approval-mode", "auto_edit"], options].concat();
    let finished = converse(&sandbox, &calls, &options);
    (sandbox, finished)
}

/// ST-13: a project that is trusted for the run can't switch off the user's guard, and its attempt
/// is reported.
#[test]
fn a_project_does_not_switch_off_the_users_guard() {
    for config in [json!({"enabled": false}), json!({"disabled": ["guard"]})] {
        let sandbox = Sandbox::new();
        let guard = before_tool("*", "echo no looking >&2; exit 2");
        sandbox.user_settings(&json!({ "hooks": guard }).to_string());
        sandbox.project_settings(&json!({ "hooksConfig": config }).to_string());
        let finished = converse(&sandbox, &[look()], &["--skip-trust"]);
        let refused = finished.stderr.contains("blocked: no looking");
        assert!(refused, "{config}: {}", finished.stderr);
        let place = sandbox.project().join(".gemini/settings.json:1:");
        let said = finished.stderr.contains(place.to_str().unwrap());
        assert!(said, "{config}: {}", finished.stderr);
    }
}

/// TR-2: the pattern of a hook that nobody has agreed to can't hang a session.
#[test]
fn a_strange_pattern_hangs_nobody() {
    let sandbox = Sandbox::new();
    let hooks = before_tool(r"(\w|\w|\w|\w|\w|\w|\w|\w)+!", "exit 2");
    sandbox.project_settings(&json!({ "hooks": hooks }).to_string());
    let finished = converse(&sandbox, &[look()], &[]);
    assert!(
        finished.stderr.contains("is skipped"),
        "{}",
        finished.stderr
    );
}

/// BA-2, IO-33: a prompt that a hook was still judging when the user cancelled doesn't enter the
/// history: it would reach the model with the next one.
#[cfg(unix)]
#[test]
fn a_prompt_that_nobody_judged_is_not_kept() {
    let sandbox = Sandbox::new();
    let judging = sandbox.root().join("judging");
    let command = format!("touch {}; exec sleep 60", judging.display());
    let hooks = json!({"BeforeAgent": [{"hooks": [{"type": "command", "command": command}]}],
        "SessionEnd": [{"hooks": [{"type": "command", "command": "cat > ended.json"}]}]});
    sandbox.user_settings(&json!({ "hooks": hooks }).to_string());
    let model = sandbox.file("model", "");
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    command.args(["-p", "unjudged words", "--fake-responses"]);
    let mut session = command
        .arg(&model)
        .stdin(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while !judging.exists() {
        assert!(session.try_wait().unwrap().is_none(), "the hook runs");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let number = session.id().to_string();
    let mut interrupt = std::process::Command::new("kill");
    assert!(
        interrupt
            .args(["-INT", &number])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(session.wait().unwrap().code(), Some(130));
    let ended = std::fs::read(sandbox.project().join("ended.json")).unwrap();
    let ended: Value = serde_json::from_slice(&ended).unwrap();
    let transcript = ended["transcript_path"].as_str().unwrap();
    let transcript = std::fs::read_to_string(transcript).unwrap();
    assert!(!transcript.contains("unjudged"), "{transcript}");
}

/// TR-1: a hook is trusted with the files that it names from the project's root. In a folder below,
/// an unknown file with the same name doesn't run instead.
#[test]
fn a_file_of_the_same_name_does_not_run_instead() {
    let sandbox = Sandbox::new();
    let hooks = before_tool("*", "sh ./guard.sh");
    sandbox.project_settings(&json!({ "hooks": hooks }).to_string());
    let project = sandbox.project();
    std::fs::write(
        project.join("guard.sh"),
        "touch $GEMINI_PROJECT_DIR/guarded",
    )
    .unwrap();
    let below = project.join("below");
    std::fs::create_dir(&below).unwrap();
    std::fs::write(below.join("guard.sh"), "touch $GEMINI_PROJECT_DIR/ran").unwrap();
    hookloop(&sandbox, &["hooks", "trust"]);
    let script = json!({"method": "generateContentStream", "response": [{"candidates": [
        {"content": {"role": "model", "parts": [
            {"functionCall": {"name": look().0, "args": look().1}}]}, "finishReason": "STOP"}]}]});
    let answer = json!({"method": "generateContentStream", "response": [{"candidates": [
        {"content": {"role": "model", "parts": [{"text": "done"}]}, "finishReason": "STOP"}]}]});
    let model = sandbox.root().join("model");
    std::fs::write(&model, format!("{script}\n{answer}")).unwrap();
    let run = |folder: &std::path::Path| {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
        command
            .current_dir(folder)
            .arg("--fake-responses")
            .arg(&model)
            .args(["-p", "go"]);
        sandbox.run(&mut command, b"")
    };
    let finished = run(&below);
    assert!(!project.join("ran").exists(), "{}", finished.stderr);
    assert!(finished.stderr.contains("below"), "{}", finished.stderr);
    let finished = run(project);
    assert!(project.join("guarded").exists(), "{}", finished.stderr);
}

/// AG-CLI-5, CM-1: output that couldn't be written isn't mistaken for empty output; a reader that
/// has gone isn't an error.
#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_is_lost_fails_the_run() {
    let sandbox = Sandbox::new();
    let text = json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "hi"}]}, "finishReason": "STOP"}]});
    let line = json!({"method": "generateContentStream", "response": [text]}).to_string();
    std::fs::write(sandbox.root().join("model"), line).unwrap();
    let full = "exec \"$PROGRAM\" \"$@\" > /dev/full";
    let gone = "{ \"$PROGRAM\" \"$@\"; echo $? > code; } | true; exit $(cat code)";
    let session = ["--fake-responses", "../model", "-p", "go", "-o"];
    for format in ["text", "json", "stream-json"] {
        assert_ends(&sandbox, full, &[&session[..], &[format]].concat(), 1);
        assert_ends(&sandbox, gone, &[&session[..], &[format]].concat(), 0);
    }
    for listing in [&["hooks", "list", "--json"][..], &["--list-sessions"]] {
        assert_ends(&sandbox, full, listing, 1);
        assert_ends(&sandbox, gone, listing, 0);
    }
}

#[cfg(target_os = "linux")]
fn assert_ends(sandbox: &Sandbox, script: &str, arguments: &[&str], code: i32) {
    let mut command = sandbox.command("sh");
    command
        .env("PROGRAM", env!("CARGO_BIN_EXE_hookloop"))
        .args(["-c", script, "sh"])
        .args(arguments);
    let finished = sandbox.run(&mut command, b"");
    assert_eq!(
        finished.code,
        Some(code),
        "{arguments:?}: {}",
        finished.stderr
    );
}

/// FD-2, ST-5: hooks of another agent under a misspelt key, or beside the right one, are reported
/// with their place.
#[test]
fn misspelt_hooks_of_another_agent_are_no_secret() {
    let matched = json!([{"hooks": [{"type": "command", "command": "exit 2"}]}]);
    let plain = json!([{"command": "exit 2"}]);
    for (agent, file, event, hooks) in [
        (
            "claude-code",
            ".claude/settings.json",
            "PreToolUse",
            &matched,
        ),
        ("codex", ".codex/hooks.json", "PreToolUse", &matched),
        ("cursor", ".cursor/hooks.json", "preToolUse", &plain),
        ("copilot", ".github/hooks/guard.json", "preToolUse", &plain),
        ("qwen", ".qwen/settings.json", "PreToolUse", &matched),
    ] {
        for text in [
            json!({"Hooks": {event: hooks}}),
            json!({"hoks": {event: hooks}}),
            json!({event: hooks}),
        ] {
            let sandbox = Sandbox::new();
            let adopts = json!({"hooksConfig": {"adopt": [agent]}});
            sandbox.user_settings(&adopts.to_string());
            sandbox.file(file, &text.to_string());
            let finished = converse(&sandbox, &[look()], &["--skip-trust"]);
            let place = format!("{}:1:2", sandbox.project().join(file).display());
            assert!(
                finished.stderr.contains(&place),
                "{agent} {text}: {}",
                finished.stderr
            );
        }
    }
}

/// TR-8, TR-10: what an interpreter would load from the project without being told to disables no
/// guard of the person, even if a script of the guard starts it.
#[test]
fn a_project_takes_no_guards_place_behind_a_script() {
    let code = "import sys, json; json.load(sys.stdin); sys.exit(2)";
    let here = format!(
        "python3 - <<'END'\n{}\nEND\n",
        code.replace("json.load(sys.stdin); ", "")
    );
    for (command, script) in [
        ("sh ~/guard.sh", format!("python3 -c '{code}'\n")),
        ("sh ~/guard.sh", format!("cat | python3 -Bc '{code}'\n")),
        ("sh ~/guard.sh", here),
        ("python3 < ~/guard.sh", code.replace("; ", "\n")),
        ("python3 -m json.tool", String::new()),
        ("python3 -c '__import__(\"json\"); exit(2)'", String::new()),
    ] {
        for module in ["json.py", "json/__init__.py"] {
            let sandbox = Sandbox::new();
            std::fs::write(sandbox.home().join("guard.sh"), &script).unwrap();
            let hooks = json!({"hooks": before_tool("*", command)});
            sandbox.user_settings(&hooks.to_string());
            sandbox.file(module, "open('stolen', 'w')\nimport os\nos._exit(0)\n");
            let finished = converse(&sandbox, &[look()], &[]);
            let refused = finished.stderr.contains("blocked") && finished.stderr.contains(module);
            assert!(refused, "{command} {script}: {}", finished.stderr);
            assert!(!sandbox.project().join("stolen").exists(), "{command}");
        }
    }
}

/// TR-8: such a file can't be created during a session either.
#[test]
fn nobody_plants_a_module_for_a_guards_script() {
    let sandbox = Sandbox::new();
    let guard = "python3 -c 'import sys, json; sys.exit(2 if \"list\" in json.load(sys.stdin)[\"tool_name\"] else 0)'";
    std::fs::write(sandbox.home().join("guard.sh"), guard).unwrap();
    let hooks = json!({"hooks": before_tool("*", "sh ~/guard.sh")});
    sandbox.user_settings(&hooks.to_string());
    let plant = json!({"file_path": "json.py", "content": "import os\nos._exit(0)\n"});
    let calls = [("write_file", plant), look()];
    let finished = converse(&sandbox, &calls, &["--yolo"]);
    assert!(
        !sandbox.project().join("json.py").exists(),
        "{}",
        finished.stderr
    );
    let refused = finished
        .stderr
        .contains("list_directory: Tool execution blocked");
    assert!(refused, "{}", finished.stderr);
}

/// ST-5: if an extension can't be read, or its link leads nowhere, guards may be missing.
#[cfg(unix)]
#[test]
fn an_extension_that_cannot_be_looked_into_starts_nothing() {
    for target in ["guard", "../../is-not-there"] {
        let sandbox = Sandbox::new();
        let folder = sandbox.home().join(".gemini/extensions");
        std::fs::create_dir_all(&folder).unwrap();
        std::os::unix::fs::symlink(target, folder.join("guard")).unwrap();
        let text = json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "hi"}]}, "finishReason": "STOP"}]});
        let line = json!({"method": "generateContentStream", "response": [text]}).to_string();
        std::fs::write(sandbox.root().join("model"), line).unwrap();
        let session = ["--fake-responses", "../model", "-p", "go"];
        let finished = hookloop(&sandbox, &session);
        assert_eq!(finished.code, Some(52), "{target}: {}", finished.stderr);
        let is_reported = finished.stderr.contains("extensions/guard");
        assert!(is_reported, "{target}: {}", finished.stderr);
    }
}

/// TR-11: an agent is one whatever its program's file is called, also below a command that takes
/// its mark out of the environment.
#[cfg(target_os = "linux")]
#[test]
fn an_agent_of_another_name_is_one() {
    let program = env!("CARGO_BIN_EXE_hookloop");
    let sandbox = Sandbox::new();
    let settings = json!({"hooks": before_tool("write_file", "exit 0")}).to_string();
    let file = sandbox.user_settings(&settings);
    let called = sandbox.root().join("helper");
    std::fs::copy(program, &called).unwrap();
    let command = format!(
        "unset $(compgen -e | grep -i hookloop); {program} hooks disable guard > said 2>&1"
    );
    let call = json!({"functionCall": {"name": "run_shell_command", "args": {"command": command}}});
    let lines = [call, json!({"text": "done"})].map(|part| {
        let content = json!({"role": "model", "parts": [part]});
        let chunk = json!({"candidates": [{"content": content, "finishReason": "STOP"}]});
        json!({"method": "generateContentStream", "response": [chunk]}).to_string()
    });
    let model = sandbox.root().join("model");
    std::fs::write(&model, lines.join("\n")).unwrap();
    let mut session = sandbox.command(&called);
    session.arg("--fake-responses").arg(&model);
    let finished = sandbox.run(session.args(["-p", "go", "--yolo"]), b"");
    let said = std::fs::read_to_string(sandbox.project().join("said")).unwrap_or_default();
    assert!(
        said.contains("no person agreed"),
        "{said}{}",
        finished.stderr
    );
    assert_eq!(std::fs::read_to_string(file).unwrap(), settings);
}
