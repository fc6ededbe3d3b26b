//! What precedes what in a turn with several model calls and tools (LO-1, LO-2).

use std::time::Duration;

use hookloop_agent::{ApprovalMode, TurnEnd};
use serde_json::json;

use super::stage::{
    Act, Answer, Plot, StubTool, TURN, adds, call, chunk, denies, numbered, stops, text,
};

const OF_TOOLS: [&str; 2] = ["BeforeTool", "AfterTool"];

fn watched(plot: Plot, events: &[&str]) -> Plot {
    let plot = plot
        .tool(StubTool::reading("look"))
        .tool(StubTool::editing("change"));
    events
        .iter()
        .fold(plot, |plot, event| plot.hook(event, "watch", Act::silent()))
}

fn in_yolo(mut plot: Plot) -> Plot {
    plot.policy.mode = ApprovalMode::Yolo;
    plot
}

/// LO-1, AM-1: each model call has its hooks before it, one firing of AfterModel for each chunk,
/// and its calls after the last of them; AfterAgent comes once, at the end.
#[tokio::test]
async fn each_model_call_has_its_hooks() {
    let in_chunks = Answer::Chunks(vec![
        chunk(json!([{"text": "I "}]), None),
        chunk(json!([{"text": "look"}]), None),
        chunk(json!([call("look", json!({"n": 1}))]), Some("STOP")),
    ]);
    let answers = [in_chunks, numbered(&[("change", 2)]), text("done")];
    let played = in_yolo(watched(Plot::of(answers), &TURN)).play().await;
    assert_eq!(played.end, TurnEnd::Completed);
    let model = ["BeforeModel", "BeforeToolSelection", "asked", "AfterModel"];
    let expected = [
        &["BeforeAgent"][..],
        &model,
        &["AfterModel", "AfterModel"],
        &["BeforeTool 1", "ran 1", "AfterTool 1"],
        &model,
        &["BeforeTool 2", "ran 2", "AfterTool 2"],
        &model,
        &["AfterAgent"],
    ];
    assert_eq!(played.stage.order(), expected.concat());
}

/// LO-2: calls that only read form groups; a call that does more waits for the group before it, and
/// the next group waits for it, including hooks.
#[tokio::test(start_paused = true)]
async fn groups_follow_each_other() {
    let answer = numbered(&[
        ("look", 1),
        ("look", 2),
        ("change", 3),
        ("change", 4),
        ("look", 5),
        ("look", 6),
    ]);
    // Anyone who began too early would be through first.
    let slow = Act::decides(|input| {
        let n = input["tool_input"]["n"].as_u64().unwrap();
        Act::Waits(Duration::from_secs(10 - n), Box::new(Act::silent()))
    });
    let plot =
        watched(Plot::of([answer, text("done")]), &OF_TOOLS).hook("BeforeTool", "slow", slow);
    let played = in_yolo(plot).play().await;
    let stage = played.stage;
    for n in 1..=6 {
        let own = ["BeforeTool", "ran", "AfterTool"].map(|it| format!("{it} {n}"));
        stage.assert_order(&[&own[0], &own[1], &own[2]]);
    }
    for (earlier, later) in [(1, 3), (2, 3), (3, 4), (4, 5), (4, 6)] {
        let (earlier, later) = (
            format!("AfterTool {earlier}"),
            format!("BeforeTool {later}"),
        );
        stage.assert_order(&[&earlier, &later]);
    }
    assert_eq!(stage.failed_results(), [0; 0]);
    for (index, result) in stage.results().iter().enumerate() {
        let own = format!("{{\"n\":{}}}", index + 1);
        assert!(result.contains(&own), "{result}");
    }
    stage.assert_whole();
}

