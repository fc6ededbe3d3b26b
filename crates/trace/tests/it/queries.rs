//! Choosing runs, and following them.

use std::ops::ControlFlow;

use hookloop_events::EventName;
use hookloop_hook::HookId;
use hookloop_trace::{Cursor, RunFilter};

use crate::store::{Trace, ids};
use crate::support::{hook, run, run_of};

fn filled() -> Trace {
    let mut trace = Trace::new();
    trace.record(vec![run("a", "1"), run("b", "2")]);
    let mut other = run_of(hook(EventName::AfterTool, "c"), "3");
    "session-2".clone_into(&mut other.session_id);
    trace.record(vec![other]);
    trace.record(vec![run("a", "4"), run("b", "5"), run("c", "6")]);
    trace
}

/// CM-6: without a selection all runs are returned, oldest first.
#[test]
fn runs_come_oldest_first() {
    assert_eq!(
        filled().ids(&RunFilter::default()),
        ["1", "2", "3", "4", "5", "6"]
    );
}

/// CM-6: `--session`, and the selection by event, hook and number.
#[test]
fn runs_can_be_chosen() {
    let trace = filled();
    let session = RunFilter {
        session: Some("session-2".to_owned()),
        ..RunFilter::default()
    };
    assert_eq!(trace.ids(&session), ["3"]);
    let event = RunFilter {
        event: Some(EventName::BeforeTool),
        ..RunFilter::default()
    };
    assert_eq!(trace.ids(&event), ["1", "2", "4", "5", "6"]);
    let last_of_hook = RunFilter {
        hook: Some(HookId::from_text("id-of-a")),
        last: Some(1),
        ..RunFilter::default()
    };
    assert_eq!(trace.ids(&last_of_hook), ["4"]);
    let last = RunFilter {
        last: Some(4),
        ..RunFilter::default()
    };
    assert_eq!(trace.ids(&last), ["3", "4", "5", "6"]);
    let nobody = RunFilter {
        session: Some("' OR 1=1 --".to_owned()),
        last: Some(9),
        ..RunFilter::default()
    };
    assert!(trace.ids(&nobody).is_empty());
    let none = RunFilter {
        last: Some(0),
        ..RunFilter::default()
    };
    assert!(trace.ids(&none).is_empty());
}

/// CM-6: hooks can be selected by the label under which they ran, whatever happened to them.
#[test]
fn runs_can_be_chosen_by_label() {
    let trace = filled();
    let label = trace.all()[0].label.clone();
    let of_label = RunFilter {
        label: Some(label.clone()),
        ..RunFilter::default()
    };
    assert_eq!(trace.ids(&of_label), ["1", "4"]);
    assert_eq!(trace.store.count(&of_label).unwrap(), 2);
    assert_eq!(trace.store.count(&RunFilter::default()).unwrap(), 6);
    let labels = trace.store.labels().unwrap();
    assert_eq!(labels.len(), 3);
    assert!(labels.contains(&label));
}

/// CM-6: a shortened id stands for the runs that begin with it, and for no others.
#[test]
fn ids_are_found_by_their_beginning() {
    let mut trace = Trace::new();
    trace.record(vec![
        run("a", "abc-1"),
        run("a", "abc-2"),
        run("a", "abd-1"),
    ]);
    let found = |beginning: &str, most| trace.store.run_ids_from(beginning, most).unwrap();
    assert_eq!(found("abc", 9), ["abc-1", "abc-2"]);
    assert_eq!(found("abd-1", 9), ["abd-1"]);
    assert_eq!(found("ab", 2).len(), 2);
    assert!(found("b", 9).is_empty() && found("%", 9).is_empty());
}

/// CM-6: more runs than are read at once are returned completely and in order, and a visitor can
/// stop.
#[test]
fn many_runs_are_read_in_pages() {
    let mut trace = Trace::new();
    let expected: Vec<String> = (0..200).map(|number| number.to_string()).collect();
    for id in &expected {
        trace.record(vec![run("a", id)]);
    }
    assert_eq!(trace.ids(&RunFilter::default()), expected);
    let mut seen = 0;
    trace
        .store
        .visit(&RunFilter::default(), |_| {
            seen += 1;
            if seen == 70 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
        .unwrap();
    assert_eq!(seen, 70);
}

/// CM-6: `replay RUN-ID` finds its run, and nothing for an unknown id.
#[test]
fn a_run_is_found_by_its_id() {
    let trace = filled();
    assert_eq!(trace.store.run("5").unwrap().unwrap().label, "b");
    assert!(trace.store.run("55").unwrap().is_none());
    assert_eq!(trace.store.latest_run_ids(2).unwrap(), ["6", "5"]);
}

/// CM-6: the runs of a firing are found from any of them.
#[test]
fn the_runs_of_a_firing_are_found() {
    let trace = filled();
    for (id, firing) in [
        ("1", vec!["1", "2"]),
        ("2", vec!["1", "2"]),
        ("3", vec!["3"]),
        ("5", vec!["4", "5", "6"]),
        ("6", vec!["4", "5", "6"]),
    ] {
        let run = trace.store.run(id).unwrap().unwrap();
        assert_eq!(ids(&trace.store.firing(&run).unwrap()), firing, "{id}");
    }
}

/// CM-6: `--follow` passes on what is new, once.
#[test]
fn following_misses_and_repeats_nothing() {
    let mut trace = filled();
    let everything = RunFilter::default();
    let (old, cursor) = trace.store.follow(Cursor::START, &everything).unwrap();
    assert_eq!(old.len(), 6);
    assert_eq!(cursor, trace.store.end().unwrap());
    let (none, same) = trace.store.follow(cursor, &everything).unwrap();
    assert!(none.is_empty());
    assert_eq!(cursor, same);
    trace.record(vec![run("a", "7"), run("b", "8")]);
    let (new, cursor) = trace.store.follow(cursor, &everything).unwrap();
    assert_eq!(ids(&new), ["7", "8"]);
    assert!(
        trace
            .store
            .follow(cursor, &everything)
            .unwrap()
            .0
            .is_empty()
    );
}

/// CM-6: `--follow` shows what another connection writes.
#[test]
fn following_sees_other_writers() {
    let mut writer = Trace::new();
    let reader =
        hookloop_trace::TraceStore::open_existing(&writer.path, hookloop_trace::Limits::default())
            .unwrap()
            .unwrap();
    let cursor = reader.end().unwrap();
    writer.record(vec![run("a", "1")]);
    let (new, _) = reader.follow(cursor, &RunFilter::default()).unwrap();
    assert_eq!(ids(&new), ["1"]);
}
