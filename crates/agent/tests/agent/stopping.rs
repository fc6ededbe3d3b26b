//! Stops, cancellations and the one way out of a turn (OUT-3, LO-4, EV-5, AG-CLI-6).

use std::time::Duration;

use hookloop_agent::{LiveFate, TurnEnd};
use hookloop_engine::events::Cause;
use serde_json::json;

use super::stage::{Act, Answer, HookBook, Plot, Shown, StubTool, call, calls, hook, says, text};

fn stops() -> Act {
    says(&json!({"continue": false, "stopReason": "emergency"}))
}

/// OUT-3: whichever hook says so, the loop ends at once with its reason, and the session continues.
#[tokio::test]
async fn a_stop_ends_the_loop_from_anywhere() {
    for (event, asked, ran) in [
        ("BeforeAgent", 0, 0),
        ("BeforeModel", 0, 0),
        ("AfterModel", 1, 0),
        ("BeforeTool", 1, 0),
        ("AfterTool", 1, 1),
    ] {
        let played = Plot::of([calls(&[call("look", json!({}))]), text("never")])
            .tool(StubTool::reading("look"))
            .hook(event, "brake", Act::in_turn(vec![stops(), Act::silent()]))
            .play()
            .await;
        assert!(
            matches!(&played.end, TurnEnd::Stopped(reason) if reason.as_str() == "emergency"),
            "{event}: {:?}",
            played.end
        );
        let mut stage = played.stage;
        assert_eq!(stage.model.requests().len(), asked, "{event}");
        assert_eq!(stage.ran().len(), ran, "{event}");
        assert!(
            stage
                .screen
                .shown()
                .contains(&Shown::Stopped("emergency".to_owned()))
        );
        stage.assert_one_response_each();
        stage.prompt("again").await;
        assert!(
            stage.model.requests().len() > asked,
            "{event}: the session goes on"
        );
    }
}

/// AG-CLI-6: a tool that a stop ended reports that in the words that scripts look for, and none of
/// its result is in any record.
#[tokio::test]
async fn a_stopped_tool_is_worded_as_scripts_know_it() {
    for event in ["BeforeTool", "AfterTool"] {
        let played = Plot::of([calls(&[call("look", json!({}))])])
            .tool(StubTool::saying("look", "the secret"))
            .hook(event, "brake", stops())
            .play()
            .await;
        let (_, _, error) = played.stage.screen.ends().remove(0);
        assert_eq!(
            error.as_deref(),
            Some("Agent execution stopped by hook: emergency")
        );
        assert_eq!(
            played.stage.history_lines().last().unwrap(),
            "look says error: no result: agent execution stopped: emergency"
        );
        let telemetry = &played.stage.telemetry_of("tool_call")[0];
        assert_eq!(telemetry["error_type"], "stop_execution");
        for record in [played.stage.transcript(), played.stage.telemetry()] {
            assert!(!record.contains("the secret"), "{event}: {record}");
        }
    }
}

/// LO-2, OUT-3: parallel calls each get a response, later ones don't run, and all reasons are
/// reported.
#[tokio::test]
async fn a_stop_leaves_no_call_without_a_response() {
    let brake = Act::decides(|input| match input["tool_input"]["n"].as_u64() {
        Some(1) => says(&json!({"continue": false, "stopReason": "one"})),
        Some(3) => says(&json!({"continue": false, "stopReason": "three"})),
        _ => Act::silent(),
    });
    let n = |tool: &str, n: u64| call(tool, json!({"n": n}));
    let played = Plot::of([calls(&[
        n("look", 1),
        n("look", 2),
        n("look", 3),
        n("change", 4),
    ])])
    .tool(StubTool::reading("look"))
    .tool(StubTool::editing("change"))
    .hook("BeforeTool", "brake", brake)
    .play()
    .await;
    assert!(matches!(&played.end, TurnEnd::Stopped(reason) if reason.as_str() == "one\nthree"));
    assert_eq!(played.stage.ran(), ["look"], "only the second one");
    let sent = played.stage.history_lines();
    let results: Vec<&str> = sent.last().unwrap().split("; ").collect();
    assert_eq!(results.len(), 4);
    assert!(results[1].contains("what look found"), "{results:?}");
    assert!(
        results[3].contains("agent execution stopped: one\nthree"),
        "{results:?}"
    );
    played.stage.assert_one_response_each();
    assert_eq!(played.stage.resumed(), played.stage.history());
}

