//! Processes that go on after the call that started them, until the session ends.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::process::Child;
use tokio_util::sync::CancellationToken;

use super::foreground::Rest;
use super::group::{GRACE, Group};

/// How often it is looked whether a group without a child to wait for is gone.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);

/// One process that goes on in the background.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackgroundProcess {
    /// The process's id, which on Unix is also that of its group.
    pub pid: u32,
    /// The command line that started it.
    pub command: String,
}

/// Keeps the background processes of a session (TO-2).
///
/// Clones share the list. When the last clone goes, all processes are ended.
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
    group: Group,
    /// Ends the child itself where there are no groups.
    end: CancellationToken,
}

impl BackgroundProcesses {
    /// Returns the processes that still run.
    pub fn running(&self) -> Vec<BackgroundProcess> {
        let mut entries = self.list.lock();
        entries.retain_mut(Entry::is_alive);
        entries.iter().map(|entry| entry.process.clone()).collect()
    }

    /// Ends all processes: politely, and after a second the hard way. Returns those that still ran.
    pub async fn end_all(&self) -> Vec<BackgroundProcess> {
        let mut entries = std::mem::take(&mut *self.list.lock());
        entries.retain_mut(Entry::is_alive);
        for entry in &mut entries {
            entry.group.terminate();
            entry.end.cancel();
        }
        for entry in &entries {
            // After the first that takes its whole grace, the others have had theirs too.
            entry.group.wait_until_gone(GRACE).await;
            if entry.group.is_alive() {
                break;
            }
        }
        let ended = entries.iter().map(|entry| entry.process.clone()).collect();
        // Dropping the groups ends what is left.
        drop(entries);
        ended
    }

    /// Takes a child over with its group, and watches them until they end.
    pub(crate) fn adopt(&self, mut child: Child, group: Group, process: BackgroundProcess) {
        let end = CancellationToken::new();
        let pid = process.pid;
        self.list.lock().push(Entry {
            process,
            group,
            end: end.clone(),
        });
        let list = Arc::downgrade(&self.list);
        tokio::spawn(async move {
            tokio::select! {
                _ = child.wait() => {}
                // On Unix the group gets signals, and the child is only waited for.
                () = end.cancelled(), if !cfg!(unix) => drop(child.kill().await),
            }
            end.cancel();
            watch(list, pid).await;
        });
    }

    /// Takes over what a finished command left running in its group.
    pub(crate) fn adopt_rest(&self, rest: Rest, process: BackgroundProcess) {
        let pid = process.pid;
        self.list.lock().push(Entry {
            process,
            group: rest.group,
            end: CancellationToken::new(),
        });
        if let Some(mut output) = rest.output {
            tokio::spawn(async move {
                while output.piece().await.is_ok_and(|piece| !piece.is_empty()) {}
            });
        }
        tokio::spawn(watch(Arc::downgrade(&self.list), pid));
    }
}

/// Forgets a group soon after it is gone, before its id can be another's.
async fn watch(list: Weak<List>, pid: u32) {
    while list.upgrade().is_some_and(|list| list.keeps(pid)) {
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
}

impl List {
    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        // The list is whole between any two statements, also after a panic elsewhere.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets the process if it is gone, and tells whether it is still on the list.
    fn keeps(&self, pid: u32) -> bool {
        let mut entries = self.lock();
        entries.retain_mut(|entry| entry.process.pid != pid || entry.is_alive());
        entries.iter().any(|entry| entry.process.pid == pid)
    }
}

impl Entry {
    /// Tells whether a process is left; if none is, its id may soon be another's and is let go.
    fn is_alive(&mut self) -> bool {
        let is_alive = if cfg!(unix) {
            self.group.is_alive()
        } else {
            !self.end.is_cancelled()
        };
        if !is_alive {
            self.group.release();
        }
        is_alive
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.end.cancel();
    }
}
