//! How often a turn tries: retries that AfterAgent forces, and the limit of model calls (AA-*,
//! LO-3).

use hookloop_agent::{ApprovalMode, Limits, TurnEnd};
use serde_json::json;

use super::stage::{
    Act, Answer, Plot, Shown, Stage, StubTool, denies, numbered, says, stops, text,
};

fn judged(answers: impl IntoIterator<Item = Answer>, acts: Vec<Act>) -> Plot {
    Plot::of(answers)
        .tool(StubTool::reading("look"))
        .hook("BeforeAgent", "watch", Act::silent())
        .hook("AfterAgent", "judge", Act::in_turn(acts))
}

fn limited(mut plot: Plot, limits: Limits) -> Plot {
    plot.limits = limits;
    plot
}

fn prompts(stage: &Stage) -> Vec<String> {
    let read = stage.read_by("BeforeAgent").into_iter();
    read.map(|it| it["prompt"].as_str().unwrap().to_owned())
        .collect()
}

/// AA-1, AG-2, IO-21: however a response is rejected, its reason is the next prompt; those of
/// several hooks are one prompt.
#[tokio::test]
async fn every_rejection_is_a_prompt() {
    for (acts, prompt) in [
        (vec![denies("once more")], "once more"),
        (vec![Act::exits(2, "once more")], "once more"),
        (vec![denies("this"), denies("that")], "this\nthat"),
    ] {
        let mut plot =
            Plot::of([text("one"), text("two")]).hook("BeforeAgent", "watch", Act::silent());
        for (index, act) in acts.into_iter().enumerate() {
            let act = Act::in_turn(vec![act, Act::silent()]);
            plot = plot.hook("AfterAgent", &format!("judge-{index}"), act);
        }
        let played = plot.play().await;
        assert_eq!(played.end, TurnEnd::Completed);
        assert_eq!(prompts(&played.stage), ["go", prompt]);
        let asked = &played.stage.model.requests()[1].contents;
        assert_eq!(asked[..2], ["user: go", "model: one"]);
        assert_eq!(asked[2], format!("user: {prompt}"));
    }
}

/// AA-1, LO-1: in a retry, tools run through their hooks, and only its response is judged, without
/// the one that was rejected.
#[tokio::test]
async fn a_retry_may_use_tools() {
    let answers = [
        text("half"),
        numbered(&[("look", 1)]),
        text("whole"),
        text("next"),
    ];
    let mut stage = judged(answers, vec![denies("look first"), Act::silent()])
        .hook("BeforeTool", "watch", Act::silent())
        .stage()
        .await;
    assert_eq!(stage.prompt("go").await, TurnEnd::Completed);
    stage.assert_order(&[
        "AfterAgent",
        "BeforeAgent",
        "BeforeTool 1",
        "ran 1",
        "AfterAgent",
    ]);
    assert_eq!(stage.prompt("on").await, TurnEnd::Completed);
    let judged = stage.read_by("AfterAgent");
    let read: Vec<_> = judged
        .iter()
        .map(|it| {
            (
                it["prompt_response"].as_str(),
                it["stop_hook_active"] == true,
            )
        })
        .collect();
    assert_eq!(
        read,
        [
            (Some("half"), false),
            (Some("whole"), true),
            (Some("next"), false)
        ]
    );
    stage.assert_whole();
}

/// AA-1, BA-2, BA-3: BeforeAgent may refuse or stop the prompt of a retry; the turn ends with that,
/// what was said stays, and the model isn't called again.
#[tokio::test]
async fn a_retry_may_be_refused() {
    for (act, kept) in [(denies("no retry"), 2), (stops("no retry"), 3)] {
        let act = Act::in_turn(vec![Act::silent(), act]);
        let played = Plot::of([text("one"), text("never")])
            .hook("BeforeAgent", "guard", act)
            .hook("AfterAgent", "judge", denies("again"))
            .play()
            .await;
        let is_ended = matches!(played.end, TurnEnd::Refused(..) | TurnEnd::Stopped(_));
        assert!(is_ended, "{:?}", played.end);
        let stage = played.stage;
        assert_eq!(stage.model.requests().len(), 1);
        assert_eq!(stage.history_lines().len(), kept);
        assert_eq!(stage.read_by("AfterAgent").len(), 1);
        stage.assert_whole();
    }
}

/// AA-2: the limit applies to one turn: the next one has all of its retries, and a limit of 0
/// accepts the first response, with a warning.
#[tokio::test]
async fn retries_are_counted_for_each_turn() {
    for retries in [0, 1, 3] {
        let limits = Limits {
            retries,
            ..Limits::default()
        };
        let plot = judged(vec![text("again"); 20], vec![denies("more")]);
        let mut stage = limited(plot, limits).stage().await;
        for turn in 1..=2 {
            assert_eq!(stage.prompt("go").await, TurnEnd::Completed);
            let asked = turn * (1 + retries as usize);
            assert_eq!(stage.model.requests().len(), asked, "{retries}");
            assert_eq!(stage.screen.warnings().len(), turn, "{retries}");
        }
        let retrying = Shown::Retrying("more".to_owned());
        let shown = stage.screen.shown().into_iter();
        let shown = shown.filter(|it| *it == retrying).count();
        assert_eq!(shown, 2 * retries as usize);
    }
}

