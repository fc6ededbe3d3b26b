//! Orphans of what this process has started: on Linux they can be put under it instead of under the first
//! process of the system, and somebody has to wait for them then.

use std::fs;
use std::time::Duration;

use rustix::process::{Pid, WaitOptions, getpgrp, getpid, getsid, set_child_subreaper, waitpid};
use tokio::signal::unix::{SignalKind, signal};

/// How long several ends are gathered before they are looked for: nothing waits for it.
const GATHERED: Duration = Duration::from_secs(1);

/// Puts processes that lose their parent under this one if they descend from it, as long as it runs, and waits
/// for those that have ended, so that none stays listed. Nothing happens where the system can't do that, or
/// outside of a runtime.
pub fn adopt_orphans() {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else {
        return;
    };
    let _in_runtime = runtime.enter();
    let Ok(mut ends) = signal(SignalKind::child()) else {
        return;
    };
    if set_child_subreaper(Some(getpid())).is_ok() {
        runtime.spawn(async move {
            while ends.recv().await.is_some() {
                tokio::time::sleep(GATHERED).await;
                reap_orphans();
            }
        });
    }
}

/// Waits for orphans that have ended, and for nobody else.
pub(crate) fn reap_orphans() {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten();
    for thread in threads.flatten() {
        let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        let numbers = children.split_ascii_whitespace();
        let ended = numbers.filter_map(|number| {
            let status = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
            let own = (getpgrp(), getsid(None).ok()?);
            is_ended_orphan(&status, own).then(|| number.parse().ok())?
        });
        for process in ended.filter_map(Pid::from_raw) {
            let _ = waitpid(Some(process), WaitOptions::NOHANG);
        }
    }
}

/// Tells whether a child has ended that this process did not start: those that it starts lead a group, or are in
/// its own one, and stay in its session. The line has the number, the name in parentheses, the state, the parent,
/// the group and the session.
fn is_ended_orphan(status: &str, (own_group, own_session): (Pid, Pid)) -> bool {
    let number = status.split(' ').next();
    // A name may hold anything, parentheses and spaces too.
    let Some((_, fields)) = status.rsplit_once(") ") else {
        return false;
    };
    let mut fields = fields.split(' ');
    let state = fields.next();
    let (group, session) = (fields.nth(1), fields.next());
    let is = |field: Option<&str>, own: Pid| {
        field.and_then(|it| it.parse().ok()) == Some(own.as_raw_nonzero().get())
    };
    let is_own = is(session, own_session) && (group == number || is(group, own_group));
    state == Some("Z") && !is_own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_reaped(status: &str) -> bool {
        let own = |number| Pid::from_raw(number).unwrap();
        is_ended_orphan(status, (own(5), own(4)))
    }

    /// TR-11: whoever starts a process waits for it; only what was put under this one is waited for here.
    #[test]
    fn only_what_others_started_is_waited_for() {
        assert!(is_reaped("9 (sleep) Z 1 7 4 0 -1"));
        assert!(is_reaped("9 (a) b) Z 1 9 9 0 -1"));
        for status in [
            "9 (sleep) S 1 7 4 0 -1",
            "9 (leads a group) Z 1 9 4 0 -1",
            "9 (in our group) Z 1 5 4 0 -1",
        ] {
            assert!(!is_reaped(status), "{status}");
        }
    }
}
