//! Recording the hooks of an engine.

use std::sync::{Arc, Mutex};

use hookloop_engine::events::{AfterTool, BeforeTool, Decision, EventName, Reply};
use hookloop_engine::{Hooks, Observer};
use hookloop_trace::{Limits, Origin, RunFilter, Tally, TraceObserver, TraceStore};
use serde_json::json;

use crate::store::{Trace, ids};
use crate::support::{concluded, run, session};

fn observer(trace: &Trace, origin: Origin) -> (TraceObserver, Arc<Mutex<Vec<String>>>) {
    let problems = Arc::new(Mutex::new(Vec::new()));
    let reported = Arc::clone(&problems);
    let store = TraceStore::open(&trace.path, Limits::default()).unwrap();
    let observer = TraceObserver::start(store, origin, move |problem| {
        reported.lock().unwrap().push(problem.to_string());
    });
    (observer.unwrap(), problems)
}

/// CM-6: every run of an engine is in the trace, with its event, input, reply and result.
#[tokio::test]
async fn an_engine_is_recorded() {
    let trace = Trace::new();
    let (observer, problems) = observer(&trace, Origin::Fire);
    let observer = Arc::new(observer);
    let hooks = Hooks::builder()
        .on::<BeforeTool>("open")
        .reply(|_| Reply::default())
        .on::<BeforeTool>("guard")
        .reply(|_| Reply {
            decision: Some(Decision::Deny),
            reason: Some("not that".to_owned()),
            ..Reply::default()
        })
        .observer(observer.clone())
        .build();
    let payload = json!({"tool_name": "glob", "tool_input": {"pattern": "*"}, "tool_call_id": "1"});
    let fired = hooks
        .session(session())
        .fire_payload(EventName::BeforeTool, payload.as_object().unwrap().clone())
        .await;
    assert_eq!(fired.unwrap().unwrap().runs.len(), 2);
    assert_eq!(
        observer.flush(),
        Tally {
            written: 2,
            lost: 0
        }
    );

    let shown = serde_json::to_value(trace.all()).unwrap();
    assert_eq!(shown[0]["label"], "open");
    assert_eq!(shown[1]["label"], "guard");
    assert_eq!(shown[1]["origin"], "fire");
    assert_eq!(shown[1]["session_id"], "session-1");
    assert_eq!(shown[1]["result"], "refused");
    assert_eq!(shown[1]["input"]["tool_name"], "glob");
    assert_eq!(
        shown[1]["reply"],
        json!({"decision": "deny", "reason": "not that"})
    );
    assert!(problems.lock().unwrap().is_empty());
}

/// CM-6: dropping the observer loses nothing that was observed.
#[test]
fn dropping_writes_what_waits() {
    let trace = Trace::new();
    let (observer, problems) = observer(&trace, Origin::Session);
    let expected: Vec<String> = (0..500).map(|number| number.to_string()).collect();
    for id in &expected {
        observer.observe(&session(), &concluded(vec![run("a", id)]));
    }
    drop(observer);
    assert_eq!(
        ids(&trace.store.runs(&RunFilter::default()).unwrap()),
        expected
    );
    assert!(problems.lock().unwrap().is_empty());
}

/// AT-1: a tool result that a hook withheld is nowhere in the trace.
#[tokio::test]
async fn a_withheld_result_is_not_recorded() {
    let trace = Trace::new();
    let (observer, _) = observer(&trace, Origin::Session);
    let observer = Arc::new(observer);
    let hooks = Hooks::builder()
        .on::<AfterTool>("guard")
        .reply(|_| Reply {
            decision: Some(Decision::Deny),
            reason: Some("it holds a secret".to_owned()),
            ..Reply::default()
        })
        .observer(observer.clone())
        .build();
    let payload = json!({"tool_name": "glob", "tool_input": {}, "tool_call_id": "1",
        "tool_response": {"llmContent": "CANARY", "returnDisplay": "CANARY", "error": null}});
    let fired = hooks
        .session(session())
        .fire_payload(EventName::AfterTool, payload.as_object().unwrap().clone())
        .await;
    assert!(fired.unwrap().is_some());
    observer.flush();
    let shown = serde_json::to_string(&trace.all()).unwrap();
    assert!(shown.contains("it holds a secret"));
    assert!(!shown.contains("CANARY"), "{shown}");
}

/// CM-6: nothing is opened or created before a hook runs, and then everything is recorded.
#[test]
fn the_trace_is_opened_with_the_first_run() {
    let trace = folder();
    let path = trace.path().join("state/trace.db");
    let opened = path.clone();
    let observer = TraceObserver::on_first_run(
        move || TraceStore::open(&opened, Limits::default()),
        Origin::Session,
        |problem| panic!("{problem}"),
    );
    observer.observe(&session(), &concluded(Vec::new()));
    observer.flush();
    assert!(!path.exists());
    observer.observe(&session(), &concluded(vec![run("a", "1")]));
    observer.observe(&session(), &concluded(vec![run("a", "2")]));
    drop(observer);
    let store = TraceStore::open_existing(&path, Limits::default());
    let runs = store.unwrap().unwrap().runs(&RunFilter::default()).unwrap();
    assert_eq!(ids(&runs), ["1", "2"]);
}

/// CM-6: a trace that can't be opened is reported once, and delays nothing.
#[test]
fn a_trace_that_cannot_be_opened_is_reported_once() {
    let folder = folder();
    let path = folder.path().join("trace.db");
    std::fs::write(
        &path,
        "no database, and longer than a header of one would be",
    )
    .unwrap();
    let problems = Arc::new(Mutex::new(Vec::new()));
    let reported = Arc::clone(&problems);
    let observer = TraceObserver::on_first_run(
        move || TraceStore::open(&path, Limits::default()),
        Origin::Session,
        move |problem| reported.lock().unwrap().push(problem.to_string()),
    );
    for id in ["1", "2", "3"] {
        observer.observe(&session(), &concluded(vec![run("a", id)]));
    }
    assert_eq!(
        observer.flush(),
        Tally {
            written: 0,
            lost: 3
        }
    );
    drop(observer);
    let problems = problems.lock().unwrap();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("trace.db"), "{problems:?}");
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}
