//! What happens to calls and their results (BT-*, AT-*, TS-*, LO-3).

use hookloop_agent::{ApprovalMode, Consent, LiveFate, LiveOutput, TurnEnd};
use hookloop_events::ToolArguments;
use hookloop_hook::Withholds;
use serde_json::{Value, json};

use super::stage::{
    Act, Played, Plot, Screen, Shown, Step, StubTool, adds, asks, call, calls, denies, hook,
    rewrites, says, text,
};

/// A turn in which the model calls a tool once.
fn one_call(tool: &str, args: Value) -> Plot {
    Plot::of([calls(&[call(tool, args)]), text("done")])
}

async fn play(plot: Plot) -> Played {
    let played = plot.play().await;
    assert_eq!(played.end, TurnEnd::Completed);
    assert_eq!(played.stage.resumed(), played.stage.history());
    played
}

fn result(played: &Played) -> String {
    played.stage.history_lines()[2].clone()
}

/// LO-3: an unknown tool, arguments that don't fit and a failing tool are results for the model.
#[tokio::test]
async fn a_failing_call_is_a_result() {
    for (tool, args, words) in [
        ("nothing", json!({}), "\"nothing\" not found"),
        ("look", json!({"n": "one"}), "n"),
        ("fall", json!({}), "it fell"),
    ] {
        let played = play(
            one_call(tool, args)
                .tool(StubTool::reading("look"))
                .tool(StubTool::failing("fall", "it fell")),
        )
        .await;
        let result = result(&played);
        assert!(
            result.contains("says error") && result.contains(words),
            "{result}"
        );
    }
}

/// BT-11: what a hook adds to a call reaches the model once, whether the call runs, is refused by
/// another hook, by a rule or by the person, has arguments that a hook made unacceptable, or fails.
#[tokio::test]
async fn context_reaches_the_model_with_whatever_becomes_of_the_call() {
    let guarded = |act: Act| {
        let mut plot = one_call("change", json!({"n": 1}))
            .tool(StubTool::executing("change"))
            .hook("BeforeTool", "tell", adds("mind the gap"))
            .hook("BeforeTool", "guard", act)
            .hook("AfterTool", "watch", Act::silent());
        plot.screen = Screen::headless();
        plot
    };
    let in_mode = |mode: ApprovalMode| {
        let mut plot = guarded(Act::silent());
        plot.policy.mode = mode;
        plot
    };
    let with_person = |consent: Consent| {
        let mut plot = in_mode(ApprovalMode::Default);
        plot.screen = Screen::answering([consent]);
        plot
    };
    let falls = one_call("fall", json!({}))
        .tool(StubTool::failing("fall", "it fell"))
        .hook("BeforeTool", "tell", adds("mind the gap"));
    for (name, plot, runs) in [
        ("runs", with_person(Consent::Given), true),
        ("edited", with_person(Consent::Edited(number(2))), true),
        ("declined", with_person(Consent::Declined), false),
        ("nobody to ask", in_mode(ApprovalMode::Default), false),
        ("plan", in_mode(ApprovalMode::Plan), false),
        ("refused", guarded(denies("no")), false),
        ("exit 2", guarded(Act::exits(2, "no")), false),
        ("question", guarded(asks("sure?")), false),
        ("misfit", guarded(rewrites(&json!({"n": "one"}))), false),
        ("fails", falls, false),
    ] {
        let played = play(plot).await;
        let result = result(&played);
        let added = "<hook_context>mind the gap</hook_context>";
        assert_eq!(result.matches(added).count(), 1, "{name}: {result}");
        assert!(result.trim_end().ends_with(added), "{name}: {result}");
        let ran = played.stage.ran().iter().any(|it| it.contains("change"));
        assert_eq!(ran, runs, "{name}");
    }
}

fn number(n: u64) -> ToolArguments {
    ToolArguments::from_iter([("n".to_owned(), n.into())])
}

