//! The order of a turn, and what hooks at its start and end decide (LO-1, BA-*, AA-*, SS-*).

use hookloop_agent::{StartContext, TurnEnd};
use serde_json::json;

use super::stage::{Act, Plot, Shown, Step, StubTool, call, calls, denies, says, text};

const ALL: [&str; 8] = [
    "SessionStart",
    "BeforeAgent",
    "BeforeModel",
    "BeforeToolSelection",
    "AfterModel",
    "BeforeTool",
    "AfterTool",
    "AfterAgent",
];

fn watched(plot: Plot) -> Plot {
    ALL.iter()
        .fold(plot, |plot, event| plot.hook(event, "watch", Act::silent()))
}

/// LO-1: everything in a turn happens in order, each tool with its own hooks.
#[tokio::test]
async fn a_turn_has_its_order() {
    let played = watched(Plot::of([
        calls(&[
            call("change", json!({"n": 1})),
            call("change", json!({"n": 2})),
        ]),
        text("done"),
    ]))
    .tool(StubTool::editing("change"))
    .play()
    .await;
    assert_eq!(played.end, TurnEnd::Completed);
    let order: Vec<String> = played
        .stage
        .log
        .steps()
        .into_iter()
        .map(|step| match step {
            Step::Hook(fired) => fired.event,
            Step::Asked(_) => "asked".to_owned(),
            Step::Ran(tool, _) => tool,
            Step::Confirmed(..) => "confirmed".to_owned(),
            Step::Prompted | Step::Refused => "noted".to_owned(),
        })
        .collect();
    let model = ["BeforeModel", "BeforeToolSelection", "asked", "AfterModel"];
    let tool = ["BeforeTool", "confirmed", "change", "AfterTool"];
    let expected = [
        &["SessionStart", "BeforeAgent"][..],
        &model,
        &tool,
        &tool,
        &model,
        &["AfterAgent"],
    ];
    assert_eq!(order, expected.concat());
}

/// LO-2: tools that only read run in parallel, each through its own hooks; the results go back in
/// the model's order.
#[tokio::test(start_paused = true)]
async fn reading_tools_run_beside_each_other() {
    let slow = std::time::Duration::from_secs(20);
    let began = tokio::time::Instant::now();
    let played = Plot::of([
        calls(&[
            call("slow", json!({})),
            call("look", json!({})),
            call("slow", json!({})),
        ]),
        text("done"),
    ])
    .tool(StubTool::taking("slow", slow))
    .tool(StubTool::reading("look"))
    .play()
    .await;
    assert_eq!(played.end, TurnEnd::Completed);
    assert_eq!(began.elapsed(), slow, "the two slow ones ran at once");
    assert_eq!(played.stage.ran(), ["slow", "look", "slow"]);
    let sent = played.stage.history_lines();
    assert_eq!(
        sent[2],
        "slow says output: took long; look says output: what look found {}; slow says output: \
         took long"
    );
}

/// BA-1, SS-1: context goes with the prompt for which it was given, and with no other.
#[tokio::test]
async fn context_stays_with_its_prompt() {
    let context = |text: &str| says(&json!({"hookSpecificOutput": {"additionalContext": text}}));
    let mut stage = Plot::of([text("one"), text("two")])
        .hook("SessionStart", "greet", context("from the start"))
        .hook(
            "BeforeAgent",
            "add",
            Act::in_turn(vec![context("for one"), Act::silent()]),
        )
        .stage()
        .await;
    stage.prompt("first").await;
    stage.prompt("second").await;
    let sent = stage.history_lines();
    assert_eq!(
        sent[0],
        "user: <hook_context>from the start</hook_context>\n\nfirst\n\n<hook_context>for \
         one</hook_context>"
    );
    assert_eq!(sent[2], "user: second");
    assert_eq!(stage.resumed(), stage.history());
}

