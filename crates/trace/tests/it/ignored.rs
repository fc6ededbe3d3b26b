//! Fields of replies that have no effect at the event.

use hookloop_engine::{Failure, RunEnding};
use hookloop_events::EventName;
use serde_json::{Value, json};

use crate::store::Trace;
use crate::support::replying;

fn fields(event: EventName, reply: &Value) -> Vec<String> {
    hookloop_trace::ignored_fields(&replying(event, "a", reply))
}

/// IO-22: unknown fields are named, known ones aren't, including their older spellings.
#[test]
fn unknown_fields_are_named() {
    let reply = json!({"decision": "allow", "reason": "r", "continue": true, "stopReason": "s",
        "suppressOutput": false, "systemMessage": "m", "descision": "deny", "unused": null,
        "hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": {}, "tool_imput": {}}});
    assert_eq!(
        fields(EventName::BeforeTool, &reply),
        ["descision", "hookSpecificOutput.tool_imput"]
    );
    let older = json!({"modifiedRequest": {"model": "m"}});
    assert!(fields(EventName::BeforeModel, &older).is_empty());
    assert_eq!(fields(EventName::BeforeTool, &older), ["modifiedRequest"]);
}

/// TS-3, SS-2, SE-3, NO-1, PC-2: decisions on events that decide nothing are named.
#[test]
fn decisions_without_effect_are_named() {
    let reply = json!({"decision": "deny", "continue": false, "systemMessage": "m"});
    let expected = ["decision", "continue"];
    for event in EventName::ALL {
        let fields = fields(event, &reply);
        if event == EventName::BeforeToolSelection {
            assert_eq!(fields, ["decision", "continue", "systemMessage"]);
        } else if event.can_refuse() {
            assert!(fields.is_empty(), "{event}");
        } else {
            assert_eq!(fields, expected, "{event}");
        }
    }
}

/// OUT-6: a field that belongs to another event is named; AT-5: `AfterTool` keeps any field.
#[test]
fn fields_of_other_events_are_named() {
    let context = json!({"hookSpecificOutput": {"additionalContext": "c"}});
    assert!(fields(EventName::BeforeAgent, &context).is_empty());
    assert!(fields(EventName::AfterTool, &context).is_empty());
    let expected = ["hookSpecificOutput.additionalContext"];
    assert_eq!(fields(EventName::BeforeModel, &context), expected);
    assert_eq!(fields(EventName::Notification, &context), expected);
    let own = json!({"hookSpecificOutput": {"anything": 1}});
    assert!(fields(EventName::AfterTool, &own).is_empty());
}

/// OUT-6: no field that an event reads is named.
#[test]
fn fields_that_an_event_reads_are_not_named() {
    for event in EventName::ALL {
        for field in hookloop_events::own_fields(event) {
            let reply = json!({"hookSpecificOutput": {*field: {}}});
            assert!(fields(event, &reply).is_empty(), "{event}: {field}");
        }
    }
}

/// IO-12: the fields of an object inside a JSON string count.
#[test]
fn an_object_in_a_string_is_read() {
    let mut run = replying(EventName::BeforeTool, "a", &json!({}));
    run.content.stdout = Value::from(r#"{"unknown":1}"#).to_string();
    assert_eq!(hookloop_trace::ignored_fields(&run), ["unknown"]);
}

/// CM-3: what happened to a failed hook's reply, or to a refusal by exit code, is reported
/// elsewhere.
#[test]
fn failures_and_refusals_by_exit_code_have_none() {
    let mut run = replying(EventName::BeforeTool, "a", &json!({"unknown": 1}));
    run.ending = RunEnding::Exited(2);
    assert!(hookloop_trace::ignored_fields(&run).is_empty());
    run.ending = RunEnding::Exited(1);
    run.failure = Some(Failure::ExitCode {
        code: 1,
        line: None,
    });
    assert!(hookloop_trace::ignored_fields(&run).is_empty());
}

/// CM-3: the trace names each field of a hook once, with the latest run that had it, and no longer
/// when the hook was fixed.
#[test]
fn the_trace_names_recent_fields() {
    let mut trace = Trace::new();
    let said = |id: &str, reply: &Value| {
        let mut run = replying(EventName::SessionStart, "a", reply);
        run.run_id = id.to_owned();
        run
    };
    trace.record(vec![said("1", &json!({"decision": "deny", "typo": 1}))]);
    trace.record(vec![said("2", &json!({"decision": "deny"}))]);
    trace.record(vec![said("3", &json!({}))]);
    let named = |trace: &Trace| -> Vec<(String, String)> {
        let found = trace.store.ignored_fields().unwrap();
        assert!(found.iter().all(|it| it.hook_id.as_str() == "id-of-a"
            && it.event == EventName::SessionStart
            && it.label == "a"));
        found.into_iter().map(|it| (it.field, it.run_id)).collect()
    };
    let expected =
        [("decision", "2"), ("typo", "1")].map(|(field, id)| (field.to_owned(), id.to_owned()));
    assert_eq!(named(&trace), expected);
    for _ in 0..10 {
        trace.record(vec![said("later", &json!({}))]);
    }
    assert!(named(&trace).is_empty());
}
