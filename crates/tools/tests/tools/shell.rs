//! `run_shell_command` in the foreground.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use hookloop_tools::Subject;
use serde_json::json;

use crate::bench::{Bench, once_seen};

/// Creates a pipe `alive` in the root, and waits in a thread until everything that keeps it open is
/// gone.
pub(crate) fn watch_pipe(bench: &Bench) -> JoinHandle<Vec<u8>> {
    let pipe = bench.root().join("alive");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    std::thread::spawn(move || fs::read(pipe).expect("a pipe"))
}

/// TO-2: both streams come in the order they were written, with the exit code, and nothing to read.
#[tokio::test]
async fn output_and_exit_code_are_reported() {
    let bench = Bench::new();
    let command = "cat; echo one; echo two >&2; echo three; exit 7";
    let output = bench
        .call("run_shell_command", json!({"command": command}))
        .await;
    assert_eq!(
        output.error, None,
        "an exit code isn't a failure of the tool"
    );
    let start = format!(
        "Command: {command}\nDirectory: (root)\nOutput: one\ntwo\nthree\nError: (none)\nExit Code: 7\n\
         Signal: (none)\nProcess Group PGID: "
    );
    assert!(
        output.llm_content.starts_with(&start),
        "{}",
        output.llm_content
    );
    assert_eq!(
        output.display,
        "one\ntwo\nthree\n\nCommand exited with code: 7".replace("\n\n", "\n")
    );
    let silent = bench
        .call("run_shell_command", json!({"command": "true"}))
        .await;
    assert!(
        silent
            .llm_content
            .contains("Output: (empty)\nError: (none)\nExit Code: 0\n")
    );
    assert_eq!(silent.display, "(no output)");
}

/// TO-2: a signal is reported by number and name.
#[tokio::test]
async fn a_signal_is_reported() {
    let bench = Bench::new();
    let output = bench
        .call("run_shell_command", json!({"command": "kill -9 $$"}))
        .await;
    assert!(
        output
            .llm_content
            .contains("Exit Code: (none)\nSignal: 9 (SIGKILL)\n")
    );
    assert!(output.display.contains("terminated by signal"));
}

/// TO-2: the command runs with exactly the given environment, in bash, in the requested folder.
#[tokio::test]
async fn environment_and_folder_are_as_given() {
    let bench = Bench::new();
    fs::create_dir(bench.root().join("sub")).expect("a folder");
    let command =
        r#"echo "$GREETING $GEMINI_CLI ${HOME-none} ${CARGO-none} ${BASH_VERSION:+bash}"; pwd"#;
    let text = bench
        .text(
            "run_shell_command",
            json!({"command": command, "dir_path": "sub"}),
        )
        .await;
    let expected = format!(
        "Output: hello 1 none none bash\n{}\n",
        bench.root().join("sub").display()
    );
    assert!(text.contains(&expected), "{text}");
    assert!(text.contains("\nDirectory: sub\n"), "{text}");
}

/// TO-1: no command is started in a folder that is outside or missing, and no empty command.
#[tokio::test]
async fn unusable_calls_are_refused() {
    let bench = Bench::new();
    bench.write("file", "");
    for (arguments, kind) in [
        (
            json!({"command": "touch x", "dir_path": "../outside"}),
            "path_not_in_workspace",
        ),
        (
            json!({"command": "touch x", "dir_path": "absent"}),
            "file_not_found",
        ),
        (
            json!({"command": "touch x", "dir_path": "file"}),
            "path_is_not_a_directory",
        ),
        (json!({"command": "  \n"}), "invalid_tool_params"),
    ] {
        let refusal = bench
            .validate("run_shell_command", arguments.clone())
            .expect_err("refused");
        assert_eq!(refusal.kind.as_str(), kind);
        assert_eq!(bench.fault("run_shell_command", arguments).await, kind);
    }
    assert!(!bench.outside().join("x").exists());
}

