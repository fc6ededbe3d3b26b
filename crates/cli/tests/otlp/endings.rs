use serde_json::{Value, json};

use crate::collector::{Spans, willing};
use crate::scene::{Scene, hook, of};

/// TE-3, IO-21: a hook's span says where it is configured, what it decided and how it ended; one
/// that couldn't start has refused.
#[test]
fn decision_and_ending_of_a_hook_are_in_its_span() {
    let cases = [
        ("allow", "true", "proceed", "exited", None),
        ("deny", "echo no >&2; exit 2", "deny", "exited", None),
        (
            "json",
            "echo '{\"decision\": \"deny\", \"reason\": \"no\"}'",
            "deny",
            "exited",
            None,
        ),
        ("fails", "exit 3", "none", "exited", Some("exit_code")),
        ("dies", "kill -9 $$", "none", "signalled", Some("signalled")),
        ("late", "sleep 600", "none", "timed_out", Some("timed_out")),
        (
            "missing",
            "/no/such/program",
            "deny",
            "not_started",
            Some("not_started"),
        ),
    ];
    let server = willing();
    let hooks: Vec<Value> = cases
        .iter()
        .map(|(name, command, ..)| {
            let mut hook = hook(name, command);
            if *name == "late" {
                hook["timeout"] = json!(300);
            }
            hook
        })
        .collect();
    let scene = Scene::new()
        .calls(&[("glob", json!({ "pattern": "*" }))])
        .says("Done.")
        .settings(&server.url(), &json!({ "BeforeTool": of(&hooks) }));
    let finished = scene.run(&[]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let spans = Spans::of(&server);
    for (name, _, decision, ending, error) in cases {
        let span = spans.hook(name);
        let attributes = &span.attributes;
        assert_eq!(attributes["hook.decision"], decision, "{span:#?}");
        assert_eq!(attributes["hook.ending"], ending, "{span:#?}");
        assert_eq!(attributes["error.type"], json!(error), "{span:#?}");
        assert_eq!(span.failed, error.is_some(), "{span:#?}");
        assert_eq!(attributes["hook.event"], "BeforeTool");
        let place = attributes["hook.source"].as_str().unwrap();
        let (file, position) = place.split_once(".json:").unwrap();
        assert!(file.ends_with("/.gemini/settings"), "{place}");
        assert!(
            position.split(':').all(|it| it.parse::<u32>().is_ok()),
            "{place}"
        );
    }
    assert_eq!(spans.hook("fails").attributes["hook.exit_code"], 3);
    assert_eq!(spans.hook("dies").attributes["hook.signal"], "SIGKILL");
    let call = spans.the("hookloop.tool_call");
    assert_eq!(call.attributes["hookloop.decision"], "reject");
    assert_eq!(call.attributes["hookloop.success"], false);
    assert!(call.failed && call.attributes["error.type"].is_string());
}

/// TE-3: how a turn ended is in its span; what a hook decides isn't an error.
#[test]
fn the_ending_of_a_turn_is_in_its_span() {
    let refusing = |event: &str| json!({ event: of(&[hook("no", "echo no >&2; exit 2")]) });
    let cases = [("BeforeAgent", 0, "refused"), ("BeforeModel", 1, "refused")];
    for (event, model_calls, ending) in cases {
        let server = willing();
        let scene = Scene::new()
            .says("Hello.")
            .settings(&server.url(), &refusing(event));
        scene.runs_well(&[]);
        let spans = Spans::of(&server);
        let turn = spans.the("hookloop.turn");
        assert_eq!(turn.attributes["hookloop.ending"], ending, "{event}");
        assert!(!turn.failed);
        assert_eq!(spans.named("hookloop.model_call").len(), model_calls);
        for call in spans.named("hookloop.model_call") {
            assert_eq!(call.attributes["hookloop.ending"], "refused");
            assert_eq!(call.attributes["gen_ai.request.model"], Value::Null);
        }
    }
    // A script without answers is a model that fails.
    let server = willing();
    let scene = Scene::new().settings(&server.url(), &json!({}));
    assert_eq!(scene.run(&[]).code, Some(1));
    let spans = Spans::of(&server);
    for name in ["hookloop.turn", "hookloop.model_call"] {
        let span = spans.the(name);
        assert!(span.failed, "{span:#?}");
        assert_eq!(span.attributes["error.type"], "failed");
    }
}

/// TE-3, SE-2: a hook that the session left behind has a span that says so.
#[test]
fn a_hook_that_is_left_behind_has_a_span() {
    let server = willing();
    let scene = Scene::new().says("Hello.");
    let stay = scene.noting("while [ ! -e \"$GEMINI_PROJECT_DIR/enough\" ]; do sleep 0.05; done");
    let hooks = json!({ "SessionEnd": of(&[hook("stays", &stay)]) });
    let scene = scene.settings(&server.url(), &hooks);
    let finished = scene.run(&[]);
    scene.world.sandbox.file("enough", "");
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let spans = Spans::of(&server);
    assert_eq!(spans.hook("stays").attributes["hook.ending"], "abandoned");
    assert_eq!(scene.noted()[0].0, spans.hook("stays").trace_parent());
}