/// SS-1: in an interactive session, the context of the start is the first turn.
#[tokio::test]
async fn the_start_may_be_a_turn_of_its_own() {
    let context = says(&json!({"hookSpecificOutput": {"additionalContext": "hello"}}));
    let mut plot = Plot::of([text("one")]).hook("SessionStart", "greet", context);
    plot.start_context = StartContext::FirstTurn;
    let played = plot.play().await;
    let sent = played.stage.history_lines();
    assert_eq!(
        sent[..2],
        ["user: <hook_context>hello</hook_context>", "user: go"]
    );
}

/// BA-2, BA-3: a refused prompt doesn't enter the history, a stopped one does; the model is called
/// in neither case, and the context of the start waits for the next prompt.
#[tokio::test]
async fn a_refused_prompt_is_not_kept() {
    let stop = says(&json!({"continue": false, "stopReason": "enough"}));
    for (act, kept) in [(denies("not this"), 0), (stop, 1)] {
        let context = says(&json!({"hookSpecificOutput": {"additionalContext": "hello"}}));
        let mut stage = Plot::of([text("one")])
            .hook("SessionStart", "greet", context)
            .hook(
                "BeforeAgent",
                "guard",
                Act::in_turn(vec![act, Act::silent()]),
            )
            .hook("AfterAgent", "judge", Act::silent())
            .stage()
            .await;
        let end = stage.prompt("bad").await;
        assert!(
            matches!(end, TurnEnd::Refused(..) | TurnEnd::Stopped(_)),
            "{end:?}"
        );
        assert_eq!(stage.history_lines().len(), kept);
        assert!(stage.model.requests().is_empty());
        assert_eq!(
            stage.fired(),
            ["SessionStart", "BeforeAgent"],
            "no AfterAgent (AA-5)"
        );
        stage.prompt("good").await;
        let first = &stage.model.requests()[0].contents[0];
        assert!(first.contains("hello"), "{first}");
        assert_eq!(stage.transcript().contains("bad"), kept == 1);
    }
}

/// AA-1: a rejected response sends its reason to the model as a prompt, through BeforeAgent, and
/// the next AfterAgent knows it.
#[tokio::test]
async fn a_rejected_response_is_tried_again() {
    let played = Plot::of([text("first"), text("second")])
        .hook("BeforeAgent", "watch", Act::silent())
        .hook(
            "AfterAgent",
            "judge",
            Act::in_turn(vec![denies("add tests"), Act::silent()]),
        )
        .play()
        .await;
    assert_eq!(played.end, TurnEnd::Completed);
    let stage = played.stage;
    assert_eq!(
        stage.history_lines(),
        [
            "user: go",
            "model: first",
            "user: add tests",
            "model: second"
        ]
    );
    assert_eq!(stage.read_by("BeforeAgent")[1]["prompt"], "add tests");
    let judged = stage.read_by("AfterAgent");
    assert_eq!(judged[0]["stop_hook_active"], false);
    assert_eq!(judged[1]["stop_hook_active"], true);
    assert_eq!(judged[1]["prompt_response"], "second");
    assert_eq!(judged[1]["prompt"], "go");
    assert!(
        stage
            .screen
            .shown()
            .contains(&Shown::Retrying("add tests".to_owned()))
    );
}

/// AA-2: twenty retries are allowed; then the turn ends with its response, and a warning names the
/// setting and the hook.
#[tokio::test]
async fn retries_have_a_bound() {
    let played = Plot::of(vec![text("again"); 22])
        .hook("AfterAgent", "never-happy", denies("more"))
        .hook("AfterAgent", "happy", Act::silent())
        .play()
        .await;
    assert_eq!(played.end, TurnEnd::Completed);
    assert_eq!(played.stage.model.requests().len(), 21);
    let warnings = played.stage.screen.warnings();
    let warning = warnings.last().unwrap();
    for named in ["hooksConfig.maxRetries", "\"never-happy\"", "20", "more"] {
        assert!(warning.contains(named), "{warning}");
    }
    assert!(!warning.contains("\"happy\""), "{warning}");
}

