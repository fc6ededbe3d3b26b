//! A turn that the person cancels, wherever it is (LO-4, EV-5).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hookloop_agent::{ApprovalMode, Consent, TurnEnd};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::stage::{
    Act, Answer, Plot, Screen, Shown, StubTool, call, calls, chains, denies, numbered, text,
};

fn changing(mode: ApprovalMode, answers: impl IntoIterator<Item = Answer>) -> Plot {
    let mut plot = Plot::of(answers)
        .tool(StubTool::reading("look"))
        .tool(StubTool::editing("change"))
        .tool(StubTool::cancelling("quit"));
    plot.policy.mode = mode;
    plot
}

/// Cancels once, and then does this; afterwards, says nothing.
fn cancels(cancel: &CancellationToken, then: Act) -> Act {
    let cancel = cancel.clone();
    let cancelling = Act::decides(move |_| {
        cancel.cancel();
        then.clone()
    });
    Act::in_turn(vec![cancelling, Act::silent()])
}

/// LO-4, EV-5: whichever hook is running when the person cancels, whether it is ended or still lets
/// its subject through: the turn ends as cancelled, nothing that waited for it happens, and the
/// next turn is complete. A refusal that came in time may count instead.
#[tokio::test]
async fn cancelled_at_every_hook() {
    for (event, ran, asked) in [
        ("BeforeAgent", 0, 0),
        ("BeforeModel", 0, 0),
        ("BeforeToolSelection", 0, 0),
        ("AfterModel", 0, 1),
        ("BeforeTool", 0, 1),
        ("AfterTool", 1, 1),
        ("AfterAgent", 1, 2),
    ] {
        for act in [Act::Hangs, Act::silent(), denies("no")] {
            let has_ended = matches!(act, Act::Ends(..));
            let refuses = matches!(&act, Act::Ends(_, reply, _) if !reply.is_empty());
            let answers = [numbered(&[("change", 1)]), text("done")];
            let plot = changing(ApprovalMode::Yolo, answers);
            let act = cancels(&plot.cancel, act);
            let mut stage = plot.hook(event, "late", act).stage().await;
            let end = stage.prompt("go").await;
            // An accepted response is the end of the turn: there is nothing left to cancel.
            let is_over = event == "AfterAgent" && has_ended && !refuses;
            if is_over {
                assert_eq!(end, TurnEnd::Completed);
            } else if !refuses {
                assert_eq!(end, TurnEnd::Cancelled, "{event}");
                assert!(stage.screen.shown().contains(&Shown::Cancelled), "{event}");
            }
            assert!(is_over || end != TurnEnd::Completed, "{event}");
            assert_eq!(stage.ran().len(), ran, "{event}");
            assert_eq!(stage.model.requests().len(), asked, "{event}");
            stage.assert_whole();
            stage.model.then([text("again")]);
            let next = stage.prompt_anew("on").await;
            assert_eq!(next, TurnEnd::Completed, "{event}");
            stage.assert_whole();
        }
    }
}

/// LO-4, TO-6: a person who cancels at a question has answered nothing: the call doesn't run
/// whatever was said, nothing is granted, and later calls aren't asked about.
#[tokio::test]
async fn cancelled_at_a_question() {
    for consent in [Consent::Given, Consent::GivenForSession, Consent::Declined] {
        let answers = [
            numbered(&[("change", 1), ("change", 2)]),
            numbered(&[("change", 3)]),
            text("done"),
        ];
        let mut plot = changing(ApprovalMode::Default, answers);
        let cancel = plot.cancel.clone();
        let is_first = Arc::new(AtomicBool::new(true));
        plot.screen = Screen::deciding(move |_| {
            if is_first.swap(false, Ordering::Relaxed) {
                cancel.cancel();
                consent.clone()
            } else {
                Consent::Declined
            }
        });
        let mut stage = plot.stage().await;
        assert_eq!(stage.prompt("go").await, TurnEnd::Cancelled);
        assert!(stage.ran().is_empty());
        assert_eq!(stage.confirmed_with(), [json!({"n": 1})]);
        assert_eq!(stage.failed_results(), [1, 2]);
        stage.assert_whole();
        assert_eq!(stage.prompt_anew("on").await, TurnEnd::Completed);
        assert!(stage.ran().is_empty(), "nothing was granted");
        assert_eq!(stage.confirmed_with().len(), 2);
    }
}

