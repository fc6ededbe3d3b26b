//! A stored run is the object "Run" of the JSON output.

use std::sync::Arc;
use std::time::Duration;

use hookloop_engine::{Failure, RunEnding, RunResult, Signal, Suppression, Truncation};
use hookloop_events::EventName;
use hookloop_hook::{Dialect, Mode};
use hookloop_trace::{Occasion, Origin, RunFilter, StoredRun, html};
use serde_json::{Value, json};

use crate::store::Trace;
use crate::support::{replying, run, shared};

const FIELDS: [&str; 22] = [
    "run_id",
    "session_id",
    "origin",
    "event",
    "hook_id",
    "label",
    "source",
    "started_at",
    "duration_ms",
    "ending",
    "result",
    "failure",
    "input",
    "stdout",
    "stderr",
    "truncated",
    "reply",
    "withheld_env",
    "dialect",
    "unknown_fields",
    "lost_refusal",
    "suppressed",
];

fn only_run(trace: &Trace) -> Value {
    let runs = trace.all();
    assert_eq!(runs.len(), 1);
    serde_json::to_value(&runs[0]).unwrap()
}

/// CM-6: every field of a run is there, with the value of the record.
#[test]
fn a_run_is_shown_with_every_field() {
    let mut trace = Trace::new();
    let mut refused = replying(
        EventName::BeforeTool,
        "guard",
        &json!({"decision": "Block", "reason": "no", "hookSpecificOutput": {"tool_input": {"a": 1}}}),
    );
    refused.result = RunResult::Refused;
    refused.content.stderr = "some words\n".to_owned();
    trace.record(vec![refused]);
    assert_eq!(
        only_run(&trace),
        json!({
            "run_id": "guard",
            "session_id": "session-1",
            "origin": "session",
            "event": "BeforeTool",
            "hook_id": "id-of-guard",
            "label": "guard",
            "source": {"layer": "project", "extension": null,
                "file": "/app/.gemini/settings.json", "line": 7, "column": 11},
            "started_at": "2026-01-02T03:04:05.678Z",
            "duration_ms": 12.345,
            "ending": {"kind": "exited", "exit_code": 0, "signal": null},
            "result": "refused",
            "failure": null,
            "input": {"tool_name": "write_file"},
            "stdout": "{\"decision\":\"Block\",\"reason\":\"no\",\
                       \"hookSpecificOutput\":{\"tool_input\":{\"a\":1}}}",
            "stderr": "some words\n",
            "truncated": false,
            "reply": {"decision": "deny", "reason": "no",
                "hookSpecificOutput": {"tool_input": {"a": 1}}},
            "withheld_env": [],
            "dialect": "hookloop",
            "unknown_fields": [],
            "lost_refusal": false,
            "suppressed": false,
        })
    );
}

/// BR-30, HT-2: a run says whose session it was in, if it was another agent's, and that its hook
/// was in shadow; runs can be selected by agent.
#[test]
fn the_agent_and_the_shadow_are_kept() {
    let mut trace = Trace::new();
    trace.record(vec![run("a", "own")]);
    let mut shadowed = run("b", "foreign");
    Arc::make_mut(&mut shadowed.hook).mode = Mode::Shadow;
    let occasion = Occasion {
        origin: Origin::Session,
        agent: Some("codex".to_owned()),
    };
    let written = trace.store.record(occasion, &shared(vec![shadowed]));
    assert!(written.unwrap().is_empty());
    let of_codex = RunFilter {
        agent: Some("codex".to_owned()),
        ..RunFilter::default()
    };
    let runs = trace.store.runs(&of_codex).unwrap();
    let shown = serde_json::to_value(&runs).unwrap();
    assert_eq!(runs.len(), 1);
    assert_eq!(shown[0]["run_id"], "foreign");
    assert_eq!(shown[0]["agent"], "codex");
    assert_eq!(shown[0]["shadow"], true);
    let page = html::report("session-1", &trace.all(), &[]);
    assert!(page.contains("<dd>codex</dd>"));
    assert_eq!(page.matches(">shadow</span>").count(), 1);
}

/// IO-11, IO-23, FD-1: fields that the event doesn't know, a lost refusal and the dialect are
/// stored.
#[test]
fn what_was_lost_is_kept() {
    let mut trace = Trace::new();
    let mut record = run("a", "1");
    record.unknown_fields = vec!["block".to_owned()];
    record.lost_refusal = true;
    Arc::make_mut(&mut record.hook).dialect = Dialect::ClaudeCode;
    trace.record(vec![record]);
    let shown = only_run(&trace);
    assert_eq!(shown["unknown_fields"], json!(["block"]));
    assert_eq!(shown["lost_refusal"], true);
    assert_eq!(shown["dialect"], "claude-code");
}

/// CM-6: the fields are in the order of the reference, whatever the run lacks.
#[test]
fn the_order_of_the_fields_is_fixed() {
    let mut trace = Trace::new();
    trace.record(vec![run("a", "1")]);
    let shown = only_run(&trace);
    let fields: Vec<&String> = shown.as_object().unwrap().keys().collect();
    assert_eq!(fields, FIELDS);
}

