//! What telemetry, traces and counts report about a session, and what they don't (TE-1…TE-4,
//! AG-CLI-5, OUT-2).

use hookloop_agent::{CompressionThreshold, Consent, Contents, TurnEnd};
use serde_json::{Value, json};

use super::desk::{Desk, FIRST, Seen, counted};
use super::stage::{
    Act, Answer, Plot, Screen, StubTool, call, calls, chunk, denies, says, text, unfinished,
};

fn usage(prompt: u64, answer: u64) -> Value {
    json!({"promptTokenCount": prompt, "candidatesTokenCount": answer,
        "cachedContentTokenCount": prompt / 4, "thoughtsTokenCount": 3,
        "toolUsePromptTokenCount": 2, "totalTokenCount": prompt + answer + 5})
}

fn field(events: &[Value], name: &str) -> Vec<Value> {
    events.iter().map(|it| it[name].clone()).collect()
}

fn said(spans: &[Seen], name: &str) -> Vec<Value> {
    let said = spans.iter().map(|it| it.says.get(name).cloned());
    said.map(Option::unwrap_or_default).collect()
}

/// A turn with a call that runs and one that is refused.
fn turn_of_two_calls() -> Plot {
    let refuses = Act::decides(|read| {
        if read["tool_input"]["n"] == 2 {
            denies("not twice")
        } else {
            Act::silent()
        }
    });
    Plot::of([
        calls(&[call("look", json!({"n": 1})), call("look", json!({"n": 2}))]),
        counted("done", usage(100, 10)),
    ])
    .tool(StubTool::reading("look"))
    .hook("BeforeAgent", "prompts", Act::silent())
    .hook("BeforeModel", "requests", Act::silent())
    .hook("BeforeTool", "guard", refuses)
    .hook("AfterTool", "results", Act::silent())
    .hook("AfterAgent", "judge", Act::silent())
}

/// TE-2: there is one event for each request, each call, and each run of a hook; what was refused
/// doesn't count as success, and names who refused it.
#[tokio::test]
async fn there_is_one_event_for_each_thing() {
    let desk = Desk::of(turn_of_two_calls());
    let (session, end) = desk.play().await;
    assert_eq!(end, TurnEnd::Completed);
    drop(session);
    for (event, count) in [
        ("user_prompt", 1),
        ("api_request", 2),
        ("api_response", 2),
        ("api_error", 0),
        ("tool_call", 2),
        ("hook_call", 1 + 2 + 2 + 1 + 1),
    ] {
        assert_eq!(desk.telemetry_of(event).len(), count, "{event}");
    }
    let called = desk.telemetry_of("tool_call");
    assert_eq!(field(&called, "success"), [true, false]);
    assert_eq!(field(&called, "decision"), ["accept", "reject"]);
    assert_eq!(
        field(&called, "error_type"),
        [json!(null), json!("policy_violation")]
    );
    assert_eq!(field(&called, "function_args"), ["{\"n\":1}", "{\"n\":2}"]);

    let decided = desk.telemetry_of("decision");
    assert_eq!(decided.len(), 1);
    assert_eq!(decided[0]["decision"], "refused");
    assert_eq!(decided[0]["hook_name"], "guard");
    assert_eq!(decided[0]["function_name"], "look");
    assert_eq!(decided[0]["reason"], "not twice");
    let responses = desk.telemetry_of("api_response");
    assert_eq!(field(&responses, "input_token_count"), [0, 100]);
    assert_eq!(field(&responses, "total_token_count"), [0, 115]);
}

