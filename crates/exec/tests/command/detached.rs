use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::Duration;

use hookloop_engine::{Ending, Executor as _, Invocation, Leak, Lifetime, StopCause};
use hookloop_exec::watch;
use hookloop_testkit::{is_process_alive, no_process_left, puppet, wait_until};

use crate::support::{Stage, appears, direct, number_in};

const LONG: Duration = Duration::from_mins(10);

fn detached(stage: &Stage, actions: &str, timeout: Duration) -> Invocation {
    let mut invocation = stage.invocation(&direct(actions));
    invocation.lifetime = Lifetime::Detached { timeout };
    invocation
}

/// Starts a hook and gives up on it when a file appears, as a host does that leaves.
async fn abandoned_when(stage: &Stage, invocation: Invocation, file: &str) {
    let executor = stage.executor();
    let running = tokio::spawn(async move { executor.execute(invocation).await });
    appears(&stage.path(file)).await;
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
}

/// SE-2: a detached hook that ends in time is like any other.
#[tokio::test]
async fn a_detached_hook_replies() {
    let stage = Stage::new();
    let mut invocation = detached(
        &stage,
        "echo-stdin stderr err flood-stdout 5000 exit 2",
        LONG,
    );
    invocation.max_output_bytes = 4000;
    let completion = stage.executor().execute(invocation).await;
    assert_eq!(completion.ending, Ending::Exited(2));
    assert!(completion.stdout.bytes.starts_with(b"{}xxx"));
    assert_eq!(
        (completion.stdout.bytes.len(), completion.stdout.total),
        (4000, 5002)
    );
    assert_eq!(completion.stderr.bytes, b"err");
    assert_eq!(completion.leak, Leak::None);
}

/// SE-2: a hook that the host leaves continues: all of its input is there, and its output breaks
/// nothing.
#[tokio::test]
async fn a_detached_hook_outlives_the_host() {
    let stage = Stage::new();
    let actions = "touch ready wait-for go save-stdin input stdout late stderr late touch done";
    let mut invocation = detached(&stage, actions, LONG);
    invocation.input = vec![b'x'; 3 << 20].into();
    abandoned_when(&stage, invocation, "ready").await;
    stage.sandbox.file("go", "");
    appears(&stage.path("done")).await;
    assert_eq!(stage.read("input").len(), 3 << 20);
}

/// SE-2: the stop signal ends a detached hook as any other.
#[tokio::test]
async fn a_detached_hook_can_be_stopped() {
    let stage = Stage::new();
    let invocation = detached(&stage, "ignore-sigterm pid-file pid sleep 600000", LONG);
    let (stop, executor) = (invocation.stop.clone(), stage.executor());
    let running = tokio::spawn(async move { executor.execute(invocation).await });
    let process = number_in(stage.path("pid")).await;
    stop.stop(StopCause::TimedOut);
    assert_eq!(running.await.unwrap().ending, Ending::Stopped);
    assert!(!is_process_alive(process));
}

/// SE-2: a watchdog gets the group and the remaining time.
#[tokio::test]
async fn a_watchdog_takes_over() {
    let mut stage = Stage::new();
    let note = stage.path("told");
    let watchdog = [
        "save-args".into(),
        note.clone().into_os_string(),
        "sleep".into(),
        "0".into(),
    ];
    stage.surroundings.watchdog = Some(
        std::iter::once(puppet().into_os_string())
            .chain(watchdog)
            .collect(),
    );
    let invocation = detached(&stage, "pid-file pid wait-for go", LONG);
    abandoned_when(&stage, invocation, "pid").await;
    appears(&note).await;
    let text = String::from_utf8(stage.read("told")).unwrap();
    let words: Vec<_> = text.split_terminator('\0').rev().take(2).collect();
    let process = number_in(stage.path("pid")).await;
    assert_eq!(words[1], process.to_string());
    let remaining: u128 = words[0].parse().unwrap();
    assert!(
        0 < remaining && remaining <= LONG.as_millis(),
        "{remaining}"
    );
    assert!(is_process_alive(process));
    stage.sandbox.file("go", "");
    no_process_left(process);
}

/// SE-2: without a watchdog a host that lives on ends the hook at its timeout itself.
#[tokio::test]
async fn an_abandoned_hook_ends_at_its_timeout() {
    let stage = Stage::new();
    let timeout = Duration::from_millis(1);
    let invocation = detached(&stage, "pid-file pid sleep 600000", timeout);
    abandoned_when(&stage, invocation, "pid").await;
    no_process_left(number_in(stage.path("pid")).await);
}

fn leader(stage: &Stage, actions: &[&str]) -> std::process::Child {
    Command::new(puppet())
        .args(actions)
        .current_dir(stage.sandbox.project())
        .process_group(0)
        .spawn()
        .unwrap()
}

/// SE-2, IO-31: the watchdog kills what ignores its request.
#[test]
fn watching_ends_the_group() {
    let stage = Stage::new();
    let mut child = leader(
        &stage,
        &["ignore-sigterm", "pid-file", "pid", "sleep", "600000"],
    );
    wait_until("it ignores signals", || stage.path("pid").exists());
    watch(i32::try_from(child.id()).unwrap(), Duration::ZERO);
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&child.wait().unwrap()),
        Some(9)
    );
}

/// SE-2: the watchdog ends with the hook, and leaves it alone until its time is over.
#[test]
fn watching_ends_with_the_hook() {
    let stage = Stage::new();
    let mut child = leader(&stage, &["wait-for", "go", "exit", "7"]);
    let group = i32::try_from(child.id()).unwrap();
    let watching = std::thread::spawn(move || watch(group, LONG));
    stage.sandbox.file("go", "");
    watching.join().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(7));
}

/// SE-2: numbers that aren't a group are never signalled; above all not this process's own group.
#[test]
fn watching_nobody_does_nothing() {
    for number in [0, 1, -1, i32::MIN] {
        watch(number, Duration::ZERO);
    }
}
