//! Starting servers: those that fail are reported with their place and stop nothing (TO-3).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookloop_mcp::McpState;
use hookloop_tools::{Access, ToolSource as _, Toolbox};
use serde_json::json;

use super::scene::{Stage, until};

/// TO-3: tools are named `mcp__<server>__<tool>`, hooks get their origin, and a list shows all.
#[tokio::test]
async fn tools_of_a_server_are_there() {
    let more = json!({
        "includeTools": ["echo", "fail", "ghost"], "excludeTools": ["fail"], "trust": true,
        "env": {"KEY": "$SECRET"},
    });
    let scene = Stage::new()
        .puppet_with("srv", &["garbage"], more)
        .ready()
        .await;
    assert_eq!(scene.names(), ["mcp__srv__echo"]);
    let toolbox = scene.toolbox();
    let tool = toolbox.get("mcp_srv_echo").expect("the other name (PL-5)");
    assert_eq!(tool.declaration().access, Access::TrustedMcp);
    assert_eq!(tool.declaration().description, "does echo");
    assert_eq!(tool.declaration().parameters.get("$schema"), None);
    assert!(tool.validate(&serde_json::Map::new()).is_err());
    let context = serde_json::to_value(tool.mcp_context()).expect("a context");
    assert_eq!(context["server_name"], "srv");
    assert_eq!(context["tool_name"], "echo");
    assert_eq!(context["args"], json!(["garbage"]));
    assert!(!context.to_string().contains("hidden"), "{context}");
    scene.assert_told(&["/p/settings.json:1:1: MCP server \"srv\"", "\"ghost\""]);
    let list = scene.servers.list();
    assert_eq!(
        (list[0].state.clone(), list[0].transport),
        (McpState::Ready, Some("stdio"))
    );
    assert_eq!(list[0].tools[0].name, "mcp__srv__echo");
    assert!(
        list[0]
            .left_out
            .contains(&("fail".into(), "excluded by excludeTools"))
    );
    scene.servers.close().await;
}

/// TO-3: servers that fail in every way are reported with place and cause; the others are
/// available.
#[tokio::test]
async fn a_failing_server_is_reported_and_stops_nothing() {
    let scene = Stage::new()
        .puppet("dies", &["stderr", "no licence", "exit", "3"])
        .server("absent", json!({"command": "no-such-program-here"}))
        .server("empty", json!({}))
        .puppet_with("hangs", &["hang-at-init"], json!({"timeout": 50}))
        .puppet("good", &["no-tools", "resources"])
        .server("good", json!({"command": "x"}))
        .ready()
        .await;
    scene.assert_told(&["settings.json:1:1", "\"dies\"", "exit code 3", "no licence"]);
    scene.assert_told(&["settings.json:2:1", "\"absent\"", "no-such-program-here"]);
    scene.assert_told(&[
        "settings.json:3:1",
        "\"empty\"",
        "neither command nor httpUrl",
    ]);
    scene.assert_told(&["settings.json:4:1", "\"hangs\"", "hasn't answered for 50ms"]);
    scene.assert_told(&[
        "settings.json:6:1",
        "\"good\"",
        "is left out",
        "settings.json:5:1",
    ]);
    assert_eq!(scene.notices().len(), 5, "{:?}", scene.notices());
    assert_eq!(scene.names(), ["list_mcp_resources", "read_mcp_resource"]);
    let states = scene.servers.list().into_iter().map(|it| it.state);
    let failed = states.filter(|it| matches!(it, McpState::Failed(_)));
    assert_eq!(failed.count(), 4);
}

/// TO-3: the start doesn't wait for a server that hangs, and reports that its tools are missing.
#[tokio::test]
async fn a_hanging_server_does_not_stop_the_start() {
    let scene = Stage::new()
        .puppet("hangs", &["hang-at-init"])
        .puppet("good", &[])
        .begin();
    until("the good one is there", || !scene.names().is_empty()).await;
    scene.servers.ready(Duration::from_millis(1)).await;
    scene.assert_told(&["\"hangs\"", "its tools are missing"]);
    assert_eq!(scene.servers.list()[0].state, McpState::Connecting);
    scene.servers.close().await;
}

