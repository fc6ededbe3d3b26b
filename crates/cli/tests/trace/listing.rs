use serde_json::{Value, json};

use crate::support::{RUN, before_tool, fire, hook, runs, texts};
use crate::world::{World, fields};

/// A world with runs of two sessions, events and hooks.
fn world() -> World {
    let world = World::new();
    world.user_hooks(&json!({
        "BeforeTool": [{ "hooks": [hook("guard", "echo 'not \u{1b}[31mhere' >&2; exit 2"), hook("log", "true")] }],
        "AfterTool": [{ "hooks": [hook("log", "true")] }],
    }));
    fire(&world, &["BeforeTool"]);
    fire(&world, &["AfterTool"]);
    world
}

/// CM-6: the object of `trace`, with nothing missing.
#[test]
fn the_object_has_all_fields() {
    let json = world().json(&["trace"]).json;
    let expected = [
        "schema_version",
        "command",
        "project_dir",
        "runs",
        "losses",
        "html",
        "diagnostics",
    ];
    assert_eq!(fields(&json), expected);
    assert_eq!(
        (&json["schema_version"], &json["command"]),
        (&json!(1), &json!("hooks trace"))
    );
    assert_eq!(fields(&json["runs"][0]), RUN);
    let empty = World::new().json(&["trace"]).json;
    assert_eq!(
        (fields(&empty), &empty["runs"]),
        (fields(&json), &json!([]))
    );
}

/// CM-6: runs are selected by session, event, hook and number, oldest first.
#[test]
fn runs_can_be_chosen() {
    let world = world();
    let all = runs(&world, &[]);
    assert_eq!(texts(&all, "label"), ["guard", "log", "log"]);
    let first = all[0]["session_id"].as_str().unwrap();
    assert_eq!(runs(&world, &["--session", first]), all[..2]);
    assert_eq!(runs(&world, &["--event", "AfterTool"]), all[2..]);
    assert_eq!(runs(&world, &["--hook", "log"]), all[1..]);
    assert_eq!(
        runs(&world, &["--hook", "log", "--event", "BeforeTool"]),
        all[1..2]
    );
    assert_eq!(runs(&world, &["--last", "1"]), all[2..]);
    assert_eq!(runs(&world, &["--session", "nobody"]), Vec::<Value>::new());
}

/// CM-6: a hook that is neither configured nor ever ran is mistyped, and so is an event.
#[test]
fn mistyped_names_are_errors() {
    let world = world();
    let printed = world.json(&["trace", "--hook", "gaurd"]);
    assert_eq!(
        (printed.code, &printed.json["error"]["code"]),
        (1, &json!("unknown_hook"))
    );
    assert_eq!(printed.json["error"]["candidates"], json!(["guard"]));
    let printed = world.json(&["trace", "--event", "Beforetool"]);
    assert_eq!(
        (printed.code, &printed.json["error"]["code"]),
        (1, &json!("unknown_event"))
    );
    // A hook that is gone can still be selected.
    world.user_hooks(&json!({}));
    assert_eq!(runs(&world, &["--hook", "guard"]).len(), 1);
}

/// CM-6: one run is shown by its id, or by the beginning of it.
#[test]
fn one_run_is_shown_by_its_id() {
    let world = world();
    let all = runs(&world, &[]);
    let id = all[1]["run_id"].as_str().unwrap();
    for id in [id, &id[..8]] {
        assert_eq!(runs(&world, &[id]), all[1..2]);
    }
    let text = world
        .hooks(&["trace", all[0]["run_id"].as_str().unwrap()])
        .stdout;
    for part in [
        "guard: refused, exited with 2 after",
        "| not \\u{1b}[31mhere",
        "origin: fire",
        "|   \"tool_name\": \"write_file\"",
        all[0]["session_id"].as_str().unwrap(),
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
}

/// CM-6: an id that no run has is an error that names some that exist.
#[test]
fn an_unknown_run_is_an_error_with_candidates() {
    let world = world();
    let all = runs(&world, &[]);
    let id = all[1]["run_id"].as_str().unwrap();
    let mistyped = format!("{}x", &id[..id.len() - 1]);
    for command in ["trace", "replay"] {
        let printed = world.json(&[command, &mistyped]);
        assert_eq!(
            (printed.code, &printed.json["error"]["code"]),
            (1, &json!("unknown_run"))
        );
        assert_eq!(printed.json["error"]["candidates"][0], id);
        assert_eq!(
            fields(&printed.json),
            ["schema_version", "command", "error"]
        );
        let printed = world.json(&[command, "z"]);
        let candidates = printed.json["error"]["candidates"].as_array().unwrap();
        assert_eq!(candidates.len(), 3);
        let empty = World::new().json(&[command, "z"]);
        assert_eq!(
            (empty.code, &empty.json["error"]["candidates"]),
            (1, &json!([]))
        );
    }
}

/// CM-6: the list has a line for each run, with the first line of what it said, escaped.
#[test]
fn the_list_can_be_read() {
    let text = world().hooks(&["trace"]).stdout;
    assert_eq!(text.matches("Session ").count(), 2, "{text}");
    assert!(text.contains("(fire)"), "{text}");
    let line = text.lines().find(|line| line.contains("guard")).unwrap();
    assert!(
        line.contains("refused") && line.contains("exited with 2"),
        "{line}"
    );
    assert!(text.contains("      not \\u{1b}[31mhere\n"), "{text}");
    assert!(!text.contains('\u{1b}'));
}

/// CM-6: a long list is shortened, and says so.
#[test]
fn a_long_list_says_what_it_leaves_out() {
    let world = World::new();
    let hooks: Vec<Value> = (0..60).map(|it| hook(&format!("h{it}"), "true")).collect();
    world.user_hooks(&before_tool(&hooks));
    fire(&world, &["BeforeTool"]);
    let finished = world.hooks(&["trace"]);
    assert!(!finished.stdout.contains("h9 ") && finished.stdout.contains("h59 "));
    assert!(
        finished.stderr.contains("10 earlier runs"),
        "{}",
        finished.stderr
    );
    assert!(
        world
            .hooks(&["trace", "--last", "60"])
            .stdout
            .contains("h0 ")
    );
    assert_eq!(runs(&world, &[]).len(), 60);
}

/// CM-9: options without effect, or that exclude each other, are usage errors.
#[test]
fn options_without_effect_are_usage_errors() {
    let world = World::new();
    for arguments in [
        &["trace", "--skip-trust"][..],
        &["trace", "id", "--last", "3"],
        &["trace", "--follow", "--html", "x"],
        &["trace", "--last", "-1"],
        &["replay"],
        &["test", "--record", "id"],
        &["test", "--name", "x"],
    ] {
        let finished = world.hooks(arguments);
        assert_eq!(
            (finished.code, finished.stdout.as_str()),
            (Some(2), ""),
            "{arguments:?}"
        );
    }
}
