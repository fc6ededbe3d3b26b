//! Calling tools: whatever a server does, the model gets an answer (TO-3).

use std::path::Path;

use hookloop_mcp::McpState;
use hookloop_tools::{Subject, ToolSource as _};
use serde_json::json;

use super::scene::{Scene, Stage, log, until};

async fn scene_with_log() -> (Scene, std::path::PathBuf) {
    let stage = Stage::new();
    let path = stage.path("log");
    let text = path.display().to_string();
    let scene = stage.puppet("srv", &["log", &text]).ready().await;
    (scene, path)
}

fn starts(log_path: &Path) -> usize {
    let lines = log(log_path);
    lines
        .iter()
        .filter(|line| line.starts_with("start "))
        .count()
}

/// TO-3: results reach the model; an error of the tool is an error; the server gets base and
/// configured environment only, and the folder of its settings.
#[tokio::test]
async fn results_and_surroundings_are_right() {
    let stage = Stage::new();
    std::fs::create_dir(stage.path("sub")).expect("a folder");
    let more = json!({"env": {"OWN": "${SECRET}!"}, "cwd": "sub"});
    let scene = stage.puppet_with("srv", &[], more).ready().await;
    let text = async |name: &str, arguments| scene.call(name, arguments).await.llm_content;
    assert_eq!(text("mcp__srv__echo", json!({"text": "hé"})).await, "hé");
    assert_eq!(
        text("mcp__srv__env", json!({"name": "OWN"})).await,
        "hidden!"
    );
    assert_eq!(text("mcp__srv__env", json!({"name": "BASE"})).await, "base");
    assert_eq!(
        text("mcp__srv__env", json!({"name": "HOME"})).await,
        "(not set)"
    );
    assert!(text("mcp__srv__cwd", json!({})).await.ends_with("sub"));
    let big = text("mcp__srv__big", json!({"bytes": 1_000_000})).await;
    assert!(big.len() < 200_000 && big.contains("bytes left out"));
    assert_eq!(
        scene.fault("mcp__srv__fail", json!({})).await,
        "it went wrong"
    );
    let tool = scene.servers.tools().remove(0);
    let subject = tool.preview(&serde_json::Map::new()).subject;
    assert!(matches!(subject, Subject::Mcp { server_name, .. } if server_name == "srv"));
}

/// TO-3: a server that dies during a call gives a clear error; the next call starts it again, once.
#[tokio::test]
async fn a_server_that_dies_is_started_again_once() {
    let (scene, path) = scene_with_log().await;
    let message = scene.fault("mcp__srv__die", json!({"code": 4})).await;
    assert!(
        message.contains("MCP server \"srv\" was lost during the call"),
        "{message}"
    );
    assert!(
        message.contains("exit code 4") && message.contains("it hurts"),
        "{message}"
    );
    scene.assert_told(&[
        "/p/settings.json:1:1",
        "the connection is gone",
        "exit code 4",
    ]);
    assert!(matches!(scene.servers.list()[0].state, McpState::Failed(_)));
    assert_eq!(
        starts(&path),
        1,
        "nobody calls again what may have had an effect"
    );
    let output = scene.call("mcp__srv__echo", json!({"text": "again"})).await;
    assert_eq!(output.llm_content, "again");
    assert_eq!(starts(&path), 2);
    assert_eq!(scene.servers.list()[0].state, McpState::Ready);
}

/// TO-3: for a server that can't be started again, there is one attempt per call, and the call says
/// why.
#[tokio::test]
async fn a_server_that_stays_dead_gives_a_clear_error() {
    let stage = Stage::new();
    let (once, path) = (stage.path("once"), stage.path("log"));
    let (once, log_path) = (once.display().to_string(), path.display().to_string());
    let actions = ["log", &log_path, "exit-second-time", &once];
    let scene = stage.puppet("srv", &actions).ready().await;
    scene.fault("mcp__srv__die", json!({})).await;
    let message = scene.fault("mcp__srv__echo", json!({"text": "x"})).await;
    assert!(
        message.contains("can't be reached") && message.contains("exit code 7"),
        "{message}"
    );
    assert_eq!(starts(&path), 2);
}

/// TO-3: a call that hangs ends after the server's timeout; the server stays usable.
#[tokio::test]
async fn a_hanging_call_is_given_up() {
    let stage = Stage::new();
    let path = stage.path("log");
    let text = path.display().to_string();
    let more = json!({"timeout": 3000});
    let scene = stage
        .puppet_with("srv", &["log", &text], more)
        .ready()
        .await;
    let message = scene.fault("mcp__srv__hang", json!({})).await;
    assert!(message.contains("hasn't answered for 3s"), "{message}");
    until("the server knows", || {
        log(&path).contains(&"notifications/cancelled".to_owned())
    })
    .await;
    let output = scene.call("mcp__srv__echo", json!({"text": "here"})).await;
    assert_eq!(output.llm_content, "here");
}