/// AA-3, AG-1: a stop outweighs a rejection: there is no retry, and the response stays in the
/// history.
#[tokio::test]
async fn a_stop_outweighs_a_rejection() {
    for acts in [
        [denies("again"), stops("enough")],
        [stops("enough"), denies("again")],
    ] {
        let [first, second] = acts;
        let played = Plot::of([text("one"), text("never")])
            .hook("AfterAgent", "first", first)
            .hook("AfterAgent", "second", second)
            .play()
            .await;
        assert!(matches!(&played.end, TurnEnd::Stopped(it) if it.as_str() == "enough"));
        assert_eq!(played.stage.model.requests().len(), 1);
        assert_eq!(played.stage.history_lines(), ["user: go", "model: one"]);
    }
}

/// AA-5, LO-1: the response that is judged is everything that the model said in the turn, around
/// its tools; it is judged once.
#[tokio::test]
async fn the_whole_response_is_judged() {
    let with_call = Answer::Chunks(vec![super::stage::chunk(
        json!([{"text": "I look"}, super::stage::call("look", json!({"n": 1}))]),
        Some("STOP"),
    )]);
    let played = judged([with_call, text("found")], vec![Act::silent()])
        .play()
        .await;
    let judged = played.stage.read_by("AfterAgent");
    assert_eq!(judged.len(), 1);
    assert_eq!(judged[0]["prompt_response"], "I look\nfound");
}

/// LO-3: the limit of model calls includes every call of the turn, also those of retries; what ran
/// before is kept, and the next turn has all of them again.
#[tokio::test]
async fn the_limit_counts_all_calls_of_a_turn() {
    let looks = |n: u64| numbered(&[("look", n)]);
    let limits = Limits {
        model_calls: 2,
        ..Limits::default()
    };
    let within = [looks(1), text("done")];
    let played = limited(judged(within, vec![Act::silent()]), limits)
        .play()
        .await;
    assert_eq!(played.end, TurnEnd::Completed);
    for (answers, acts, ran, judged_times) in [
        (vec![looks(1), looks(2)], vec![Act::silent()], 2, 0),
        (
            vec![looks(1), text("a")],
            vec![denies("again"), Act::silent()],
            1,
            1,
        ),
        (vec![text("a"), text("b")], vec![denies("again")], 0, 2),
    ] {
        let mut stage = limited(judged(answers, acts), limits).stage().await;
        assert_eq!(stage.prompt("go").await, TurnEnd::LimitReached(2));
        assert_eq!(stage.model.requests().len(), 2);
        assert_eq!(stage.ran().len(), ran);
        assert_eq!(stage.read_by("AfterAgent").len(), judged_times);
        stage.assert_whole();
        stage.model.then([looks(3), text("done")]);
        stage.prompt("on").await;
        assert!(stage.ran_numbers().contains(&3));
        assert!(stage.model.requests().len() >= 4);
    }
}

/// AA-4, AA-1: a retry with cleared history calls the model with the reason alone; changed files
/// stay changed, and the call limit isn't reset.
#[tokio::test]
async fn a_retry_may_forget() {
    let reply = json!({"decision": "deny", "reason": "anew",
        "hookSpecificOutput": {"clearContext": true}});
    let answers = [numbered(&[("change", 1)]), text("one"), text("two")];
    let mut plot =
        judged(answers, vec![says(&reply), Act::silent()]).tool(StubTool::editing("change"));
    plot.policy.mode = ApprovalMode::Yolo;
    let mut stage = plot.stage().await;
    assert_eq!(stage.prompt("go").await, TurnEnd::Completed);
    assert_eq!(stage.ran(), ["change"]);
    let requests = stage.model.requests();
    assert_eq!(requests[2].contents, ["user: anew"]);
    assert_eq!(stage.history_lines(), ["user: anew", "model: two"]);
    stage.assert_whole();
}

/// BM-3, AA-1: a response that a hook gave is judged as the model's would be, and may be rejected.
#[tokio::test]
async fn a_given_response_is_judged() {
    let response = json!({"candidates": [{"content": {"role": "model", "parts": ["from a hook"]},
        "finishReason": "STOP"}]});
    let gives = says(&json!({"hookSpecificOutput": {"llm_response": response}}));
    let played = judged([text("of the model")], vec![denies("again"), Act::silent()])
        .hook(
            "BeforeModel",
            "give",
            Act::in_turn(vec![gives, Act::silent()]),
        )
        .play()
        .await;
    assert_eq!(played.end, TurnEnd::Completed);
    let judged = played.stage.read_by("AfterAgent");
    let read: Vec<_> = judged.iter().map(|it| &it["prompt_response"]).collect();
    assert_eq!(read, ["from a hook", "of the model"]);
    assert_eq!(played.stage.model.requests().len(), 1);
}
