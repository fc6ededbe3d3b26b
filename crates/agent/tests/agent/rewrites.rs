//! What runs after hooks and persons changed a call, and what is recorded of it (BT-3, BT-4, BT-8,
//! BT-10).

use hookloop_agent::{ApprovalMode, Consent, TurnEnd};
use serde_json::{Map, Value, json};

use super::stage::{
    Act, Plot, Screen, Stage, StubTool, asks, call, calls, chains, denies, hook, numbered,
    rewrites, says, text,
};

fn change(arguments: &Value) -> Plot {
    let answer = calls(&[call("change", arguments.clone())]);
    let mut plot = Plot::of([answer, text("done")]).tool(StubTool::editing("change"));
    plot.policy.mode = ApprovalMode::Yolo;
    plot
}

/// Refuses calls with this number.
fn refuses(n: u64) -> Act {
    Act::at(n, denies("not this one"))
}

fn recorded(stage: &Stage) -> Vec<Value> {
    let calls = stage.telemetry_of("tool_call").into_iter();
    calls
        .map(|it| serde_json::from_str(it["function_args"].as_str().unwrap()).unwrap())
        .collect()
}

/// BT-3, BT-4: hooks that change different arguments all have an effect; what they don't touch
/// stays, and what changed nothing isn't reported as a change.
#[tokio::test]
async fn changes_are_merged() {
    let given = json!({"n": 1, "command": "x"});
    for (changes, made, told) in [
        (
            vec![json!({"n": 2})],
            json!({"n": 2, "command": "x"}),
            vec!["n"],
        ),
        (
            vec![json!({"n": 2}), json!({"command": "y"})],
            json!({"n": 2, "command": "y"}),
            vec!["n", "command"],
        ),
        (vec![json!({"n": 1})], given.clone(), vec![]),
        (vec![json!({})], given.clone(), vec![]),
    ] {
        let mut plot = change(&given).hook("AfterTool", "watch", Act::silent());
        for (index, change) in changes.iter().enumerate() {
            plot = plot.hook("BeforeTool", &format!("hook-{index}"), rewrites(change));
        }
        let stage = plot.play().await.stage;
        assert_eq!(stage.ran_with(), std::slice::from_ref(&made));
        assert_eq!(recorded(&stage), std::slice::from_ref(&made));
        assert_eq!(stage.read_by("AfterTool")[0]["tool_input"], made);
        let results = stage.results();
        let note = results[0].split_once("\n\n").map(|(_, note)| note);
        assert_eq!(note.is_some(), !told.is_empty(), "{results:?}");
        for name in told {
            assert!(note.unwrap().contains(name), "{results:?}");
        }
    }
}

/// BT-3, LO-2: a change only affects its own call: parallel ones run as the model wrote them.
#[tokio::test]
async fn a_change_is_of_its_own_call() {
    for tool in ["look", "change"] {
        let answer = numbered(&[(tool, 1), (tool, 2), (tool, 3)]);
        let mut plot = Plot::of([answer, text("done")])
            .tool(StubTool::reading("look"))
            .tool(StubTool::editing("change"))
            .hook(
                "BeforeTool",
                "rewrite",
                Act::at(2, rewrites(&json!({"n": 20}))),
            );
        plot.policy.mode = ApprovalMode::Yolo;
        let stage = plot.play().await.stage;
        let mut ran = stage.ran_numbers();
        ran.sort_unstable();
        assert_eq!(ran, [1, 3, 20], "{tool}");
        let results = stage.results();
        let noted: Vec<bool> = results.iter().map(|it| it.contains("\n\n")).collect();
        assert_eq!(noted, [false, true, false], "{results:?}");
        assert_eq!(recorded(&stage)[1], json!({"n": 20}));
    }
}

/// BT-10: a hook that let the model's call through refuses what another hook made of it, and that
/// doesn't run; it knows that it looks again.
#[tokio::test]
async fn what_hooks_made_is_judged_again() {
    for (refused, ran) in [(1, vec![]), (2, vec![]), (3, vec![2])] {
        let stage = change(&json!({"n": 1}))
            .hook("BeforeTool", "guard", refuses(refused))
            .hook(
                "BeforeTool",
                "rewrite",
                Act::at(1, rewrites(&json!({"n": 2}))),
            )
            .play()
            .await
            .stage;
        assert_eq!(stage.ran_numbers(), ran, "{refused}");
        assert_eq!(stage.failed_results().is_empty(), !ran.is_empty());
        if refused != 1 {
            let read = stage.read_by("BeforeTool");
            let again: Vec<_> = read.iter().filter(|it| it["rewritten"] == true).collect();
            assert!(!again.is_empty(), "{read:?}");
            assert!(
                again.iter().all(|it| it["tool_input"]["n"] == 2),
                "{again:?}"
            );
        }
    }
}