/// LO-4: a cancelled call ends at once, and the server is notified.
#[tokio::test]
async fn a_cancelled_call_ends_and_the_server_learns_it() {
    let (scene, path) = scene_with_log().await;
    let cancel = scene.cancel.clone();
    let watched = path.clone();
    let canceller = tokio::spawn(async move {
        let arrived = || log(&watched).contains(&"tools/call hang".to_owned());
        until("the call has arrived", arrived).await;
        cancel.cancel();
    });
    let message = scene.fault("mcp__srv__hang", json!({})).await;
    assert_eq!(message, "the call was cancelled");
    canceller.await.expect("no panic");
    until("the server knows", || {
        log(&path).contains(&"notifications/cancelled".to_owned())
    })
    .await;
}

/// TO-3: a server that floods during a call is ended, and the call says so.
#[tokio::test]
async fn a_flood_in_a_call_ends_the_connection() {
    let scene = Stage::new().puppet("srv", &[]).ready().await;
    let message = scene
        .fault("mcp__srv__flood", json!({"bytes": 40_000_000}))
        .await;
    assert!(
        message.contains("message of more than 16777216 bytes"),
        "{message}"
    );
    let output = scene.call("mcp__srv__echo", json!({"text": "back"})).await;
    assert_eq!(output.llm_content, "back");
}

/// TO-3: resources are listed and read.
#[tokio::test]
async fn resources_are_listed_and_read() {
    let scene = Stage::new()
        .puppet("plain", &["no-tools"])
        .puppet("one", &["no-tools", "resources"])
        .puppet("two", &["no-tools", "resources"])
        .ready()
        .await;
    let list = scene
        .call("list_mcp_resources", json!({"server": "one"}))
        .await;
    assert_eq!(
        list.llm_content,
        "puppet://note (server \"one\"): note, text/plain\n"
    );
    let arguments = json!({"uri": "puppet://note", "server": "two"});
    let output = scene.call("read_mcp_resource", arguments).await;
    assert_eq!(output.llm_content, "[resource puppet://note]\na note");
    let message = scene
        .fault("read_mcp_resource", json!({"uri": "puppet://note"}))
        .await;
    assert!(message.contains("one, two"), "{message}");
    let arguments = json!({"uri": "puppet://note", "server": "plain"});
    let message = scene.fault("read_mcp_resource", arguments).await;
    assert!(message.contains("no MCP server \"plain\""), "{message}");
}

/// TO-3: at the end of the session no process is left, including those that a server started.
#[cfg(unix)]
#[tokio::test]
async fn no_process_is_left() {
    let stage = Stage::new();
    let (child, path) = (stage.path("child"), stage.path("log"));
    let (child_text, log_text) = (child.display().to_string(), path.display().to_string());
    let scene = stage
        .puppet("srv", &["log", &log_text, "child", &child_text, "stay"])
        .ready()
        .await;
    let leader = log(&path)[0]
        .replace("start ", "")
        .parse()
        .expect("a number");
    let text = std::fs::read_to_string(&child).expect("a child");
    let child = text.parse().expect("a number");
    assert!(hookloop_testkit::is_process_alive(child));
    scene.servers.close().await;
    let gone = || is_gone(leader) && is_gone(child);
    until("both are gone", gone).await;
    let message = scene.fault("mcp__srv__echo", json!({"text": "x"})).await;
    assert!(message.contains("the session has ended"), "{message}");
}

/// TO-3: the death of a server is noticed even if its child keeps its output open; the child is
/// ended.
#[cfg(unix)]
#[tokio::test]
async fn a_child_that_holds_the_output_hides_no_death() {
    let stage = Stage::new();
    let child = stage.path("child");
    let text = child.display().to_string();
    let scene = stage.puppet("srv", &["child", &text]).ready().await;
    let message = scene.fault("mcp__srv__die", json!({"code": 5})).await;
    assert!(message.contains("exit code 5"), "{message}");
    let text = std::fs::read_to_string(&child).expect("a child");
    let child = text.parse().expect("a number");
    until("the child is gone", || is_gone(child)).await;
}

/// TO-3: a server that never answers is ended when nothing waits for it any more.
#[cfg(unix)]
#[tokio::test]
async fn a_server_that_is_given_up_is_ended() {
    let stage = Stage::new();
    let path = stage.path("log");
    let text = path.display().to_string();
    let actions = ["log", &text, "hang-at-init", "stay"];
    let scene = stage
        .puppet_with("srv", &actions, json!({"timeout": 2000}))
        .ready()
        .await;
    scene.assert_told(&["hasn't answered for 2s"]);
    let lines = log(&path);
    let leader = lines[0].replace("start ", "").parse().expect("a number");
    until("it is gone", || is_gone(leader)).await;
}

/// TO-3: when the last handle is dropped, the processes end, too.
#[cfg(unix)]
#[tokio::test]
async fn dropping_the_servers_ends_them() {
    let (scene, path) = scene_with_log().await;
    let leader = log(&path)[0]
        .replace("start ", "")
        .parse()
        .expect("a number");
    assert!(hookloop_testkit::is_process_alive(leader));
    drop(scene.servers);
    until("it is gone", || is_gone(leader)).await;
}

/// Returns whether a process is gone, or dead but not waited for.
#[cfg(unix)]
fn is_gone(process: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let is_dead = stat
        .rsplit_once(')')
        .is_some_and(|(_, rest)| rest.trim_start().starts_with('Z'));
    is_dead || !hookloop_testkit::is_process_alive(process)
}
