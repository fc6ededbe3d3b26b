//! Shows runs as they happen (CM-6).

use std::ops::ControlFlow;
use std::thread;
use std::time::Duration;

use hookloop_session::{Workspace, recording};
use hookloop_trace::{Cursor, RunFilter, StoredRun, TraceStore};

use super::choice::recorded_runs;
use crate::Task;
use crate::failure::CommandFailure;

/// The pause between two reads of the trace.
const PAUSE: Duration = Duration::from_millis(200);

/// Passes the last runs, if requested, and then every new one to `show`, until that breaks. Without
/// a store, it waits for the first run.
pub fn follow_runs(
    task: Task<'_>,
    workspace: &Workspace,
    mut store: Option<TraceStore>,
    filter: &RunFilter,
    mut show: impl FnMut(&[StoredRun]) -> ControlFlow<()>,
) -> Result<(), CommandFailure> {
    let mut cursor = match &store {
        Some(store) => store.end()?,
        None => Cursor::START,
    };
    if filter.last.is_some() {
        let earlier = recorded_runs(store.as_ref(), filter)?;
        if show(&earlier).is_break() {
            return Ok(());
        }
        cursor = earlier
            .last()
            .map_or(cursor, |run| cursor.max(Cursor::after(run)));
    }
    loop {
        match &store {
            None => store = recording::open(workspace, task.environment)?,
            Some(store) => {
                let (new, next) = store.follow(cursor, filter)?;
                cursor = next;
                if show(&new).is_break() {
                    return Ok(());
                }
                if !new.is_empty() {
                    continue;
                }
            }
        }
        thread::sleep(PAUSE);
    }
}