/// EV-2: a tool runs with the same arguments, uncopied, that are in the conversation and in the
/// record of its call: without hooks, and with hooks that leave them unchanged.
#[tokio::test]
async fn arguments_are_shared_on_their_way() {
    for hooks in [
        vec![],
        vec![("BeforeTool", "watch"), ("AfterTool", "watch")],
    ] {
        let mut plot = one_call("count", json!({"n": 1})).tool(StubTool::counting("count"));
        for (event, name) in hooks {
            plot = plot.hook(event, name, Act::silent());
        }
        let result = result(&play(plot).await);
        let holders = result
            .rsplit(' ')
            .next()
            .and_then(|it| it.parse::<u8>().ok());
        // The conversation, the record and the tool.
        assert!(holders.is_some_and(|it| it >= 3), "{result}");
    }
}

/// BT-1, BT-2: a refused call doesn't run; model, user and telemetry get the reason.
#[tokio::test]
async fn a_refused_call_does_not_run() {
    for act in [denies("not that"), Act::exits(2, "not that")] {
        let played = play(
            one_call("change", json!({"n": 1}))
                .tool(StubTool::editing("change"))
                .hook("BeforeTool", "guard", act)
                .hook("AfterTool", "watch", Act::silent()),
        )
        .await;
        let stage = &played.stage;
        assert!(stage.ran().is_empty());
        assert_eq!(
            result(&played),
            "change says error: Tool execution blocked: not that"
        );
        let (tool, display, error) = stage.screen.ends().remove(0);
        assert_eq!(
            (tool.as_str(), display.as_str()),
            ("change", "Tool execution blocked: not that")
        );
        assert_eq!(error.as_deref(), Some("Tool execution blocked: not that"));
        let telemetry = &stage.telemetry_of("tool_call")[0];
        assert_eq!(telemetry["decision"], "reject");
        assert_eq!(telemetry["error_type"], "policy_violation");
        assert_eq!(
            stage.fired(),
            ["BeforeTool"],
            "what didn't run has no result to judge"
        );
    }
}

/// BT-3, BT-4, BT-9: arguments as a hook changed them are checked, asked about, run and recorded,
/// and the model is told.
#[tokio::test]
async fn a_rewritten_call_is_what_runs() {
    let rewrite = says(&json!({"hookSpecificOutput": {"tool_input": {"n": 2}}}));
    let played = play(
        one_call("change", json!({"n": 1, "command": "x"}))
            .tool(StubTool::editing("change"))
            .hook("BeforeTool", "rewrite", rewrite)
            .hook("AfterTool", "watch", Act::silent()),
    )
    .await;
    let stage = &played.stage;
    let rewritten = json!({"n": 2, "command": "x"});
    let steps = stage.log.steps();
    assert!(steps.contains(&Step::Confirmed("change".to_owned(), rewritten.clone())));
    assert!(steps.contains(&Step::Ran("change".to_owned(), rewritten.clone())));
    assert_eq!(stage.read_by("AfterTool")[0]["tool_input"], rewritten);
    let result = result(&played);
    assert!(
        result.ends_with("A hook changed these parameters before the tool ran: n"),
        "{result}"
    );
    assert_eq!(
        stage.telemetry_of("tool_call")[0]["function_args"],
        rewritten.to_string()
    );
}

/// BT-3: arguments that a hook made and the tool doesn't accept don't run.
#[tokio::test]
async fn an_invalid_rewrite_does_not_run() {
    let rewrite = says(&json!({"hookSpecificOutput": {"tool_input": {"n": "two"}}}));
    let played = play(
        one_call("change", json!({"n": 1}))
            .tool(StubTool::editing("change"))
            .hook("BeforeTool", "rewrite", rewrite),
    )
    .await;
    assert!(played.stage.ran().is_empty());
    let result = result(&played);
    assert!(result.contains("a hook changed the parameters"), "{result}");
}

