//! SIGINT of a headless session, whatever runs.

use std::io::Read as _;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use hookloop_testkit::Sandbox;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::situations::{
    EVENTS_OF_A_TURN, Situation, hook, mcp_call, mcp_start, model_answer, model_call, tool,
};
use crate::world::{Running, TIMEOUT, hookloop, nothing_is_left};

fn start(situation: &Situation) -> Running {
    let mut command = hookloop(&situation.sandbox, &[]);
    command.args(&situation.arguments);
    command.envs(
        situation
            .variables
            .iter()
            .map(|(name, value)| (name, value)),
    );
    command.args(["-o", "json", "-p", situation.prompt.unwrap_or("begin")]);
    let session = Running::start(command);
    situation.is_running();
    session
}

/// AG-CLI-4, IO-33, IO-34: whatever runs, a session that is interrupted ends with the code 130 and
/// a response for readers, and leaves no process.
#[test]
fn an_interrupted_session_leaves_nothing() {
    let others: [fn() -> Situation; 5] = [tool, mcp_call, mcp_start, model_call, model_answer];
    let events = ["SessionStart"].into_iter().chain(EVENTS_OF_A_TURN);
    // Nobody is told that a confirmation is needed if nobody can give it.
    let hooks = events.filter(|it| *it != "Notification").map(hook);
    let situations: Vec<Situation> = others.into_iter().map(|it| it()).chain(hooks).collect();
    thread::scope(|scope| {
        for situation in situations {
            scope.spawn(move || {
                let session = start(&situation);
                let started = Instant::now();
                session.signal(Signal::INT);
                let finished = session.ends();
                println!("{}: ended after {:?}", situation.name, started.elapsed());
                let place = format!("{}: {}", situation.name, finished.stderr);
                assert_eq!(finished.code, Some(130), "{place}");
                let answer: Value = serde_json::from_str(&finished.stdout)
                    .unwrap_or_else(|error| panic!("{error}: {place}"));
                assert!(answer["session_id"].is_string(), "{place}");
                nothing_is_left(&situation.sandbox);
            });
        }
    });
}

/// AG-CLI-4: so does one that is interrupted twice: it waits for nothing.
#[test]
fn a_second_interrupt_waits_for_nobody() {
    thread::scope(|scope| {
        for situation in [hook("BeforeTool"), tool(), mcp_call()] {
            scope.spawn(move || {
                let session = start(&situation);
                session.signal(Signal::INT);
                session.signal(Signal::INT);
                let finished = session.ends();
                let place = format!("{}: {}", situation.name, finished.stderr);
                assert_eq!(finished.code, Some(130), "{place}");
                nothing_is_left(&situation.sandbox);
            });
        }
    });
}

/// LO-4, AG-CLI-4: so does one whose reader takes nothing any more.
#[test]
fn an_unread_session_ends_when_it_is_interrupted() {
    let sandbox = Sandbox::new();
    let part = json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "word ".repeat(50_000)}]}}]});
    let line = json!({"method": "generateContentStream", "response": vec![part; 20]});
    std::fs::write(sandbox.root().join("answers.jsonl"), line.to_string()).unwrap();
    for signal in [Signal::INT, Signal::TERM] {
        let mut command = hookloop(&sandbox, &[]);
        command.arg("--fake-responses");
        command.arg(sandbox.root().join("answers.jsonl"));
        command.args(["-p", "begin"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut session = command.spawn().unwrap();
        // The answer has begun, and far more follows than a pipe holds.
        let mut started = [0; 4];
        session
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut started)
            .unwrap();
        assert_eq!(&started, b"word");
        rustix::process::kill_process(rustix::process::Pid::from_child(&session), signal).unwrap();
        let started = Instant::now();
        let ended = loop {
            if let Some(ended) = session.try_wait().unwrap() {
                break ended;
            }
            if started.elapsed() > TIMEOUT {
                session.kill().unwrap();
                panic!("it still waits for its reader");
            }
            thread::sleep(Duration::from_millis(5));
        };
        assert_eq!(ended.code(), Some(130));
        nothing_is_left(&sandbox);
    }
}

/// SE-2, IO-34: a hook of the end that doesn't want to end outlives the session up to its own
/// timeout, and no longer.
#[test]
fn a_stubborn_hook_of_the_end_ends() {
    let situation = hook("SessionEnd");
    let path = situation.sandbox.home().join(".gemini/settings.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let mut settings: Value = serde_json::from_str(&text).unwrap();
    settings["hooks"]["SessionEnd"][0]["hooks"][0]["timeout"] = "1500ms".into();
    situation.sandbox.user_settings(&settings.to_string());
    let finished = start(&situation).ends();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    nothing_is_left(&situation.sandbox);
}
