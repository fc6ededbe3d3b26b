use hookloop_engine::{Completion, Ending, Executor as _, Invocation, Leak, StopCause};
use hookloop_testkit::{is_process_alive, no_process_left, wait_until};

use crate::support::{Stage, appears, direct, number_in, shell};

/// Runs a hook, stops it when a file appears, and returns what happened to it.
async fn stopped_when(stage: &Stage, invocation: Invocation, file: &str) -> Completion {
    let stop = invocation.stop.clone();
    let executor = stage.executor();
    let running = tokio::spawn(async move { executor.execute(invocation).await });
    appears(&stage.path(file)).await;
    stop.stop(StopCause::TimedOut);
    running.await.unwrap()
}

/// IO-31: a hook that ignores SIGTERM is killed, and no process of its group is left.
#[tokio::test]
async fn a_hook_that_ignores_the_request_is_killed() {
    let stage = Stage::new();
    for command in [
        direct("ignore-sigterm stdout early pid-file pid sleep 600000"),
        shell("ignore-sigterm stdout early pid-file pid sleep 600000"),
    ] {
        let completion = stopped_when(&stage, stage.invocation(&command), "pid").await;
        assert_eq!(completion.ending, Ending::Stopped);
        assert_eq!(completion.stdout.bytes, b"early");
        assert_eq!(completion.leak, Leak::None);
        let process = number_in(stage.path("pid")).await;
        wait_until("it is gone", || !is_process_alive(process));
        std::fs::remove_file(stage.path("pid")).unwrap();
    }
}

/// IO-31: a hook that obeys SIGTERM may clean up, and what it says meanwhile is kept.
#[tokio::test]
async fn a_hook_may_clean_up() {
    let stage = Stage::new();
    let command = "trap 'echo bye; echo x > cleaned; exit 3' TERM; echo > ready; \
                   while :; do sleep 0.01; done";
    let completion = stopped_when(&stage, stage.invocation(command), "ready").await;
    assert_eq!(completion.ending, Ending::Stopped);
    assert_eq!(completion.stdout.bytes, b"bye\n");
    assert!(stage.path("cleaned").exists());
}

/// IO-13, IO-31: a hook that answers SIGTERM with exit code 2 has refused.
#[tokio::test]
async fn a_hook_may_refuse_when_it_is_ended() {
    let stage = Stage::new();
    let command = "trap 'echo no >&2; exit 2' TERM; echo > ready; while :; do sleep 0.01; done";
    let completion = stopped_when(&stage, stage.invocation(command), "ready").await;
    assert_eq!(completion.ending, Ending::Exited(2));
    assert!(completion.stderr.bytes.ends_with(b"no\n"));
}

/// IO-31: the whole group is ended, including what outlives its first process and ignores SIGTERM.
#[tokio::test]
async fn the_whole_group_is_ended() {
    let stage = Stage::new();
    let command = shell("ignore-sigterm pid-file pid sleep 600000 >/dev/null 2>&1 & wait");
    let command = format!("echo $$ > group; {command}");
    let completion = stopped_when(&stage, stage.invocation(&command), "pid").await;
    assert_eq!(completion.ending, Ending::Stopped);
    let group = std::fs::read_to_string(stage.path("group"))
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    no_process_left(group);
}

/// IO-31: a child that left the group for a session of its own is ended with the hook.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_child_in_another_session_is_ended() {
    let stage = Stage::new();
    for first in ["", "ignore-sigterm "] {
        let actions = format!("{first}setsid-child 600000 pid-file pid sleep 600000");
        let completion = stopped_when(&stage, stage.invocation(&direct(&actions)), "pid").await;
        assert_eq!(completion.ending, Ending::Stopped);
        let process = number_in(stage.path("pid")).await;
        wait_until("it is gone", || !is_process_alive(process));
        std::fs::remove_file(stage.path("pid")).unwrap();
    }
}

/// IO-31, IO-17: a hook that floods its output can be stopped too.
#[tokio::test]
async fn a_flooding_hook_can_be_stopped() {
    let stage = Stage::new();
    let command = direct(&format!(
        "ignore-sigterm touch ready flood-stdout {}",
        u64::MAX
    ));
    let completion = stopped_when(&stage, stage.invocation(&command), "ready").await;
    assert_eq!(completion.ending, Ending::Stopped);
    assert!(completion.stdout.bytes.len() <= 1024 * 1024);
}

/// IO-31: a hook that reads nothing of a large input can be stopped too.
#[tokio::test]
async fn a_hook_that_does_not_read_can_be_stopped() {
    let stage = Stage::new();
    let mut invocation = stage.invocation(&direct("touch ready sleep 600000"));
    invocation.input = vec![b'x'; 10 << 20].into();
    let completion = stopped_when(&stage, invocation, "ready").await;
    assert_eq!(completion.ending, Ending::Stopped);
}

/// IO-34: dropping the future kills the group, and leaves no zombie.
#[tokio::test]
async fn a_dropped_hook_is_killed() {
    let stage = Stage::new();
    let executor = stage.executor();
    let command = shell("ignore-sigterm pid-file pid sleep 600000 & wait");
    let command = format!("echo $$ > group; {command}");
    let invocation = stage.invocation(&command);
    let running = tokio::spawn(async move { executor.execute(invocation).await });
    appears(&stage.path("pid")).await;
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    let group = std::fs::read_to_string(stage.path("group"))
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    no_process_left(group);
}

/// IO-34: that also holds when the whole runtime goes away.
#[test]
fn a_hook_does_not_outlive_the_runtime() {
    let stage = Stage::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let executor = stage.executor();
    let invocation = stage.invocation(&direct("ignore-sigterm pid-file pid sleep 600000"));
    let process = runtime.block_on(async {
        tokio::spawn(async move { executor.execute(invocation).await });
        number_in(stage.path("pid")).await
    });
    drop(runtime);
    no_process_left(process);
}
