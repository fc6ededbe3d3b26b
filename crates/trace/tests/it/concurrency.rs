//! Several processes at once, and one that is killed.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use hookloop_engine::Observer;
use hookloop_trace::{Limits, Origin, RunFilter, TraceObserver, TraceStore};

use crate::store::Trace;
use crate::support::{concluded, run, session, shared};

/// Tells a child which trace to write to, and how it names its runs.
const PATH: &str = "HOOKLOOP_TRACE_OF_TEST";
const NAME: &str = "HOOKLOOP_NAME_OF_TEST";
const RUNS: usize = 60;
const WRITERS: usize = 8;

/// Starts this test binary as a writer.
fn child(test: &str, path: &Path, name: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", test])
        .env(PATH, path)
        .env(NAME, name)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn name() -> String {
    std::env::var(NAME).unwrap_or_default()
}

fn path() -> Option<OsString> {
    std::env::var_os(PATH)
}

/// The program of a child: records a number of runs, and ends in the normal way.
#[test]
#[ignore = "run by other tests, in a process of its own"]
fn writes_some_runs() {
    let Some(path) = path() else { return };
    let store = TraceStore::open(Path::new(&path), Limits::default()).unwrap();
    let observer = TraceObserver::start(store, Origin::Session, |problem| panic!("{problem}"));
    let observer = observer.unwrap();
    for number in 0..RUNS {
        let mut one = run(&name(), &format!("{}-{number}", name()));
        one.session_id = name();
        observer.observe(&session(), &concluded(vec![one]));
    }
}

/// The program of a child: records large runs until it is killed.
#[test]
#[ignore = "run by other tests, in a process of its own"]
fn writes_until_it_is_killed() {
    let Some(path) = path() else { return };
    let mut store = TraceStore::open(Path::new(&path), Limits::default()).unwrap();
    for number in 0_usize.. {
        let mut large = run("a", &number.to_string());
        large.content.stdout = "x".repeat(200_000);
        let pair = vec![large, run("b", &number.to_string())];
        store.record(Origin::Session, &shared(pair)).unwrap();
    }
}

fn assert_every_writer_is_complete(path: &Path) {
    let store = TraceStore::open_existing(path, Limits::default())
        .unwrap()
        .unwrap();
    for writer in 0..WRITERS {
        let of_writer = RunFilter {
            session: Some(writer.to_string()),
            ..RunFilter::default()
        };
        let runs = store.runs(&of_writer).unwrap();
        let ids: Vec<&str> = runs.iter().map(|run| run.run_id.as_str()).collect();
        let expected: Vec<String> = (0..RUNS).map(|it| format!("{writer}-{it}")).collect();
        assert_eq!(ids, expected);
    }
}

/// CM-6: eight processes that create the trace and write to it at once lose nothing.
#[test]
fn eight_processes_write_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state").join("trace.db");
    let children: Vec<Child> = (0..WRITERS)
        .map(|writer| child("concurrency::writes_some_runs", &path, &writer.to_string()))
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_every_writer_is_complete(&path);
}

/// CM-6: eight threads, each with a connection, lose nothing, while others read.
#[test]
fn eight_threads_write_at_once() {
    let trace = Trace::new();
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let path = trace.path.clone();
            scope.spawn(move || {
                let mut store = TraceStore::open(&path, Limits::default()).unwrap();
                for number in 0..RUNS {
                    let mut one = run("a", &format!("{writer}-{number}"));
                    one.session_id = writer.to_string();
                    store.record(Origin::Session, &shared(vec![one])).unwrap();
                    if number % 20 == 0 {
                        store.runs(&RunFilter::default()).unwrap();
                    }
                }
            });
        }
    });
    assert_every_writer_is_complete(&trace.path);
}

/// CM-6: a writer that is killed in the middle leaves a trace that can be read, whole firings
/// only, and written on.
#[test]
fn a_killed_writer_leaves_a_readable_trace() {
    let mut trace = Trace::new();
    let mut writer = child("concurrency::writes_until_it_is_killed", &trace.path, "");
    let deadline = Instant::now() + Duration::from_mins(1);
    while trace.store.latest_run_ids(1).unwrap().is_empty() {
        assert!(Instant::now() < deadline, "the writer writes nothing");
        thread::sleep(Duration::from_millis(5));
    }
    // Killed by the system, without a chance to tidy up.
    writer.kill().unwrap();
    writer.wait().unwrap();

    let runs = trace.all();
    assert!(!runs.is_empty());
    for pair in runs.chunks(2) {
        assert_eq!(pair.len(), 2, "half a firing was kept");
        assert_eq!(pair[0].run_id, pair[1].run_id);
        assert_eq!(pair[0].stdout.as_ref().unwrap().len(), 200_000);
    }
    let checked: String = rusqlite::Connection::open(&trace.path)
        .unwrap()
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(checked, "ok");
    trace.record(vec![run("a", "afterwards")]);
    assert!(trace.store.run("afterwards").unwrap().is_some());
}