/// AT-1: nothing of a withheld result is anywhere: not with the model, not in a record, not on the
/// screen, where live output is removed.
#[tokio::test]
async fn a_withheld_result_is_nowhere() {
    for act in [denies("private"), Act::exits(2, "private")] {
        let played = play(
            one_call("print", json!({}))
                .tool(StubTool::printing("print", &["the ", "secret\n"]))
                .hook("AfterTool", "guard", act)
                .hook("AfterTool", "other", Act::silent()),
        )
        .await;
        let stage = &played.stage;
        assert_eq!(
            result(&played),
            "print says error: Tool result blocked: private"
        );
        let shown = stage.screen.shown();
        let finished = Shown::Finished {
            tool: "print".to_owned(),
            display: "Tool result blocked: private".to_owned(),
            error: Some("Tool result blocked: private".to_owned()),
            live: LiveFate::WithheldContent,
        };
        assert!(shown.contains(&finished), "{shown:?}");
        for record in [
            stage.transcript(),
            stage.telemetry(),
            stage.model.requests()[1].json.clone(),
            format!("{:?}", stage.observed()),
        ] {
            assert!(!record.contains("secret"), "{record}");
        }
    }
}

/// AT-1: held output isn't shown before its hooks have answered; its amount is.
#[tokio::test]
async fn held_output_is_counted() {
    let prints = || {
        let tool = StubTool::printing("print", &["one\ntwo\n", "three\n", "rest"]);
        one_call("print", json!({})).tool(tool)
    };
    let by_setting = Plot {
        live_output: LiveOutput::Held,
        ..prints()
    };
    let mut by_hook = prints();
    let mut holding = hook("AfterTool", "guard");
    holding.withholds = Some(Withholds::Screen);
    by_hook.hooks.add(holding, Act::silent());
    for plot in [by_setting, by_hook] {
        assert_held(&play(plot).await);
    }
}

fn assert_held(played: &Played) {
    let shown = played.stage.screen.shown();
    assert!(!shown.iter().any(|it| matches!(it, Shown::Progress(_))));
    let withheld: Vec<usize> = shown
        .iter()
        .filter_map(|it| match it {
            Shown::Held(lines) => Some(*lines),
            _ => None,
        })
        .collect();
    assert_eq!(withheld, [2, 3, 3]);
    let (_, display, _) = played.stage.screen.ends().remove(0);
    assert_eq!(display, "one\ntwo\nthree\nrest");
}

/// AT-2, AT-5: context goes to the model with the result; messages and data go into its record.
#[tokio::test]
async fn context_and_data_go_with_the_result() {
    let reply = json!({"systemMessage": "seen", "hookSpecificOutput":
        {"additionalContext": "run <tests>", "ticket": 7}});
    let played = play(
        one_call("look", json!({}))
            .tool(StubTool::reading("look"))
            .hook("AfterTool", "note", says(&reply)),
    )
    .await;
    let result = result(&played);
    let context = "<hook_context>run &lt;tests&gt;</hook_context>";
    assert!(result.ends_with(context), "{result}");
    let transcript = played.stage.transcript();
    assert!(
        transcript.contains("\"hookMessages\":[\"seen\"]"),
        "{transcript}"
    );
    assert!(
        transcript.contains("\"hookData\":{\"ticket\":7}"),
        "{transcript}"
    );
}

fn tail(tool: &str, n: u64) -> Act {
    says(&json!({"hookSpecificOutput":
        {"tailToolCallRequest": {"name": tool, "args": {"n": n}}, "additionalContext": "chained"}}))
}

/// AT-3: a chained tool runs through its own hooks, and its result replaces that of the first one,
/// with the contexts of both.
#[tokio::test]
async fn a_chained_tool_takes_the_place_of_the_first() {
    let chain = Act::decides(|input| match input["tool_name"].as_str() {
        Some("look") => tail("change", 5),
        _ => Act::silent(),
    });
    let played = play(
        one_call("look", json!({"n": 4}))
            .tool(StubTool::reading("look"))
            .tool(StubTool::editing("change"))
            .hook("BeforeTool", "watch", Act::silent())
            .hook("AfterTool", "chain", chain),
    )
    .await;
    let stage = &played.stage;
    assert_eq!(stage.ran(), ["look", "change"]);
    let result = result(&played);
    assert!(
        result.starts_with("look says output: change did it {\"n\":5}"),
        "{result}"
    );
    assert!(
        result.ends_with("<hook_context>chained</hook_context>"),
        "{result}"
    );
    let read = stage.read_by("BeforeTool");
    assert_eq!(read[1]["original_request_name"], "look");
    assert_eq!(stage.telemetry_of("tool_call").len(), 2);
}