/// TE-2, IO-13: a hook's run is reported with what it read and wrote, and how it ended; a refusal
/// by exit code isn't a failure, a crash is.
#[tokio::test]
async fn a_run_is_reported_with_its_end() {
    let table = [
        (Act::silent(), 0, true, false, None),
        (denies("no"), 0, true, false, Some("refused")),
        (
            Act::exits(2, "by exit code"),
            2,
            false,
            false,
            Some("refused"),
        ),
        (Act::exits(1, "crashed"), 1, false, true, Some("failed")),
        (
            says(&json!({"continue": false, "stopReason": "halt"})),
            0,
            true,
            false,
            Some("stopped"),
        ),
        (
            says(&json!({"decision": "ask", "reason": "sure?"})),
            0,
            true,
            false,
            Some("ask"),
        ),
    ];
    for (act, code, success, has_error, decision) in table {
        let plot = Plot::of([calls(&[call("look", json!({"n": 1}))]), text("done")])
            .tool(StubTool::reading("look"))
            .hook("BeforeTool", "guard", act);
        let desk = Desk::of(plot);
        desk.play().await;
        let run = &desk.telemetry_of("hook_call")[0];
        assert_eq!(run["hook_event_name"], "BeforeTool");
        assert_eq!(run["exit_code"], code, "{run}");
        assert_eq!(run["success"], success, "{run}");
        assert_eq!(run["error"].is_string(), has_error, "{run}");
        let input: Value = serde_json::from_str(run["hook_input"].as_str().unwrap()).unwrap();
        assert_eq!(input["tool_input"], json!({"n": 1}));
        let recorded = field(&desk.telemetry_of("decision"), "decision");
        assert_eq!(recorded, decision.into_iter().collect::<Vec<_>>(), "{run}");
    }
}

/// TE-1, TE-2: without contents, all events are there, and contain nothing that was said, sent,
/// read or written by anybody.
#[tokio::test]
async fn without_contents_nothing_that_was_said_is_reported() {
    let secret = "SECRET";
    let plot = || {
        Plot::of([
            calls(&[
                call("look", json!({"command": secret})),
                call("fail", json!({})),
            ]),
            text(secret),
            Answer::Fails,
        ])
        .tool(StubTool::saying("look", secret))
        .tool(StubTool::failing("fail", secret))
        .hook("BeforeTool", "guard", Act::exits(1, secret))
        .hook("AfterTool", "guard", Act::exits(2, secret))
        .hook(
            "AfterAgent",
            "guard",
            says(&json!({"systemMessage": secret})),
        )
    };
    let mut names = Vec::new();
    for contents in [Contents::Recorded, Contents::LeftOut] {
        let desk = Desk::telling(plot(), contents);
        let mut session = desk.start().await;
        desk.prompt(&mut session, secret).await;
        desk.prompt(&mut session, secret).await;
        let text = desk.telemetry();
        assert_eq!(
            text.contains(secret),
            contents == Contents::Recorded,
            "{text}"
        );
        let events = text.lines().map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            line["attributes"]["event.name"].clone()
        });
        names.push(events.collect::<Vec<_>>());
    }
    assert_eq!(names[0], names[1], "the same things are told");
}

/// OUT-2, AT-1: for a hook that suppresses its output, and for one whose reading was withheld, it
/// is recorded that they ran and what they decided.
#[tokio::test]
async fn suppressed_runs_are_told_without_their_words() {
    let hushed = json!({"suppressOutput": true, "decision": "deny", "reason": "hush"});
    for (event, act) in [
        ("BeforeTool", says(&hushed)),
        ("AfterTool", denies("withheld")),
    ] {
        let plot = Plot::of([calls(&[call("look", json!({"n": 4711}))]), text("done")])
            .tool(StubTool::saying("look", "SECRET"))
            .hook(event, "guard", act);
        let desk = Desk::of(plot);
        let (_session, end) = desk.play().await;
        assert_eq!(end, TurnEnd::Completed);
        let run = &desk.telemetry_of("hook_call")[0];
        assert_eq!(run["hook_name"], "guard");
        assert_eq!(run["success"], true);
        assert!(!run.to_string().contains("SECRET"), "{run}");
        if event == "BeforeTool" {
            for left_out in ["hook_input", "hook_output", "stdout", "stderr"] {
                assert!(run.get(left_out).is_none(), "{run}");
            }
        }
        let decided = &desk.telemetry_of("decision")[0];
        assert_eq!(decided["decision"], "refused");
        assert!(!decided.to_string().contains("SECRET"), "{decided}");
        assert!(!desk.records().contains("SECRET"));
    }
}

