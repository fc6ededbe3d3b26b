//! The hosts do what their page says.
#![cfg(all(unix, feature = "trace"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that can't go on fails"
)]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

const MINIMAL: &str = env!("CARGO_BIN_EXE_minimal");
const TOOL_SERVER: &str = env!("CARGO_BIN_EXE_tool-server");
const CHAT_LOOP: &str = env!("CARGO_BIN_EXE_chat-loop");
const CI_JOB: &str = env!("CARGO_BIN_EXE_ci-job");
const WHY: &str = env!("CARGO_BIN_EXE_why");

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

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .arg(self.project.path())
            .args(arguments)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.home.path())
            .env(
                "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
                self.home.path().join("system.json"),
            )
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, program: &str, arguments: &[&str], input: &str) -> Output {
        let mut child = self.command(program, arguments).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // Who refuses at once reads nothing.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        child.wait_with_output().unwrap()
    }

    fn home(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }
}

fn configure(folder: &Path, event: &str, command: &str) {
    let settings = json!({"hooks": {event: [{"hooks": [
        {"type": "command", "name": "guard", "command": command}]}]}});
    fs::create_dir_all(folder.join(".gemini")).unwrap();
    fs::write(folder.join(".gemini/settings.json"), settings.to_string()).unwrap();
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn shown(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    let text = out(output);
    text.lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect()
}

fn note(id: &str, text: &str) -> String {
    json!({"id": id, "name": "write_note", "arguments": {"text": text}}).to_string() + "\n"
}

/// BT-1, TR-2: the minimal host runs a command that hooks cleared, no other, and names a hook that
/// doesn't run.
#[test]
fn the_minimal_host_runs_what_is_cleared() {
    let folders = Folders::new();
    let hook = "if grep -q push; then echo open a pull request >&2; exit 2; fi";
    configure(folders.home.path(), "BeforeTool", hook);
    configure(folders.project.path(), "BeforeTool", "exit 2");
    let output = folders.run(MINIMAL, &["git status"], "");
    assert_eq!(out(&output), "running \"git status\"\n");
    assert!(
        shown(&output).contains("nobody has trusted it"),
        "{}",
        shown(&output)
    );
    let output = folders.run(MINIMAL, &["git push"], "");
    assert!(!output.status.success());
    assert_eq!(out(&output), "");
    assert!(shown(&output).contains("refused: open a pull request"));
}

/// IO-20, OUT-9: the minimal host reports a hook that fails, with its place, and no hook can move
/// the cursor of the terminal.
#[test]
fn the_minimal_host_reports_what_had_no_effect() {
    let folders = Folders::new();
    let hook = "printf 'no\\033[2Kmatch' >&2; exit 1";
    configure(folders.home.path(), "BeforeTool", hook);
    let output = folders.run(MINIMAL, &["git status"], "");
    assert_eq!(out(&output), "running \"git status\"\n");
    let shown = shown(&output);
    assert!(shown.contains("settings.json:1:"), "{shown}");
    assert!(shown.contains("no\\u{1b}[2Kmatch"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown}");
}

/// BT-1, BT-3, IO-1: the tool server carries out what hooks let through, as they rewrote it, and
/// says why it refuses the rest.
#[test]
fn the_tool_server_carries_out_what_is_cleared() {
    let folders = Folders::new();
    let reply = json!({"systemMessage": "be careful",
        "hookSpecificOutput": {"tool_input": {"text": "rewritten"}}});
    let hook = format!("if grep -q secret; then echo no secrets >&2; exit 2; fi; echo '{reply}'");
    configure(folders.home.path(), "BeforeTool", &hook);
    let input = note("1", "plain") + &note("2", "a secret");
    let output = folders.run(TOOL_SERVER, &[], &input);
    assert!(output.status.success(), "{}", shown(&output));
    let answered = [
        json!({"id": "1", "result": "noted: rewritten"}),
        json!({"id": "2", "refused": "no secrets"}),
    ];
    assert_eq!(lines(&output), answered);
    assert!(shown(&output).contains("Hook \"guard\" says: be careful"));
}

/// AT-1: a result that hooks withhold doesn't leave the tool server.
#[test]
fn the_tool_server_withholds_results() {
    let folders = Folders::new();
    let hook = "echo not for you >&2; exit 2";
    configure(folders.home.path(), "AfterTool", hook);
    let output = folders.run(TOOL_SERVER, &[], &note("1", "inner words"));
    assert_eq!(
        lines(&output),
        [json!({"id": "1", "refused": "not for you"})]
    );
    assert!(!out(&output).contains("inner words"));
}

/// AT-1, AT-2: what hooks want the model to read goes with the result, and with a refusal.
#[test]
fn the_tool_server_passes_context_on() {
    let folders = Folders::new();
    let hook = "echo '{\"hookSpecificOutput\": {\"additionalContext\": \"be brief\"}}'";
    configure(folders.home.path(), "AfterTool", hook);
    let output = folders.run(TOOL_SERVER, &[], &note("1", "plain"));
    let context = "<hook_context>be brief</hook_context>";
    assert_eq!(
        lines(&output),
        [json!({"id": "1", "result": format!("noted: plain\n{context}")})]
    );
    let hook = "echo '{\"decision\": \"deny\", \"reason\": \"no\", \
        \"hookSpecificOutput\": {\"additionalContext\": \"be brief\"}}'";
    configure(folders.home.path(), "AfterTool", hook);
    let output = folders.run(TOOL_SERVER, &[], &note("1", "plain"));
    assert_eq!(
        lines(&output),
        [json!({"id": "1", "refused": format!("no\n{context}")})]
    );
}

/// TR-2: a hook that the project brings doesn't run before somebody trusts it, and that is said.
#[test]
fn an_untrusted_hook_does_not_run_and_is_named() {
    let folders = Folders::new();
    let touched = folders.home("touched");
    let hook = format!("touch '{}'", touched.display());
    configure(folders.project.path(), "BeforeTool", &hook);
    let output = folders.run(TOOL_SERVER, &[], &note("1", "plain"));
    assert!(!touched.exists());
    let shown = shown(&output);
    assert!(shown.contains("doesn't run: not trusted yet"), "{shown}");
    assert_eq!(lines(&output).len(), 1);
}

/// BA-1, BA-2, AA-1: the chat loop lets hooks judge prompts and answers.
#[test]
fn the_chat_loop_lets_hooks_judge() {
    let folders = Folders::new();
    configure(
        folders.home.path(),
        "BeforeAgent",
        "if grep -q password; then echo no passwords >&2; exit 2; fi",
    );
    let output = folders.run(CHAT_LOOP, &[], "abc\nmy password\n\nnot read\n");
    assert!(output.status.success(), "{}", shown(&output));
    assert_eq!(out(&output), "cba\n");
    assert!(shown(&output).contains("refused: no passwords"));
    // An answer that is rejected is tried again, with the reason as the prompt.
    let folders = Folders::new();
    configure(
        folders.home.path(),
        "AfterAgent",
        "if grep -q cba; then echo xyz >&2; exit 2; fi",
    );
    let output = folders.run(CHAT_LOOP, &[], "abc\n");
    assert_eq!(out(&output), "zyx\n", "{}", shown(&output));
}

/// SS-1, SS-4: the model reads what hooks say when the session starts, and a hook that ends the run
/// then has ended it.
#[test]
fn the_chat_loop_obeys_the_start_of_its_session() {
    let folders = Folders::new();
    let hook = "echo '{\"hookSpecificOutput\": {\"additionalContext\": \"be brief\"}}'";
    configure(folders.home.path(), "SessionStart", hook);
    let output = folders.run(CHAT_LOOP, &[], "abc\nabc\n");
    let backwards: String = "abc\n<hook_context>be brief</hook_context>"
        .chars()
        .rev()
        .collect();
    assert_eq!(out(&output), format!("{backwards}\ncba\n"));

    let reply = "{\"continue\": false, \"stopReason\": \"not today\"}";
    let hook =
        json!({"type": "command", "dialect": "claude-code", "command": format!("echo '{reply}'")});
    let settings = json!({"hooks": {"SessionStart": [{"hooks": [hook]}]}});
    let file = folders.home.path().join(".gemini/settings.json");
    fs::write(file, settings.to_string()).unwrap();
    let output = folders.run(CHAT_LOOP, &[], "abc\n");
    assert!(!output.status.success());
    assert_eq!(out(&output), "");
    assert!(shown(&output).contains("not today"), "{}", shown(&output));
}

/// CM-4, CM-6: what would run and what ran can be asked for, by another program, too.
#[test]
fn runs_are_recorded_and_explained() {
    let folders = Folders::new();
    configure(folders.home.path(), "BeforeTool", "echo no >&2; exit 2");
    configure(folders.project.path(), "BeforeTool", "true");
    folders.run(CI_JOB, &["staging", "build"], "");
    let output = folders.run(WHY, &["run_shell_command"], "");
    let text = out(&output);
    assert!(text.contains("guard runs\n"), "{text}");
    assert!(
        text.contains("guard doesn't run\n  not trusted yet"),
        "{text}"
    );
    assert!(text.contains("guard: refused no\n"), "{text}");
    // The job's own hook is recorded like any other.
    assert!(text.contains("change-freeze: "), "{text}");
}

/// EV-5: a prompt that is given up while hooks judge it has no answer, and the loop continues.
#[test]
fn a_prompt_that_is_given_up_has_no_answer() {
    let folders = Folders::new();
    let judging = folders.home("judging");
    configure(
        folders.home.path(),
        "BeforeAgent",
        &format!(
            "if grep -q slow; then touch '{}'; exec sleep 60; fi",
            judging.display()
        ),
    );
    let mut child = folders.command(CHAT_LOOP, &[]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"slow\nabc\n").unwrap();
    drop(stdin);
    let began = Instant::now();
    while !judging.exists() {
        assert!(began.elapsed() < Duration::from_secs(30), "the hook runs");
        std::thread::sleep(Duration::from_millis(5));
    }
    let number = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &number]).status();
    assert!(sent.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(out(&output), "cba\n", "{}", shown(&output));
    assert!(shown(&output).contains("given up"), "{}", shown(&output));
}

/// BT-1, IO-13, IO-21: the CI job takes the steps that hooks let through, and stops at the first
/// that they refuse; its own rule is a hook like any other one.
#[test]
fn the_ci_job_stops_at_a_refusal() {
    let folders = Folders::new();
    let output = folders.run(CI_JOB, &["staging", "./migrate", "./deploy"], "");
    assert!(output.status.success(), "{}", shown(&output));
    assert_eq!(out(&output).lines().count(), 2);
    let output = folders.run(CI_JOB, &["production", "./migrate", "./deploy"], "");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(out(&output), "");
    let refused = "./migrate on production: refused: production is frozen until Monday";
    assert!(shown(&output).contains(refused), "{}", shown(&output));
    configure(
        folders.home.path(),
        "BeforeTool",
        "grep -q deploy && exit 2; exit 0",
    );
    let output = folders.run(CI_JOB, &["staging", "./migrate", "./deploy"], "");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(out(&output).lines().count(), 1);
}

/// ST-5, IO-21: the CI job runs nothing where a guard may be missing.
#[test]
fn the_ci_job_runs_nothing_without_its_guards() {
    let folders = Folders::new();
    fs::create_dir_all(folders.home(".gemini")).unwrap();
    for settings in [
        "{ broken",
        r#"{"hooks": {"BeforeTol": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#,
    ] {
        fs::write(folders.home(".gemini/settings.json"), settings).unwrap();
        let output = folders.run(CI_JOB, &["staging", "./migrate"], "");
        assert_eq!(output.status.code(), Some(1), "{settings}");
        assert_eq!(out(&output), "", "{settings}");
        let shown = shown(&output);
        assert!(shown.contains("settings.json:1:"), "{settings}: {shown}");
    }
    configure(folders.home.path(), "BeforeTool", "no-such-program-at-all");
    let output = folders.run(CI_JOB, &["staging", "./migrate"], "");
    assert_eq!(out(&output), "", "who took no look lets nothing through");
}
