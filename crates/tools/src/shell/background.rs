//! Processes that continue after the call that started them, until the session ends.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use hookloop_process::{GRACE, Process};
use tokio::time::Instant;

use super::foreground::Rest;

/// The interval for checking whether a group without a child to wait for is gone.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// A background process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackgroundProcess {
    /// The id of the process, which on Unix is also that of its group.
    pub pid: u32,
    /// The command line that started it.
    pub command: String,
}

/// The background processes of a session (TO-2).
///
/// Clones share the list. When the last clone is dropped, all processes are ended.
#[derive(Debug, Clone, Default)]
pub struct BackgroundProcesses {
    list: Arc<List>,
}

#[derive(Debug, Default)]
struct List {
    entries: Mutex<Vec<Entry>>,
}

#[derive(Debug)]
struct Entry {
    process: BackgroundProcess,
    /// The process with its group; dropping it ends them.
    running: Process,
}

impl BackgroundProcesses {
    /// Returns the processes that still run.
    pub fn running(&self) -> Vec<BackgroundProcess> {
        let mut entries = self.list.lock();
        entries.retain_mut(Entry::is_alive);
        entries.iter().map(|entry| entry.process.clone()).collect()
    }

    /// Ends all processes: asks them first, and kills them after a second. Returns those that were
    /// still running.
    pub async fn end_all(&self) -> Vec<BackgroundProcess> {
        let mut entries = std::mem::take(&mut *self.list.lock());
        entries.retain_mut(Entry::is_alive);
        for entry in &mut entries {
            entry.running.ask_to_end();
        }
        let deadline = Instant::now() + GRACE;
        for entry in &mut entries {
            let left = deadline.saturating_duration_since(Instant::now());
            entry.running.is_gone_within(left).await;
        }
        let ended = entries.iter().map(|entry| entry.process.clone()).collect();
        // Dropping the processes ends the rest of their groups.
        drop(entries);
        ended
    }

    /// Adopts a process with its group, and watches them until they end.
    pub(crate) fn adopt(&self, running: Process, process: BackgroundProcess) {
        let pid = process.pid;
        self.list.lock().push(Entry { process, running });
        tokio::spawn(watch(Arc::downgrade(&self.list), pid));
    }

    /// Adopts what a finished command left running in its group.
    pub(crate) fn adopt_rest(&self, rest: Rest, process: BackgroundProcess) {
        self.adopt(rest.process, process);
        if let Some(mut output) = rest.output {
            tokio::spawn(async move {
                while output.piece().await.is_ok_and(|piece| !piece.is_empty()) {}
            });
        }
    }
}

/// Forgets a group soon after it is gone, before its id can belong to another.
async fn watch(list: Weak<List>, pid: u32) {
    while list.upgrade().is_some_and(|list| list.keeps(pid)) {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

impl List {
    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        // The list is consistent between any two statements, even after a panic elsewhere.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets the process if it is gone, and returns whether it is still on the list.
    fn keeps(&self, pid: u32) -> bool {
        let mut entries = self.lock();
        entries.retain_mut(|entry| entry.process.pid != pid || entry.is_alive());
        entries.iter().any(|entry| entry.process.pid == pid)
    }
}

impl Entry {
    /// Returns whether a process is left; if none is, its id may soon belong to another and is
    /// released.
    fn is_alive(&mut self) -> bool {
        let is_alive = self.running.is_alive();
        if !is_alive {
            self.running.release();
        }
        is_alive
    }
}
