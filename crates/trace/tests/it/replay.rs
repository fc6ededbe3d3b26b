//! What changed between a recorded firing and a current one.

use hookloop_engine::{Failure, RunEnding, RunRecord, RunResult, Suppression};
use hookloop_events::EventName::BeforeTool;
use hookloop_trace::replay::changes;
use hookloop_trace::{Origin, StoredRun};
use serde_json::{Value, json};

use crate::support::{replying, run};

fn stored(record: &RunRecord) -> StoredRun {
    StoredRun::from_record(record, Origin::Session)
}

/// The changes as rows of label, field, before and after.
fn rows(before: &[&RunRecord], after: &[&RunRecord]) -> Value {
    let stored = |runs: &[&RunRecord]| runs.iter().map(|run| stored(run)).collect::<Vec<_>>();
    let rows = changes(&stored(before), &stored(after)).into_iter();
    rows.map(|it| json!([it.label, it.field, it.before, it.after]))
        .collect()
}

/// CM-6: hooks that say the same have no changes, whenever and how long they ran.
#[test]
fn the_same_is_not_a_change() {
    let before = replying(BeforeTool, "a", &json!({"decision": "deny", "reason": "r"}));
    let mut after = replying(
        BeforeTool,
        "a",
        &json!({"reason": "r", "decision": "block"}),
    );
    after.run_id = "another".to_owned();
    after.session_id = "another".to_owned();
    after.started_at = "2027-01-01T00:00:00.000Z".to_owned();
    after.duration *= 2;
    assert_eq!(rows(&[&before], &[&after]), json!([]));
}

/// CM-6: a change is named by its path, with both values.
#[test]
fn changes_are_named_by_path() {
    let mut before = replying(
        BeforeTool,
        "a",
        &json!({"decision": "deny", "reason": "r",
            "hookSpecificOutput": {"tool_input": {"path": "x", "old.key": 1}}}),
    );
    before.result = RunResult::Refused;
    let after = replying(
        BeforeTool,
        "a",
        &json!({"decision": "allow", "systemMessage": "m",
            "hookSpecificOutput": {"tool_input": {"path": "y"}}}),
    );
    assert_eq!(
        rows(&[&before], &[&after]),
        json!([
            ["a", "result", "refused", "proceed"],
            ["a", "reply.decision", "deny", "allow"],
            ["a", "reply.reason", "r", null],
            ["a", "reply.hookSpecificOutput.tool_input.path", "x", "y"],
            [
                "a",
                "reply.hookSpecificOutput.tool_input[\"old.key\"]",
                1,
                null
            ],
            ["a", "reply.systemMessage", null, "m"],
        ])
    );
}

/// CM-6, IO-20: another ending and failure are changes; so are the streams if there is no reply
/// that shows it better.
#[test]
fn endings_and_streams_are_compared() {
    let before = run("a", "1");
    let mut after = run("a", "2");
    after.ending = RunEnding::Exited(3);
    after.failure = Some(Failure::ExitCode {
        code: 3,
        line: None,
    });
    after.result = RunResult::Failed;
    after.content.stdout = "words".to_owned();
    after.content.stderr = "more".to_owned();
    assert_eq!(
        rows(&[&before], &[&after]),
        json!([
            ["a", "result", "proceed", "failed"],
            ["a", "ending.exit_code", 0, 3],
            ["a", "failure.kind", null, "exit_code"],
            ["a", "failure.message", null, "exit code 3"],
            ["a", "stdout", "", "words"],
            ["a", "stderr", "", "more"],
        ])
    );
}

/// CM-6: hooks are paired by identity, or otherwise by label, whatever their order; one that is new
/// or gone is a change in its result and more.
#[test]
fn new_and_gone_hooks_are_changes() {
    let kept = run("kept", "1");
    let gone = run("gone", "2");
    let new = run("new", "3");
    let mut edited = run("kept", "4");
    edited.hook = {
        let mut hook = (*edited.hook).clone();
        hook.id = hookloop_hook::HookId::from_text("another id");
        hook.into()
    };
    assert_eq!(rows(&[&kept, &gone], &[&gone, &edited]), json!([]));
    let rows = rows(&[&kept, &gone], &[&new, &kept]);
    assert_eq!(rows[0], json!(["new", "result", null, "proceed"]));
    let all = rows.as_array().unwrap();
    assert!(all.contains(&json!(["gone", "result", "proceed", null])));
    assert!(all.iter().all(|row| row[0] != "kept"));
}

/// OUT-2: suppressed content isn't shown on either side; that it is suppressed is.
#[test]
fn suppressed_content_is_not_compared() {
    let before = replying(BeforeTool, "a", &json!({"reason": "CANARY"}));
    let mut after = replying(BeforeTool, "a", &json!({"reason": "CANARY 2"}));
    after.suppression = Suppression::Suppressed;
    assert_eq!(
        rows(&[&before], &[&after]),
        json!([["a", "suppressed", false, true]])
    );
}
