//! The example does what its page says.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that can't go on fails"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

struct Folders {
    project: TempDir,
    home: TempDir,
}

impl Folders {
    fn new() -> Self {
        Self {
            project: tempfile::tempdir().unwrap(),
            home: tempfile::tempdir().unwrap(),
        }
    }

    fn run(&self) -> Output {
        Command::new(env!("CARGO_BIN_EXE_hookloop-example-embed"))
            .args([self.project.path(), self.home.path()])
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .output()
            .expect("the example starts")
    }

    fn log(&self) -> Vec<Value> {
        let log = fs::read_to_string(self.project.path().join("deploy.log")).unwrap_or_default();
        log.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

fn configure(folder: &Path, command: &str) {
    let settings = json!({"hooks": {"BeforeTool": [
        {"matcher": "run_shell_command", "hooks": [{"type": "command", "command": command}]}]}});
    fs::create_dir_all(folder.join(".gemini")).unwrap();
    fs::write(folder.join(".gemini/settings.json"), settings.to_string()).unwrap();
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// BT-1, BT-3, IO-1: the user's hook rewrites the first step, the host's own rule refuses the
/// second one, and only what is cleared is run.
#[test]
fn only_what_hooks_clear_is_run() {
    let folders = Folders::new();
    let seen = folders.home.path().join("seen.json");
    let reply = json!({"systemMessage": "be careful",
        "hookSpecificOutput": {"tool_input": {"dry_run": true}}});
    configure(
        folders.home.path(),
        &format!("cat >> '{}'; echo '{reply}'", seen.display()),
    );
    let output = folders.run();
    let text = text(&output);
    assert!(output.status.success(), "{text}");
    let ran = json!({"command": "./migrate", "target": "staging", "dry_run": true});
    assert_eq!(folders.log(), [ran]);
    assert!(text.contains("hooks changed dry_run\n"), "{text}");
    assert!(text.contains("says: be careful\n"), "{text}");
    let denied = "./deploy production: denied: production is frozen until Monday\n";
    assert!(text.contains(denied), "{text}");
    let payloads = fs::read_to_string(seen).unwrap();
    let payloads: Vec<Value> = serde_json::Deserializer::from_str(&payloads)
        .into_iter()
        .collect::<Result<_, _>>()
        .unwrap();
    let targets: Vec<&Value> = payloads
        .iter()
        .map(|it| &it["tool_input"]["target"])
        .collect();
    assert_eq!(targets, ["staging", "production"]);
}

/// TR-2: a hook that the project brings does not run before somebody trusts it, and that is said.
#[test]
fn an_untrusted_hook_does_not_run_and_is_named() {
    let folders = Folders::new();
    let touched = folders.project.path().join("touched");
    configure(
        folders.project.path(),
        &format!("touch '{}'", touched.display()),
    );
    let output = folders.run();
    let text = text(&output);
    assert!(!touched.exists());
    assert!(text.contains("is skipped: not trusted yet"), "{text}");
    assert!(text.contains("untrusted_hook"), "{text}");
    assert_eq!(folders.log().len(), 1);
}

/// IO-13, IO-21: a hook that refuses by its exit code is obeyed; one that fails is reported.
#[test]
fn refusals_and_failures_are_shown() {
    let folders = Folders::new();
    configure(folders.home.path(), "echo 'not on a Friday' >&2; exit 2");
    let output = folders.run();
    assert!(text(&output).contains("./migrate staging: denied: not on a Friday\n"));
    assert!(folders.log().is_empty());

    let folders = Folders::new();
    configure(folders.home.path(), "exit 3");
    let output = folders.run();
    assert!(text(&output).contains("exit code 3"));
    assert!(text(&output).contains("settings.json:1:"));
    assert_eq!(folders.log().len(), 1, "a failure isn't a refusal");

    let folders = Folders::new();
    configure(folders.home.path(), "no-such-program-at-all");
    let output = folders.run();
    let text = text(&output);
    assert!(text.contains("could not start"), "{text}");
    assert!(
        folders.log().is_empty(),
        "a guard that took no look lets nothing through"
    );
}

/// BT-7, SE-1: a stop ends the bot before its next step, and the session with it.
#[test]
fn a_stop_ends_the_bot() {
    let folders = Folders::new();
    let ended = folders.home.path().join("ended");
    let stop = r#"echo '{"continue": false, "stopReason": "enough"}'"#;
    let settings = json!({"hooks": {
        "BeforeTool": [{"hooks": [{"type": "command", "command": stop}]}],
        "SessionEnd": [{"hooks": [{"type": "command",
            "command": format!("cat > '{}'", ended.display())}]}],
    }});
    fs::create_dir_all(folders.home.path().join(".gemini")).unwrap();
    let file = folders.home.path().join(".gemini/settings.json");
    fs::write(file, settings.to_string()).unwrap();
    let output = folders.run();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("./migrate staging: stopped: enough"));
    assert!(folders.log().is_empty());
    let payload: Value = serde_json::from_slice(&fs::read(ended).unwrap()).unwrap();
    assert_eq!(payload["reason"], "other");
}
