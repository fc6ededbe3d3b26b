//! Compression: when it is tried, when its result is used, and what is reported (PC-*, LO-5).

use hookloop_agent::{CompressionThreshold, TurnEnd};
use serde_json::json;

use super::stage::{Act, Answer, Plot, Shown, Stage, StubTool, call, calls, chunk, denies, text};

fn summary(text: &str) -> Answer {
    Answer::Whole(chunk(json!([{"text": text}]), Some("STOP")))
}

fn half_of_a_summary(reason: Option<&str>) -> Answer {
    Answer::Whole(chunk(json!([{"text": "the first half"}]), reason))
}

fn long(words: usize) -> Answer {
    text(&"word ".repeat(words))
}

fn over(tokens: u64, plot: Plot) -> Plot {
    Plot {
        compression: CompressionThreshold::Tokens(tokens),
        ..plot
    }
}

async fn compressions(stage: Stage) -> Vec<String> {
    let log = stage.log.clone();
    stage.end().await;
    let steps = log.steps().into_iter();
    let triggers = steps.filter_map(|step| match step {
        super::stage::Step::Hook(fired) if fired.event == "PreCompress" => {
            Some(fired.input["trigger"].as_str().unwrap().to_owned())
        }
        _ => None,
    });
    triggers.collect()
}

/// LO-5, PC-1: above the threshold older turns become notes, and recent ones stay.
#[tokio::test]
async fn older_turns_become_notes() {
    let mut stage = over(
        600,
        Plot::of([long(400), long(400), summary("my notes"), text("c")]),
    )
    .hook("PreCompress", "watch", Act::silent())
    .stage()
    .await;
    stage.prompt("one").await;
    stage.prompt("two").await;
    let end = stage.prompt("three").await;
    assert_eq!(end, TurnEnd::Completed);
    let sent = stage.history_lines();
    assert_eq!(sent[0], "user: <notes_so_far>\nmy notes\n</notes_so_far>");
    assert_eq!(sent.last().unwrap(), "model: c");
    assert!(stage.screen.shown().contains(&Shown::Compressed));
    assert_eq!(stage.resumed(), stage.history());
    assert_eq!(stage.telemetry_of("chat_compression").len(), 1);
    assert_eq!(compressions(stage).await, ["auto"]);
}

/// PC-1: everything that would be sent counts: instruction, declarations and the pending message
/// too, and what the model itself counted.
#[tokio::test]
async fn all_that_would_be_sent_counts() {
    // The history alone is a handful of tokens; the declaration of the tool is more than 20.
    let plot = over(20, Plot::of([text("a"), summary("x"), text("b")]))
        .tool(StubTool::reading("look"))
        .hook("PreCompress", "watch", Act::silent());
    let mut stage = plot.stage().await;
    stage.prompt("one").await;
    assert_eq!(
        compressions(stage).await,
        ["auto"],
        "the declaration counts"
    );

    let counted = |tokens: u64| {
        let mut last = chunk(json!([{"text": "a"}]), Some("STOP"));
        last["usageMetadata"] = json!({"promptTokenCount": tokens, "candidatesTokenCount": 5});
        Answer::Chunks(vec![last])
    };
    for (tokens, between, expected) in [
        (990, vec![], vec![]),
        (1000, vec![summary("x")], vec!["auto"]),
    ] {
        let answers = [vec![counted(tokens)], between, vec![text("b")]].concat();
        let plot = over(1_000, Plot::of(answers)).hook("PreCompress", "watch", Act::silent());
        let mut stage = plot.stage().await;
        stage.prompt("one").await;
        stage.prompt("two").await;
        assert_eq!(
            compressions(stage).await,
            expected,
            "the model counted {tokens}"
        );
    }
}

