use serde_json::json;

use crate::collector::{Spans, willing};
use crate::scene::{Scene, hook, of};

/// TE-3: a span for each turn, model call, tool call and hook, each below what it belongs to.
#[test]
fn every_step_has_a_span_below_what_it_belongs_to() {
    let server = willing();
    let scene = Scene::new()
        .calls(&[("list_directory", json!({ "dir_path": "." }))])
        .says("Done.");
    let events = [
        "SessionStart",
        "BeforeAgent",
        "BeforeModel",
        "BeforeTool",
        "AfterTool",
        "AfterAgent",
        "SessionEnd",
    ];
    let hooks = events.map(|event| (event.to_owned(), of(&[hook(event, "true")])));
    let scene = scene.settings(&server.url(), &hooks.into_iter().collect());
    scene.runs_well(&[]);
    let spans = Spans::of(&server);

    let turn = spans.the("hookloop.turn");
    assert_eq!(turn.parent, "");
    assert_eq!(turn.attributes["hookloop.ending"], "completed");
    let model_calls = spans.named("hookloop.model_call");
    assert_eq!(model_calls.len(), 2);
    for call in &model_calls {
        assert_eq!(call.parent, turn.id);
        assert_eq!(call.attributes["gen_ai.usage.input_tokens"], 11);
        assert_eq!(call.attributes["gen_ai.usage.output_tokens"], 7);
        assert_eq!(
            call.attributes["gen_ai.response.finish_reasons"],
            json!(["STOP"])
        );
        assert_eq!(call.attributes["gen_ai.request.model"], "gemini-2.5-pro");
    }
    let tool_call = spans.the("hookloop.tool_call");
    assert_eq!(tool_call.parent, turn.id);
    assert_eq!(tool_call.attributes["gen_ai.tool.name"], "list_directory");
    assert_eq!(
        tool_call.attributes["gen_ai.tool.call.id"],
        "id-of-list_directory"
    );
    assert_eq!(tool_call.attributes["hookloop.success"], true);
    assert_eq!(tool_call.attributes["hookloop.decision"], "accept");

    for name in ["SessionStart", "SessionEnd"] {
        assert_eq!(spans.hook(name).parent, "", "{name}");
    }
    for name in ["BeforeAgent", "AfterAgent"] {
        assert_eq!(spans.hook(name).parent, turn.id, "{name}");
    }
    for name in ["BeforeTool", "AfterTool"] {
        assert_eq!(spans.hook(name).parent, tool_call.id, "{name}");
    }
    let mut above: Vec<_> = spans.hooks("BeforeModel");
    above.sort_by_key(|hook| &hook.parent);
    let mut calls = model_calls.clone();
    calls.sort_by_key(|call| &call.id);
    let ids = |spans: &[&crate::collector::Span], of: fn(&crate::collector::Span) -> &str| {
        spans.iter().map(|it| of(it).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&above, |it| &it.parent), ids(&calls, |it| &it.id));
    let session = &turn.attributes["session.id"];
    assert!(session.as_str().is_some_and(|id| !id.is_empty()));
    for span in spans.all() {
        assert_eq!(&span.attributes["session.id"], session);
        assert!(!span.failed, "{span:#?}");
        assert!(span.nanoseconds > 0);
        let is_in_turn = span.id == turn.id || !span.parent.is_empty();
        assert_eq!(span.trace == turn.trace, is_in_turn, "{span:#?}");
    }
}

/// TE-3: hooks of parallel tool calls are each below their own call, and each hook gets its own
/// span.
#[test]
fn calls_beside_each_other_keep_their_own_hooks() {
    let server = willing();
    let scene = Scene::new()
        .calls(&[
            ("list_directory", json!({ "dir_path": "." })),
            ("glob", json!({ "pattern": "*.none" })),
        ])
        .says("Done.");
    // Each waits until the other one runs, too.
    let meeting = scene.noting(
        "touch \"$GEMINI_PROJECT_DIR/here-$$\"\n\
         while [ \"$(ls \"$GEMINI_PROJECT_DIR\" | grep -c '^here-')\" -lt 2 ]; do sleep 0.02; done",
    );
    let after = scene.noting("");
    let scene = scene.settings(
        &server.url(),
        &json!({
            "BeforeTool": of(&[hook("before", &meeting)]),
            "AfterTool": of(&[hook("after", &after)]),
        }),
    );
    scene.runs_well(&[]);
    let spans = Spans::of(&server);
    let noted = scene.noted();
    assert_eq!(noted.len(), 4);
    for name in ["before", "after"] {
        assert_eq!(spans.hooks(name).len(), 2);
        for hook in spans.hooks(name) {
            let (_, payload) = noted
                .iter()
                .find(|(parent, _)| *parent == hook.trace_parent())
                .expect("the hook was told its span");
            let call = spans.parent_of(hook);
            assert_eq!(call.name, "hookloop.tool_call");
            assert_eq!(call.attributes["gen_ai.tool.name"], payload["tool_name"]);
        }
    }
    assert_eq!(spans.named("hookloop.tool_call").len(), 2);
}

/// TE-3: a session that is started inside a trace continues it, and so do its hooks.
#[test]
fn a_session_goes_on_with_the_trace_that_it_was_started_in() {
    let server = willing();
    let scene = Scene::new().says("Hello.");
    let note = scene.noting("");
    let hooks = json!({ "BeforeAgent": of(&[hook("note", &note)]) });
    let scene = scene.settings(&server.url(), &hooks);
    let above = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
    scene.runs_well(&[("TRACEPARENT", above)]);
    let spans = Spans::of(&server);
    let turn = spans.the("hookloop.turn");
    assert_eq!(turn.trace, "0af7651916cd43dd8448eb211c80319c");
    assert_eq!(turn.parent, "b7ad6b7169203331");
    assert_eq!(scene.noted()[0].0, spans.hook("note").trace_parent());
    assert_eq!(spans.hook("note").trace, turn.trace);
}

/// TE-3: a hook's own variable with that name counts, and what isn't a trace begins none.
#[test]
fn what_a_hook_configures_itself_counts() {
    let server = willing();
    let scene = Scene::new().says("Hello.");
    let mut own = hook("own", &scene.noting(""));
    own["env"] = json!({ "TRACEPARENT": "mine" });
    let scene = scene.settings(&server.url(), &json!({ "BeforeAgent": of(&[own]) }));
    scene.runs_well(&[("TRACEPARENT", "nonsense")]);
    assert_eq!(scene.noted()[0].0, "mine");
    assert_eq!(Spans::of(&server).the("hookloop.turn").parent, "");
}

/// TE-3, TE-4, TE-1: no prompt, answer, argument, result or output is in a span, a log or a metric.
#[test]
fn spans_hold_no_contents() {
    let server = willing();
    let scene = Scene::new()
        .calls(&[("read_file", json!({ "file_path": "my-file.txt" }))])
        .says("my-answer");
    scene.world.sandbox.file("my-file.txt", "my-text");
    let talk = hook("talk", "echo my-output; echo my-aside >&2; exit 1");
    let hooks = json!({ "BeforeTool": of(std::slice::from_ref(&talk)), "AfterTool": of(&[talk]) });
    let scene = scene.settings(&server.url(), &hooks);
    let finished = scene.run(&[]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(Spans::of(&server).hooks("talk").len(), 2);
    for request in server.requests() {
        let body = String::from_utf8_lossy(&request.body).into_owned();
        for content in [
            "my-prompt",
            "my-answer",
            "my-file",
            "my-text",
            "my-output",
            "my-aside",
        ] {
            assert!(!body.contains(content), "{content}");
        }
    }
}
