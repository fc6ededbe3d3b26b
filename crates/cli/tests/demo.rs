//! `hookloop demo`, through the real program: its effects, and that it leaves nothing behind.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that can't be set up fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hookloop_testkit::{Finished, Sandbox, is_process_alive, wait_until};
use serde_json::Value;

/// Runs the demo with a scratch folder of the sandbox; an additional PATH replaces the usual one.
fn demo(sandbox: &Sandbox, arguments: &[&str], path: Option<&Path>) -> Finished {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    command
        .arg("demo")
        .args(arguments)
        .env("TMPDIR", scratch(sandbox));
    if let Some(path) = path {
        command.env("PATH", path);
    }
    sandbox.run(&mut command, b"")
}

fn scratch(sandbox: &Sandbox) -> PathBuf {
    let folder = sandbox.root().canonicalize().unwrap().join("scratch");
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn demo_json(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let finished = demo(sandbox, &[&["--json"], arguments].concat(), None);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    serde_json::from_str(&finished.stdout).unwrap()
}

fn texts<'a>(list: &'a Value, field: &str) -> Vec<&'a str> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|it| it[field].as_str().unwrap())
        .collect()
}

/// The events of a turn with one name.
fn events<'a>(turn: &'a Value, name: &str) -> Vec<&'a Value> {
    turn["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["event"] == name)
        .collect()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// IO-13, BT-1: the key is refused with the guard's reason, and the file on disk has none.
#[test]
fn the_key_never_reaches_the_disk() {
    let sandbox = Sandbox::new();
    let timeline = demo_json(&sandbox, &["--keep"]);
    let turn = &timeline["turns"][0];
    let calls = events(turn, "BeforeTool");
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0]["subject"], "write_file");
    assert_eq!(calls[0]["hooks"][0]["label"], "secret-guard");
    assert_eq!(calls[0]["hooks"][0]["result"], "refused");
    assert_eq!(calls[0]["outcome"]["verdict"], "refused");
    let reason = calls[0]["outcome"]["reason"].as_str().unwrap();
    assert!(reason.contains("an AWS access key"), "{reason}");
    assert_eq!(calls[1]["outcome"]["verdict"], "proceed");
    let result = turn["model_reads"][1]["results"][0].as_str().unwrap();
    assert!(
        result.contains(reason),
        "the model reads the reason: {result}"
    );
    let project = PathBuf::from(timeline["project_dir"].as_str().unwrap());
    let file = fs::read_to_string(project.join("upload.env")).unwrap();
    assert!(
        file.contains("AWS_ACCESS_KEY_ID=${AWS_ACCESS_KEY_ID}"),
        "{file}"
    );
    assert!(!file.contains("AKIA"), "{file}");
}

/// BT-3, BT-4: the rewritten command ran, not the model's, and the model is told.
#[test]
fn what_was_deleted_lies_in_the_trash() {
    let sandbox = Sandbox::new();
    let timeline = demo_json(&sandbox, &["--keep"]);
    let turn = &timeline["turns"][1];
    let call = events(turn, "BeforeTool")[0];
    assert_eq!(call["rewrites"][0]["field"], "command");
    assert_eq!(call["rewrites"][0]["before"], "rm -rf build");
    assert_eq!(
        turn["tools"][0]["arguments"]["command"],
        call["rewrites"][0]["after"]
    );
    let result = turn["model_reads"][1]["results"][0].as_str().unwrap();
    assert!(result.contains("A hook changed these parameters before the tool ran: command"));
    let project = PathBuf::from(timeline["project_dir"].as_str().unwrap());
    assert!(!project.join("build").exists());
    let receipt = fs::read_to_string(project.join(".trash/build/receipt.txt")).unwrap();
    assert_eq!(receipt, "2 things, 50 euros\n");
}