/// TE-4: a response that didn't count is reported with its number and what was wrong with it, as
/// readers of the reference's telemetry expect it.
#[tokio::test]
async fn each_retry_is_reported() {
    let unreadable = || Answer::Chunks(vec![chunk(json!([]), Some("MALFORMED_FUNCTION_CALL"))]);
    let empty = || Answer::Chunks(vec![chunk(json!([]), Some("STOP"))]);
    let desk = Desk::of(Plot::of([
        unfinished("hal"),
        empty(),
        unreadable(),
        text("at last"),
        unfinished("hal"),
        text("whole"),
    ]));
    let (mut session, _) = desk.play().await;
    desk.prompt(&mut session, "again").await;
    let recorded = desk.telemetry_of("content_retry");
    assert_eq!(field(&recorded, "attempt_number"), [1, 2, 3, 1]);
    assert_eq!(
        field(&recorded, "error_type"),
        [
            "NO_FINISH_REASON",
            "NO_RESPONSE_TEXT",
            "MALFORMED_FUNCTION_CALL",
            "NO_FINISH_REASON"
        ]
    );
    assert_eq!(
        session.stats().models["gemini-2.5-pro"].api.total_requests,
        6
    );
}

/// TE-4: which model answers is reported once for each prompt, and again if a hook puts another one
/// in its place.
#[tokio::test]
async fn the_choice_of_a_model_is_reported_once() {
    let other = says(&json!({"hookSpecificOutput": {"llm_request": {"model": "of-a-hook"}}}));
    let look = || calls(&[call("look", json!({}))]);
    let route = Act::in_turn(vec![Act::silent(), Act::silent(), other, Act::silent()]);
    let desk = Desk::of(
        Plot::of([look(), look(), text("a"), text("b")])
            .tool(StubTool::reading("look"))
            .hook("BeforeModel", "route", route),
    );
    let (mut session, _) = desk.play().await;
    desk.prompt(&mut session, "again").await;
    let recorded = desk.telemetry_of("model_routing");
    assert_eq!(
        field(&recorded, "decision_model"),
        ["gemini-2.5-pro", "of-a-hook", "gemini-2.5-pro"]
    );
    assert_eq!(field(&recorded, "decision_source")[1], "hook");
}

/// TE-4: who called the model is reported: the conversation, a summary, a tool.
#[tokio::test]
async fn the_role_of_each_request_is_reported() {
    let whole = |text: &str| Answer::Whole(chunk(json!([{"text": text}]), Some("STOP")));
    let desk = Desk::of(
        Plot::of([
            calls(&[call("search", json!({}))]),
            whole("found"),
            text(&"word ".repeat(300)),
            whole("notes"),
        ])
        .tool(StubTool::searching("search")),
    );
    let (mut session, _) = desk.play().await;
    session.compress(desk.cancel.clone()).await;
    let roles = ["main", "utility_tool", "main", "utility_compressor"];
    for event in ["api_request", "api_response"] {
        assert_eq!(field(&desk.telemetry_of(event), "role"), roles, "{event}");
    }
    let purposes = ["conversation", "web", "conversation", "compression"];
    let spans = desk.spans.named("hookloop.model_call");
    assert_eq!(said(&spans, "hookloop.purpose"), purposes);
    let compressed = &desk.telemetry_of("chat_compression")[0];
    assert!(compressed["tokens_before"].as_u64() > compressed["tokens_after"].as_u64());
}

