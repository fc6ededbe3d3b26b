//! The watchdog of a detached hook: does what the host would do at the timeout.

use std::num::NonZeroI32;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process};

use crate::GRACE;

/// The interval for checking a process if the system can't report its end.
const INTERVAL: Duration = Duration::from_millis(50);

/// Waits until the leader of a process group has ended. If it still runs after `remaining`, the
/// group and the descendants that have left it are asked to end, and killed after the grace period
/// (SE-2, IO-31).
///
/// It blocks, and is meant to be called in a separate process. A number that isn't a process group
/// is ignored.
pub fn watch(process_group: i32, remaining: Duration) {
    // 0 and 1 would mean this process's own group and every process.
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
    let mut members = Members::of(leader);
    members.signal(Signal::TERM);
    if !ends_within(leader, GRACE) {
        members.find_strays();
    }
    members.signal(Signal::KILL);
}

/// A process group, with descendants of its leader that have left it.
struct Members {
    leader: Pid,
    #[cfg(target_os = "linux")]
    strays: crate::platform::Strays,
}

impl Members {
    /// Collects the members of a group whose leader runs.
    fn of(leader: Pid) -> Self {
        let mut members = Self {
            leader,
            #[cfg(target_os = "linux")]
            strays: crate::platform::Strays::default(),
        };
        members.find_strays();
        members
    }

    /// Looks for descendants outside of the group. Only a running leader leads to them; later its
    /// number may mean another process.
    #[cfg_attr(
        not(target_os = "linux"),
        expect(clippy::unused_self, reason = "they can't be found")
    )]
    fn find_strays(&mut self) {
        #[cfg(target_os = "linux")]
        self.strays.find(self.leader);
    }

    fn signal(&self, signal: Signal) {
        // Either call fails only if no process is left.
        let _ = kill_process_group(self.leader, signal);
        #[cfg(target_os = "linux")]
        self.strays.signal(signal);
    }
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