/// AM-2: what the redactor removed isn't in the response, and the transcript has the response as it
/// was shown. (The file that the model read is another matter: its result stays.)
#[test]
fn the_answer_is_shown_and_kept_redacted() {
    let sandbox = Sandbox::new();
    let timeline = demo_json(&sandbox, &["--keep"]);
    let turn = &timeline["turns"][2];
    let response = turn["response"].as_str().unwrap();
    assert!(response.contains("[e-mail address redacted]"), "{response}");
    assert!(response.contains("[card number redacted]"), "{response}");
    assert!(
        !response.contains("shop.example") && !response.contains("4111"),
        "{response}"
    );
    let project = PathBuf::from(timeline["project_dir"].as_str().unwrap());
    let transcript = transcript(&project.with_file_name("home"));
    let lines = transcript
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let by_model: Vec<String> = lines
        .filter(|line| line["content"]["role"] == "model")
        .map(|line| line.to_string())
        .collect();
    assert!(by_model.iter().any(|line| line.contains(response)));
    assert!(
        !by_model
            .iter()
            .any(|line| line.contains("shop.example") || line.contains("4111"))
    );
}

fn transcript(home: &Path) -> String {
    let projects = home.join(".local/state/hookloop/projects");
    let sessions = projects.join(&names(&projects)[0]).join("sessions");
    let mut files = names(&sessions).into_iter().map(|name| sessions.join(name));
    let is_transcript = |path: &PathBuf| path.extension().is_some_and(|it| it == "jsonl");
    fs::read_to_string(files.find(is_transcript).unwrap()).unwrap()
}

/// AA-1: the failing checks force a retry, and the program is right in the end.
#[test]
fn the_agent_retries_until_the_checks_pass() {
    let sandbox = Sandbox::new();
    let timeline = demo_json(&sandbox, &["--keep"]);
    let turn = &timeline["turns"][3];
    let gate = events(turn, "AfterAgent");
    let verdicts: Vec<_> = gate.iter().map(|it| &it["outcome"]["verdict"]).collect();
    assert_eq!(verdicts, ["refused", "proceed"]);
    assert_eq!(turn["retries"].as_array().unwrap().len(), 1);
    let reason = turn["retries"][0].as_str().unwrap();
    assert!(
        reason.contains("FAIL an order of exactly 100 costs 100: got 90"),
        "{reason}"
    );
    assert_eq!(
        events(turn, "BeforeAgent").len(),
        2,
        "it fires for the retry too"
    );
    assert_eq!(turn["end"], "completed");
    let project = PathBuf::from(timeline["project_dir"].as_str().unwrap());
    let finished = sandbox.run(&mut sandbox.command(project.join("check.sh")), b"");
    assert_eq!(finished.code, Some(0), "{}", finished.stdout);
}

/// BA-1, SS-1: the context of hooks is in what the model reads.
#[test]
fn the_model_reads_the_context() {
    let sandbox = Sandbox::new();
    let timeline = demo_json(&sandbox, &[]);
    assert_eq!(texts(&timeline["session_start"], "event"), ["SessionStart"]);
    let first = timeline["turns"][0]["model_reads"][0]["text"]
        .as_str()
        .unwrap();
    assert!(
        first.starts_with("<hook_context>Conventions of this project"),
        "{first}"
    );
    assert!(first.contains("Add upload.env"), "{first}");
    assert!(
        first.contains("Files: CONVENTIONS.md, NOTES.md, build"),
        "{first}"
    );
    let second = timeline["turns"][1]["model_reads"][0]["text"]
        .as_str()
        .unwrap();
    assert!(
        !second.contains("Conventions of"),
        "only the first prompt carries it: {second}"
    );
}

