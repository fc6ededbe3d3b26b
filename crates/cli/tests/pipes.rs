//! Pipes in the place of files, and standard input without an end: nothing is waited for forever,
//! and nothing that refuses is lost (AG-CLI-3, TO-6, TR-10).
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]

use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;

use hookloop_testkit::Sandbox;
use serde_json::{Value, json};

/// A model that answers with each of these parts in turn.
fn answers(sandbox: &Sandbox, parts: &[Value]) -> PathBuf {
    let line = |part: &Value| {
        let chunk = json!({"candidates": [{
            "content": {"role": "model", "parts": [part]},
            "finishReason": "STOP",
        }]});
        json!({"method": "generateContentStream", "response": [chunk]}).to_string()
    };
    let lines: Vec<String> = parts.iter().map(line).collect();
    let file = sandbox.root().join("answers.jsonl");
    std::fs::write(&file, lines.join("\n")).unwrap();
    file
}

/// AG-CLI-3: standard input that never ends isn't read for ever, and no part of it is sent.
#[test]
fn endless_input_is_refused() {
    let sandbox = Sandbox::new();
    let answers = answers(&sandbox, &[json!({"text": "Done."})]);
    let prompts = sandbox.root().join("prompts");
    let noting = format!("cat >> '{}'", prompts.display());
    let hook = json!({"type": "command", "name": "noting", "command": noting});
    let hooks = json!({"hooks": {"BeforeAgent": [{"hooks": [hook]}]}});
    sandbox.user_settings(&hooks.to_string());
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    command.arg("--fake-responses").arg(&answers);
    command.args(["-o", "json", "-p", "hi"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut reading = command.spawn().unwrap();
    let mut input = reading.stdin.take().unwrap();
    let endless = std::thread::spawn(move || while input.write_all(&[b'y'; 4096]).is_ok() {});
    let output = reading.wait_with_output().unwrap();
    endless.join().unwrap();
    assert_eq!(output.status.code(), Some(42));
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(object["error"]["code"], 42);
    assert!(!prompts.exists(), "a part of the input was a prompt");
}

/// TO-6: the rules of a pipe that the command names are obeyed: it has its content only once.
#[test]
fn rules_from_a_pipe_refuse() {
    let sandbox = Sandbox::new();
    let call =
        json!({"functionCall": {"name": "run_shell_command", "args": {"command": "touch ran"}}});
    let answers = answers(&sandbox, &[call, json!({"text": "Done."})]);
    let rule = |decision: &str| {
        format!("[[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"{decision}\"\n")
    };
    // An empty pipe may have been read by somebody else.
    let cases = [
        (rule("deny"), 0, false),
        (String::new(), 52, false),
        (rule("allow"), 0, true),
    ];
    for (rules, code, runs) in cases {
        let mut command = sandbox.command("sh");
        let piped = "printf '%s' \"$1\" | { exec 3<&0 </dev/null; shift; exec \"$@\"; }";
        command.args(["-c", piped, "sh", &rules]);
        command.args([env!("CARGO_BIN_EXE_hookloop"), "--fake-responses"]);
        command.arg(&answers);
        command.args(["--policy", "/dev/fd/3", "-p", "hi"]);
        let finished = sandbox.run(&mut command, b"");
        assert_eq!(finished.code, Some(code), "{}", finished.stderr);
        assert_eq!(sandbox.project().join("ran").exists(), runs, "{rules}");
    }
}

/// TR-10: a pipe in the place of a file is never waited for: where a guard or a key may be in it,
/// no session starts; elsewhere it is reported or left out.
#[test]
fn a_pipe_instead_of_a_file_is_not_waited_for() {
    let refused = "it isn't a regular file";
    let session: &[&str] = &["-p", "hi"];
    let cases: [(&str, &[&str], i32); 6] = [
        (".gemini/.env", session, 52),
        (".gemini/policies/rules.toml", session, 52),
        (".gemini/policies/rules.toml", &["hooks", "check"], 1),
        (".gemini/settings.json", session, 52),
        (".gemini/extensions/e/gemini-extension.json", session, 0),
        (
            ".gemini/extensions/e/gemini-extension.json",
            &["extensions", "list"],
            0,
        ),
    ];
    for (place, arguments, code) in cases {
        let sandbox = Sandbox::new();
        let pipe = sandbox.home().join(place);
        std::fs::create_dir_all(pipe.parent().unwrap()).unwrap();
        drop(std::fs::remove_file(&pipe));
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
        // A scripted model needs no key, so the file with the key wouldn't be read.
        command.env("OPENAI_BASE_URL", "http://127.0.0.1:9/v1");
        command.env("OPENAI_MODEL", "none");
        let answers = answers(&sandbox, &[json!({"text": "Done."})]);
        if arguments == session && code == 0 {
            command.arg("--fake-responses").arg(&answers);
        }
        command.args(arguments);
        let finished = sandbox.run(&mut command, b"");
        let said = format!("{}{}", finished.stdout, finished.stderr);
        assert_eq!(finished.code, Some(code), "{place} {arguments:?}: {said}");
        assert!(said.contains(refused), "{place} {arguments:?}: {said}");
    }
}