/// NO-1: the preview shows the whole command, its programs and the folder.
#[test]
fn the_preview_shows_the_command() {
    let bench = Bench::new();
    let preview = bench.preview("run_shell_command", json!({"command": "git log | head"}));
    let expected = Subject::Exec {
        command: "git log | head".to_owned(),
        root_command: "git, head".to_owned(),
        directory: bench.root(),
    };
    assert_eq!(preview.subject, expected);
    let details = preview.details();
    assert_eq!(
        (details["type"].as_str(), details["rootCommand"].as_str()),
        (Some("exec"), Some("git, head"))
    );
}

/// TO-2: 100 MB of output are streamed and counted while only head and tail are kept, in constant
/// memory.
#[tokio::test]
async fn huge_output_keeps_head_and_tail() {
    let bench = Bench::new();
    let streamed = AtomicUsize::new(0);
    let command = "echo begin; head -c 104857600 /dev/zero | tr '\\0' x; echo end";
    let output = bench
        .call_watched("run_shell_command", json!({"command": command}), &|piece| {
            streamed.fetch_add(piece.len(), Ordering::Relaxed);
        })
        .await;
    assert_eq!(streamed.into_inner(), 104_857_600 + 10);
    let left_out = 104_857_600 + 10 - 2 * 64 * 1024;
    assert!(
        output
            .llm_content
            .contains(&format!("\n… {left_out} bytes left out …\n"))
    );
    assert!(output.llm_content.contains("Output: begin\nxxx"));
    assert!(
        output
            .llm_content
            .contains("xxxend\nError: (none)\nExit Code: 0")
    );
    assert!(output.llm_content.len() < 140_000);
    if let Ok(status) = fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kibibytes = peak.and_then(|peak| peak.trim().strip_suffix(" kB"));
        let kibibytes: u64 = kibibytes.expect("a peak").trim().parse().expect("a number");
        assert!(kibibytes < 90_000, "{kibibytes} KiB");
    }
}

/// TO-2: output arrives while the command runs, and cancelling asks politely first.
#[tokio::test]
async fn cancelling_asks_politely_first() {
    let bench = Bench::new();
    let command = "trap 'echo bye; exit 0' TERM; echo started; while :; do sleep 1000; done";
    let cancel = bench.cancel.clone();
    let output = bench
        .call_watched(
            "run_shell_command",
            json!({"command": command}),
            &once_seen("started", || cancel.cancel()),
        )
        .await;
    assert_eq!(output.error.expect("an error").kind.as_str(), "cancelled");
    assert!(
        output
            .llm_content
            .starts_with("Command was cancelled by the user")
    );
    assert!(
        output.llm_content.contains("\nbye\n"),
        "{}",
        output.llm_content
    );
}

/// TO-2: cancelling ends the whole group, including descendants that ignore the polite signal.
#[tokio::test]
async fn cancelling_ends_descendants() {
    let bench = Bench::new();
    let gone = watch_pipe(&bench);
    let command = "exec 9>alive; trap '' TERM; (sleep 1000; sleep 1000) & echo started; sleep 1000; sleep 1000";
    let cancel = bench.cancel.clone();
    let output = bench
        .call_watched(
            "run_shell_command",
            json!({"command": command}),
            &once_seen("started", || cancel.cancel()),
        )
        .await;
    assert_eq!(output.error.expect("an error").kind.as_str(), "cancelled");
    gone.join().expect("nobody holds the pipe");
    assert!(bench.background.running().is_empty());
}