/// LO-2: a slow hook of one call doesn't delay parallel calls, but delays all later ones in a
/// sequence; the results keep the model's order either way.
#[tokio::test(start_paused = true)]
async fn a_slow_hook_holds_up_its_own_call() {
    for event in OF_TOOLS {
        for (tool, first_is_last) in [("look", true), ("change", false)] {
            let slow = Act::Waits(Duration::from_secs(5), Box::new(Act::silent()));
            let answer = numbered(&[(tool, 1), (tool, 2)]);
            let plot = watched(Plot::of([answer, text("done")]), &[])
                .hook(event, "slow", Act::at(1, slow))
                .hook("AfterTool", "watch", Act::silent());
            let stage = in_yolo(plot).play().await.stage;
            let beside = match (event, first_is_last) {
                ("BeforeTool", true) => ["AfterTool 2", "ran 1"],
                (_, true) => ["AfterTool 1", "AfterTool 2"],
                (_, false) => ["AfterTool 1", "ran 2"],
            };
            stage.assert_order(&beside);
            let results = stage.results();
            assert!(results[0].contains("{\"n\":1}"), "{results:?}");
            assert!(results[1].contains("{\"n\":2}"), "{results:?}");
        }
    }
}

/// LO-1, LO-2: hooks of a call read that call and its result, and nothing of a parallel one.
#[tokio::test]
async fn hooks_read_their_own_call() {
    let answer = numbered(&[("look", 1), ("look", 2), ("look", 3)]);
    let stage = watched(Plot::of([answer, text("done")]), &OF_TOOLS)
        .play()
        .await
        .stage;
    let judged = stage.read_by("AfterTool");
    assert_eq!(judged.len(), 3);
    for input in judged {
        let own = input["tool_input"].to_string();
        let result = input["tool_response"]["llmContent"].to_string();
        assert!(result.replace('\\', "").contains(&own), "{input}");
    }
}

/// LO-2: an id that the model gave its call goes back with the result of that call.
#[tokio::test]
async fn an_id_goes_back_with_its_result() {
    let with_id = |id: &str, n: u64| {
        let mut call = call("look", json!({"n": n}));
        call["functionCall"]["id"] = json!(id);
        call
    };
    let answer = super::stage::calls(&[with_id("one", 1), with_id("two", 2)]);
    let slow = Act::Waits(Duration::from_millis(1), Box::new(Act::silent()));
    let stage = watched(Plot::of([answer, text("done")]), &[])
        .hook("BeforeTool", "slow", Act::at(1, slow))
        .play()
        .await
        .stage;
    let results: Vec<_> = stage
        .history()
        .iter()
        .flat_map(|it| it.function_responses().cloned().collect::<Vec<_>>())
        .collect();
    let ids: Vec<_> = results.iter().filter_map(|it| it.id.as_deref()).collect();
    assert_eq!(ids, ["one", "two"]);
    assert!(json!(results[0].response).to_string().contains(":1}"));
}

/// AT-2, LO-1: what AfterTool adds to a result is in the next request, once, beside its own result.
#[tokio::test]
async fn context_is_in_the_next_request() {
    let answer = numbered(&[("look", 1), ("look", 2)]);
    let stage = watched(Plot::of([answer, text("done")]), &[])
        .hook("AfterTool", "note", Act::at(2, adds("mind the gap")))
        .play()
        .await
        .stage;
    let results = stage.results();
    assert!(!results[0].contains("mind the gap"), "{results:?}");
    assert!(results[1].contains("mind the gap"), "{results:?}");
    let request = &stage.model.requests()[1].json;
    assert_eq!(request.matches("mind the gap").count(), 1);
}

/// LO-1, AA-5: AfterAgent doesn't fire for a turn that ended otherwise, and fires once for the one
/// after it.
#[tokio::test]
async fn only_a_final_response_is_judged() {
    for (event, act) in [
        ("BeforeModel", denies("no")),
        ("BeforeModel", stops("no")),
        ("AfterModel", denies("no")),
        ("BeforeTool", stops("no")),
        ("AfterTool", stops("no")),
    ] {
        let answers = [numbered(&[("look", 1)]), text("a"), text("b")];
        let act = Act::in_turn(vec![act, Act::silent()]);
        let mut stage = watched(Plot::of(answers), &["AfterAgent"])
            .hook(event, "guard", act)
            .stage()
            .await;
        assert_ne!(stage.prompt("one").await, TurnEnd::Completed);
        assert!(stage.read_by("AfterAgent").is_empty(), "{event}");
        assert_eq!(stage.prompt("two").await, TurnEnd::Completed, "{event}");
        let judged = stage.read_by("AfterAgent");
        assert_eq!(judged.len(), 1, "{event}");
        assert_eq!(judged[0]["prompt"], "two");
        stage.assert_whole();
    }
}
