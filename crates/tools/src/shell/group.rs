//! A process with its descendants, ended together.
//!
//! On Unix that is the process group which the child leads. Elsewhere only the child itself is ended.

use std::time::Duration;

#[cfg(target_os = "linux")]
use hookloop_exec::Strays;
#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

/// How long processes have between the polite and the hard end (TO-2).
pub(crate) const GRACE: Duration = Duration::from_secs(1);

/// How long they have when somebody waits for the prompt, which is back within a second (LO-4).
pub(crate) const GRACE_OF_CANCELLED: Duration = Duration::from_millis(500);

/// How often it is looked whether a group is gone.
const STEP: Duration = Duration::from_millis(10);

/// Ends a process group when dropped, unless it was released.
#[derive(Debug)]
pub(crate) struct Group {
    #[cfg(unix)]
    leader: Option<Pid>,
    /// Descendants that have left the group, as far as they could be found.
    #[cfg(target_os = "linux")]
    strays: Strays,
}

#[cfg_attr(
    not(unix),
    expect(clippy::unused_self, reason = "there is no group to act on")
)]
impl Group {
    /// Takes the group that the process `id` leads.
    pub(crate) fn led_by(id: u32) -> Self {
        #[cfg(not(unix))]
        let _ = id;
        Self {
            #[cfg(unix)]
            leader: i32::try_from(id).ok().and_then(Pid::from_raw),
            #[cfg(target_os = "linux")]
            strays: Strays::default(),
        }
    }

    /// Asks all processes of the group to end, and descendants that have left it.
    pub(crate) fn terminate(&mut self) {
        #[cfg(unix)]
        self.send(Signal::TERM);
    }

    /// Ends all processes of the group, and descendants that have left it.
    pub(crate) fn kill(&mut self) {
        #[cfg(unix)]
        self.send(Signal::KILL);
    }

    #[cfg(unix)]
    fn send(&mut self, signal: Signal) {
        if let Some(leader) = self.leader {
            #[cfg(target_os = "linux")]
            {
                // As long as the group has members its number can't mean another process.
                if self.is_alive() {
                    self.strays.find(leader);
                }
                self.strays.signal(signal);
            }
            // A group that is gone already is what was wanted.
            let _ = kill_process_group(leader, signal);
        }
    }

    /// Tells whether a process of the group still runs.
    pub(crate) fn is_alive(&self) -> bool {
        #[cfg(unix)]
        return self.leader.is_some_and(|leader| {
            test_kill_process_group(leader).is_ok() && !is_dead_throughout(leader)
        });
        #[cfg(not(unix))]
        false
    }

    /// Waits until no process of the group is left, but not longer than `limit`.
    pub(crate) async fn wait_until_gone(&self, limit: Duration) {
        let gone = async {
            while self.is_alive() {
                tokio::time::sleep(STEP).await;
            }
        };
        drop(tokio::time::timeout(limit, gone).await);
    }

    /// Lets the group go: dropping it ends nothing any more.
    pub(crate) fn release(&mut self) {
        #[cfg(unix)]
        {
            self.leader = None;
            #[cfg(target_os = "linux")]
            {
                self.strays = Strays::default();
            }
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Tells whether all processes of a group are dead and only nobody has taken note of it.
///
/// In a container the first process often takes no note of orphans, and they keep their group for ever.
#[cfg(target_os = "linux")]
fn is_dead_throughout(leader: Pid) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return false;
    };
    let group = leader.as_raw_nonzero().to_string();
    let mut members = 0;
    for process in processes.flatten() {
        // A process that vanishes meanwhile is not a member that runs.
        let Ok(stat) = std::fs::read_to_string(process.path().join("stat")) else {
            continue;
        };
        // The name, in brackets, may hold anything; state, parent and group come after it.
        let Some((_, fields)) = stat.rsplit_once(')') else {
            continue;
        };
        let mut fields = fields.split_whitespace();
        let state = fields.next();
        if fields.nth(1) != Some(group.as_str()) {
            continue;
        }
        members += 1;
        if !matches!(state, Some("Z" | "X")) {
            return false;
        }
    }
    members > 0
}

#[cfg(all(unix, not(target_os = "linux")))]
fn is_dead_throughout(_leader: Pid) -> bool {
    false
}
