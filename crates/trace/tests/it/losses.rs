//! What other agents couldn't do.

use hookloop_events::EventName;
use hookloop_trace::html::report;
use hookloop_trace::{Limits, Loss, RunFilter, TraceStore};

use crate::store::Trace;
use crate::support::run;

fn loss(agent: &str, session: &str, text: &str) -> Loss {
    Loss {
        session_id: session.to_owned(),
        agent: agent.to_owned(),
        event: EventName::BeforeTool,
        lost_at: "2026-01-02T03:04:05.678Z".to_owned(),
        text: text.to_owned(),
    }
}

fn texts(losses: &[Loss]) -> Vec<&str> {
    losses.iter().map(|it| it.text.as_str()).collect()
}

/// BR-21: a loss is in the trace once for each session of each agent, however often it is recorded,
/// and is found by its session, its agent and its event.
#[test]
fn a_loss_stands_once_for_each_session() {
    let mut trace = Trace::new();
    let noted = [
        loss("goose", "one", "no rewrite"),
        loss("goose", "one", "no rewrite"),
        loss("goose", "one", "no question"),
        loss("goose", "two", "no rewrite"),
        loss("kimi", "one", "no rewrite"),
    ];
    trace.store.lose(&noted).unwrap();
    trace.store.lose(&noted[..1]).unwrap();
    let all = RunFilter::default();
    assert_eq!(
        trace.store.losses(&all).unwrap(),
        [&noted[0], &noted[2], &noted[3], &noted[4]].map(Clone::clone)
    );
    let chosen = RunFilter {
        session: Some("one".to_owned()),
        agent: Some("goose".to_owned()),
        event: Some(EventName::BeforeTool),
        ..RunFilter::default()
    };
    let found = trace.store.losses(&chosen).unwrap();
    assert_eq!(texts(&found), ["no rewrite", "no question"]);
    let last = RunFilter {
        last: Some(1),
        ..chosen.clone()
    };
    assert_eq!(texts(&trace.store.losses(&last).unwrap()), ["no question"]);
    for none in [
        RunFilter {
            event: Some(EventName::AfterTool),
            ..chosen.clone()
        },
        RunFilter {
            label: Some("mine".to_owned()),
            ..chosen
        },
    ] {
        assert_eq!(trace.store.losses(&none).unwrap(), []);
    }
}

/// BR-21, CM-6: the trace of an earlier version keeps its runs and accepts losses.
#[test]
fn an_older_trace_takes_losses() {
    let mut trace = Trace::new();
    trace.record(vec![run("a", "1")]);
    let (path, folder) = (trace.path.clone(), trace.folder);
    drop(trace.store);
    let older = rusqlite::Connection::open(&path).unwrap();
    older
        .execute_batch("DROP TABLE losses; PRAGMA user_version = 3;")
        .unwrap();
    drop(older);
    let mut store = TraceStore::open(&path, Limits::default()).unwrap();
    store.lose(&[loss("goose", "s", "no rewrite")]).unwrap();
    let all = RunFilter::default();
    assert_eq!(texts(&store.losses(&all).unwrap()), ["no rewrite"]);
    assert_eq!(store.runs(&all).unwrap().len(), 1);
    drop(folder);
}

/// BR-21, CM-6: the number of losses is limited: the oldest ones are deleted, and a long one is
/// cut.
#[test]
fn losses_are_bounded() {
    let mut trace = Trace::new();
    let many: Vec<Loss> = (0..1200)
        .map(|number| loss("goose", &number.to_string(), "no rewrite"))
        .collect();
    trace.store.lose(&many).unwrap();
    let kept = trace.store.losses(&RunFilter::default()).unwrap();
    assert_eq!((kept.len(), kept[0].session_id.as_str()), (1000, "200"));
    let long = "ä".repeat(5000);
    trace.store.lose(&[loss("goose", "long", &long)]).unwrap();
    let kept = trace.store.losses(&RunFilter::default()).unwrap();
    let last = kept.last().unwrap();
    assert!(last.text.len() <= 2000 && long.starts_with(&last.text));
    trace.store.lose(&[loss("goose", "long", &long)]).unwrap();
    assert_eq!(trace.store.losses(&RunFilter::default()).unwrap(), kept);
}

/// BR-21: the page of a session shows its losses, escaped, even if no hook ran.
#[test]
fn the_page_shows_losses() {
    let page = report("s", &[], &[loss("<b>goose", "s", "no <script> at all")]);
    assert!(page.contains("no &lt;script&gt; at all"), "{page}");
    assert!(page.contains("&lt;b&gt;goose") && !page.contains("<script>"));
    assert!(!report("s", &[], &[]).contains("Lost in"));
}