/// LO-4, EV-5: whatever is cancelled, the turn ends as cancelled and nothing happens because of the
/// silence of hooks that were ended; the session stays usable.
#[tokio::test(start_paused = true)]
async fn nothing_happens_on_the_silence_of_cancelled_hooks() {
    for (event, asked, ran, kept) in [
        ("BeforeAgent", 0, 0, 0),
        ("BeforeModel", 0, 0, 1),
        ("BeforeToolSelection", 0, 0, 1),
        ("AfterModel", 1, 0, 1),
        ("BeforeTool", 1, 0, 3),
        ("Notification", 1, 0, 3),
        ("AfterTool", 1, 1, 3),
    ] {
        let mut stage = Plot::of([calls(&[call("change", json!({}))]), text("never")])
            .tool(StubTool::editing("change"))
            .hook(event, "slow", Act::Hangs)
            .stage()
            .await;
        let cancel = stage.cancel.clone();
        let timer = async move {
            tokio::time::sleep(Duration::from_secs(5)).await;
            cancel.cancel();
        };
        let (end, ()) = tokio::join!(stage.prompt("go"), timer);
        assert_eq!(end, TurnEnd::Cancelled, "{event}");
        assert_eq!(stage.model.requests().len(), asked, "{event}");
        assert_eq!(stage.ran().len(), ran, "{event}");
        assert_eq!(
            stage.history_lines().len(),
            kept,
            "{event}: {:?}",
            stage.history_lines()
        );
        stage.assert_one_response_each();
        assert_eq!(stage.resumed(), stage.history(), "{event}");
        assert!(stage.screen.shown().contains(&Shown::Cancelled));
        for record in [stage.transcript(), stage.telemetry()] {
            assert!(!record.contains("change did it"), "{event}: {record}");
        }
    }
}

/// LO-4: a turn that is cancelled while the model thinks or a tool runs ends, and every call has
/// its response.
#[tokio::test]
async fn a_cancelled_turn_is_whole() {
    let plots = [
        Plot::of([Answer::Cancels]),
        Plot::of([
            calls(&[call("quit", json!({})), call("look", json!({}))]),
            text("never"),
        ]),
        Plot::of([
            calls(&[call("quit", json!({})), call("change", json!({}))]),
            text("never"),
        ]),
    ];
    for plot in plots {
        let played = plot
            .tool(StubTool::cancelling("quit"))
            .tool(StubTool::reading("look"))
            .tool(StubTool::editing("change"))
            .play()
            .await;
        assert_eq!(played.end, TurnEnd::Cancelled);
        assert!(!played.stage.ran().contains(&"change".to_owned()));
        played.stage.assert_one_response_each();
        assert_eq!(played.stage.resumed(), played.stage.history());
    }
}

/// IO-21, AG-CLI-4: a turn that a failing hook refused is distinguished from one that a hook
/// decided.
#[tokio::test]
async fn a_failure_that_refuses_is_told_apart() {
    for (event, failing, cause) in [
        ("BeforeAgent", Act::exits(1, "broken"), Cause::Failure),
        ("BeforeModel", Act::exits(1, "broken"), Cause::Failure),
        ("AfterModel", Act::exits(1, "broken"), Cause::Failure),
        ("BeforeAgent", Act::exits(2, "no"), Cause::Policy),
        ("BeforeModel", Act::exits(2, "no"), Cause::Policy),
        ("AfterModel", Act::exits(2, "no"), Cause::Policy),
    ] {
        let mut hooks = HookBook::default();
        hooks.add_strict(hook(event, "guard"), failing);
        let plot = Plot {
            hooks,
            ..Plot::of([text("hi")])
        };
        let played = plot.play().await;
        assert!(
            matches!(&played.end, TurnEnd::Refused(_, why) if *why == cause),
            "{event}: {:?}",
            played.end
        );
    }
}

/// AT-1: what a tool printed while it ran is removed if the loop ends before its hooks have let it
/// through, and stays if it ran to its end.
#[tokio::test]
async fn live_output_of_a_stopped_tool_is_taken_back() {
    for (event, live) in [
        ("AfterTool", LiveFate::WithheldContent),
        ("AfterAgent", LiveFate::Stands),
    ] {
        let played = Plot::of([calls(&[call("print", json!({}))]), text("done")])
            .tool(StubTool::printing("print", &["a\n", "b\n"]))
            .hook(event, "brake", stops())
            .play()
            .await;
        let shown = played.stage.screen.shown();
        let fate = shown.iter().find_map(|it| match it {
            Shown::Finished { live, .. } => Some(*live),
            _ => None,
        });
        assert_eq!(fate, Some(live));
    }
}
