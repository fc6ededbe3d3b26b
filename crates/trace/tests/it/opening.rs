//! Opening the trace: reading creates nothing, and nothing is ever destroyed.

use std::fs;

use hookloop_hook::HookId;
use hookloop_trace::{Fault, Limits, Origin, RunFilter, TraceStore};

use crate::store::Trace;
use crate::support::{run, shared};

/// TR-7: reading creates nothing if nothing was recorded.
#[test]
fn looking_creates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state").join("trace.db");
    let store = TraceStore::open_existing(&path, Limits::default()).unwrap();
    assert!(store.is_none());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// CM-6: recording creates the folder and the file, for their owner alone.
#[test]
fn recording_creates_a_private_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state").join("trace.db");
    let store = TraceStore::open(&path, Limits::default()).unwrap();
    assert_eq!(store.path(), path);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let state = path.parent().unwrap();
        let mode =
            |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(state), 0o700);
        for file in fs::read_dir(state).unwrap() {
            assert_eq!(mode(&file.unwrap().path()), 0o600);
        }
    }
}

/// CM-6: what was recorded is there for the next process.
#[test]
fn runs_survive_reopening() {
    let mut trace = Trace::new();
    trace.record(vec![run("a", "1")]);
    let Trace {
        folder,
        store,
        path,
    } = trace;
    drop(store);
    let again = TraceStore::open_existing(&path, Limits::default())
        .unwrap()
        .unwrap();
    assert!(again.run("1").unwrap().is_some());
    drop(folder);
}

/// CM-6: a damaged file is an error that names it, and is left as it is, byte for byte.
#[test]
fn a_damaged_file_is_reported_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.db");
    let damaged = vec![0x5a_u8; 8192];
    fs::write(&path, &damaged).unwrap();
    let error = TraceStore::open(&path, Limits::default()).unwrap_err();
    assert!(matches!(error.fault, Fault::Corrupt(_)), "{error}");
    assert!(error.to_string().contains(path.to_str().unwrap()));
    assert!(TraceStore::open_existing(&path, Limits::default()).is_err());
    assert_eq!(fs::read(&path).unwrap(), damaged);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// CM-6: damage inside a trace is an error when it is read or written, never a crash.
#[test]
fn damage_inside_is_reported() {
    let mut trace = Trace::new();
    for number in 0..200 {
        trace.record(vec![run("a", &number.to_string())]);
    }
    let Trace {
        folder,
        store,
        path,
    } = trace;
    drop(store);
    let mut bytes = fs::read(&path).unwrap();
    bytes[8192..].fill(0x5a);
    fs::write(&path, &bytes).unwrap();
    let mut store = TraceStore::open(&path, Limits::default()).unwrap();
    let read = store.runs(&RunFilter::default());
    assert!(matches!(read.unwrap_err().fault, Fault::Corrupt(_)));
    let stats = store.stats([&HookId::from_text("id-of-a")]);
    assert!(matches!(stats.unwrap_err().fault, Fault::Corrupt(_)));
    let written = store.record(Origin::Session, &shared(vec![run("a", "new")]));
    assert!(matches!(written.unwrap_err().fault, Fault::Corrupt(_)));
    drop(store);
    assert_eq!(fs::read(&path).unwrap(), bytes);
    drop(folder);
}

/// CM-6: a trace of a newer version is left to that version.
#[test]
fn a_newer_schema_is_reported() {
    let trace = Trace::new();
    let Trace {
        folder,
        store,
        path,
    } = trace;
    drop(store);
    let newer = rusqlite::Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", 99).unwrap();
    drop(newer);
    let before = fs::read(&path).unwrap();
    let error = TraceStore::open(&path, Limits::default()).unwrap_err();
    assert!(
        matches!(error.fault, Fault::Newer { found: 99, .. }),
        "{error}"
    );
    assert_eq!(fs::read(&path).unwrap(), before);
    drop(folder);
}

/// CM-6: a database of another program isn't written to.
#[test]
fn a_foreign_database_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.db");
    let foreign = rusqlite::Connection::open(&path).unwrap();
    foreign.execute_batch("CREATE TABLE mine (x)").unwrap();
    drop(foreign);
    let before = fs::read(&path).unwrap();
    let error = TraceStore::open(&path, Limits::default()).unwrap_err();
    assert!(matches!(error.fault, Fault::Foreign), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

/// CM-6: a folder instead of the file is an error.
#[test]
fn a_folder_in_its_place_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    assert!(TraceStore::open(folder.path(), Limits::default()).is_err());
    assert!(TraceStore::open_existing(folder.path(), Limits::default()).is_err());
}

/// CM-6: a path that looks like an address is a path.
#[test]
fn a_path_is_not_an_address() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file:memory?mode=memory");
    let store = TraceStore::open(&path, Limits::default()).unwrap();
    drop(store);
    assert!(fs::metadata(&path).unwrap().len() > 0);
}
