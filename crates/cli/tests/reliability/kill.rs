//! `kill -9` at any moment of a session.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use hookloop_testkit::{Sandbox, SeededRng};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::history::tokens;
use crate::script::{Script, call};
use crate::world::{Running, hookloop, hooks, noted, noting, resume, run, scripted};

const ROUNDS: usize = 100;
/// How many rounds continue in parallel.
const BESIDE: usize = 4;
const ANSWERS: usize = 6;

/// Returns what the model does: it talks, writes a file, and runs two commands, again and again.
fn script() -> Script {
    let answers = (0..ANSWERS).fold(Script::new(), |script, number| {
        let write = json!({
            "file_path": format!("file-{number}"),
            "content": format!("tok-content-{number}"),
        });
        // The word that the model reads is in no call.
        let echo = |which: &str| {
            let command = format!("printf 'tok-%s-{number}-{which}' out");
            call(
                Some(&format!("{which}-{number}")),
                "run_shell_command",
                &json!({ "command": command }),
            )
        };
        script.answers(&[
            json!({"text": format!("tok-text-{number}")}),
            call(Some(&format!("write-{number}")), "write_file", &write),
            echo("one"),
            echo("two"),
        ])
    });
    answers.says("tok-done")
}

/// A project with hooks that its user trusts.
fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    let events = ["SessionStart", "BeforeModel", "BeforeTool"];
    let notes: Vec<_> = events.map(|it| (it, noting(&sandbox, it))).into();
    let notes: Vec<_> = notes.iter().map(|(event, it)| (*event, &**it)).collect();
    sandbox.project_settings(&hooks(&notes).to_string());
    let trusted = run(hookloop(&sandbox, &["hooks", "trust"]));
    assert_eq!(trusted.code, Some(0), "{}", trusted.stderr);
    sandbox
}

fn session(sandbox: &Sandbox) -> Command {
    let arguments = ["--yolo", "-o", "stream-json", "-p", "tok-prompt"];
    scripted(sandbox, &script(), &arguments)
}

/// What somebody has seen of a session, and so must not be lost.
#[derive(Debug, Default)]
struct Seen {
    session_id: Option<String>,
    words: BTreeSet<String>,
}

impl Seen {
    /// Records what was on standard output.
    fn on_output(&mut self, output: &str) {
        // A text counts when it is complete: that is when something else follows.
        let mut text = BTreeSet::new();
        for line in output.split_inclusive('\n').filter(|it| it.ends_with('\n')) {
            let event: Value = serde_json::from_str(line).unwrap();
            match event["type"].as_str().unwrap() {
                "init" => self.session_id = event["session_id"].as_str().map(str::to_owned),
                "message" if event["role"] == "assistant" => text.extend(tokens(line)),
                "tool_use" | "tool_result" => {
                    self.words.append(&mut text);
                    self.words.extend(tokens(line));
                }
                "result" => self.words.append(&mut text),
                _ => {}
            }
        }
    }

    /// Records what hooks read: the conversation as it went to the model, and calls.
    fn by_hooks(&mut self, sandbox: &Sandbox) {
        for (event, field) in [("BeforeModel", "llm_request"), ("BeforeTool", "tool_input")] {
            for input in noted(sandbox, event) {
                self.words.extend(tokens(&input[field].to_string()));
            }
        }
    }
}

/// When a session is killed.
#[derive(Debug, Clone, Copy)]
enum Moment {
    After(Duration),
    /// After this many lines on standard output.
    AtLine(usize),
}

fn moment(round: usize, seeded_rng: &mut SeededRng, whole: Duration) -> Moment {
    if round.is_multiple_of(2) {
        Moment::After(seeded_rng.time_below(whole))
    } else {
        let lines = u64::try_from(2 + ANSWERS * 10).unwrap();
        Moment::AtLine(1 + usize::try_from(seeded_rng.below(lines)).unwrap())
    }
}

/// Runs a session up to a moment, and returns what was on standard output.
fn killed_at(sandbox: &Sandbox, moment: Moment) -> String {
    let (tell, told) = mpsc::channel();
    let lines = AtomicUsize::new(0);
    let session = Running::watched(&mut session(sandbox), move |_| {
        let count = 1 + lines.fetch_add(1, Ordering::Relaxed);
        // Nobody reads after the kill.
        let _ = tell.send(count);
    });
    match moment {
        Moment::After(time) => thread::sleep(time),
        Moment::AtLine(line) => while told.recv().is_ok_and(|count| count < line) {},
    }
    session.signal(Signal::KILL);
    session.ends().stdout
}

/// Kills a session and continues with it, twice; returns whether there was something to lose.
fn round(moment: Moment) -> Result<bool, String> {
    let sandbox = project();
    let settings = sandbox.project().join(".gemini/settings.json");
    let configured = fs::read(&settings).unwrap();
    let output = killed_at(&sandbox, moment);
    let mut seen = Seen::default();
    seen.on_output(&output);
    seen.by_hooks(&sandbox);
    let Some(session_id) = &seen.session_id else {
        return Ok(false);
    };
    for prompt in ["tok-again", "tok-once-more"] {
        let resumed = resume(&sandbox, prompt)?;
        if resumed.session_id != *session_id {
            return Err("another session was gone on with".to_owned());
        }
        let kept = tokens(&resumed.request["contents"].to_string());
        let lost: Vec<_> = seen.words.difference(&kept).collect();
        if !lost.is_empty() {
            return Err(format!("lost {lost:?}"));
        }
        seen.words.insert(prompt.to_owned());
    }
    let starts = noted(&sandbox, "SessionStart");
    let resumes = starts.iter().filter(|it| it["source"] == "resume").count();
    if resumes != 2 {
        return Err(format!("SessionStart was told {starts:?}"));
    }
    let trace = run(hookloop(&sandbox, &["hooks", "trace", "--json"]));
    if trace.code != Some(0) {
        return Err(format!("the trace is broken: {}", trace.stderr));
    }
    if fs::read(&settings).unwrap() != configured {
        return Err("the settings changed".to_owned());
    }
    Ok(true)
}

/// SE-10, SE-11: a session that was killed at any moment continues with everything that was seen of
/// it: by readers of its output, and by its hooks. The hooks are still trusted, and traced.
#[test]
fn nothing_that_was_seen_is_lost_by_a_kill() {
    let seed = SeededRng::fresh_seed();
    let started = Instant::now();
    let whole = project();
    let finished = run(session(&whole));
    assert!(finished.stdout.contains("tok-done"), "{}", finished.stderr);
    let duration = started.elapsed();
    let mut seeded_rng = SeededRng::from_seed(seed);
    let moments: Vec<_> = (0..ROUNDS)
        .map(|round| moment(round, &mut seeded_rng, duration))
        .collect();
    let next = AtomicUsize::new(0);
    let failures = Arc::new(Mutex::new(Vec::new()));
    let with_something_to_lose = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..BESIDE {
            scope.spawn(|| {
                while let Some(moment) = moments.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match round(*moment) {
                        Ok(true) => drop(with_something_to_lose.fetch_add(1, Ordering::Relaxed)),
                        Ok(false) => {}
                        Err(why) => failures.lock().unwrap().push(format!("{moment:?}: {why}")),
                    }
                }
            });
        }
    });
    let failures = failures.lock().unwrap();
    let count = with_something_to_lose.into_inner();
    assert!(
        failures.is_empty(),
        "seed {seed}, {} of {ROUNDS} rounds failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert!(
        count > ROUNDS / 2,
        "only {count} sessions were killed midway"
    );
}