/// TO-2: where nobody could cancel it, a command that is silent for too long is ended with its
/// descendants, which is an error; one that writes now and then isn't.
#[tokio::test]
async fn silence_ends_a_command() {
    // However slow the machine is, the command never ends itself.
    let bench = Bench::where_silence_lasts(Some(Duration::from_millis(300)));
    let alive = watch_pipe(&bench);
    let command = "exec 9>alive; echo begun; sleep 1000000 & wait";
    let output = bench
        .call("run_shell_command", json!({"command": command}))
        .await;
    alive.join().expect("the descendant has ended");
    assert_eq!(
        output.error.map(|it| it.kind.as_str()),
        Some("shell_execute_error")
    );
    assert!(output.llm_content.contains("Output: begun\n"));
    // Far less than the limit passes between two lines, and far more altogether.
    let bench = Bench::where_silence_lasts(Some(Duration::from_secs(10)));
    let command = "for i in 1 2 3; do echo $i; sleep 0.1; done";
    let text = bench.text("run_shell_command", json!({"command": command}));
    assert!(text.await.contains("Output: 1\n2\n3\n"));
}

/// TO-2: dropping the call ends the whole group.
#[tokio::test]
async fn dropping_the_call_ends_descendants() {
    let bench = Bench::new();
    let gone = watch_pipe(&bench);
    let started = tokio::sync::Notify::new();
    let watch = once_seen("started", || started.notify_one());
    let command = "exec 9>alive; trap '' TERM; (sleep 1000) & echo started; sleep 1000";
    let call = bench.call_watched("run_shell_command", json!({"command": command}), &watch);
    tokio::select! {
        output = call => panic!("{output:?}"),
        () = started.notified() => {}
    }
    gone.join().expect("nobody holds the pipe");
}

/// TO-2: a descendant that keeps the output open delays nothing; it is reported, kept, and ended at
/// the end.
#[tokio::test]
async fn a_descendant_does_not_hold_the_call() {
    let bench = Bench::new();
    let gone = watch_pipe(&bench);
    let command = "exec 9>alive; sleep 1000 & echo done";
    let text = bench
        .text("run_shell_command", json!({"command": command}))
        .await;
    assert!(
        text.contains("Output: done\nError: (none)\nExit Code: 0\n"),
        "{text}"
    );
    assert!(text.contains("left processes running in group"), "{text}");
    let running = bench.background.running();
    assert_eq!(running.len(), 1);
    assert_eq!(running[0].command, command);
    assert_eq!(bench.background.end_all().await, running);
    gone.join().expect("nobody holds the pipe");
    assert!(bench.background.running().is_empty());
}

/// TO-2: a descendant that never stops writing delays nothing either.
#[tokio::test]
async fn a_writing_descendant_does_not_hold_the_call() {
    let bench = Bench::new();
    let command = "(while :; do echo noise; done) & sleep 0.1; echo done";
    let text = bench
        .text("run_shell_command", json!({"command": command}))
        .await;
    assert!(text.contains("\nExit Code: 0\n"), "{text}");
    assert_eq!(bench.background.end_all().await.len(), 1);
}

/// TO-2: a process that left the group and keeps the output open delays nothing, and is reported.
#[tokio::test]
async fn an_escaped_process_is_reported() {
    let bench = Bench::new();
    let pipe = bench.root().join("pipe");
    let command =
        "mkfifo pipe; setsid cat pipe & sleep 0; while [ ! -p pipe ]; do :; done; echo done";
    let text = bench
        .text("run_shell_command", json!({"command": command}))
        .await;
    assert!(text.contains("Output: done\n"), "{text}");
    let is_told =
        text.contains("left the command's group") || text.contains("left processes running");
    assert!(is_told, "{text}");
    // Opening the other end lets the process go.
    drop(fs::File::options().write(true).open(pipe).expect("a pipe"));
}

/// TO-2: what a command leaves running may continue writing.
#[tokio::test]
async fn what_is_left_running_may_go_on_writing() {
    let bench = Bench::new();
    let command =
        "(while [ ! -e go ]; do sleep 0.01; done; echo more; echo more; echo > went) & echo done";
    let text = bench
        .text("run_shell_command", json!({"command": command}))
        .await;
    assert!(text.contains("left processes running"), "{text}");
    bench.write("go", "");
    while !bench.root().join("went").exists() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}