/// AA-3, AA-4: a stop ends the turn without retry; cleared history is gone for the model and for a
/// resumed session, with any decision.
#[tokio::test]
async fn history_is_cleared_with_any_decision() {
    let reply = |fields: serde_json::Value| {
        let mut reply = json!({"hookSpecificOutput": {"clearContext": true}});
        for (key, value) in fields.as_object().unwrap() {
            reply[key] = value.clone();
        }
        says(&reply)
    };
    let retried = Act::in_turn(vec![
        reply(json!({"decision": "deny", "reason": "again"})),
        Act::silent(),
    ]);
    for (act, left) in [
        (reply(json!({})), vec![]),
        (reply(json!({"continue": false})), vec![]),
        (retried, vec!["user: again", "model: two"]),
    ] {
        let played = Plot::of([text("one"), text("two")])
            .hook("AfterAgent", "forget", act)
            .play()
            .await;
        assert_eq!(played.stage.history_lines(), left);
        assert_eq!(played.stage.resumed(), played.stage.history());
        assert!(
            played.stage.transcript().contains("one"),
            "what was seen stays on record"
        );
    }
}

/// EV-2: without hooks nothing fires, and the turn is the same.
#[tokio::test]
async fn without_hooks_nothing_fires() {
    let played = Plot::of([calls(&[call("look", json!({}))]), text("done")])
        .tool(StubTool::reading("look"))
        .play()
        .await;
    assert_eq!(played.end, TurnEnd::Completed);
    assert!(played.stage.fired().is_empty());
    assert!(played.stage.observed().is_empty());
    assert_eq!(
        played.stage.history_lines(),
        [
            "user: go",
            "model calls look",
            "look says output: what look found {}",
            "model: done"
        ]
    );
}

/// SE-10: a hook finds everything up to its moment in the transcript.
#[tokio::test]
async fn a_hook_finds_everything_in_the_transcript() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("transcript.jsonl");
    let read = move |wanted: &'static [&'static str]| {
        let path = path.clone();
        Act::decides(move |_| {
            let written = std::fs::read_to_string(&path).unwrap();
            match wanted.iter().find(|it| !written.contains(**it)) {
                None => Act::silent(),
                Some(missing) => denies(missing),
            }
        })
    };
    let mut plot = Plot::of([calls(&[call("look", json!({"n": 7}))]), text("done")])
        .tool(StubTool::reading("look"))
        .hook("SessionStart", "start", read(&["\"session\""]))
        .hook("BeforeModel", "ask", read(&["go"]))
        .hook("BeforeTool", "call", read(&["functionCall", "look"]))
        .hook("AfterAgent", "end", read(&["what look found", "done"]));
    plot.folder = Some(folder.path().to_owned());
    let played = plot.play().await;
    assert_eq!(played.end, TurnEnd::Completed);
    assert_eq!(played.stage.ran(), ["look"]);
    assert_eq!(played.stage.screen.text(), "done");
}

/// TE-2: telemetry reports the prompt, the requests, their results, and on whose behalf they were
/// made.
#[tokio::test]
async fn telemetry_tells_of_a_turn() {
    let played = Plot::of([calls(&[call("look", json!({"n": 1}))]), text("done")])
        .tool(StubTool::reading("look"))
        .play()
        .await;
    let stage = played.stage;
    assert_eq!(stage.telemetry_of("user_prompt")[0]["prompt"], "go");
    assert_eq!(stage.telemetry_of("api_request").len(), 2);
    let responses = stage.telemetry_of("api_response");
    assert_eq!(responses.len(), 2);
    assert_eq!(responses[0]["role"], "main");
    assert_eq!(responses[0]["finish_reasons"], json!(["STOP"]));
    let tool = &stage.telemetry_of("tool_call")[0];
    assert_eq!(tool["function_name"], "look");
    assert_eq!(tool["decision"], "accept");
    assert_eq!(tool["function_args"], "{\"n\":1}");
}
