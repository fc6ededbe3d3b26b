//! What hooks withhold is nowhere afterwards, and what they add is where it belongs (AT-1, AT-2,
//! AT-5).

use hookloop_agent::{ApprovalMode, Consent, LiveFate, TurnEnd};
use serde_json::{Value, json};

use super::stage::{
    Act, Played, Plot, Screen, Shown, StubTool, adds, asks, call, calls, chains, denies, hook,
    numbered, says, stops, text,
};

const SECRET: &str = "secret-1-";

/// Withholds results that contain the secret.
fn guards(act: Act) -> Act {
    Act::decides(move |input| {
        if input["tool_response"].to_string().contains(SECRET) {
            act.clone()
        } else {
            Act::silent()
        }
    })
}

fn revealing() -> Plot {
    let answer = numbered(&[("reveal", 1)]);
    Plot::of([answer, text("done"), text("more")]).tool(StubTool::revealing("reveal"))
}

/// Expects that live output of a tool was removed.
fn assert_taken_back(played: &Played) {
    let shown = played.stage.screen.shown();
    let back = shown
        .iter()
        .any(|it| matches!(it, Shown::Finished { live, .. } if *live == LiveFate::WithheldContent));
    assert!(back, "{shown:?}");
}

/// AT-1, AT-4, IO-21: however a result is withheld, it is in no record, in no request of this turn
/// or a later one, and not on the screen.
#[tokio::test]
async fn a_secret_is_nowhere_however_it_is_withheld() {
    for (name, act, is_strict) in [
        ("denied", denies("private"), false),
        ("exit 2", Act::exits(2, "private"), false),
        ("stopped", stops("private"), false),
        ("failed", Act::exits(1, "broken"), true),
        (
            "malformed",
            Act::Ends(0, "{\"decision\": 7}".to_owned(), String::new()),
            true,
        ),
    ] {
        let mut plot = revealing().hook("AfterTool", "watch", Act::silent());
        if is_strict {
            plot.hooks
                .add_strict(hook("AfterTool", "guard"), guards(act));
        } else {
            plot.hooks.add(hook("AfterTool", "guard"), guards(act));
        }
        let mut played = plot.play().await;
        played.stage.prompt("on").await;
        assert_eq!(played.stage.ran(), ["reveal"], "{name}");
        assert_eq!(played.stage.failed_results(), [1], "{name}");
        played.stage.assert_nowhere(SECRET);
        assert_taken_back(&played);
        played.stage.assert_whole();
    }
}

/// AT-1: an error is a result, too, and so is the result of a call that the person allowed.
#[tokio::test]
async fn errors_and_approved_results_are_withheld() {
    for (tool, act) in [
        (
            StubTool::failing("reveal", "secret-1- is wrong"),
            Act::silent(),
        ),
        (StubTool::revealing_edit("reveal"), Act::silent()),
        (StubTool::revealing("reveal"), asks("sure?")),
    ] {
        let mut plot = Plot::of([numbered(&[("reveal", 1)]), text("done")])
            .tool(tool)
            .hook("BeforeTool", "ask", act)
            .hook("AfterTool", "guard", guards(denies("private")));
        plot.screen = Screen::answering([Consent::Given]);
        let played = plot.play().await;
        assert_eq!(played.end, TurnEnd::Completed);
        played.stage.assert_nowhere(SECRET);
        assert!(played.stage.results()[0].contains("private"));
    }
}

/// AT-1, LO-2: of several results only the withheld one is missing; the model gets the others.
#[tokio::test]
async fn results_beside_it_stay() {
    for tool in ["reveal", "reveal_edit"] {
        let answer = numbered(&[(tool, 2), (tool, 1), (tool, 3)]);
        let mut plot = Plot::of([answer, text("done")])
            .tool(StubTool::revealing("reveal"))
            .tool(StubTool::revealing_edit("reveal_edit"))
            .hook("AfterTool", "guard", guards(denies("private")));
        plot.policy.mode = ApprovalMode::Yolo;
        let stage = plot.play().await.stage;
        stage.assert_nowhere(SECRET);
        assert_eq!(stage.failed_results(), [2]);
        let request = &stage.model.requests()[1].json;
        for other in ["secret-2-", "secret-3-"] {
            assert!(request.contains(other), "{tool}: {request}");
        }
    }
}

/// AT-1, AA-1: AfterAgent hooks read what the model said, and nothing of what was withheld; nor
/// does the retry that one of them forces.
#[tokio::test]
async fn judges_of_the_response_read_nothing_withheld() {
    let stage = revealing()
        .hook("AfterTool", "guard", guards(denies("private")))
        .hook(
            "AfterAgent",
            "judge",
            Act::in_turn(vec![denies("again"), Act::silent()]),
        )
        .hook("BeforeModel", "watch", Act::silent())
        .play()
        .await
        .stage;
    let read = [stage.read_by("AfterAgent"), stage.read_by("BeforeModel")].concat();
    assert_eq!(read.len(), 5);
    assert!(!json!(read).to_string().contains(SECRET));
    stage.assert_nowhere(SECRET);
}