/// PC-1: in one long turn nothing is old enough: that is reported once, and there is neither
/// another attempt nor event before the history has grown by a tenth.
#[tokio::test]
async fn a_long_turn_is_not_tried_again_and_again() {
    let look = || calls(&[call("look", json!({}))]);
    let big = "x".repeat(4_000);
    let mut answers: Vec<Answer> = (0..12).map(|_| look()).collect();
    answers.push(text("done"));
    let played = over(50, Plot::of(answers))
        .tool(StubTool::saying("look", "y"))
        .hook("PreCompress", "watch", Act::silent());
    let mut stage = played.stage().await;
    stage.prompt(&big).await;
    assert_eq!(stage.model.requests().len(), 13);
    let said = stage.screen.warnings();
    assert_eq!(
        said.iter()
            .filter(|it| it.contains("Nothing to compress."))
            .count(),
        said.len()
    );
    let fired = compressions(stage).await;
    assert!((1..=3).contains(&fired.len()), "{fired:?}");
    assert_eq!(said.len(), fired.len());
}

/// LO-5, LO-3: a failed or useless compression changes nothing, and is reported; half of a summary
/// is useless.
#[tokio::test]
async fn a_useless_compression_changes_nothing() {
    let longer = "word ".repeat(900);
    for (answer, words) in [
        (Answer::Fails, "can't read web pages"),
        (summary(""), "empty"),
        (summary(&longer), "no shorter"),
        (half_of_a_summary(Some("MAX_TOKENS")), "MAX_TOKENS"),
        (half_of_a_summary(Some("SAFETY")), "SAFETY"),
        (half_of_a_summary(None), "no finish reason"),
    ] {
        let mut stage = over(600, Plot::of([long(400), long(400), answer, text("c")]))
            .stage()
            .await;
        stage.prompt("one").await;
        stage.prompt("two").await;
        assert_eq!(stage.prompt("three").await, TurnEnd::Completed);
        assert_eq!(stage.history_lines().len(), 6);
        let warnings = stage.screen.warnings();
        assert!(
            warnings[0].contains("stays as it is") && warnings[0].contains(words),
            "{warnings:?}"
        );
        assert_eq!(stage.resumed(), stage.history());
    }
}

/// LO-5, EV-4: the request for a summary goes through hooks; a refusal leaves the history as it is,
/// and the turn continues.
#[tokio::test]
async fn a_refused_summary_leaves_the_history() {
    let guard = Act::decides(|input| {
        let messages = input["llm_request"]["messages"].to_string();
        if messages.contains("Summarise") {
            denies("keep it")
        } else {
            Act::silent()
        }
    });
    let mut stage = over(600, Plot::of([long(400), long(400), text("c")]))
        .hook("BeforeModel", "guard", guard)
        .stage()
        .await;
    for prompt in ["one", "two", "three"] {
        assert_eq!(stage.prompt(prompt).await, TurnEnd::Completed);
    }
    let warnings = stage.screen.warnings();
    assert!(
        warnings[0].contains("a hook refused it: keep it"),
        "{warnings:?}"
    );
    assert_eq!(stage.history_lines().len(), 6);
}

/// PC-1, LO-5: `/compress` fires as `manual`, also for one turn, and for nothing, which it reports.
#[tokio::test]
async fn compression_on_request() {
    let mut stage = Plot::of([long(300), summary("short notes"), text("b")])
        .hook("PreCompress", "watch", Act::silent())
        .stage()
        .await;
    assert_eq!(stage.compress().await, TurnEnd::Completed);
    assert_eq!(stage.screen.warnings(), ["Nothing to compress."]);
    stage.prompt("one").await;
    assert_eq!(stage.compress().await, TurnEnd::Completed);
    assert_eq!(
        stage.history_lines().len(),
        2,
        "{:?}",
        stage.history_lines()
    );
    assert!(stage.history_lines()[0].contains("short notes"));
    assert_eq!(stage.prompt("two").await, TurnEnd::Completed);
    assert_eq!(stage.resumed(), stage.history());
    assert_eq!(compressions(stage).await, ["manual", "manual"]);
}

/// LO-4: a cancelled compression is a cancelled turn, and changes nothing.
#[tokio::test]
async fn a_cancelled_compression_changes_nothing() {
    let mut stage = Plot::of([long(300), Answer::Cancels]).stage().await;
    stage.prompt("one").await;
    assert_eq!(stage.compress().await, TurnEnd::Cancelled);
    assert_eq!(stage.history_lines().len(), 2);
    assert_eq!(stage.resumed(), stage.history());
}
