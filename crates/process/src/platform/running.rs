//! The process groups that run, for a program that can't end them one by one any more.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};

static RUNNING: LazyLock<Mutex<HashSet<Pid>>> = LazyLock::new(Mutex::default);

fn lock_running() -> MutexGuard<'static, HashSet<Pid>> {
    // Each entry is independent of the others, so a poisoned lock guards nothing broken.
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Records that a group runs and ends with this program.
pub(super) fn begins(group: Pid) {
    lock_running().insert(group);
}

/// Records that a group has ended, or outlives this program.
pub(super) fn ends(group: Pid) {
    lock_running().remove(&group);
}

/// Kills every process group that would end with this program, because the program is about to end
/// without being able to do that in order. Descendants that have left their group aren't found.
pub fn kill_running() {
    for group in lock_running().drain() {
        // Fails only if no process is left.
        let _ = kill_process_group(group, Signal::KILL);
    }
}
