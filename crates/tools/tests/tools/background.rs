//! `run_shell_command` in the background.

use std::fs;
use std::time::Duration;

use serde_json::json;

use crate::bench::Bench;
use crate::shell::watch_pipe;

fn logged(bench: &Bench) -> String {
    fs::read_dir(bench.logs())
        .expect("a folder")
        .map(|entry| fs::read_to_string(entry.expect("an entry").path()).expect("text"))
        .collect()
}

/// TO-2: a background command continues with its pid reported and its output kept, until the
/// session ends it.
#[tokio::test]
async fn a_background_command_goes_on_until_the_end() {
    let bench = Bench::new();
    let gone = watch_pipe(&bench);
    let command = "exec 9>alive; trap '' TERM; echo up; echo err >&2; sleep 1000; sleep 1000";
    let arguments = json!({"command": command, "is_background": true});
    let output = bench.call("run_shell_command", arguments).await;
    let running = bench.background.running();
    assert_eq!(running.len(), 1);
    let reported = format!("(PID: {})", running[0].pid);
    assert!(
        output.llm_content.contains(&reported),
        "{}",
        output.llm_content
    );
    let logs = fs::canonicalize(bench.logs()).expect("a folder");
    assert!(
        output
            .llm_content
            .contains(&*logs.join("background-").to_string_lossy())
    );
    while logged(&bench) != "up\nerr\n" {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(bench.background.end_all().await, running);
    gone.join().expect("nobody holds the pipe");
}

/// TO-2: cancelling the turn doesn't affect a background command; dropping the last owner ends it.
#[tokio::test]
async fn the_last_owner_ends_background_commands() {
    let mut bench = Bench::new();
    let gone = watch_pipe(&bench);
    let command = "exec 9>alive; sleep 1000";
    bench
        .call(
            "run_shell_command",
            json!({"command": command, "is_background": true}),
        )
        .await;
    bench.cancel.cancel();
    assert_eq!(bench.background.running().len(), 1);
    bench.toolbox.retain(|_| false);
    bench.background = hookloop_tools::BackgroundProcesses::default();
    gone.join().expect("nobody holds the pipe");
}

/// TO-2: a background command that ends is forgotten, so that its id is never used for another.
#[tokio::test]
async fn an_ended_background_command_is_forgotten() {
    let bench = Bench::new();
    let arguments = json!({"command": "echo no; exit 3", "is_background": true});
    let output = bench.call("run_shell_command", arguments).await;
    let is_told_as_ended = output
        .llm_content
        .contains("Output: no\nError: (none)\nExit Code: 3\n");
    assert!(
        is_told_as_ended || output.llm_content.contains("(PID: "),
        "{}",
        output.llm_content
    );
    while !bench.background.running().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(bench.background.end_all().await.is_empty());
}
