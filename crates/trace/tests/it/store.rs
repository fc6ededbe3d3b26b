//! A trace in its own folder.

use std::path::PathBuf;

use hookloop_engine::RunRecord;
use hookloop_trace::{Limits, Origin, RunFilter, StoredRun, TraceProblem, TraceStore};
use tempfile::TempDir;

use crate::support::shared;

/// A trace that is deleted with the test.
pub(crate) struct Trace {
    pub(crate) folder: TempDir,
    pub(crate) store: TraceStore,
    pub(crate) path: PathBuf,
}

impl Trace {
    pub(crate) fn new() -> Self {
        Self::with_max_bytes(Limits::default().max_bytes)
    }

    pub(crate) fn with_max_bytes(max_bytes: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trace.db");
        let store = TraceStore::open(&path, Limits { max_bytes }).unwrap();
        Self {
            folder,
            store,
            path,
        }
    }

    /// Writes runs as one firing.
    pub(crate) fn record(&mut self, runs: Vec<RunRecord>) -> Vec<TraceProblem> {
        self.store.record(Origin::Session, &shared(runs)).unwrap()
    }

    pub(crate) fn all(&self) -> Vec<StoredRun> {
        self.store.runs(&RunFilter::default()).unwrap()
    }

    pub(crate) fn ids(&self, filter: &RunFilter) -> Vec<String> {
        ids(&self.store.runs(filter).unwrap())
    }
}

pub(crate) fn ids(runs: &[StoredRun]) -> Vec<String> {
    runs.iter().map(|run| run.run_id.clone()).collect()
}