/// The timeline has every event of the story, and every field of the format; everything went as
/// expected.
#[test]
fn the_timeline_is_complete() {
    let sandbox = Sandbox::new();
    let timeline = demo_json(&sandbox, &[]);
    assert_eq!(timeline["schema_version"], 1);
    assert_eq!(timeline["command"], "demo");
    assert_eq!(timeline["project_dir"], Value::Null);
    assert_eq!(timeline["differences"], Value::Array(Vec::new()));
    let turns = timeline["turns"].as_array().unwrap();
    assert_eq!(turns.len(), 4);
    for name in ["BeforeAgent", "BeforeTool", "AfterModel", "AfterAgent"] {
        assert!(
            turns.iter().any(|turn| !events(turn, name).is_empty()),
            "{name}"
        );
    }
    for turn in turns {
        assert!(
            turn["effects"]
                .as_array()
                .unwrap()
                .iter()
                .all(|it| it["holds"] == true)
        );
        for event in turn["events"].as_array().unwrap() {
            for field in ["verdict", "decision", "reason", "changes", "action"] {
                assert!(event["outcome"].get(field).is_some(), "{field}");
            }
            for hook in event["hooks"].as_array().unwrap() {
                assert!(hook["duration_ms"].is_number());
                assert!(
                    hook["source"]["file"]
                        .as_str()
                        .unwrap()
                        .ends_with("settings.json")
                );
                assert!(hook["source"]["line"].is_number());
            }
        }
    }
    let totals = &timeline["totals"];
    assert_eq!(
        (&totals["refusals"], &totals["rewrites"]),
        (&2.into(), &3.into())
    );
    assert_eq!(totals["failures"], 0);
    let runs = totals["by_hook"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["runs"].as_u64().unwrap());
    assert_eq!(totals["hook_runs"].as_u64().unwrap(), runs.sum::<u64>());
}

/// The folder is deleted, and the user's home is neither read nor written: a hook there doesn't
/// run.
#[test]
fn nothing_is_left_and_nothing_of_the_user_is_touched() {
    let sandbox = Sandbox::new();
    let trace = sandbox.root().join("ran");
    sandbox.user_settings(&format!(
        r#"{{"hooks": {{"SessionStart": [{{"hooks": [{{"type": "command", "command": "touch {}"}}]}}]}}}}"#,
        trace.display()
    ));
    demo_json(&sandbox, &[]);
    assert!(!trace.exists());
    assert_eq!(names(sandbox.home()), [".gemini"]);
    assert_eq!(names(&sandbox.home().join(".gemini")), ["settings.json"]);
    assert_eq!(names(sandbox.project()), [".git"]);
    assert!(names(&scratch(&sandbox)).is_empty());
}

/// TR-4: `--keep` leaves the project, whose hooks are only trusted in the demo's own home.
#[test]
fn keep_leaves_a_project_to_play_with() {
    let sandbox = Sandbox::new();
    let finished = demo(&sandbox, &["--keep"], None);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let line = |start: &str| {
        let mut lines = finished.stdout.lines().map(str::trim);
        PathBuf::from(lines.find_map(|line| line.strip_prefix(start)).unwrap())
    };
    let (project, home) = (line("cd "), line("export GEMINI_CLI_HOME="));
    assert!(project.join(".trash/build").is_dir());
    let list = |home: Option<&Path>| {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
        command
            .args(["hooks", "list", "--json"])
            .current_dir(&project);
        command.envs(home.map(|home| ("GEMINI_CLI_HOME", home)));
        let finished = sandbox.run(&mut command, b"");
        let list: Value = serde_json::from_str(&finished.stdout).unwrap();
        assert_eq!(list["hooks"].as_array().unwrap().len(), 6);
        list
    };
    assert!(
        texts(&list(Some(&home))["hooks"], "status")
            .iter()
            .all(|it| *it == "enabled")
    );
    assert!(
        texts(&list(None)["hooks"], "status")
            .iter()
            .all(|it| *it == "untrusted")
    );
}

/// The text fits 80 columns, contains no colour if there is no terminal, and tells the story.
#[test]
fn the_text_is_readable() {
    let sandbox = Sandbox::new();
    let finished = demo(&sandbox, &[], None);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(finished.stderr, "");
    assert!(!finished.stdout.contains('\x1b'));
    for line in finished.stdout.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    for told in [
        "5 hooks, trusted for this demo",
        "✗ secret-guard",
        "- rm -rf build",
        "+ mkdir -p -- .trash && mv -- build .trash/build",
        "[e-mail address redacted]",
        "tries again",
        "✓ total.sh gives the discount above 100, not at 100",
        "hookloop demo --keep",
    ] {
        assert!(
            finished.stdout.contains(told),
            "{told}:\n{}",
            finished.stdout
        );
    }
}

