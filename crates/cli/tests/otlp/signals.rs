use std::fs;

use serde_json::{Value, json};

use crate::collector::{logs, metrics, willing};
use crate::scene::{Scene, hook, of};

/// A session in which one hook refuses a call and another one lets the next one continue.
fn told(telemetry: &Value) -> Scene {
    let hooks = json!({
        "BeforeTool": [{"matcher": "list_directory", "hooks": [
            hook("guard", "echo 'not this one' >&2; exit 2"),
        ]}],
        "AfterTool": of(&[hook("after", "echo '{}'")]),
    });
    let scene = Scene::new()
        .calls(&[("list_directory", json!({"dir_path": "."}))])
        .calls(&[("glob", json!({"pattern": "*"}))])
        .says("Done.")
        .telemetry(telemetry, &hooks);
    let finished = scene.run(&[]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(
        !finished.stderr.contains("can't be sent"),
        "{}",
        finished.stderr
    );
    scene
}

fn events(all: &[Value], name: &str) -> Vec<Value> {
    let name = format!("gemini_cli.{name}");
    let all = all.iter().filter(|it| it["event.name"] == name.as_str());
    all.cloned().collect()
}

/// TE-4: the file contains the events and metrics under the names that readers of Gemini CLI's
/// telemetry look for, each with the session, the installation, and the prompt that it belongs to.
#[test]
fn the_file_holds_events_and_metrics() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("telemetry.jsonl");
    let scene = told(&json!({"enabled": true, "outfile": file}));
    let text = fs::read_to_string(file).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    let all: Vec<Value> = lines.iter().map(|it| it["attributes"].clone()).collect();
    let configured = events(&all, "config");
    assert_eq!(configured.len(), 1);
    assert_eq!(configured[0]["approval_mode"], "yolo");
    assert!(configured[0]["prompt_id"].is_null());
    for name in [
        "user_prompt",
        "model_routing",
        "api_request",
        "api_response",
        "tool_call",
    ] {
        let found = events(&all, name);
        assert!(!found.is_empty(), "{name}: {text}");
        for event in found {
            let session = event["session.id"].as_str().unwrap();
            assert_eq!(event["prompt_id"], format!("{session}########0"), "{name}");
            assert_eq!(event["interactive"], false);
            let installation = event["installation.id"].as_str().unwrap();
            assert_eq!(installation.len(), 36, "{name}");
        }
    }
    assert_eq!(events(&all, "model_routing").len(), 1);
    assert_eq!(events(&all, "api_response")[0]["role"], "main");
    let measured = lines
        .iter()
        .rfind(|it| it["scopeMetrics"].is_array())
        .unwrap();
    let metrics = measured["scopeMetrics"][0]["metrics"].as_array().unwrap();
    let value = |name: &str| {
        let name = format!("gemini_cli.{name}");
        let metric = metrics
            .iter()
            .find(|it| it["descriptor"]["name"] == name.as_str());
        let points = metric.unwrap_or_else(|| panic!("{name}: {measured}"))["dataPoints"].clone();
        let points = points.as_array().unwrap().clone().into_iter();
        let count = |it: &Value| it["value"].as_u64().or(it["value"]["count"].as_u64());
        points.map(|it| count(&it).unwrap()).sum::<u64>()
    };
    assert_eq!(value("session.count"), 1);
    assert_eq!(value("tool.call.count"), 2);
    assert_eq!(value("tool.call.latency"), 2);
    assert_eq!(value("api.request.count"), 3);
    assert_eq!(value("token.usage"), 3 * (11 + 7));
    assert_eq!(value("hook_call.count"), value("hook_call.latency"));
    assert!(value("hook_call.count") >= 2);
    // The next session is one of the same installation.
    let id = configured[0]["installation.id"].clone();
    let again = scene.run(&[]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    let text = fs::read_to_string(folder.path().join("telemetry.jsonl")).unwrap();
    assert_eq!(text.matches(id.as_str().unwrap()).count() % 2, 0);
}

/// TE-4: a collector gets the decisions with who, what, where and why, the other events as logs,
/// and the metrics; content is only sent if the settings request it, and reasons unless they forbid
/// it (TE-2).
#[test]
fn a_collector_gets_decisions_and_metrics() {
    for says in [None, Some(true), Some(false)] {
        let server = willing();
        let mut telemetry = json!({"enabled": true, "otlpEndpoint": server.url()});
        if let Some(says) = says {
            telemetry["logPrompts"] = json!(says);
        }
        told(&telemetry);
        let all = logs(&server);
        let decisions = events(&all, "decision");
        let refused = decisions
            .iter()
            .find(|it| it["hook_name"] == "guard")
            .unwrap();
        assert_eq!(refused["decision"], "refused");
        assert_eq!(refused["function_name"], "list_directory");
        let reason = (says != Some(false)).then_some("not this one");
        assert_eq!(refused["reason"].as_str(), reason);
        assert_eq!(refused["hook_layer"], "user");
        let place = refused["hook_source"].as_str().unwrap();
        assert!(place.contains("settings.json:"), "{place}");
        assert!(decisions.iter().all(|it| it["hook_name"] != "after"));
        assert_eq!(events(&all, "tool_call").len(), 2);
        let prompt = &events(&all, "user_prompt")[0]["prompt"];
        assert_eq!(prompt.is_null(), says != Some(true));
        let measured = metrics(&server);
        let sum = |name: &str| -> u64 {
            let of_name = measured.iter().filter(|it| it.0 == name);
            of_name.map(|it| it.2).sum()
        };
        assert_eq!(sum("gemini_cli.session.count"), 1);
        assert_eq!(sum("gemini_cli.tool.call.count"), 2);
        assert_eq!(
            sum("gemini_cli.hook_call.latency"),
            sum("gemini_cli.hook_call.count")
        );
    }
}

/// TE-4, OUT-2: what a hook suppresses isn't in the report of its decision either; that it decided
/// is.
#[test]
fn a_suppressed_reason_is_not_told() {
    let server = willing();
    let reply = json!({"decision": "deny", "reason": "a-secret", "suppressOutput": true});
    let command = format!("echo '{reply}'");
    let hooks = json!({"BeforeTool": of(&[hook("guard", &command)])});
    let scene = Scene::new()
        .calls(&[("glob", json!({"pattern": "*"}))])
        .says("Done.")
        .settings(&server.url(), &hooks);
    scene.run(&[]);
    let decisions = events(&logs(&server), "decision");
    let refused = decisions
        .iter()
        .find(|it| it["hook_name"] == "guard")
        .unwrap();
    assert_eq!(refused["decision"], "refused");
    assert!(refused["reason"].is_null(), "{refused}");
}
