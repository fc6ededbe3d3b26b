//! The hooks under `examples/`, installed as their READMEs say, through the real program.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::fs;
use std::path::{Path, PathBuf};

use hookloop_testkit::{Finished, Sandbox};
use serde_json::{Value, json};

const HOOKS: [&str; 5] = [
    "project-context",
    "redact",
    "secret-guard",
    "test-gate",
    "trash",
];

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// A project with one example installed and trusted.
fn installed(name: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let folder = examples().join("hooks").join(name);
    sandbox.project_settings(&fs::read_to_string(folder.join("settings.json")).unwrap());
    let scripts = sandbox.project().join(".gemini/hooks");
    fs::create_dir_all(&scripts).unwrap();
    let script = script(&folder);
    fs::copy(&script, scripts.join(script.file_name().unwrap())).unwrap();
    assert_eq!(hookloop(&sandbox, &["hooks", "trust", name]).code, Some(0));
    sandbox
}

fn script(folder: &Path) -> PathBuf {
    let files = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let mut scripts = files.filter(|it| it.extension().is_some_and(|it| it == "sh" || it == "py"));
    scripts.next().unwrap()
}

fn hookloop(sandbox: &Sandbox, arguments: &[&str]) -> Finished {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    sandbox.run(command.args(arguments), b"")
}

/// Fires an event and returns the outcome.
fn fire(sandbox: &Sandbox, event: &str, input: &Value) -> Value {
    let text = input.to_string();
    let mut arguments = vec!["hooks", "fire", event, "--json", "--input", &text];
    if let Some(tool) = input["tool_name"].as_str() {
        arguments.extend(["--tool", tool]);
    }
    let finished = hookloop(sandbox, &arguments);
    let fired: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_ne!(fired["runs"], json!([]), "{}", finished.stdout);
    assert_eq!(
        fired["runs"][0]["failure"],
        Value::Null,
        "{}",
        finished.stdout
    );
    fired["outcome"].clone()
}

fn tool(name: &str, arguments: &Value) -> Value {
    json!({"tool_name": name, "tool_input": arguments})
}

/// CM-3: every example is complete: settings without a fault, the script, a README; and every
/// example is in the table.
#[test]
fn every_example_is_complete() {
    let mut found: Vec<_> = fs::read_dir(examples().join("hooks"))
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    assert_eq!(found, HOOKS);
    let table = fs::read_to_string(examples().join("README.md")).unwrap();
    for name in HOOKS {
        assert!(table.contains(&format!("(hooks/{name}/)")), "{name}");
        assert!(
            examples()
                .join("hooks")
                .join(name)
                .join("README.md")
                .is_file()
        );
        let sandbox = installed(name);
        sandbox.script("check.sh", "#!/bin/sh\n");
        let checked = hookloop(&sandbox, &["hooks", "check", "--strict", "--json"]);
        let document: Value = serde_json::from_str(&checked.stdout).unwrap();
        assert_eq!(document["diagnostics"], json!([]), "{name}");
        assert_eq!(checked.code, Some(0), "{name}");
        let listed = hookloop(&sandbox, &["hooks", "list", "--json"]);
        let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
        for hook in listed["hooks"].as_array().unwrap() {
            assert_eq!(
                (&hook["label"], &hook["status"]),
                (&json!(name), &json!("enabled"))
            );
        }
    }
}

/// The demo's settings contain what the examples do.
#[test]
fn the_demo_is_made_of_the_examples() {
    let read = |path: PathBuf| -> Value {
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    };
    let demo = read(examples().join("demo/project/.gemini/settings.json"));
    let commands = |settings: &Value| {
        let mut commands = Vec::new();
        for (event, groups) in settings["hooks"].as_object().unwrap() {
            for group in groups.as_array().unwrap() {
                for hook in group["hooks"].as_array().unwrap() {
                    let parts = [
                        &group["matcher"],
                        &hook["name"],
                        &hook["command"],
                        &hook["description"],
                    ];
                    commands.push(format!("{event} {parts:?}"));
                }
            }
        }
        commands.sort();
        commands
    };
    let mut separate: Vec<String> = HOOKS
        .iter()
        .flat_map(|name| {
            commands(&read(
                examples().join("hooks").join(name).join("settings.json"),
            ))
        })
        .collect();
    separate.sort();
    assert_eq!(commands(&demo), separate);
}

/// IO-13: the guard refuses keys, says what it found, and lets everything else pass.
#[test]
fn the_guard_refuses_keys() {
    let sandbox = installed("secret-guard");
    for (secret, told) in [
        ("AKIAIOSFODNN7EXAMPLE".to_owned(), "an AWS access key"),
        (format!("ghp_{}", "a1".repeat(18)), "a GitHub token"),
        (format!("x = \"sk-{}\"", "b2".repeat(20)), "an API key"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\n".to_owned(),
            "a private key",
        ),
    ] {
        let file = json!({"file_path": "a", "content": format!("line\n{secret}\nline")});
        let outcome = fire(&sandbox, "BeforeTool", &tool("write_file", &file));
        assert_eq!(outcome["verdict"], "refused", "{secret}");
        assert!(
            outcome["reason"].as_str().unwrap().contains(told),
            "{secret}: {outcome}"
        );
    }
    let harmless = json!({"command": "echo ${AWS_ACCESS_KEY_ID} task-force sk-short AKIA"});
    let outcome = fire(
        &sandbox,
        "BeforeTool",
        &tool("run_shell_command", &harmless),
    );
    assert_eq!(outcome["verdict"], "proceed");
}

