use serde_json::{Value, json};

use crate::support::{RUN, before_tool, databases, fire, hook, runs, session, texts};
use crate::world::{World, each, fields};

/// CM-6: every run of a session is in the trace, with what it read and wrote, and its result.
#[test]
fn a_session_is_recorded() {
    let world = World::new();
    world.user_hooks(&json!({
        "SessionStart": [{ "hooks": [hook("start", "cat >/dev/null; echo plain; echo aside >&2")] }],
        "BeforeAgent": [{ "hooks": [hook("agent", "echo '{\"decision\": \"allow\"}'")] }],
        "SessionEnd": [{ "hooks": [hook("end", "exit 3")] }],
    }));
    let finished = session(&world);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let runs = runs(&world, &[]);
    assert_eq!(texts(&runs, "label"), ["start", "agent", "end"]);
    assert_eq!(texts(&runs, "origin"), ["session"; 3]);
    for run in &runs {
        assert_eq!(fields(run), RUN);
        assert_eq!(fields(&run["ending"]), ["kind", "exit_code", "signal"]);
        assert_eq!(run["session_id"], runs[0]["session_id"]);
        assert_eq!(run["input"]["session_id"], run["session_id"]);
        assert_eq!(run["input"]["hook_event_name"], run["event"]);
    }
    assert_eq!(runs[0]["stderr"], "aside\n");
    assert_eq!(runs[0]["reply"]["systemMessage"], "plain");
    assert_eq!(runs[1]["reply"], json!({ "decision": "allow" }));
    assert_eq!(runs[1]["input"]["prompt"], "hi");
    assert_eq!(
        (&runs[2]["result"], &runs[2]["ending"]["exit_code"]),
        (&json!("failed"), &json!(3))
    );
    let listed = world.json(&["list"]).json;
    assert_eq!(runs[0]["hook_id"], listed["hooks"][0]["id"]);
    assert_eq!(runs[0]["source"], listed["hooks"][0]["source"]);
}

/// CM-6: what `fire` does is recorded with its origin, also with `--json`.
#[test]
fn fire_is_recorded_with_its_origin() {
    let world = World::new();
    world.user_hooks(&before_tool(&[hook("a", "true"), hook("b", "exit 2")]));
    let fired = world.json(&["fire", "BeforeTool"]).json;
    let runs = runs(&world, &[]);
    assert_eq!(texts(&runs, "origin"), ["fire"; 2]);
    let mut expected: Vec<Value> = fired["runs"].as_array().unwrap().clone();
    for run in &mut expected {
        assert_eq!(fields(run), RUN);
    }
    assert_eq!(runs, expected);
}

/// CM-6, TR-7: reading creates no trace, nor does a session without hooks.
#[test]
fn nothing_is_created_before_a_hook_runs() {
    let world = World::new();
    for arguments in [
        &["list"][..],
        &["check"],
        &["why", "BeforeTool"],
        &["trace"],
        &["fire", "BeforeTool"],
        &["trace", "--session", "x"],
    ] {
        assert_eq!(world.hooks(arguments).code, Some(0), "{arguments:?}");
    }
    assert_eq!(session(&world).code, Some(0));
    assert!(databases(&world).is_empty());
    assert!(runs(&world, &[]).is_empty());
}

/// CM-6: only the user may read the trace.
#[test]
fn the_trace_is_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    world.user_command("BeforeTool", "true");
    fire(&world, &["BeforeTool"]);
    let [database] = databases(&world).try_into().unwrap();
    let folder = database.parent().unwrap();
    let files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let of_trace = files
        .iter()
        .filter(|it| it.file_name().to_string_lossy().starts_with("trace"));
    for file in of_trace {
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{file:?}: {mode:o}");
    }
}

/// CM-6: every project has its own trace.
#[test]
fn projects_are_kept_apart() {
    let world = World::new();
    world.user_command("BeforeTool", "true");
    fire(&world, &["BeforeTool"]);
    let other = world.sandbox.root().join("other");
    std::fs::create_dir_all(other.join(".git")).unwrap();
    let mut command = world.command(&["hooks", "trace", "--json"]);
    let finished = world.sandbox.run(command.current_dir(&other), b"");
    let json: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(json["runs"], json!([]));
    assert_eq!(runs(&world, &[]).len(), 1);
}

/// CM-6: `hooksConfig.trace.maxBytes` limits the trace; the oldest runs are deleted first.
#[test]
fn the_oldest_runs_go_first() {
    let world = World::new();
    let settings = json!({
        "hooksConfig": { "trace": { "maxBytes": 400_000 } },
        "hooks": before_tool(&[hook("a", "cat >/dev/null; head -c 60000 /dev/zero | tr '\\0' x >&2")]),
    });
    world.sandbox.user_settings(&settings.to_string());
    let ids: Vec<String> = (0..9)
        .map(|_| {
            let fired = world.json(&["fire", "BeforeTool"]).json;
            fired["runs"][0]["run_id"].as_str().unwrap().to_owned()
        })
        .collect();
    let runs = runs(&world, &[]);
    let kept = texts(&runs, "run_id");
    assert!(!kept.is_empty() && kept.len() < 9, "{}", kept.len());
    assert_eq!(kept, ids[9 - kept.len()..]);
    let [database] = databases(&world).try_into().unwrap();
    let files = std::fs::read_dir(database.parent().unwrap())
        .unwrap()
        .map(Result::unwrap);
    let of_trace = files.filter(|it| it.file_name().to_string_lossy().starts_with("trace.sqlite"));
    // The index of the log isn't content, and lives in memory.
    let of_trace = of_trace.filter(|it| !it.file_name().to_string_lossy().ends_with("-shm"));
    let bytes: u64 = of_trace.map(|it| it.metadata().unwrap().len()).sum();
    assert!(bytes <= 400_000, "{bytes}");
}

/// CM-6: with `--no-hooks` nothing runs, so nothing is recorded.
#[test]
fn skipped_hooks_leave_no_run() {
    let world = World::new();
    world.user_command("BeforeTool", "true");
    world.project_hooks(&before_tool(&[hook("untrusted", "true")]));
    fire(&world, &["BeforeTool", "--no-hooks"]);
    assert!(databases(&world).is_empty());
    fire(&world, &["BeforeTool"]);
    let printed = world.json(&["trace"]).json;
    assert_eq!(each(&printed["runs"], "label"), ["true"]);
}
