use hookloop_engine::{Ending, Executor as _, Leak};
use hookloop_testkit::{is_process_alive, no_process_left, wait_until};

use crate::support::{Stage, direct, number_in, shell};

/// IO-32: a hook that leaves a child holding its output ends; its reply counts, the leak is
/// reported.
#[tokio::test]
async fn a_child_left_behind_is_a_leak() {
    let stage = Stage::new();
    let executor = stage.executor();
    for command in [
        direct("fork-and-leave 600000 pid-file pid reply reply exit 2"),
        shell("fork-and-leave 600000 pid-file pid reply reply exit 2"),
        direct("fork-and-leave 600000 pid-file pid reply reply close-stdout exit 2"),
    ] {
        let completion = executor.execute(stage.invocation(&command)).await;
        assert_eq!(completion.ending, Ending::Exited(2));
        assert_eq!(completion.stdout.bytes, b"reply");
        assert_eq!(completion.leak, Leak::Leaked);
        let process = number_in(stage.path("pid")).await;
        assert!(is_process_alive(process));
        assert_eq!(executor.end_leaked(), 1);
        wait_until("the child is gone", || !is_process_alive(process));
        assert_eq!(executor.end_leaked(), 0);
        std::fs::remove_file(stage.path("pid")).unwrap();
    }
}

/// IO-32: a child in a session of its own is a leak too.
#[tokio::test]
async fn a_child_in_another_session_is_a_leak() {
    let stage = Stage::new();
    let completion = stage
        .run(&direct("setsid-child 600000 pid-file pid exit 0"))
        .await;
    assert_eq!(completion.ending, Ending::Exited(0));
    assert_eq!(completion.leak, Leak::Leaked);
    // No group reaches it; the test must not leave it behind.
    let process = number_in(stage.path("pid")).await;
    stage.run(&format!("kill -KILL {process}")).await;
}

/// IO-32: a child that floods the output doesn't delay the hook either.
#[tokio::test]
async fn a_flooding_child_is_a_leak() {
    let stage = Stage::new();
    let completion = stage.run("yes & echo done >&2").await;
    assert_eq!(completion.ending, Ending::Exited(0));
    assert_eq!(completion.leak, Leak::Leaked);
    assert_eq!(completion.stderr.bytes, b"done\n");
}

/// IO-34: a quiet child isn't a leak, but still ends with the executor.
#[tokio::test]
async fn a_quiet_child_ends_with_the_host() {
    let stage = Stage::new();
    let executor = stage.executor();
    let command = shell("pid-file pid sleep 600000 </dev/null >/dev/null 2>&1 & echo $$ > group");
    let command = command.replace("; exit $?", "");
    let completion = executor.clone().execute(stage.invocation(&command)).await;
    assert_eq!(completion.ending, Ending::Exited(0));
    assert_eq!(completion.leak, Leak::None);
    let process = number_in(stage.path("pid")).await;
    assert!(is_process_alive(process));
    drop(executor);
    let group = std::fs::read_to_string(stage.path("group"))
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    no_process_left(group);
}

/// IO-32: a hook that leaves nothing behind isn't a leak, and nothing about it is remembered.
#[tokio::test]
async fn a_tidy_hook_is_not_a_leak() {
    let stage = Stage::new();
    let executor = stage.executor();
    for command in [direct("stdout x"), "echo a | cat | cat".to_owned()] {
        let completion = executor.execute(stage.invocation(&command)).await;
        assert_eq!(completion.leak, Leak::None);
    }
}

/// IO-34: what a stopped hook had started is gone, even a daemon whose parent has ended and that
/// has a session of its own.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_daemon_of_a_stopped_hook_is_ended() {
    let stage = Stage::new();
    let daemon = "(setsid sh -c 'echo $$ > daemon; exec sleep 600' </dev/null >/dev/null 2>&1 &); \
                  sleep 600";
    let invocation = stage.invocation(daemon);
    let stop = invocation.stop.clone();
    let executor = stage.executor();
    let (_, process) = tokio::join!(executor.execute(invocation), async {
        crate::support::appears(&stage.path("daemon")).await;
        let text = || std::fs::read_to_string(stage.path("daemon")).unwrap();
        wait_until("the number is there", || text().ends_with('\n'));
        stop.stop(hookloop_engine::StopCause::TimedOut);
        text().trim().parse::<i32>().unwrap()
    });
    wait_until("the daemon is gone", || !is_process_alive(process));
}

/// IO-34: what a hook that ended by itself left in a session of its own is left alone and named.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_daemon_of_a_hook_that_ended_is_named() {
    let stage = Stage::new();
    let daemon = "(setsid sh -c 'echo $$ > daemon; exec sleep 600' </dev/null >/dev/null 2>&1 &); \
                  until [ -s daemon ]; do sleep 0.01; done";
    let completion = stage.run(daemon).await;
    assert_eq!(completion.ending, Ending::Exited(0));
    let text = std::fs::read_to_string(stage.path("daemon")).unwrap();
    let process: i32 = text.trim().parse().unwrap();
    assert!(is_process_alive(process));
    let named = format!("(process {process})");
    assert!(
        completion.remarks.iter().any(|it| it.contains(&named)),
        "{:?}",
        completion.remarks
    );
    stage.run(&format!("kill -KILL {process}")).await;
    let quiet = stage.run("true").await;
    assert_eq!(quiet.remarks, Vec::<String>::new());
}
