use serde_json::{Value, json};

use crate::world::{World, fields};

const HOOK: [&str; 24] = [
    "id",
    "event",
    "type",
    "name",
    "description",
    "matcher",
    "label",
    "command",
    "sequential",
    "timeout_ms",
    "on_failure",
    "env",
    "source",
    "status",
    "causes",
    "trust",
    "dialect",
    "mode",
    "handler",
    "unpinned",
    "recheck",
    "condition",
    "sandbox",
    "stats",
];
const SOURCE: [&str; 5] = ["layer", "extension", "file", "line", "column"];
const STATS: [&str; 7] = [
    "runs",
    "last_run_at",
    "last_result",
    "last_output",
    "last_error",
    "p50_ms",
    "p95_ms",
];
const RUN: [&str; 22] = [
    "run_id",
    "session_id",
    "origin",
    "event",
    "hook_id",
    "label",
    "source",
    "started_at",
    "duration_ms",
    "ending",
    "result",
    "failure",
    "input",
    "stdout",
    "stderr",
    "truncated",
    "reply",
    "withheld_env",
    "dialect",
    "unknown_fields",
    "lost_refusal",
    "suppressed",
];
const OUTCOME: [&str; 9] = [
    "verdict",
    "decision",
    "reason",
    "stop_reason",
    "additional_context",
    "system_messages",
    "late",
    "changes",
    "action",
];
const DIAGNOSTIC: [&str; 9] = [
    "severity",
    "code",
    "message",
    "help",
    "suggestion",
    "source",
    "event",
    "hook_id",
    "snippet",
];

fn assert_document(json: &Value, command: &str, own: &[&str]) {
    let mut expected = vec!["schema_version", "command", "project_dir"];
    expected.extend(own);
    expected.push("diagnostics");
    assert_eq!(fields(json), expected);
    assert_eq!(json["schema_version"], 1);
    assert_eq!(json["command"], command);
    for problem in json["diagnostics"].as_array().unwrap() {
        assert_eq!(fields(problem), DIAGNOSTIC);
        assert_eq!(fields(&problem["source"]), SOURCE);
        assert_ne!(problem["help"], "");
    }
}

fn assert_hooks(json: &Value, more: &[&str]) {
    let hooks = json["hooks"].as_array().unwrap();
    assert!(!hooks.is_empty());
    for hook in hooks {
        assert_eq!(fields(hook), [&HOOK[..], more].concat());
        assert_eq!(fields(&hook["source"]), SOURCE);
        for cause in hook["causes"].as_array().unwrap() {
            assert_eq!(fields(cause), ["code", "message", "source", "hook_id"]);
        }
    }
}

/// A world with a hook that runs, one that isn't trusted, and a problem.
fn world() -> World {
    let world = World::new();
    world.project_hooks(&json!({
        "BeforeTool": [{ "hooks": [{ "type": "command", "command": "true" }] }],
        "Nonsense": [],
    }));
    world.user_command("BeforeTool", "exit 3");
    world
}

/// CM-1: every field of the list is there, with the values that mean nothing.
#[test]
fn the_list_has_every_field() {
    let printed = world().json(&["list"]);
    let own = ["hooks_enabled", "hooks_enabled_source", "layers", "hooks"];
    assert_document(&printed.json, "hooks list", &own);
    assert_hooks(&printed.json, &[]);
    for layer in printed.json["layers"].as_array().unwrap() {
        assert_eq!(fields(layer), ["layer", "extension", "file", "state"]);
    }
    let stats = &printed.json["hooks"][0]["stats"];
    assert_eq!(fields(stats), STATS);
    assert_eq!(stats["runs"], 0);
    assert!(STATS[1..].iter().all(|field| stats[field].is_null()));
}

/// CM-4: every field of `why` is there; statistics are reported by the list alone.
#[test]
fn why_has_every_field() {
    let printed = world().json(&["why", "BeforeTool", "--tool", "glob"]);
    assert_document(
        &printed.json,
        "hooks why",
        &["event", "subject", "hooks", "plan"],
    );
    assert_hooks(&printed.json, &["runs", "refuses", "explained"]);
    assert_eq!(fields(&printed.json["subject"]), ["field", "value"]);
    assert_eq!(fields(&printed.json["plan"]), ["mode", "hook_ids"]);
    assert!(printed.json["hooks"][0]["stats"].is_null());
}

/// CM-5: every field of `fire` is there, also of a run that failed.
#[test]
fn fire_has_every_field() {
    let printed = world().json(&["fire", "BeforeTool"]);
    let own = ["event", "input", "hooks", "plan", "runs", "outcome"];
    assert_document(&printed.json, "hooks fire", &own);
    assert_hooks(&printed.json, &["runs", "refuses", "explained"]);
    let run = &printed.json["runs"][0];
    assert_eq!(fields(run), RUN);
    assert_eq!(fields(&run["ending"]), ["kind", "exit_code", "signal"]);
    assert_eq!(fields(&run["failure"]), ["kind", "message"]);
    assert_eq!(fields(&printed.json["outcome"]), OUTCOME);
}

/// CM-5: every field is there when no hook runs.
#[test]
fn fire_without_hooks_has_every_field() {
    let printed = World::new().json(&["fire", "BeforeTool"]);
    assert_eq!(printed.code, 0);
    assert_eq!(fields(&printed.json["outcome"]), OUTCOME);
    assert_eq!(printed.json["outcome"]["verdict"], "proceed");
    assert_eq!(printed.json["outcome"]["changes"], json!({}));
    assert_eq!(printed.json["runs"], json!([]));
    assert_eq!(
        printed.json["plan"],
        json!({ "mode": "parallel", "hook_ids": [] })
    );
}

/// CM-3: every field of `check` is there.
#[test]
fn check_has_every_field() {
    let printed = world().json(&["check"]);
    assert_document(&printed.json, "hooks check", &["strict", "counts"]);
    assert_eq!(
        fields(&printed.json["counts"]),
        ["errors", "warnings", "infos"]
    );
}

/// TR-4: every field of `trust` and `untrust` is there.
#[test]
fn trust_has_every_field() {
    let own = ["changed", "files", "labels", "still_disabled_by"];
    for command in ["trust", "untrust"] {
        let printed = world().json(&[command]);
        assert_document(&printed.json, &format!("hooks {command}"), &own);
        assert_eq!(printed.json["still_disabled_by"], json!([]));
    }
}

/// CM-1: paths are absolute, and the project's folder is shown as it was reached.
#[test]
fn paths_are_absolute() {
    let world = world();
    let printed = world.json(&["list"]);
    assert_eq!(
        printed.json["project_dir"],
        world.project().to_str().unwrap()
    );
    let file = world.project().join(".gemini/settings.json");
    assert_eq!(
        printed.json["hooks"][0]["source"]["file"],
        file.to_str().unwrap()
    );
}
