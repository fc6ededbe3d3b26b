//! Which processes are running.

use std::fs;
use std::path::Path;

use crate::case::Expect;
use crate::launch::eventually;
use crate::world::World;

/// Returns everything that isn't as expected.
pub(crate) fn check(world: &World, expect: &Expect) -> Vec<String> {
    let mut wrong = Vec::new();
    for (names, should_live) in [(&expect.gone, false), (&expect.alive, true)] {
        for name in names {
            match number(&world.path(name)) {
                None => wrong.push(format!("{name} doesn't contain a process id")),
                Some(process) => {
                    let holds = || lives(process) == should_live;
                    if !(holds() || !should_live && eventually(holds)) {
                        let state = if should_live {
                            "is gone"
                        } else {
                            "still lives"
                        };
                        wrong.push(format!("the process of {name} {state}"));
                    }
                    end(process);
                }
            }
        }
    }
    wrong
}

fn number(path: &Path) -> Option<i32> {
    // The file may just be being written.
    eventually(|| fs::read_to_string(path).is_ok_and(|text| !text.is_empty()));
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

#[cfg(unix)]
fn lives(process: i32) -> bool {
    // A process that ended and that nobody waited for is gone.
    let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let is_zombie = state
        .rsplit_once(") ")
        .is_some_and(|(_, rest)| rest.starts_with('Z'));
    hookloop_testkit::is_process_alive(process) && !is_zombie
}

#[cfg(unix)]
fn end(process: i32) {
    if let Some(process) = rustix::process::Pid::from_raw(process) {
        let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
    }
}

#[cfg(not(unix))]
fn lives(_process: i32) -> bool {
    false
}

#[cfg(not(unix))]
fn end(_process: i32) {}
