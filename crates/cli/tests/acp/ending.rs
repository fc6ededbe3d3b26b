//! Cancelled turns and ended sessions: nothing is left.

use std::path::Path;

use agent_client_protocol::v1::schema::{CloseSessionRequest, StopReason};
use hookloop_testkit::{is_process_alive, wait_until};
use serde_json::json;

use crate::world::{World, call, say, until, write};

/// A command that reports its process id, and doesn't end by itself.
fn lasting(file: &Path) -> String {
    let file = file.display();
    format!("echo $$ > '{file}.part'; mv '{file}.part' '{file}'; exec sleep 600")
}

fn is_over(file: &Path) {
    let process = std::fs::read_to_string(file).unwrap();
    let process = process.trim().parse().unwrap();
    wait_until("the process is over", || !is_process_alive(process));
}

/// TU-7, LO-4: a turn that is cancelled while a tool runs ends as `cancelled`; the tool has ended,
/// and the session continues.
#[test]
fn a_cancelled_tool_leaves_nothing_running() {
    let mut world = World::new([]);
    let file = world.sandbox.root().join("tool.pid");
    let command = json!({"command": lasting(&file)});
    world
        .model
        .restart([call("run_shell_command", command), say("again")]);
    world = world.hooks(&[]);
    let ((), ended) = world.edit(&["--yolo"], async |editor| {
        let session = editor.begins().await;
        let turn = editor.prompts(&session, "run");
        let (answer, ()) = tokio::join!(turn, async {
            until("the tool runs", || file.exists()).await;
            editor.cancels(&session);
        });
        assert_eq!(answer.unwrap().stop_reason, StopReason::Cancelled);
        is_over(&file);
        let last = editor.calls().pop().unwrap();
        assert_eq!(last["status"], "failed");
        let answer = editor.prompts(&session, "again").await.unwrap();
        assert_eq!(answer.stop_reason, StopReason::EndTurn);
    });
    assert_eq!(ended.code, Some(0));
}

/// TU-7, EV-5: cancelling a turn while a hook judges ends the hook, and nothing happens because of
/// its silence.
#[test]
fn a_cancelled_hook_allows_nothing() {
    let world = World::new([write("a.txt"), say("never")]);
    let file = world.sandbox.root().join("hook.pid");
    let world = world.hooks(&[("BeforeTool", "slow", &lasting(&file))]);
    world.edit(&["--yolo"], async |editor| {
        let session = editor.begins().await;
        let turn = editor.prompts(&session, "write");
        let (answer, ()) = tokio::join!(turn, async {
            until("the hook runs", || file.exists()).await;
            editor.cancels(&session);
        });
        assert_eq!(answer.unwrap().stop_reason, StopReason::Cancelled);
        is_over(&file);
    });
    assert!(!world.path("a.txt").exists());
}

/// TU-7: a question that nobody answers ends with the turn that is cancelled.
#[test]
fn a_question_ends_with_its_turn() {
    let world = World::new([write("a.txt"), say("never")]);
    world.edit(&[], async |editor| {
        editor.chooses(&[""]);
        let session = editor.begins().await;
        let turn = editor.prompts(&session, "write");
        let (answer, ()) = tokio::join!(turn, async {
            until("it is asked", || !editor.asked().is_empty()).await;
            editor.cancels(&session);
        });
        assert_eq!(answer.unwrap().stop_reason, StopReason::Cancelled);
    });
    assert!(!world.path("a.txt").exists());
}

/// TU-7, SE-1: the end of the input in the middle of a turn ends tool and session properly.
#[test]
fn the_end_of_the_input_ends_everything() {
    let world = World::new([]);
    let file = world.sandbox.root().join("tool.pid");
    let command = json!({"command": lasting(&file)});
    world
        .model
        .restart([call("run_shell_command", command), say("never")]);
    let noting = world.noting("hooks.log");
    let world = world.hooks(&[("SessionEnd", "note", &noting)]);
    let ((), ended) = world.edit(&["--yolo"], async |editor| {
        let session = editor.begins().await;
        let turn = editor.prompts(&session, "run");
        tokio::select! {
            answer = turn => panic!("the tool runs: {answer:?}"),
            () = until("the tool runs", || file.exists()) => {}
        }
    });
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    is_over(&file);
    let noted = world.noted("hooks.log");
    assert_eq!(noted.len(), 1);
    assert_eq!(noted[0]["reason"], "prompt_input_exit");
}

/// TU-7, SE-1, IO-34: a signal ends tool and session properly, which is reported.
#[test]
fn a_signal_ends_everything() {
    let world = World::new([]);
    let file = world.sandbox.root().join("tool.pid");
    let command = json!({"command": lasting(&file)});
    let turns = [call("run_shell_command", command), say("never")];
    world.model.restart(turns);
    let noting = world.noting("hooks.log");
    let world = world.hooks(&[("SessionEnd", "note", &noting)]);
    let ((), ended) = world.edit(&["--yolo"], async |editor| {
        let session = editor.begins().await;
        let turn = editor.prompts(&session, "run");
        let (answer, ()) = tokio::join!(turn, async {
            until("the tool runs", || file.exists()).await;
            let process = rustix::process::Pid::from_raw(editor.process).unwrap();
            rustix::process::kill_process(process, rustix::process::Signal::TERM).unwrap();
        });
        assert_eq!(answer.unwrap().stop_reason, StopReason::Cancelled);
    });
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    is_over(&file);
    let noted = world.noted("hooks.log");
    assert_eq!(noted.len(), 1);
    assert_eq!(noted[0]["reason"], "other");
}

/// TU-7, SE-1: a session that is closed ends by itself; the others stay.
#[test]
fn a_closed_session_ends_by_itself() {
    let world = World::new([say("still here")]);
    let noting = world.noting("hooks.log");
    let world = world.hooks(&[("SessionEnd", "note", &noting)]);
    world.edit(&[], async |editor| {
        let first = editor.begins().await;
        let second = editor
            .opens(world.sandbox.project())
            .await
            .unwrap()
            .session_id;
        let close = CloseSessionRequest::new(first.clone());
        editor.agent.send_request(close).block_task().await.unwrap();
        let noted = world.noted("hooks.log");
        assert_eq!(noted.len(), 1);
        assert_eq!(noted[0]["reason"], "exit");
        assert_eq!(noted[0]["session_id"], &*first.0);
        assert!(editor.prompts(&first, "hi").await.is_err());
        editor.prompts(&second, "hi").await.unwrap();
    });
    assert_eq!(world.noted("hooks.log").len(), 2);
}