/// PL-5, TO-3: the names of tools are reported when they appear, each once: including those of a
/// server that was too slow, and those that a server adds later. The recipient doesn't keep the
/// servers alive.
#[tokio::test]
async fn tools_are_told_of_as_they_come() {
    let scene = Stage::new().puppet("srv", &[]).begin();
    let reported: Arc<Mutex<Vec<String>>> = Arc::default();
    let hears = Arc::clone(&reported);
    let names = || reported.lock().expect("a lock").clone();
    scene
        .servers
        .observe_tools(move |_, new| hears.lock().expect("a lock").extend_from_slice(new));
    assert!(names().is_empty(), "nothing is connected yet");
    let has = |name: &str| names().iter().any(|it| it == name);
    until("the tools are told of", || has("mcp__srv__echo")).await;
    scene.call("mcp__srv__change", json!({})).await;
    until("the new one is told of", || has("mcp__srv__extra")).await;
    let (mut once, all) = (names(), names());
    once.sort();
    once.dedup();
    assert_eq!(once.len(), all.len(), "{all:?}");
    scene.servers.close().await;
}

/// TO-3: a flood, an endless list and broken tools do no harm and are reported.
#[tokio::test]
async fn floods_and_nonsense_do_no_harm() {
    let broken = json!([
        {"name": "a.b", "inputSchema": {"type": "object"}},
        {"name": "a b", "inputSchema": {"type": "object"}},
        {"name": "list", "inputSchema": {"type": "array"}},
        {"name": "long", "description": "x".repeat(10_000), "inputSchema": {}},
    ]);
    let scene = Stage::new()
        .puppet("flood", &["flood-at-init", "20000000"])
        .puppet("endless", &["endless-tools"])
        .puppet("broken", &["tools", &broken.to_string()])
        .ready()
        .await;
    scene.assert_told(&["\"flood\"", "message of more than"]);
    scene.assert_told(&["\"endless\"", "too many tools"]);
    scene.assert_told(&["\"broken\"", "\"list\" is left out"]);
    scene.assert_told(&["\"broken\"", "\"long\" is cut"]);
    let names = scene.names();
    assert!(
        names.ends_with(&["mcp__broken__a_b".into(), "mcp__broken__long".into()]),
        "{names:?}"
    );
    scene.names();
    scene.assert_told(&["\"broken\"", "\"a b\" is left out", "mcp__broken__a_b"]);
}

/// TO-3: a name that two servers claim goes to the first in the settings, not to the faster one.
#[tokio::test]
async fn the_first_server_in_the_settings_keeps_a_name() {
    let scene = Stage::new()
        .puppet_with("a.b", &[], json!({"includeTools": ["echo"]}))
        .puppet_with("a b", &[], json!({"includeTools": ["echo"]}))
        .ready()
        .await;
    let tools = scene.servers.tools();
    assert_eq!(tools.len(), 1);
    assert_eq!(
        tools[0].mcp_context().expect("a context").server_name,
        "a.b"
    );
    scene.assert_told(&["MCP server \"a b\"", "already named mcp__a_b__echo"]);
}

/// TO-3: a changed list is adopted; a storm of changes does no harm.
#[tokio::test]
async fn a_changed_list_is_taken_over() {
    let scene = Stage::new().puppet("srv", &[]).ready().await;
    let mut toolbox = scene.toolbox();
    assert!(!toolbox.refresh());
    assert!(toolbox.get("mcp__srv__extra").is_none());
    scene.call("mcp__srv__storm", json!({"times": 2000})).await;
    scene.call("mcp__srv__change", json!({})).await;
    until("the list has changed", || toolbox.refresh()).await;
    assert!(toolbox.get("mcp__srv__extra").is_some());
    let output = scene
        .call("mcp__srv__echo", json!({"text": "still here"}))
        .await;
    assert_eq!(output.llm_content, "still here");
    assert_eq!(scene.notices(), Vec::<String>::new());
}

/// TO-3: tools of a source come and go, and never replace one that doesn't belong to the source.
#[tokio::test]
async fn a_source_replaces_nothing_of_others() {
    let scene = Stage::new().puppet("srv", &[]).ready().await;
    let own = scene.servers.tools().remove(0);
    let name = own.declaration().name.clone();
    let source = std::sync::Arc::new(scene.servers.clone());
    let mut toolbox = Toolbox::default()
        .with_extra([std::sync::Arc::clone(&own)])
        .with_source(source);
    assert!(toolbox.refresh());
    assert!(std::sync::Arc::ptr_eq(
        toolbox.get(&name).expect("a tool"),
        &own
    ));
    assert_eq!(toolbox.declarations().count(), scene.names().len());
}