/// BT-10, BT-5: a question about what another hook made is put to the person, with that content.
#[tokio::test]
async fn what_hooks_made_is_asked_about() {
    for (consent, ran) in [(Consent::Given, vec![2]), (Consent::Declined, vec![])] {
        let mut plot = change(&json!({"n": 1}))
            .hook("BeforeTool", "guard", Act::at(2, asks("two?")))
            .hook(
                "BeforeTool",
                "rewrite",
                Act::at(1, rewrites(&json!({"n": 2}))),
            );
        plot.screen = Screen::answering([consent]);
        let stage = plot.play().await.stage;
        assert_eq!(stage.confirmed_with(), [json!({"n": 2})]);
        assert_eq!(stage.screen.reasons(), [Some("two?".to_owned())]);
        assert_eq!(stage.ran_numbers(), ran);
    }
}

/// BT-10, IO-21: a guard that fails when it looks again refuses under `onFailure: "deny"`.
#[tokio::test]
async fn a_guard_may_not_fail_at_its_second_look() {
    let mut plot = change(&json!({"n": 1})).hook(
        "BeforeTool",
        "rewrite",
        Act::at(1, rewrites(&json!({"n": 2}))),
    );
    let fails = Act::at(2, Act::exits(1, "broken"));
    plot.hooks.add_strict(hook("BeforeTool", "guard"), fails);
    let stage = plot.play().await.stage;
    assert!(stage.ran().is_empty());
    assert_eq!(stage.failed_results(), [1]);
}

/// BT-8, BT-3: hooks may change what a person edited: the person is asked about the result, and
/// that is what runs and what is recorded.
#[tokio::test]
async fn hooks_change_what_a_person_edited() {
    let edited = |n: u64| Consent::Edited(Map::from_iter([("n".to_owned(), json!(n))]));
    for (last, ran) in [(Consent::Given, vec![6]), (Consent::Declined, vec![])] {
        let mut plot = change(&json!({"n": 1})).hook(
            "BeforeTool",
            "rewrite",
            Act::at(5, rewrites(&json!({"n": 6}))),
        );
        plot.policy.mode = ApprovalMode::Default;
        plot.screen = Screen::answering([edited(5), last]);
        let stage = plot.play().await.stage;
        assert_eq!(stage.confirmed_with(), [json!({"n": 1}), json!({"n": 6})]);
        assert_eq!(stage.ran_numbers(), ran);
        assert_eq!(recorded(&stage), [json!({"n": 6})]);
        let decision = stage.telemetry_of("tool_call")[0]["decision"].clone();
        let expected = if ran.is_empty() { "reject" } else { "accept" };
        assert_eq!(decision, expected);
    }
}

/// BT-8, BT-10: a person's edit doesn't bypass a refusal: every edit goes to every hook again, as
/// often as the person edits.
#[tokio::test]
async fn every_edit_is_judged() {
    let edited = |n: u64| Consent::Edited(Map::from_iter([("n".to_owned(), json!(n))]));
    let mut plot = change(&json!({"n": 1}))
        .hook("BeforeTool", "guard", refuses(4))
        .hook("BeforeTool", "watch", Act::silent());
    plot.policy.mode = ApprovalMode::Default;
    plot.screen = Screen::answering([edited(2), edited(3), edited(4), Consent::Given]);
    let stage = plot.play().await.stage;
    assert!(stage.ran().is_empty());
    assert_eq!(stage.screen.reasons().len(), 3);
    let read = stage.read_by("BeforeTool").into_iter();
    let numbers: Vec<_> = read
        .filter_map(|it| it["tool_input"]["n"].as_u64())
        .collect();
    assert_eq!(numbers, [1, 1, 2, 2, 3, 3, 4, 4]);
}

/// BT-3, AT-3: a chained call is a separate call, which hooks may change.
#[tokio::test]
async fn a_chained_call_may_be_rewritten() {
    let stage = change(&json!({"n": 1}))
        .hook("AfterTool", "chain", Act::at(1, chains("change", 8)))
        .hook(
            "BeforeTool",
            "rewrite",
            Act::at(8, rewrites(&json!({"n": 9}))),
        )
        .play()
        .await
        .stage;
    assert_eq!(stage.ran_numbers(), [1, 9]);
    assert_eq!(recorded(&stage), [json!({"n": 1}), json!({"n": 9})]);
    stage.assert_whole();
}

/// BM-1, BM-6: a hook's change to a request is only in that request, and not in the history.
#[tokio::test]
async fn a_rewritten_request_is_not_history() {
    let replaced = json!({"messages": [{"role": "user", "content": "something else"}]});
    let rewrite = says(&json!({"hookSpecificOutput": {"llm_request": replaced}}));
    let mut stage = Plot::of([text("one"), text("two")])
        .hook(
            "BeforeModel",
            "rewrite",
            Act::in_turn(vec![rewrite, Act::silent()]),
        )
        .stage()
        .await;
    assert_eq!(stage.prompt("go").await, TurnEnd::Completed);
    stage.prompt("on").await;
    let requests = stage.model.requests();
    assert_eq!(requests[0].contents, ["user: something else"]);
    assert_eq!(requests[1].contents, ["user: go", "model: one", "user: on"]);
    stage.assert_whole();
}
