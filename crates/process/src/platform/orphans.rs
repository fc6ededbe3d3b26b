//! Orphaned descendants of this process. On Linux, this process can adopt them instead of the
//! system's first process, and must then wait for them.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, WaitOptions, getpid, set_child_subreaper, waitpid};
use tokio::signal::unix::{SignalKind, signal};

/// How long to collect several ends before looking for them: nothing waits for that.
const GATHER_INTERVAL: Duration = Duration::from_secs(1);

/// Whether orphans are put under this process. A program that embeds the engine has its own
/// children, which don't belong to us, and never requests it.
static ADOPTS: AtomicBool = AtomicBool::new(false);

/// The processes that were started here, each in its own group, and for which something waits.
static STARTED: LazyLock<Mutex<HashSet<u32>>> = LazyLock::new(Mutex::default);

fn lock_started() -> MutexGuard<'static, HashSet<u32>> {
    // Each entry is independent of the others, so a poisoned lock guards nothing broken.
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a process that leads its own group, and records that something waits for it.
pub(crate) fn start(spawn: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
    // Holds the lock while it spawns, so that the new child is never reaped as an orphan.
    let mut started = lock_started();
    let child = spawn()?;
    started.insert(child.id());
    Ok(child)
}

/// Records that a process was waited for: its number may come to mean another.
pub(crate) fn was_waited_for(process: u32) {
    lock_started().remove(&process);
}

/// Leaves out the processes that were started here and for which something waits.
pub(crate) fn not_started_here(processes: impl Iterator<Item = Pid>) -> Vec<Pid> {
    let started = lock_started();
    let is_ours = |it: &Pid| started.contains(&it.as_raw_nonzero().get().cast_unsigned());
    processes.filter(|it| !is_ours(it)).collect()
}

/// Adopts descendants that lose their parent, as long as this process runs, and waits for those
/// that have ended. A program that calls this must start its processes through this crate, or leave
/// them in its own group: all other children count as orphans. It has no effect if the system
/// doesn't support it, or outside a runtime.
pub fn adopt_orphans() {
    static ADOPTED: Once = Once::new();
    let Ok(runtime) = tokio::runtime::Handle::try_current() else {
        return;
    };
    ADOPTED.call_once(|| {
        let _in_runtime = runtime.enter();
        let Ok(mut ends) = signal(SignalKind::child()) else {
            return;
        };
        // Orphans can only be found, and so reaped, through this list.
        let is_listed = fs::exists("/proc/thread-self/children").unwrap_or(false);
        if is_listed && set_child_subreaper(Some(getpid())).is_ok() {
            ADOPTS.store(true, Ordering::Relaxed);
            runtime.spawn(async move {
                while ends.recv().await.is_some() {
                    tokio::time::sleep(GATHER_INTERVAL).await;
                    reap_orphans();
                }
            });
        }
    });
}

/// Waits for orphans that have ended, if they are put under this process.
pub(crate) fn reap_orphans() {
    if !ADOPTS.load(Ordering::Relaxed) {
        return;
    }
    let Some((_, own_group)) = state_and_group("self") else {
        return;
    };
    let started = lock_started();
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten();
    for thread in threads.flatten() {
        let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        let numbers = children.split_ascii_whitespace();
        let numbers = numbers.filter_map(|it| it.parse::<u32>().ok());
        for number in numbers.filter(|it| !started.contains(it)) {
            let has_ended = state_and_group(&number.to_string())
                .is_some_and(|(state, group)| state == 'Z' && group != own_group);
            let process = i32::try_from(number).ok().and_then(Pid::from_raw);
            if let Some(process) = process.filter(|_| has_ended) {
                // Fails if somebody else has waited for it.
                let _ = waitpid(Some(process), WaitOptions::NOHANG);
            }
        }
    }
}

/// Reads the state and the group of a process. The group is 0 if its leader is outside of the
/// namespace in which this process sees others, as in a container: no call that returns a process
/// id can be used for it.
fn state_and_group(process: &str) -> Option<(char, i32)> {
    parts_of(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

/// A line has the number, the name in parentheses, the state, the parent and the group. A name may
/// contain anything, parentheses and spaces too.
fn parts_of(status: &str) -> Option<(char, i32)> {
    let (_, fields) = status.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let state = fields.next()?.chars().next()?;
    Some((state, fields.nth(1)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TR-11: what the system reports about a process is read whatever its name is, even in a
    /// container, where the group of the first process has no number.
    #[test]
    fn states_and_groups_are_read() {
        assert_eq!(parts_of("9 (sleep) Z 1 7 4 0 -1"), Some(('Z', 7)));
        assert_eq!(parts_of("9 (a) b) S 1 9 9 0 -1"), Some(('S', 9)));
        assert_eq!(parts_of("9 (inside) S 1 0 0 0 -1"), Some(('S', 0)));
        assert_eq!(parts_of(""), None);
        assert!(state_and_group("self").is_some());
    }
}