/// BT-1: a key may be removed from a file, but none added by the same call.
#[test]
fn the_guard_lets_keys_be_removed() {
    let sandbox = installed("secret-guard");
    let edit = |old: &str, new: &str| {
        let edit = json!({"file_path": "a", "old_string": old, "new_string": new});
        fire(&sandbox, "BeforeTool", &tool("replace", &edit))["verdict"].clone()
    };
    assert_eq!(edit("k = \"AKIAIOSFODNN7EXAMPLE\"\n", "k = env"), "proceed");
    assert_eq!(edit("k = env", "k = \"AKIAIOSFODNN7EXAMPLE\""), "refused");
    let disguised = "\"old_string\":\"AKIAIOSFODNN7EXAMPLE\"";
    assert_eq!(edit("k = env", disguised), "refused");
}

/// BT-3, BT-5: `rm` becomes a move; what is unclear is asked, what is outside refused.
#[test]
fn the_trash_takes_what_rm_would_delete() {
    let sandbox = installed("trash");
    sandbox.file("my file", "x");
    sandbox.file(".trash/my file", "an older one");
    let outcome = |command: &str| {
        fire(
            &sandbox,
            "BeforeTool",
            &tool("run_shell_command", &json!({"command": command})),
        )
    };
    let rewritten = outcome("rm -f 'my file' missing");
    assert_eq!(rewritten["verdict"], "proceed");
    assert_eq!(
        rewritten["changes"]["tool_input"]["command"],
        "mkdir -p -- .trash && mv -- 'my file' '.trash/my file-2'"
    );
    for command in ["ls -l", "rm missing", "echo farm; npm run rmx"] {
        assert_eq!(outcome(command)["changes"], json!({}), "{command}");
        assert_eq!(outcome(command)["decision"], Value::Null, "{command}");
    }
    for command in [
        "rm -rf *",
        "cd /tmp && rm x",
        "rm \"$X\"",
        "sudo rm x",
        "find . | xargs rm",
    ] {
        assert_eq!(outcome(command)["decision"], "ask", "{command}");
    }
    for command in [
        "rm -rf /",
        "rm -rf ..",
        "rm -rf .",
        "rm -rf .trash",
        "rm /etc/passwd",
    ] {
        assert_eq!(outcome(command)["decision"], "deny", "{command}");
    }
}

/// BA-1, SS-1: the model is told the conventions at the start, and the current state at a prompt.
#[test]
fn the_context_is_that_of_the_project() {
    let sandbox = installed("project-context");
    let start = fire(&sandbox, "SessionStart", &json!({}));
    assert_eq!(
        start["additional_context"],
        Value::Null,
        "there are no conventions"
    );
    sandbox.file("CONVENTIONS.md", "Be brief.\n");
    let start = fire(&sandbox, "SessionStart", &json!({}));
    let context = start["additional_context"].as_str().unwrap();
    assert!(context.ends_with("\nBe brief."), "{context}");
    // The sandbox's .git isn't a repository, so git can say nothing.
    let prompt = fire(&sandbox, "BeforeAgent", &json!({}));
    assert_eq!(prompt["additional_context"], "Files: CONVENTIONS.md");
}

/// AM-2, AM-5: addresses, cards and tokens are removed, including the end of one that began in
/// another chunk.
#[test]
fn the_redactor_takes_out_what_is_private() {
    let sandbox = installed("redact");
    let text = |before: &str, chunk: &str| {
        let input = json!({"content": chunk, "full_content": format!("{before}{chunk}")});
        fire(&sandbox, "AfterModel", &input)["changes"]["llm_response"]["text"].clone()
    };
    assert_eq!(
        text("", "To a.b@c.example, or not."),
        "To [e-mail address redacted], or not."
    );
    assert_eq!(text("", "4111 1111 1111 1111!"), "[card number redacted]!");
    assert_eq!(text("", "AKIAIOSFODNN7EXAMPLE"), "[token redacted]");
    assert_eq!(
        text("write to ana@exa", "mple.com."),
        "[e-mail address redacted]."
    );
    assert_eq!(
        text("ana@example.com was here. ", "4111 1111 1111 1112"),
        Value::Null
    );
}

/// AA-1: the gate lets the agent finish if the checks pass, and otherwise says what is wrong.
#[test]
fn the_gate_opens_when_the_checks_pass() {
    let sandbox = installed("test-gate");
    sandbox.script("check.sh", "#!/bin/sh\nexit 0\n");
    assert_eq!(
        fire(&sandbox, "AfterAgent", &json!({}))["verdict"],
        "proceed"
    );
    sandbox.script(
        "check.sh",
        "#!/bin/sh\necho \"it is \\\"wrong\\\"\" >&2\nexit 7\n",
    );
    let outcome = fire(&sandbox, "AfterAgent", &json!({}));
    assert_eq!(outcome["verdict"], "refused");
    assert!(
        outcome["reason"]
            .as_str()
            .unwrap()
            .ends_with("it is \"wrong\""),
        "{outcome}"
    );
}
