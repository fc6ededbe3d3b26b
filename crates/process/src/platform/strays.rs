//! Descendants of a process that have left its process group.
//!
//! A child in a session of its own can't be reached by signals to the group. While the process
//! itself runs, the system knows its descendants, so that is when they are collected. A descendant
//! whose parent has ended can't be found in this way, but it still has the mark of the process in
//! its environment.

use std::fs;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, getpgid, pidfd_open, pidfd_send_signal, test_kill_process,
};

use super::orphans::not_started_here;

/// How many processes are examined: one that forks endlessly must not block the host.
const MAX_PROCESSES: usize = 4096;
/// How many process ids are examined after they have wrapped around.
const MAX_NUMBERS: i32 = 2048;

/// Processes that have left a group, each with a descriptor that can never refer to another
/// process.
#[derive(Debug, Default)]
pub struct Strays(Vec<OwnedFd>);

impl Strays {
    /// Collects the current descendants of a group's leader that are in other groups.
    pub fn find(&mut self, leader: Pid) {
        let mut processes = vec![leader];
        let mut next = 0;
        while let Some(process) = processes.get(next).copied()
            && next < MAX_PROCESSES
        {
            next += 1;
            processes.extend(children(process));
        }
        for process in processes.into_iter().skip(1) {
            if is_outside(process, leader)
                && let Ok(descriptor) = pidfd_open(process, PidfdFlags::empty())
            {
                self.0.push(descriptor);
            }
        }
    }

    /// Collects the processes outside a group that have a mark in their environment.
    pub fn find_marked(&mut self, mark: &str, group: Pid) {
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = processes.filter_map(|it| it.file_name().to_str()?.parse().ok());
        for process in not_started_here(numbers.filter_map(Pid::from_raw)) {
            if has_mark(process, mark)
                && is_outside(process, group)
                && let Ok(descriptor) = pidfd_open(process, PidfdFlags::empty())
            {
                self.0.push(descriptor);
            }
        }
    }

    /// Sends a signal to all collected processes.
    pub fn signal(&self, signal: Signal) {
        for stray in &self.0 {
            // Fails for processes that have ended.
            let _ = pidfd_send_signal(stray, signal);
        }
    }
}

/// A process that outlived the one that started it, in a group of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stray {
    /// Its process id.
    pub process: i32,
    /// The start of its name, as reported by the system.
    pub name: String,
}

/// Returns the processes outside of a group that have a mark and were started after the group's
/// leader. The system numbers processes one after another, so only the numbers since then are
/// examined.
pub(crate) fn find_strays(mark: &str, leader: Pid) -> Vec<Stray> {
    let first = leader.as_raw_nonzero().get() + 1;
    let Some(last) = last_process() else {
        return Vec::new();
    };
    let (end, anew) = if last >= first - 1 {
        (last, 0)
    } else {
        // Process ids have wrapped around since the leader started.
        (first.saturating_add(MAX_NUMBERS), last)
    };
    let numbers = (first..=end).chain(1..=anew).take(MAX_PROCESSES);
    let there = numbers.filter_map(Pid::from_raw).filter(|it| is_there(*it));
    // Processes of other running hooks aren't strays. They are left out first, because reading a
    // process's environment takes time.
    let others = not_started_here(there).into_iter();
    let strays = others.filter(|it| has_mark(*it, mark) && is_outside(*it, leader));
    strays.map(Stray::new).collect()
}

impl Stray {
    fn new(process: Pid) -> Self {
        let process = process.as_raw_nonzero().get();
        let name = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
        Self {
            process,
            name: name.trim_end().to_owned(),
        }
    }
}

/// Returns the process id that was assigned last.
fn last_process() -> Option<i32> {
    let load = fs::read_to_string("/proc/loadavg").ok()?;
    load.split_whitespace().nth(4)?.parse().ok()
}

/// Returns whether a process with this id exists. Asking the system for that is much cheaper than
/// looking for its files, and most ids since a hook began belong to processes that have ended.
fn is_there(process: Pid) -> bool {
    test_kill_process(process) != Err(Errno::SRCH)
}

/// Returns whether a process is in another group; the system's own are in none, and aren't
/// examined.
fn is_outside(process: Pid, group: Pid) -> bool {
    getpgid(Some(process)).is_ok_and(|found| found != group)
}

/// Returns whether a mark is in the environment with which a process was started.
fn has_mark(process: Pid, mark: &str) -> bool {
    let place = format!("/proc/{}/environ", process.as_raw_nonzero());
    let variable = format!("{}={mark}", crate::MARK);
    fs::read(place).is_ok_and(|environment| {
        environment
            .split(|byte| *byte == 0)
            .any(|entry| entry == variable.as_bytes())
    })
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
