use serde_json::{Value, json};

use crate::support::{before_tool, fire, hook, runs};
use crate::world::World;

/// CM-1: the list shows for every hook how often it ran, what it said and how long it took.
#[test]
fn the_list_shows_what_hooks_did() {
    let world = World::new();
    let flaky = "cat >/dev/null; echo said; test ! -e broken || { echo 'no luck' >&2; exit 5; }";
    world.user_hooks(&before_tool(&[hook("flaky", flaky), hook("idle", "true")]));
    world.sandbox.file("broken", "");
    fire(&world, &["BeforeTool", "--only", "flaky"]);
    std::fs::remove_file(world.project().join("broken")).unwrap();
    fire(&world, &["BeforeTool", "--only", "flaky"]);
    let listed = world.json(&["list"]).json;
    let stats = &listed["hooks"][0]["stats"];
    let runs = runs(&world, &[]);
    assert_eq!(
        (&stats["runs"], &stats["last_result"]),
        (&json!(2), &json!("proceed"))
    );
    assert_eq!(stats["last_run_at"], runs[1]["started_at"]);
    assert_eq!(stats["last_output"], "said\n");
    assert_eq!(stats["last_error"], "exit code 5: no luck");
    let mut durations: Vec<f64> = runs
        .iter()
        .map(|it| it["duration_ms"].as_f64().unwrap())
        .collect();
    durations.sort_by(f64::total_cmp);
    assert_eq!(
        (&stats["p50_ms"], &stats["p95_ms"]),
        (&json!(durations[0]), &json!(durations[1]))
    );
    let idle = &listed["hooks"][1]["stats"];
    assert_eq!(idle["runs"], 0);
    for field in [
        "last_run_at",
        "last_result",
        "last_output",
        "last_error",
        "p50_ms",
        "p95_ms",
    ] {
        assert_eq!(idle[field], Value::Null, "{field}");
    }
    let text = world.hooks(&["list"]).stdout;
    for part in [
        "2 runs, the last one: proceed, at",
        "p50 ",
        "last output: said",
        "last error: exit code 5: no luck",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
}

/// CM-3, TS-3: a field that a hook replied with and that had no effect is named, with the hook's
/// place; `--strict` fails for it; a hook that is gone isn't reported.
#[test]
fn fields_without_effect_are_reported() {
    let world = World::new();
    let reply = json!({ "decision": "allow", "hookSpecificOutput": { "tool_inptu": {} } });
    let mut rewrite = hook("rewrite", &format!("echo '{reply}'"));
    rewrite["onFailure"] = json!("warn");
    let file = world.user_hooks(&before_tool(&[rewrite]));
    assert_eq!(world.json(&["check"]).json["diagnostics"], json!([]));
    fire(&world, &["BeforeTool"]);
    let checked = world.json(&["check"]);
    let [problem] = checked.json["diagnostics"].as_array().unwrap().as_slice() else {
        panic!("{}", checked.json);
    };
    assert_eq!(
        (checked.code, &problem["code"]),
        (0, &json!("reply_field_ignored"))
    );
    assert_eq!(
        (&problem["severity"], &problem["event"]),
        (&json!("warning"), &json!("BeforeTool"))
    );
    let message = problem["message"].as_str().unwrap();
    assert!(
        message.contains("hookSpecificOutput.tool_inptu"),
        "{message}"
    );
    let hook = &world.json(&["list"]).json["hooks"][0];
    assert_eq!(
        (&problem["source"], &problem["hook_id"]),
        (&hook["source"], &hook["id"])
    );
    assert_eq!(problem["source"]["file"], file.to_str().unwrap());
    assert!(problem["snippet"].as_str().unwrap().contains("rewrite"));
    assert_eq!(world.json(&["check", "--strict"]).code, 1);
    world.user_hooks(&json!({}));
    assert_eq!(world.json(&["check"]).json["diagnostics"], json!([]));
}
