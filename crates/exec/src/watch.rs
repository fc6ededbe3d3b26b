//! The watchdog of a detached hook: what the host would do at the timeout, done without it.

use std::num::NonZeroI32;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process};

use crate::termination::GRACE;

/// How often a process is looked for where the system can't tell of its end.
const INTERVAL: Duration = Duration::from_millis(50);

/// Waits until the leader of a process group has ended; if it still runs after `remaining`, asks
/// the group to end, and kills it after the grace (SE-2, IO-31).
///
/// It blocks: a process of its own is meant to call it, started by the executor through
/// [`Surroundings::watchdog`](crate::Surroundings::watchdog). A number that is no process group
/// is ignored.
pub fn watch(process_group: i32, remaining: Duration) {
    // 0 and 1 would mean this process's own group, and every process there is.
    let Some(leader) = NonZeroI32::new(process_group).filter(|number| number.get() > 1) else {
        return;
    };
    let leader = Pid::from_raw(leader.get());
    let Some(leader) = leader else {
        return;
    };
    if ends_within(leader, remaining) {
        return;
    }
    // Either fails only when nobody is left.
    let _ = kill_process_group(leader, Signal::TERM);
    ends_within(leader, GRACE);
    let _ = kill_process_group(leader, Signal::KILL);
}

fn ends_within(leader: Pid, limit: Duration) -> bool {
    #[cfg(target_os = "linux")]
    match rustix::process::pidfd_open(leader, rustix::process::PidfdFlags::empty()) {
        Ok(descriptor) => return is_ready_within(&descriptor, limit),
        Err(rustix::io::Errno::SRCH) => return true,
        Err(_) => {}
    }
    let started = Instant::now();
    while test_kill_process(leader).is_ok() {
        let Some(rest) = limit
            .checked_sub(started.elapsed())
            .filter(|rest| !rest.is_zero())
        else {
            return false;
        };
        thread::sleep(rest.min(INTERVAL));
    }
    true
}

/// Waits on the descriptor of a process, which becomes readable at its end.
#[cfg(target_os = "linux")]
fn is_ready_within(descriptor: &std::os::fd::OwnedFd, limit: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let started = Instant::now();
    loop {
        let rest = limit.saturating_sub(started.elapsed());
        let timeout = Timespec::try_from(rest).ok();
        let mut descriptors = [PollFd::new(descriptor, PollFlags::IN)];
        match poll(&mut descriptors, timeout.as_ref()) {
            Ok(0) => return false,
            Ok(_) => return true,
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}
