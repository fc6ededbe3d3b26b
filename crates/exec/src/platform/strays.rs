//! Descendants of a process that have left its process group.
//!
//! A child in a session of its own is out of reach of the group's signals. As long as the process
//! itself runs, the system knows who descends from it; that is the moment to note them.

use std::fs;
use std::os::fd::OwnedFd;

use rustix::process::{Pid, PidfdFlags, Signal, getpgid, pidfd_open, pidfd_send_signal};

/// How many processes are looked at: one that forks without end must not hold the host up.
const MOST: usize = 4096;

/// Notes processes that have left a group, each by a descriptor that can't come to mean another process.
#[derive(Debug, Default)]
pub struct Strays(Vec<OwnedFd>);

impl Strays {
    /// Notes the present descendants of a group's leader that are in other groups.
    pub fn find(&mut self, leader: Pid) {
        let mut processes = vec![leader];
        let mut next = 0;
        while let Some(process) = processes.get(next).copied()
            && next < MOST
        {
            next += 1;
            processes.extend(children(process));
        }
        for process in processes.into_iter().skip(1) {
            if getpgid(Some(process)).is_ok_and(|group| group != leader)
                && let Ok(descriptor) = pidfd_open(process, PidfdFlags::empty())
            {
                self.0.push(descriptor);
            }
        }
    }

    /// Sends a signal to all that were noted.
    pub fn signal(&self, signal: Signal) {
        for stray in &self.0 {
            // It fails for those that have ended.
            let _ = pidfd_send_signal(stray, signal);
        }
    }
}

/// Reads who the children of a process are, of all its threads.
fn children(process: Pid) -> Vec<Pid> {
    let folder = format!("/proc/{}/task", process.as_raw_nonzero());
    let threads = fs::read_dir(folder).into_iter().flatten().flatten();
    let lists = threads.filter_map(|it| fs::read_to_string(it.path().join("children")).ok());
    let numbers = lists.flat_map(|list| {
        list.split_whitespace()
            .filter_map(|number| number.parse().ok())
            .collect::<Vec<i32>>()
    });
    numbers.filter_map(Pid::from_raw).collect()
}
