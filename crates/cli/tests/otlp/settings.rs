use std::fs;

use serde_json::{Value, json};

use crate::collector::{Spans, willing};
use crate::scene::{Scene, hook, of};

/// Runs a session with these settings of telemetry, whose hook prints its `TRACEPARENT`.
fn told(telemetry: &Value) -> (Scene, String) {
    let scene = Scene::new().says("Hello.");
    let hooks = json!({ "BeforeAgent": of(&[hook("note", &scene.noting(""))]) });
    let scene = scene.telemetry(telemetry, &hooks);
    let finished = scene.run(&[("TRACEPARENT", "given")]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    (scene, finished.stderr)
}

/// TE-3: without tracing a hook's environment contains what hookloop's own does.
#[test]
fn nothing_is_traced_unless_it_is_asked_for() {
    let server = willing();
    let quiet = [
        json!({ "otlpEndpoint": server.url() }),
        json!({ "enabled": false, "otlpEndpoint": server.url() }),
    ];
    for telemetry in quiet {
        let (scene, stderr) = told(&telemetry);
        assert_eq!(scene.noted()[0].0, "given");
        assert!(!stderr.contains("elemetry"), "{stderr}");
    }
    assert_eq!(server.connections(), 0);
}

/// TE-3: what can't be done as configured is reported with its place, and nothing is sent.
#[test]
fn settings_without_effect_are_reported() {
    let server = willing();
    let loud = [
        (
            json!({ "enabled": true, "target": "gcp", "otlpEndpoint": server.url() }),
            "`telemetry.target` is \"gcp\"",
        ),
        (json!({ "enabled": true }), "telemetry is sent nowhere"),
        (
            json!({ "enabled": true, "otlpEndpoint": "collector:4318" }),
            "neither http nor https",
        ),
    ];
    for (telemetry, complaint) in loud {
        let (scene, stderr) = told(&telemetry);
        assert_eq!(scene.noted()[0].0, "given");
        let line = stderr.lines().find(|line| line.contains(complaint));
        let line = line.unwrap_or_else(|| panic!("{complaint}: {stderr}"));
        assert!(line.contains("/.gemini/settings.json:"), "{line}");
    }
    assert_eq!(server.connections(), 0);
}

/// TE-3: if gRPC is requested, HTTP is used, which is reported.
#[test]
fn grpc_is_answered_with_http() {
    let server = willing();
    let (_, stderr) =
        told(&json!({ "enabled": true, "otlpEndpoint": server.url(), "otlpProtocol": "grpc" }));
    let line = stderr.lines().find(|line| line.contains("over HTTP"));
    assert!(
        line.unwrap().contains("/.gemini/settings.json:"),
        "{stderr}"
    );
    assert_eq!(Spans::of(&server).named("hookloop.turn").len(), 1);
}

/// TE-1, TE-3: a file and a collector may both be configured.
#[test]
fn file_and_collector_both_get_theirs() {
    let server = willing();
    let scene = Scene::new();
    let file = scene.world.sandbox.root().join("telemetry.jsonl");
    let both = json!({ "enabled": true, "outfile": file, "otlpEndpoint": server.url() });
    let scene = scene.says("Hello.").telemetry(&both, &json!({}));
    scene.runs_well(&[]);
    assert!(fs::read_to_string(file).unwrap().contains("user_prompt"));
    assert_eq!(Spans::of(&server).named("hookloop.turn").len(), 1);
}

/// TE-3, TR-5: a project that isn't trusted can't name a collector.
#[test]
fn a_strange_project_names_no_collector() {
    let server = willing();
    let scene = Scene::new().says("Hello.");
    let sandbox = &scene.world.sandbox;
    let telemetry = json!({ "enabled": true, "otlpEndpoint": server.url() });
    sandbox.project_settings(&json!({ "telemetry": telemetry }).to_string());
    let connections_after_a_session = || {
        let finished = scene.run(&[]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        server.connections()
    };
    assert_eq!(connections_after_a_session(), 0);
    scene.world.mark_folder("DO_NOT_TRUST");
    assert_eq!(connections_after_a_session(), 0);
    scene.world.mark_folder("TRUST_FOLDER");
    assert_ne!(connections_after_a_session(), 0);
}

/// TE-3: `hooks fire` isn't a session, and sends no spans.
#[test]
fn fire_is_not_traced() {
    let server = willing();
    let scene = Scene::new();
    let hooks = json!({ "BeforeAgent": of(&[hook("note", &scene.noting(""))]) });
    let scene = scene.settings(&server.url(), &hooks);
    let fired = scene.world.hooks(&["fire", "BeforeAgent"]);
    assert_eq!(fired.code, Some(0), "{}", fired.stderr);
    assert_eq!(scene.noted()[0].0, "none");
    assert_eq!(server.connections(), 0);
}
