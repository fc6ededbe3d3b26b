//! Waiting for what happens in other processes.

use std::thread;
use std::time::{Duration, Instant};

/// How long a condition may take: not a measure of speed, only a bound for a test that would hang.
const TIMEOUT: Duration = Duration::from_mins(1);
const INTERVAL: Duration = Duration::from_millis(5);

/// Waits until a condition holds; panics with `what` if it never does.
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(
            started.elapsed() < TIMEOUT,
            "timed out waiting until {what}"
        );
        thread::sleep(INTERVAL);
    }
}

/// Waits until a process group has no member any more; panics if it keeps one.
#[cfg(unix)]
pub fn no_process_left(process_group: i32) {
    let Some(group) = rustix::process::Pid::from_raw(process_group) else {
        return;
    };
    wait_until(&format!("process group {process_group} is empty"), || {
        rustix::process::test_kill_process_group(group).is_err()
    });
}

/// Returns whether a process exists; a zombie does.
#[cfg(unix)]
pub fn is_process_alive(process: i32) -> bool {
    rustix::process::Pid::from_raw(process)
        .is_some_and(|process| rustix::process::test_kill_process(process).is_ok())
}