/// AT-1, AT-3: a refusal outweighs a chain: no other tool runs instead of a result that a hook
/// withholds. The result of the last call of a chain is withheld like any other.
#[tokio::test]
async fn chains_reveal_nothing() {
    let both = |chain: Act, guard: Act| {
        let answer = numbered(&[("reveal", 1)]);
        Plot::of([answer, text("done")])
            .tool(StubTool::revealing("reveal"))
            .tool(StubTool::reading("look"))
            .hook("AfterTool", "chain", chain)
            .hook("AfterTool", "guard", guard)
    };
    let refused = both(Act::at(1, chains("look", 2)), guards(denies("private")));
    let stage = refused.play().await.stage;
    assert_eq!(stage.ran(), ["reveal"]);
    stage.assert_nowhere(SECRET);

    let first = calls(&[call("look", json!({"n": 5}))]);
    let mut chained = both(Act::at(5, chains("reveal", 1)), guards(denies("private")));
    chained.answers = vec![first, text("done")];
    let stage = chained.play().await.stage;
    assert_eq!(stage.ran(), ["look", "reveal"]);
    assert_eq!(stage.failed_results(), [1]);
    stage.assert_nowhere(SECRET);
    assert!(!stage.results()[0].contains("what look found"));
}

/// AT-3: the model doesn't get a result that another call replaces, in this turn or the next.
#[tokio::test]
async fn a_replaced_result_is_not_with_the_model() {
    let mut stage = revealing()
        .tool(StubTool::reading("look"))
        .hook("AfterTool", "chain", Act::at(1, chains("look", 2)))
        .stage()
        .await;
    stage.prompt("go").await;
    stage.prompt("on").await;
    assert_eq!(stage.ran(), ["reveal", "look"]);
    for request in stage.model.requests() {
        assert!(!request.json.contains(SECRET), "{}", request.json);
    }
    assert!(stage.results()[0].contains("what look found"));
}

/// AT-2, AT-1: one hook's context goes to the model with another's refusal, instead of the result;
/// contexts of several hooks are joined, in order.
#[tokio::test]
async fn context_comes_without_the_result() {
    for (is_withheld, act) in [(true, denies("private")), (false, Act::silent())] {
        let stage = revealing()
            .hook("AfterTool", "one", adds("first remark"))
            .hook("AfterTool", "guard", guards(act))
            .hook("AfterTool", "two", adds("second remark"))
            .play()
            .await
            .stage;
        let result = &stage.results()[0];
        let places = ["first remark", "second remark"].map(|it| result.find(it).unwrap());
        assert!(places[0] < places[1], "{result}");
        assert_eq!(result.contains(SECRET), !is_withheld);
        if is_withheld {
            stage.assert_nowhere(SECRET);
        }
    }
}

/// AT-5: messages and data of hooks are in the record of their call, withheld or not, and aren't
/// sent to the model.
#[tokio::test]
async fn messages_and_data_are_in_the_record() {
    for decision in [json!("allow"), json!("deny")] {
        let reply = json!({"decision": decision, "reason": "private", "systemMessage": "look here",
            "hookSpecificOutput": {"ticket": 7}});
        let stage = revealing()
            .hook("AfterTool", "note", says(&reply))
            .play()
            .await
            .stage;
        let entries: Vec<Value> = stage
            .transcript()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let record = entries.iter().find(|it| it.get("hookData").is_some());
        let record = record.unwrap();
        assert!(record["hookMessages"].to_string().contains("look here"));
        assert!(record["hookData"].to_string().contains('7'));
        for request in stage.model.requests() {
            assert!(!request.json.contains("look here"));
            assert!(!request.json.contains("ticket"));
        }
    }
}

/// AM-2, AM-3: what a hook removed from a response is in nothing that comes later, nor does
/// AfterAgent read it.
#[tokio::test]
async fn a_redacted_answer_is_redacted_everywhere() {
    let redacted = json!({"candidates": [{"content": {"role": "model", "parts": ["it is ***"]},
        "finishReason": "STOP"}]});
    let redacts = says(&json!({"hookSpecificOutput": {"llm_response": redacted}}));
    let mut stage = Plot::of([text("it is secret-1-"), text("more")])
        .hook(
            "AfterModel",
            "redact",
            Act::in_turn(vec![redacts, Act::silent()]),
        )
        .hook("AfterAgent", "judge", Act::silent())
        .stage()
        .await;
    stage.prompt("go").await;
    stage.prompt("on").await;
    assert_eq!(stage.history_lines()[1], "model: it is ***");
    let judged = stage.read_by("AfterAgent");
    assert_eq!(judged[0]["prompt_response"], "it is ***");
    stage.assert_nowhere(SECRET);
    stage.assert_whole();
}
