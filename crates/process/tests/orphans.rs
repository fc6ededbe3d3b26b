//! Orphans that are put under the process that started their parents.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test ends where it can't go on")]

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use hookloop_process::{Process, adopt_orphans};

fn started(script: &str) -> Process {
    let mut command = Command::new("/bin/bash");
    command
        .args(["-c", script])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Process::spawn(command).unwrap().0
}

/// The states of this process's children.
fn states() -> Vec<String> {
    let threads = fs::read_dir("/proc/self/task").unwrap().flatten();
    let lists =
        threads.map(|it| fs::read_to_string(it.path().join("children")).unwrap_or_default());
    let numbers = lists.flat_map(|list| {
        list.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    });
    let states = numbers.filter_map(|number| {
        let status = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
        Some(status.rsplit_once(") ")?.1.chars().take(1).collect())
    });
    states.collect()
}

/// TR-11, IO-31: an orphan, whatever its group and session, is under this process while it runs and
/// is gone when it has ended; the end of a process that was started here is still reported to a
/// late caller.
#[tokio::test]
async fn orphans_are_adopted_and_waited_for() {
    adopt_orphans();
    let mut early = started("exit 7");
    let folder = tempfile::tempdir().unwrap();
    let go = folder.path().join("go");
    let wait = format!("until [ -e {} ]; do sleep 0.05; done", go.display());
    let mut parent = started(&format!(
        "setsid bash -c '{wait}' & set -m; bash -c '{wait}' & set +m; bash -c '{wait}' & disown -a; exit 0"
    ));
    assert!(parent.exited().await.unwrap().success());
    parent.release();
    let running = || states().iter().filter(|it| *it != "Z").count();
    while running() < 3 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    fs::write(&go, "").unwrap();
    // The one that ended early stays until somebody asks for it.
    while states() != ["Z"] {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(early.exited().await.unwrap().code(), Some(7));
    assert!(states().is_empty());
}