/// TE-3: there is a span for the turn, each request, each call and each run of a hook, below the
/// step that it belongs to, ended once, with its result.
#[tokio::test]
async fn there_is_a_span_for_each_step() {
    let desk = Desk::of(turn_of_two_calls());
    desk.play().await;
    let spans = desk.spans.all();
    assert!(spans.iter().all(|it| it.ends == 1), "{spans:?}");
    assert!(spans.iter().all(|it| it.says["session.id"] == FIRST));
    let (turn, model, tool, hook) = (
        "hookloop.turn",
        "hookloop.model_call",
        "hookloop.tool_call",
        "hookloop.hook",
    );
    for (name, way, count) in [
        (turn, vec![turn], 1),
        (model, vec![turn, model], 2),
        (tool, vec![turn, tool], 2),
    ] {
        let named = desk.spans.named(name);
        assert_eq!(named.len(), count, "{name}");
        assert!(
            named.iter().all(|it| desk.spans.way_to(it) == way),
            "{name}"
        );
    }
    for span in desk.spans.named(hook) {
        let way = match span.says["hook.event"].as_str().unwrap() {
            "BeforeAgent" | "AfterAgent" => vec![turn, hook],
            "BeforeModel" => vec![turn, model, hook],
            _ => vec![turn, tool, hook],
        };
        assert_eq!(desk.spans.way_to(&span), way, "{span:?}");
    }
    assert_eq!(
        said(&desk.spans.named(turn), "hookloop.ending"),
        ["completed"]
    );
    let models = desk.spans.named(model);
    assert_eq!(
        said(&models, "gen_ai.request.model"),
        ["gemini-2.5-pro", "gemini-2.5-pro"]
    );
    assert_eq!(models[1].says["gen_ai.usage.input_tokens"], 100);
    assert_eq!(models[1].says["gen_ai.usage.cache_read.input_tokens"], 25);
    assert_eq!(
        models[1].says["gen_ai.response.finish_reasons"],
        json!(["STOP"])
    );
    let tools = desk.spans.named(tool);
    assert_eq!(said(&tools, "hookloop.success"), [true, false]);
    assert_eq!(said(&tools, "hookloop.decision"), ["accept", "reject"]);
    assert_eq!(tools[1].error.as_deref(), Some("policy_violation"));
    assert!(
        !format!("{spans:?}").contains("not twice"),
        "nothing of what was said"
    );
}

/// TE-3: a turn's span and its request's say how they ended; what hooks and the user decide isn't
/// an error.
#[tokio::test]
async fn spans_say_how_a_turn_ended() {
    let answers = json!({"hookSpecificOutput": {"llm_response": {"text": "from a hook"}}});
    let stops = json!({"continue": false, "stopReason": "halt"});
    let table: [(Answer, Act, [&str; 2], bool); 6] = [
        (text("a"), Act::silent(), ["completed", "answered"], false),
        (
            text("-"),
            says(&answers),
            ["completed", "answered_by_hook"],
            false,
        ),
        (text("-"), denies("no"), ["refused", "refused"], false),
        (text("-"), says(&stops), ["stopped", "stopped"], false),
        (
            Answer::Cancels,
            Act::silent(),
            ["cancelled", "cancelled"],
            false,
        ),
        (Answer::Fails, Act::silent(), ["failed", "failed"], true),
    ];
    for (answer, act, endings, is_error) in table {
        let desk = Desk::of(Plot::of([answer]).hook("BeforeModel", "guard", act));
        desk.play().await;
        let names = ["hookloop.turn", "hookloop.model_call"];
        for (name, ending) in names.into_iter().zip(endings) {
            let span = &desk.spans.named(name)[0];
            assert_eq!(span.says["hookloop.ending"], ending, "{name}");
            assert_eq!(span.error.is_some(), is_error, "{name}: {span:?}");
            assert_eq!(span.ends, 1);
        }
    }
}

