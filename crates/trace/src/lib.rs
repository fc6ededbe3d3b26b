//! The record of hook runs, in `SQLite`: queries, statistics, replay, and an HTML report (CM-6).
//!
//! One [`TraceStore`] is one connection to the database. A session gives one to a
//! [`TraceObserver`], which writes on a thread of its own; commands open another to read. Any
//! number of processes may do both at once.
//!
//! ```
//! use std::sync::Arc;
//! use hookloop_engine::Hooks;
//! use hookloop_trace::{Limits, Origin, RunFilter, TraceObserver, TraceStore};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let path = folder.path().join("trace.db");
//! let store = TraceStore::open(&path, Limits::default())?;
//! let recorder = Arc::new(TraceObserver::start(store, Origin::Session, |problem| {
//!     let _ = problem.to_string(); // show it to the user
//! })?);
//! let hooks = Hooks::builder().observer(recorder.clone()).build();
//! // … the session …
//! # drop(hooks);
//! recorder.flush();
//!
//! let reader = TraceStore::open_existing(&path, Limits::default())?;
//! let runs = reader.map(|store| store.runs(&RunFilter::default())).transpose()?;
//! # assert_eq!(runs.map(|runs| runs.len()), Some(0));
//! # Ok(())
//! # }
//! ```

mod entry;
mod fault;
pub mod html;
mod ignored;
mod limits;
mod loss;
mod observer;
mod problem;
mod query;
mod queue;
mod recently_ignored;
mod record;
pub mod replay;
mod row;
mod run;
mod schema;
mod stats;
mod store;
mod summary;
#[cfg(test)]
mod test_support;
mod trim;

pub use fault::{Fault, OpenError, QueryError, WriteError};
pub use ignored::ignored_fields;
pub use limits::Limits;
pub use loss::Loss;
pub use observer::{Tally, TraceObserver};
pub use problem::TraceProblem;
pub use query::{Cursor, RunFilter};
pub use recently_ignored::IgnoredField;
pub use run::{Occasion, Origin, StoredFailure, StoredRun};
pub use stats::{HookStats, nearest_rank};
pub use store::{FILE_NAME, TraceStore};
