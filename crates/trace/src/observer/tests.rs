//! What recording does if it fails.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use hookloop_engine::Observer;

use super::{Tally, TraceObserver};
use crate::limits::Limits;
use crate::queue::Bounds;
use crate::run::Origin;
use crate::store::TraceStore;
use crate::test_support::{concluded, run, session};

fn started(store: TraceStore, bounds: Bounds) -> (TraceObserver, Receiver<String>) {
    let (reported, problems) = channel();
    let observer = TraceObserver::start_with(store, Origin::Session, bounds, move |problem| {
        reported.send(problem.to_string()).unwrap();
    });
    (observer.unwrap(), problems)
}

fn large(id: &str) -> hookloop_engine::RunRecord {
    let mut large = run("a", id);
    large.content.stdout = "x".repeat(100_000);
    large
}

/// CM-6: a full disk is reported once, the session continues, and so does recording when there
/// is room again.
#[test]
fn a_full_disk_is_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.db");
    let store = TraceStore::open(&path, Limits::default()).unwrap();
    store
        .connection
        .pragma_update(None, "max_page_count", 40)
        .unwrap();
    let (observer, problems) = started(store, Bounds::default());
    for id in ["1", "2", "3"] {
        observer.observe(&session(), &concluded(vec![large(id), large(id)]));
    }
    observer.observe(&session(), &concluded(vec![run("a", "small")]));
    assert_eq!(
        observer.flush(),
        Tally {
            written: 1,
            lost: 6
        }
    );
    drop(observer);
    let problems: Vec<String> = problems.iter().collect();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("the disk is full"), "{problems:?}");
    assert!(problems[0].contains(path.to_str().unwrap()), "{problems:?}");
    let reader = TraceStore::open_existing(&path, Limits::default());
    let reader = reader.unwrap().unwrap();
    assert!(reader.run("small").unwrap().is_some());
    assert!(reader.run("1").unwrap().is_none());
}

/// CM-6: a trace that another process keeps locked doesn't delay the session or its end, and what
/// is missing is reported once.
#[test]
fn a_lock_does_not_hold_up_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.db");
    let mut store = TraceStore::open(&path, Limits::default()).unwrap();
    store.wait_at_most(Duration::ZERO);
    let holder = TraceStore::open(&path, Limits::default()).unwrap();
    holder.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (observer, problems) = started(store, Bounds::default());
    for number in 0..50 {
        observer.observe(&session(), &concluded(vec![run("a", &number.to_string())]));
    }
    assert_eq!(
        observer.flush(),
        Tally {
            written: 0,
            lost: 50
        }
    );
    drop(observer);
    let problems: Vec<String> = problems.iter().collect();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(
        problems[0].contains("another process keeps it locked"),
        "{problems:?}"
    );
}

/// CM-6: runs that come faster than they can be written are counted and reported.
#[test]
fn an_overflow_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.db");
    let mut store = TraceStore::open(&path, Limits::default()).unwrap();
    store.wait_at_most(Duration::from_mins(5));
    let holder = TraceStore::open(&path, Limits::default()).unwrap();
    // While it is held, the first batch is being written, and one more can wait.
    holder.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    let bounds = Bounds {
        batches: 1,
        patience: Duration::ZERO,
        ..Bounds::default()
    };
    let (observer, problems) = started(store, bounds);
    for number in 0..10 {
        observer.observe(&session(), &concluded(vec![run("a", &number.to_string())]));
    }
    holder.connection.execute_batch("COMMIT").unwrap();
    let tally = observer.flush();
    assert_eq!(tally.written + tally.lost, 10);
    assert!(tally.lost >= 8);
    drop(observer);
    let problems: Vec<String> = problems.iter().collect();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(
        problems[0].contains("faster than they could be written"),
        "{problems:?}"
    );
}
