//! What happens to one call of several, and what that means for the others (LO-2, LO-3, OUT-3,
//! BT-*, AT-*).

use hookloop_agent::{ApprovalMode, Consent, TurnEnd};
use serde_json::{Value, json};

use super::stage::{
    Act, Answer, Plot, Screen, Stage, StubTool, asks, call, calls, chains, denies, hook, numbered,
    stops, text,
};

/// What happens to the second call of four.
struct Mishap {
    name: &'static str,
    second: Value,
    event: &'static str,
    act: Act,
    /// Whether its tool still ran.
    ran: bool,
    /// Whether it ends the turn.
    ends: bool,
}

/// A mishap that keeps the tool from running, and after which the turn continues.
fn mishap(name: &'static str, event: &'static str, act: Act) -> Mishap {
    Mishap {
        name,
        second: call("change", json!({"n": 2})),
        event,
        act,
        ran: false,
        ends: false,
    }
}

fn mishaps() -> Vec<Mishap> {
    let of_model = |name, second| Mishap {
        second,
        ..mishap(name, "BeforeTool", Act::silent())
    };
    vec![
        mishap("refused", "BeforeTool", denies("no")),
        mishap("exit 2", "BeforeTool", Act::exits(2, "no")),
        mishap("declined", "BeforeTool", asks("sure?")),
        Mishap {
            ends: true,
            ..mishap("stopped", "BeforeTool", stops("halt"))
        },
        Mishap {
            ran: true,
            ..mishap("withheld", "AfterTool", denies("private"))
        },
        Mishap {
            ran: true,
            ends: true,
            ..mishap("stopped after", "AfterTool", stops("halt"))
        },
        of_model("unknown", call("nothing", json!({"n": 2}))),
        of_model("unfit", call("change", json!({"n": "two"}))),
    ]
}

fn four(second: &Value) -> Plot {
    let answer = calls(&[
        call("look", json!({"n": 1})),
        second.clone(),
        call("look", json!({"n": 3})),
        call("change", json!({"n": 4})),
    ]);
    let mut plot = Plot::of([answer, text("done")])
        .tool(StubTool::reading("look"))
        .tool(StubTool::editing("change"));
    plot.policy.mode = ApprovalMode::Yolo;
    plot.screen = Screen::answering([Consent::Declined]);
    plot
}

/// LO-2, LO-3, OUT-3, BT-1, BT-2, BT-5, BT-7, AT-1, AT-4: what keeps one call from running, or its
/// result from the model, doesn't affect the others; a stop keeps all later ones from running. Each
/// has its response in its place, and what ran, and nothing else, was judged afterwards.
#[tokio::test]
async fn a_mishap_is_one_calls_own() {
    for mishap in mishaps() {
        let name = mishap.name;
        let played = four(&mishap.second)
            .hook(mishap.event, "guard", Act::at(2, mishap.act))
            .hook("AfterTool", "watch", Act::silent())
            .play()
            .await;
        let stage = played.stage;
        assert_eq!(
            matches!(played.end, TurnEnd::Stopped(_)),
            mishap.ends,
            "{name}"
        );
        let mut expected = vec![1];
        expected.extend(mishap.ran.then_some(2));
        expected.extend(if mishap.ends { vec![] } else { vec![3, 4] });
        assert_eq!(stage.ran_numbers(), expected, "{name}");
        let failed = if mishap.ends { vec![2, 3, 4] } else { vec![2] };
        assert_eq!(stage.failed_results(), failed, "{name}");
        assert_eq!(stage.results().len(), 4, "{name}");
        let asked = 2 - usize::from(mishap.ends);
        assert_eq!(stage.model.requests().len(), asked, "{name}");
        assert_eq!(judged(&stage), expected, "{name}");
        stage.assert_whole();
    }
}

/// Returns the numbers of the calls whose results an observing hook read.
fn judged(stage: &Stage) -> Vec<u64> {
    let mut numbers: Vec<u64> = stage
        .read_by("AfterTool")
        .iter()
        .filter_map(|it| it["tool_input"]["n"].as_u64())
        .collect();
    numbers.dedup();
    numbers
}

/// OUT-3, LO-2: calls parallel to the one that stops are complete, those in later groups don't run;
/// no hook is called for these.
#[tokio::test]
async fn a_stop_among_reading_calls() {
    for event in ["BeforeTool", "AfterTool"] {
        let answer = numbered(&[("look", 1), ("look", 2), ("look", 3), ("change", 4)]);
        let mut plot = Plot::of([answer, text("never")])
            .tool(StubTool::reading("look"))
            .tool(StubTool::editing("change"))
            .hook(event, "brake", Act::at(2, stops("halt")))
            .hook("BeforeTool", "watch", Act::silent());
        plot.policy.mode = ApprovalMode::Yolo;
        let played = plot.play().await;
        assert!(matches!(played.end, TurnEnd::Stopped(_)));
        let stage = played.stage;
        let ran = if event == "AfterTool" {
            vec![1, 2, 3]
        } else {
            vec![1, 3]
        };
        assert_eq!(stage.ran_numbers(), ran);
        assert_eq!(stage.failed_results(), [2, 4]);
        let read = stage.read_by("BeforeTool");
        assert!(
            !read.iter().any(|it| it["tool_input"]["n"] == 4),
            "{read:?}"
        );
        stage.assert_whole();
    }
}