/// AT-3: a chained call can be refused like any other, an unknown one is reported, and no chain
/// continues forever.
#[tokio::test]
async fn a_chain_ends() {
    let guard = Act::decides(|input| match input["tool_name"].as_str() {
        Some("change") => denies("not that"),
        _ => Act::silent(),
    });
    for (next, words, ran) in [
        ("change", "Tool execution blocked: not that", 1),
        ("nothing", "\"nothing\" not found", 1),
        ("look", "longer than 8", 9),
    ] {
        let played = play(
            one_call("look", json!({}))
                .tool(StubTool::reading("look"))
                .tool(StubTool::editing("change"))
                .hook("BeforeTool", "guard", guard.clone())
                .hook("AfterTool", "chain", tail(next, 1)),
        )
        .await;
        assert!(result(&played).contains(words), "{}", result(&played));
        assert_eq!(played.stage.ran().len(), ran);
    }
}

/// TS-1, TS-2, TS-5: a tool that the choice leaves out isn't declared, and if it is called anyway,
/// the call is refused.
#[tokio::test]
async fn a_tool_that_was_not_offered_does_not_run() {
    for (choice, offered) in [
        (json!({"mode": "NONE"}), vec![]),
        (
            json!({"mode": "AUTO", "allowedFunctionNames": ["other"]}),
            vec!["other"],
        ),
    ] {
        let choose = says(&json!({"hookSpecificOutput": {"toolConfig": choice}}));
        let played = play(
            one_call("look", json!({}))
                .tool(StubTool::reading("look"))
                .tool(StubTool::reading("other"))
                .hook("BeforeToolSelection", "choose", choose),
        )
        .await;
        assert!(played.stage.ran().is_empty());
        assert!(
            result(&played).contains("isn't allowed in answer"),
            "{}",
            result(&played)
        );
        if !offered.is_empty() {
            assert_eq!(played.stage.model.requests()[0].tools, offered);
        }
    }
}

/// EV-4: a request that a tool makes goes through its hooks like any other, and what they decide is
/// the call's error; a stop ends the loop, whatever the tool does with it.
#[tokio::test]
async fn a_request_of_a_tool_has_hooks() {
    let whole = super::stage::Answer::Whole(super::stage::chunk(
        json!([{"text": "found it"}]),
        Some("STOP"),
    ));
    let searching = |act: Act| {
        let act = Act::decides(move |input| {
            let messages = input["llm_request"]["messages"].to_string();
            if messages.contains("what?") {
                act.clone()
            } else {
                Act::silent()
            }
        });
        Plot::of([
            calls(&[call("search", json!({}))]),
            whole.clone(),
            text("done"),
        ])
        .tool(StubTool::searching("search"))
        .hook("BeforeModel", "guard", act)
    };
    let played = play(searching(Act::silent())).await;
    assert_eq!(result(&played), "search says output: found it");
    assert_eq!(
        played.stage.telemetry_of("api_request")[1]["role"],
        "utility_tool"
    );
    // LO-3: half of what the web says isn't what it says.
    let half = super::stage::Answer::Whole(super::stage::chunk(
        json!([{"text": "found half"}]),
        Some("MAX_TOKENS"),
    ));
    let answers = vec![calls(&[call("search", json!({}))]), half, text("done")];
    let plot = searching(Act::silent());
    let played = play(Plot { answers, ..plot }).await;
    let said = result(&played);
    assert!(
        said.contains("MAX_TOKENS") && !said.contains("found half"),
        "{said}"
    );
    let plot = searching(denies("no web"));
    let answers = vec![calls(&[call("search", json!({}))]), text("done")];
    let played = play(Plot { answers, ..plot }).await;
    assert!(
        result(&played).contains("the web search was refused: no web"),
        "{}",
        result(&played)
    );
    let played = searching(says(&json!({"continue": false, "stopReason": "halt"})))
        .play()
        .await;
    assert!(matches!(&played.end, TurnEnd::Stopped(reason) if reason.as_str() == "halt"));
}