/// TE-3: a hook's span says what it decided and how it ended, and names its failure.
#[tokio::test]
async fn the_span_of_a_run_says_what_it_decided() {
    let stops = json!({"continue": false, "stopReason": "halt"});
    for (act, decision, code, is_error) in [
        (Act::silent(), "proceed", 0, false),
        (denies("no"), "deny", 0, false),
        (says(&stops), "stop", 0, false),
        (says(&json!({"decision": "ask"})), "ask", 0, false),
        (Act::exits(1, "crashed"), "none", 1, true),
    ] {
        let plot = Plot::of([calls(&[call("look", json!({}))]), text("done")])
            .tool(StubTool::reading("look"))
            .hook("BeforeTool", "guard", act);
        let desk = Desk::of(plot);
        desk.play().await;
        let span = &desk.spans.named("hookloop.hook")[0];
        assert_eq!(span.says["hook.decision"], decision);
        assert_eq!(span.says["hook.exit_code"], code, "{decision}");
        assert_eq!(span.says["hook.name"], "guard");
        assert_eq!(span.error.is_some(), is_error, "{decision}: {span:?}");
    }
}

/// AG-CLI-5, TE-4: requests, tokens, calls and decisions are counted by name, and the totals are
/// the sums of those by name; metrics say the same.
#[tokio::test]
async fn counts_add_up() {
    let edited = json!({"n": 9}).as_object().unwrap().clone();
    let mut plot = Plot::of([
        calls(&[
            call("look", json!({"n": 1})),
            call("fail", json!({})),
            call("change", json!({"n": 1})),
            call("change", json!({"n": 2})),
            call("no_such_tool", json!({})),
        ]),
        counted("one", usage(100, 10)),
        counted("two", usage(40, 4)),
    ])
    .tool(StubTool::reading("look"))
    .tool(StubTool::failing("fail", "broken"))
    .tool(StubTool::editing("change"));
    plot.screen = Screen::answering([Consent::Given, Consent::Edited(edited)]);
    let desk = Desk::of(plot);
    let (mut session, _) = desk.play().await;
    desk.prompt(&mut session, "again").await;
    let stats = session.stats();

    let model = &stats.models["gemini-2.5-pro"];
    assert_eq!((model.api.total_requests, model.api.total_errors), (3, 0));
    let tokens = &model.tokens;
    assert_eq!(
        (tokens.prompt, tokens.candidates, tokens.total),
        (140, 14, 164)
    );
    assert_eq!((tokens.cached, tokens.input), (35, 105));
    assert_eq!((tokens.thoughts, tokens.tool), (6, 4));

    let tools = &stats.tools;
    assert_eq!(
        (tools.total_calls, tools.total_success, tools.total_fail),
        (5, 3, 2)
    );
    let calls: u64 = tools.by_name.values().map(|it| it.count).sum();
    assert_eq!(calls, tools.total_calls);
    let decided = &tools.total_decisions;
    assert_eq!(
        (decided.auto_accept, decided.accept, decided.modify),
        (2, 1, 1)
    );
    assert_eq!(
        decided.reject, 0,
        "nobody decided about a tool that isn't there"
    );
    assert_eq!(stats.files.edits, 2);

    let metrics = desk.telemetry();
    let metrics = metrics
        .lines()
        .rev()
        .find(|it| it.contains("token.usage"))
        .unwrap();
    for name in ["api.request.count", "tool.call.count", "tool.call.latency"] {
        assert!(metrics.contains(name), "{name} is missing: {metrics}");
    }
}

/// TE-2, LO-5: compressing is reported only if it happened.
#[tokio::test]
async fn a_compression_that_failed_is_not_told_as_one() {
    for (answer, count) in [
        (Answer::Fails, 0),
        (
            Answer::Whole(chunk(json!([{"text": "notes"}]), Some("STOP"))),
            1,
        ),
    ] {
        let long = || text(&"word ".repeat(400));
        let mut plot = Plot::of([long(), long(), answer, text("c")]);
        plot.compression = CompressionThreshold::Tokens(600);
        let desk = Desk::of(plot);
        let (mut session, _) = desk.play().await;
        desk.prompt(&mut session, "two").await;
        desk.prompt(&mut session, "three").await;
        assert_eq!(desk.telemetry_of("chat_compression").len(), count);
        assert_eq!(desk.telemetry_of("api_error").len(), 1 - count);
        assert_eq!(desk.entries_of(FIRST, "compressed").len(), count);
    }
}