/// LO-4, LO-2: what ran before the person cancelled keeps its result; later calls don't run, and no
/// hook is called for them.
#[tokio::test]
async fn cancelled_in_the_middle_of_calls() {
    for (tools, ran, failed) in [
        (
            [("change", 1), ("quit", 2), ("change", 3)],
            vec![1, 2],
            vec![2, 3],
        ),
        (
            [("quit", 1), ("change", 2), ("look", 3)],
            vec![1],
            vec![1, 2, 3],
        ),
        (
            [("look", 1), ("change", 2), ("quit", 3)],
            vec![1, 2, 3],
            vec![3],
        ),
    ] {
        let answers = [numbered(&tools), text("never")];
        let plot = changing(ApprovalMode::Yolo, answers).hook("BeforeTool", "watch", Act::silent());
        let played = plot.play().await;
        assert_eq!(played.end, TurnEnd::Cancelled);
        let stage = played.stage;
        assert_eq!(stage.ran_numbers(), ran);
        assert_eq!(stage.failed_results(), failed);
        assert_eq!(stage.read_by("BeforeTool").len(), ran.len());
        assert_eq!(stage.model.requests().len(), 1);
        stage.assert_whole();
    }
}

/// LO-4: what the model said before the person cancelled stays, without calls that will never be
/// answered.
#[tokio::test]
async fn cancelled_while_the_model_speaks() {
    let answer = Answer::Chunks(vec![
        super::stage::chunk(json!([{"text": "I will "}]), None),
        super::stage::chunk(json!([{"text": "change it"}]), None),
        super::stage::chunk(json!([call("change", json!({"n": 1}))]), Some("STOP")),
    ]);
    let plot = changing(ApprovalMode::Yolo, [answer]);
    let cancel = plot.cancel.clone();
    let at_second = Act::decides(move |input| {
        if input["llm_response"].to_string().contains("change it") {
            cancel.cancel();
            return Act::Hangs;
        }
        Act::silent()
    });
    let mut stage = plot.hook("AfterModel", "slow", at_second).stage().await;
    assert_eq!(stage.prompt("go").await, TurnEnd::Cancelled);
    assert!(stage.ran().is_empty());
    assert_eq!(
        stage.history_lines(),
        [
            "user: go",
            "model: I will \n\n[This answer is incomplete: the user cancelled it here]"
        ]
    );
    assert_eq!(stage.screen.text(), "I will ");
    stage.assert_whole();
}

/// LO-4: a turn that was cancelled before it began calls no model and runs nothing.
#[tokio::test]
async fn cancelled_before_it_began() {
    let plot =
        changing(ApprovalMode::Yolo, [text("later")]).hook("BeforeAgent", "watch", Act::silent());
    plot.cancel.cancel();
    let mut stage = plot.stage().await;
    assert_eq!(stage.prompt("go").await, TurnEnd::Cancelled);
    assert!(stage.model.requests().is_empty());
    assert_eq!(stage.prompt_anew("on").await, TurnEnd::Completed);
    assert_eq!(stage.history_lines().last().unwrap(), "model: later");
    stage.assert_whole();
}

/// LO-4, AT-3: no link of a chain runs after the person cancelled.
#[tokio::test]
async fn cancelled_in_a_chain() {
    let answer = calls(&[call("look", json!({"n": 1}))]);
    let plot = changing(ApprovalMode::Yolo, [answer, text("never")]);
    let act = cancels(&plot.cancel, chains("change", 2));
    let played = plot.hook("AfterTool", "chain", act).play().await;
    assert_eq!(played.end, TurnEnd::Cancelled);
    assert_eq!(played.stage.ran(), ["look"]);
    played.stage.assert_whole();
}