/// IO-20: without Python its hooks can't start; the demo says so, and the bash ones still work.
#[test]
fn without_python_the_demo_says_so() {
    let sandbox = Sandbox::new();
    let programs = sandbox.root().join("programs");
    fs::create_dir(&programs).unwrap();
    for name in ["bash", "cat", "sed", "grep", "tail", "dirname", "rm"] {
        let folders = ["/bin", "/usr/bin"].map(|folder| Path::new(folder).join(name));
        let program = folders.into_iter().find(|it| it.exists()).unwrap();
        std::os::unix::fs::symlink(program, programs.join(name)).unwrap();
    }
    let finished = demo(&sandbox, &["--json"], Some(&programs));
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let timeline: Value = serde_json::from_str(&finished.stdout).unwrap();
    let differences = timeline["differences"].as_array().unwrap();
    assert_eq!(
        differences[0],
        "python3 couldn't be started for these hooks: project-context, redact, trash"
    );
    let failure = &events(&timeline["turns"][1], "BeforeTool")[0]["hooks"][1]["failure"];
    assert_eq!(failure["kind"], "not_started");
    assert!(
        timeline["turns"][0]["effects"]
            .as_array()
            .unwrap()
            .iter()
            .all(|it| it["holds"] == true)
    );
    assert_eq!(timeline["turns"][3]["retries"].as_array().unwrap().len(), 1);
    let text = demo(&sandbox, &[], Some(&programs)).stdout;
    assert!(text.contains("python3 isn't on the PATH"), "{text}");
    assert!(text.contains("What went differently"), "{text}");
    // The place and the cause of a failure are reported in full, and once.
    let whole = text.split_whitespace().collect::<String>();
    assert_eq!(
        whole.matches("settings.json:60:11):couldn'tstart").count(),
        1,
        "{text}"
    );
}

/// IO-33: Ctrl+C ends the running hook, the demo cleans up, and its exit code says why.
#[test]
fn an_interrupted_demo_leaves_nothing_running() {
    let sandbox = Sandbox::new();
    let programs = sandbox.root().join("programs");
    let started = sandbox.root().join("started");
    let hanging = format!(
        "#!/bin/sh\necho $$ > '{0}.new'\nmv '{0}.new' '{0}'\nexec sleep 600\n",
        started.display()
    );
    let script = sandbox.script("python3", &hanging);
    fs::create_dir(&programs).unwrap();
    fs::rename(script, programs.join("python3")).unwrap();
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    command.arg("demo").env("TMPDIR", scratch(&sandbox));
    command.env("PATH", format!("{}:/usr/bin:/bin", programs.display()));
    let child = command.stdout(Stdio::piped()).spawn().unwrap();
    wait_until("a hook runs", || started.exists());
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stdout).contains("The demo was interrupted."));
    let hook = fs::read_to_string(&started)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    wait_until("the hook has ended", || !is_process_alive(hook));
    assert!(names(&scratch(&sandbox)).is_empty());
}

/// If the folder can't be created, the demo fails, and says why.
#[test]
fn a_demo_that_can_not_be_set_up_fails() {
    let sandbox = Sandbox::new();
    let missing = sandbox.root().join("missing");
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_hookloop"));
    command.args(["demo", "--json"]).env("TMPDIR", &missing);
    let finished = sandbox.run(&mut command, b"");
    assert_eq!(finished.code, Some(1));
    let document: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(document["error"]["code"], "internal");
    let message = document["error"]["message"].as_str().unwrap();
    assert!(message.contains(&*missing.to_string_lossy()), "{message}");
}

/// CM-9: options that would have no effect are usage errors.
#[test]
fn options_without_effect_are_usage_errors() {
    let sandbox = Sandbox::new();
    for option in ["--no-hooks", "--skip-trust"] {
        let finished = demo(&sandbox, &[option], None);
        assert_eq!((finished.code, finished.stdout.as_str()), (Some(2), ""));
    }
}