/// LO-2, BT-1: two calls with the same words are two calls: a hook's decision about one isn't a
/// decision about the other.
#[tokio::test]
async fn equal_calls_are_judged_each() {
    for (acts, failed, ran) in [
        (vec![denies("no"), Act::silent()], vec![1], 1),
        (vec![Act::silent(), denies("no")], vec![2], 1),
        (vec![denies("no"), denies("no")], vec![1, 2], 0),
    ] {
        let answer = numbered(&[("change", 1), ("change", 1)]);
        let mut plot = Plot::of([answer, text("done")])
            .tool(StubTool::editing("change"))
            .hook("BeforeTool", "guard", Act::in_turn(acts));
        plot.policy.mode = ApprovalMode::Yolo;
        let stage = plot.play().await.stage;
        assert_eq!(stage.failed_results(), failed);
        assert_eq!(stage.ran().len(), ran);
    }
}

/// IO-21, LO-2: a guard that failed under `onFailure: "deny"` refuses only its own call; one that
/// may fail refuses nothing.
#[tokio::test]
async fn a_failing_guard_refuses_its_call() {
    for (is_strict, failed, ran) in [(true, vec![2], vec![1, 3]), (false, vec![], vec![1, 2, 3])] {
        let answer = numbered(&[("look", 1), ("look", 2), ("look", 3)]);
        let mut plot = Plot::of([answer, text("done")]).tool(StubTool::reading("look"));
        let act = Act::at(2, Act::exits(1, "broken"));
        if is_strict {
            plot.hooks.add_strict(hook("BeforeTool", "guard"), act);
        } else {
            plot.hooks.add(hook("BeforeTool", "guard"), act);
        }
        let played = plot.play().await;
        assert_eq!(played.end, TurnEnd::Completed);
        assert_eq!(played.stage.failed_results(), failed);
        assert_eq!(played.stage.ran_numbers(), ran);
    }
}

/// AT-3, LO-2: a call that replaces another goes through its own hooks, policy and person, and what
/// they decide is the first one's result; the other calls of the response keep theirs.
#[tokio::test]
async fn a_chained_call_has_its_own_permission() {
    for (guard, consent, ran) in [
        (Act::silent(), Consent::Given, true),
        (Act::silent(), Consent::Declined, false),
        (Act::at(9, denies("no")), Consent::Given, false),
        (Act::at(9, asks("sure?")), Consent::Declined, false),
    ] {
        let answer = numbered(&[("look", 1), ("look", 2), ("look", 3)]);
        let mut plot = Plot::of([answer, text("done")])
            .tool(StubTool::reading("look"))
            .tool(StubTool::editing("change"))
            .hook("BeforeTool", "guard", guard)
            .hook("AfterTool", "chain", Act::at(2, chains("change", 9)));
        plot.screen = Screen::answering([consent]);
        let stage = plot.play().await.stage;
        assert_eq!(stage.ran_numbers().contains(&9), ran);
        assert_eq!(stage.failed_results(), [2][usize::from(ran)..]);
        let results = stage.results();
        assert!(!results[1].contains("what look found"), "{results:?}");
        assert_eq!(results[1].contains("change did it"), ran, "{results:?}");
        for (index, own) in [(0, "{\"n\":1}"), (2, "{\"n\":3}")] {
            assert!(results[index].contains(own), "{results:?}");
        }
        stage.assert_whole();
    }
}

/// AT-3, AT-4, OUT-3: a stop about the second call of a chain ends the turn, and the model gets
/// neither result.
#[tokio::test]
async fn a_stop_ends_a_chain() {
    for event in ["BeforeTool", "AfterTool"] {
        let mut plot = Plot::of([numbered(&[("look", 1)]), text("never")])
            .tool(StubTool::reading("look"))
            .tool(StubTool::editing("change"))
            .hook("AfterTool", "chain", Act::at(1, chains("change", 9)))
            .hook(event, "brake", Act::at(9, stops("halt")));
        plot.policy.mode = ApprovalMode::Yolo;
        let played = plot.play().await;
        assert!(matches!(played.end, TurnEnd::Stopped(_)), "{event}");
        let results = played.stage.results();
        assert_eq!(results.len(), 1);
        for result in ["what look found", "change did it"] {
            assert!(!results[0].contains(result), "{event}: {results:?}");
        }
        played.stage.assert_whole();
    }
}

/// LO-3, BT-1: calls of a response that was cut don't run, whatever hooks would say; none is asked.
#[tokio::test]
async fn calls_of_a_cut_answer_ask_nobody() {
    let parts = json!([
        call("change", json!({"n": 1})),
        call("look", json!({"n": 2}))
    ]);
    let cut = Answer::Chunks(vec![super::stage::chunk(parts, Some("MAX_TOKENS"))]);
    let played = Plot::of([cut, text("done")])
        .tool(StubTool::reading("look"))
        .tool(StubTool::editing("change"))
        .hook("BeforeTool", "watch", Act::silent())
        .hook("AfterTool", "watch", Act::silent())
        .play()
        .await;
    assert_eq!(played.end, TurnEnd::Completed);
    let stage = played.stage;
    assert!(stage.ran().is_empty() && stage.fired().is_empty());
    assert!(stage.screen.reasons().is_empty());
    assert_eq!(stage.failed_results(), [1, 2]);
    stage.assert_whole();
}