/// IO-20: each ending and failure keeps its kind, code, signal and words.
#[test]
fn endings_and_failures_are_kept() {
    let not_started = Failure::NotStarted("no such file".to_owned());
    let timed_out = Failure::TimedOut(Duration::from_millis(1500));
    let exit_code = Failure::ExitCode {
        code: 1,
        line: Some("boom".to_owned()),
    };
    let cases = [
        (
            RunEnding::Signalled(Signal(15)),
            Some(Failure::Signalled(Signal(15))),
            json!({"kind": "signalled", "exit_code": null, "signal": "SIGTERM"}),
            json!({"kind": "signalled", "message": "killed by SIGTERM"}),
        ),
        (
            RunEnding::TimedOut,
            Some(timed_out),
            json!({"kind": "timed_out", "exit_code": null, "signal": null}),
            json!({"kind": "timed_out", "message": "timed out after 1500 ms"}),
        ),
        (
            RunEnding::NotStarted,
            Some(not_started),
            json!({"kind": "not_started", "exit_code": null, "signal": null}),
            json!({"kind": "not_started", "message": "couldn't start: no such file"}),
        ),
        (
            RunEnding::Cancelled,
            Some(Failure::Cancelled),
            json!({"kind": "cancelled", "exit_code": null, "signal": null}),
            json!({"kind": "cancelled", "message": "cancelled"}),
        ),
        (
            RunEnding::Exited(1),
            Some(exit_code),
            json!({"kind": "exited", "exit_code": 1, "signal": null}),
            json!({"kind": "exit_code", "message": "exit code 1: boom"}),
        ),
    ];
    for (ending, failure, shown_ending, shown_failure) in cases {
        let mut trace = Trace::new();
        let mut failed = run("a", "1");
        failed.ending = ending;
        failed.failure = failure;
        failed.result = RunResult::Failed;
        trace.record(vec![failed]);
        let shown = only_run(&trace);
        assert_eq!(shown["ending"], shown_ending);
        assert_eq!(shown["failure"], shown_failure);
        assert_eq!(shown["result"], "failed");
    }
}

/// OUT-2: nothing of a suppressed run's content reaches the database; that it ran, and how it
/// ended, does.
#[test]
fn suppressed_content_is_nowhere_in_the_file() {
    let mut trace = Trace::new();
    let mut quiet = replying(
        EventName::BeforeTool,
        "quiet",
        &json!({"suppressOutput": true, "reason": "CANARY-reply", "unknown": "CANARY-field"}),
    );
    quiet.content.input = r#"{"prompt":"CANARY-input"}"#.into();
    quiet.content.stderr = "CANARY-stderr".to_owned();
    quiet.suppression = Suppression::Suppressed;
    trace.record(vec![quiet]);
    let shown = only_run(&trace);
    for field in ["input", "stdout", "stderr", "reply"] {
        assert_eq!(shown[field], Value::Null, "{field}");
    }
    assert_eq!(shown["suppressed"], true);
    assert_eq!(shown["result"], "proceed");
    assert!(trace.store.ignored_fields().unwrap().is_empty());
    let mut found = 0;
    for file in std::fs::read_dir(trace.folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        found += bytes.windows(6).filter(|part| part == b"CANARY").count();
    }
    assert_eq!(found, 0);
}

/// ENV-3: the names of withheld variables are stored.
#[test]
fn withheld_variables_are_named() {
    let mut trace = Trace::new();
    let mut cleaned = run("a", "1");
    cleaned.withheld_env = vec!["API_KEY".to_owned(), "TOKEN".to_owned()];
    trace.record(vec![cleaned]);
    assert_eq!(
        only_run(&trace)["withheld_env"],
        json!(["API_KEY", "TOKEN"])
    );
}

/// IO-17: it is stored that a stream was cut.
#[test]
fn a_cut_stream_is_marked() {
    let mut trace = Trace::new();
    let mut cut = run("a", "1");
    cut.content.truncation = Truncation::Cut;
    trace.record(vec![cut]);
    assert_eq!(only_run(&trace)["truncated"], true);
}

/// CM-6: one run takes one line of `--follow`, however its input was written.
#[test]
fn a_run_is_one_line() {
    let mut trace = Trace::new();
    let mut spread = run("a", "1");
    spread.content.input = "{\n  \"prompt\": \"two\\nlines\"\r\n}".into();
    trace.record(vec![spread]);
    let text = serde_json::to_string(&trace.all()[0]).unwrap();
    assert!(!text.contains(['\n', '\r']));
    assert_eq!(only_run(&trace)["input"], json!({"prompt": "two\nlines"}));
}

/// CM-6: a current run is shown like one from the trace.
#[test]
fn a_record_and_its_stored_run_look_the_same() {
    let mut trace = Trace::new();
    let mut record = replying(
        EventName::AfterTool,
        "a",
        &json!({"systemMessage": "hello"}),
    );
    record.withheld_env = vec!["TOKEN".to_owned()];
    let shown = StoredRun::from_record(&record, Origin::Replay);
    trace
        .store
        .record(Origin::Replay, &shared(vec![record]))
        .unwrap();
    assert_eq!(serde_json::to_value(&shown).unwrap(), only_run(&trace));
}
