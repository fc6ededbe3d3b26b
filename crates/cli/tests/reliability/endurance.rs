//! A session of a thousand tool calls, with hooks on every event.

use std::fs;

use hookloop_testkit::{Sandbox, private_bytes, puppet};
use serde_json::{Value, json};

use crate::script::{Script, call};
use crate::world::{files, hookloop, hooks, run, scripted};

/// How many calls there are, and how many a response requests.
const CALLS: usize = 1000;
const IN_ONE: usize = 50;

/// When the memory is measured, in calls.
const WARM: usize = 200;

/// How much a call may add to the memory of a session: its text and result stay in the history, and
/// that is well below this.
const BYTES_OF_A_CALL: u64 = 4 * 1024;

/// How large the trace may become: fewer than a thousand calls fit.
const TRACE_BYTES: u64 = 1024 * 1024;

const EVENTS: [&str; 11] = [
    "SessionStart",
    "SessionEnd",
    "BeforeAgent",
    "AfterAgent",
    "BeforeModel",
    "AfterModel",
    "BeforeToolSelection",
    "BeforeTool",
    "AfterTool",
    "PreCompress",
    "Notification",
];

/// Measures the session from inside: the shell's parent is the session.
fn measure(name: &str) -> Value {
    let command = format!("cat /proc/$PPID/smaps_rollup > {name}");
    call(None, "run_shell_command", &json!({ "command": command }))
}

fn script() -> Script {
    let look = call(None, "read_file", &json!({"file_path": "note"}));
    let answers = (0..CALLS)
        .step_by(IN_ONE)
        .fold(Script::new(), |script, done| {
            let calls = vec![look.clone(); IN_ONE];
            match done + IN_ONE {
                WARM => script.answers(&calls).answers(&[measure("warm")]),
                CALLS => script.answers(&calls).answers(&[measure("done")]),
                _ => script.answers(&calls),
            }
        });
    answers.says("all is well")
}

/// TO-2, SE-10, CM-6: the memory of a session only grows with what was said in it: not with the
/// calls that were made, nor with the hooks that ran. The trace stays within its limit.
#[test]
fn memory_stays_flat() {
    let sandbox = Sandbox::new();
    sandbox.file("note", "a line\n");
    let mark = sandbox.root().join("ran");
    fs::create_dir(&mark).unwrap();
    let commands = EVENTS.map(|event| {
        let mark = mark.join(event);
        format!("{} append {} x", puppet().display(), mark.display())
    });
    let each: Vec<_> = EVENTS
        .into_iter()
        .zip(commands.iter().map(String::as_str))
        .collect();
    let mut settings = hooks(&each);
    settings["hooksConfig"] = json!({"notifications": false, "trace": {"maxBytes": TRACE_BYTES}});
    sandbox.user_settings(&settings.to_string());
    let finished = run(scripted(&sandbox, &script(), &["--yolo", "-p", "go"]));
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(finished.stdout, "all is well\n");
    // The hooks existed all the time.
    for event in ["BeforeTool", "AfterTool"] {
        let runs = fs::read_to_string(mark.join(event)).unwrap();
        assert_eq!(runs.lines().count(), CALLS + 2, "{event}");
    }
    let bytes =
        |name: &str| private_bytes(&fs::read_to_string(sandbox.project().join(name)).unwrap());
    let (warm, done) = (bytes("warm"), bytes("done"));
    println!("{warm} bytes after {WARM} calls, {done} after {CALLS}");
    let grown = done.saturating_sub(warm);
    let bound = u64::try_from(CALLS - WARM).unwrap() * BYTES_OF_A_CALL;
    assert!(
        grown < bound,
        "grown by {grown} bytes, from {warm} to {done}"
    );
    let database = files(&sandbox, |path| path.ends_with("trace.sqlite"));
    let size = database[0].metadata().unwrap().len();
    assert!(size <= TRACE_BYTES, "the trace takes {size} bytes");
    let trace = run(hookloop(&sandbox, &["hooks", "trace", "--json"]));
    assert_eq!(trace.code, Some(0), "{}", trace.stderr);
}
