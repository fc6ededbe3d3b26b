//! When a history is compressed, what the model reads for that, what stays, and what happens if the
//! summary is useless (LO-5, PC-1, PC-2, EV-4).

use hookloop_agent::{CompressionThreshold, Session, TurnEnd};
use hookloop_engine::events::EndReason;
use serde_json::{Value, json};

use super::desk::{Desk, FIRST, counted, history, history_lines_of};
use super::stage::{Act, Answer, Plot, Shown, StubTool, call, chunk, denies, says, text, thought};

/// About as many tokens as this.
fn of_tokens(tokens: usize) -> String {
    "four".repeat(tokens)
}

fn long(tokens: usize) -> Answer {
    text(&of_tokens(tokens))
}

fn whole(parts: Value, finish: &str) -> Answer {
    Answer::Whole(chunk(parts, Some(finish)))
}

fn summary(text: &str) -> Answer {
    whole(json!([{"text": text}]), "STOP")
}

fn over(threshold: CompressionThreshold, plot: Plot) -> Plot {
    let watched = plot.hook("PreCompress", "watch", Act::silent());
    Plot {
        compression: threshold,
        ..watched
    }
}

fn over_tokens(tokens: u64, plot: Plot) -> Plot {
    over(CompressionThreshold::Tokens(tokens), plot)
}

/// Ends the session, and returns what triggered its attempts to compress.
async fn triggers(desk: &Desk, session: Session) -> Vec<Value> {
    session.end(EndReason::Exit).await;
    let read = desk.read_by("PreCompress").into_iter();
    read.map(|it| it["trigger"].clone()).collect()
}

/// Answers only requests for a summary.
fn on_summaries(act: Act) -> Act {
    Act::decides(move |read| {
        let messages = read["llm_request"]["messages"].as_array().unwrap();
        let last = messages.last().unwrap()["content"].to_string();
        if last.contains("Summarise the conversation") {
            act.clone()
        } else {
            Act::silent()
        }
    })
}

/// LO-5, PC-1: the message that is about to be sent counts, and stays: the model summarises what
/// came before it, without tools, and then reads its notes and the original message.
#[tokio::test]
async fn the_pending_message_counts_and_stays() {
    for (tokens, expected) in [(100, vec![]), (500, vec!["auto"])] {
        let mut answers = vec![long(400), summary("my notes"), text("b")];
        if expected.is_empty() {
            answers.remove(1);
        }
        let plot = Plot::of(answers).tool(StubTool::reading("look"));
        let desk = Desk::of(over_tokens(800, plot));
        let (mut session, _) = desk.play().await;
        let prompt = of_tokens(tokens);
        assert_eq!(desk.prompt(&mut session, &prompt).await, TurnEnd::Completed);
        let asked = desk.model.requests();
        let last = asked.last().unwrap();
        assert_eq!(last.contents.last().unwrap(), &format!("user: {prompt}"));
        assert_eq!(last.tools, ["look"]);
        if !expected.is_empty() {
            let for_summary = &asked[1];
            assert_eq!(
                for_summary.contents[..2],
                ["user: go", &format!("model: {}", of_tokens(400))]
            );
            assert!(
                !for_summary.json.contains(&prompt),
                "it isn't there to be summarised"
            );
            assert!(for_summary.tools.is_empty());
            assert!(last.contents[0].contains("my notes"));
            assert!(
                !last.contents.contains(&for_summary.contents[1]),
                "what was summarised is gone"
            );
        }
        assert_eq!(desk.stored(FIRST), history(&session));
        assert_eq!(triggers(&desk, session).await, expected, "{tokens} tokens");
    }
}

/// LO-5, PC-1: the threshold is a share of the window of the model that is used now, or a number of
/// tokens; it is compared with what the model's service counted.
#[tokio::test]
async fn the_threshold_is_that_of_the_model() {
    let share = CompressionThreshold::ShareOfWindow;
    let table = [
        (share(0.5), "gemini-2.5-pro", 150_000, false),
        (share(0.1), "gemini-2.5-pro", 150_000, true),
        (share(0.5), "claude-sonnet-4", 150_000, true),
        (share(0.5), "anthropic/claude-sonnet-4", 150_000, true),
        (share(0.9), "claude-sonnet-4", 150_000, false),
        (share(7.0), "claude-sonnet-4", 150_000, false),
        (share(7.0), "claude-sonnet-4", 250_000, true),
        (share(-1.0), "gemini-2.5-pro", 1, true),
        (
            CompressionThreshold::Tokens(150_000),
            "gemini-2.5-pro",
            140_000,
            false,
        ),
        (
            CompressionThreshold::Tokens(150_000),
            "gemini-2.5-pro",
            150_001,
            true,
        ),
    ];
    for (threshold, model, tokens, compresses) in table {
        let usage = json!({"promptTokenCount": tokens, "candidatesTokenCount": 1});
        let mut answers = vec![counted(&of_tokens(300), usage), summary("notes"), text("b")];
        if !compresses {
            answers.remove(1);
        }
        // The first message alone is over a threshold of nothing, and there is nothing to summarise
        // then.
        let desk = Desk::of(over(threshold, Plot::of(answers)));
        let mut session = desk.start().await;
        session.ask_model(model);
        desk.prompt(&mut session, "go").await;
        let before = desk.entries_of(FIRST, "compressed").len();
        assert_eq!(before, 0);
        desk.prompt(&mut session, "two").await;
        let done = desk.entries_of(FIRST, "compressed").len();
        assert_eq!(done == 1, compresses, "{threshold:?} {model} {tokens}");
    }
}

/// PC-1: the count of a history that was compressed, cleared or gone back in doesn't apply to the
/// current one.
#[tokio::test]
async fn a_count_ends_with_its_history() {
    let huge = || {
        let usage = json!({"promptTokenCount": 90_000, "candidatesTokenCount": 1});
        counted(&of_tokens(300), usage)
    };
    let clears = says(&json!({"hookSpecificOutput": {"clearContext": true}}));
    let of_answers = |answers: Vec<Answer>| over_tokens(50_000, Plot::of(answers));

    let desk = Desk::of(of_answers(vec![
        huge(),
        summary("notes"),
        text("b"),
        text("c"),
    ]));
    let (mut session, _) = desk.play().await;
    desk.prompt(&mut session, "two").await;
    desk.prompt(&mut session, "three").await;
    assert_eq!(triggers(&desk, session).await, ["auto"], "compressed once");

    let desk = Desk::of(of_answers(vec![huge(), text("b")]));
    let (mut session, _) = desk.play().await;
    session.go_back(0);
    desk.prompt(&mut session, "two").await;
    assert_eq!(triggers(&desk, session).await.len(), 0, "gone back in");

    let plot = of_answers(vec![huge(), text("b")]);
    let desk = Desk::of(plot.hook(
        "AfterAgent",
        "forget",
        Act::in_turn(vec![clears, Act::silent()]),
    ));
    let (mut session, _) = desk.play().await;
    assert!(session.history().is_empty());
    desk.prompt(&mut session, "two").await;
    assert_eq!(triggers(&desk, session).await.len(), 0, "cleared");

    let desk = Desk::of(of_answers(vec![huge(), text("b")]));
    let (session, _) = desk.play().await;
    session.end(EndReason::Exit).await;
    let mut session = desk.resume(FIRST).await;
    desk.prompt(&mut session, "two").await;
    assert_eq!(triggers(&desk, session).await.len(), 0, "resumed");
}

/// LO-5: what stays is complete: the latest turn with its calls, each with its result, contexts of
/// hooks and signatures of thoughts, exactly as it was.
#[tokio::test]
async fn the_latest_turn_stays_as_it_was() {
    let signed = json!([
        {"text": "I look", "thoughtSignature": "c2lnbmVk"},
        call("look", json!({"n": 1})),
        call("look", json!({"n": 2})),
    ]);
    let context = says(&json!({"hookSpecificOutput": {"additionalContext": "mind this"}}));
    let plot = Plot::of([
        long(2_000),
        Answer::Chunks(vec![chunk(signed, Some("STOP"))]),
        text("done"),
        summary("notes"),
        text("c"),
    ])
    .tool(StubTool::reading("look"))
    .hook("BeforeAgent", "add", context);
    let desk = Desk::of(plot);
    let (mut session, _) = desk.play().await;
    desk.prompt(&mut session, "two").await;
    let before = history(&session);
    assert_eq!(
        session.compress(desk.cancel.clone()).await,
        TurnEnd::Completed
    );
    let after = history(&session);
    assert_eq!(before.len(), 6);
    assert_eq!(after[2..], before[2..], "{:?}", history_lines_of(&session));
    assert!(history_lines_of(&session)[0].contains("notes"));
    assert_eq!(desk.stored(FIRST), after);
    desk.prompt(&mut session, "three").await;
    let sent = &desk.model.requests()[4].json;
    assert!(sent.contains("c2lnbmVk"), "{sent}");
    assert_eq!(
        sent.matches("functionCall").count(),
        sent.matches("functionResponse").count()
    );
}

/// Useless summaries: what is wrong, what the model answers if it is asked, and the event and the
/// action of a hook.
fn useless() -> Vec<(&'static str, Option<Answer>, &'static str, Act)> {
    let unhooked = |what, answer| (what, Some(answer), "BeforeModel", Act::silent());
    let of_parts = |parts| whole(parts, "STOP");
    vec![
        unhooked("failed", Answer::Fails),
        unhooked("half", whole(json!([{"text": "ha"}]), "MAX_TOKENS")),
        unhooked("empty", of_parts(json!([]))),
        unhooked("blank", summary(" \n\t")),
        unhooked("thoughts", of_parts(json!([thought()]))),
        unhooked("a call", of_parts(json!([call("look", json!({}))]))),
        unhooked("longer", summary(&of_tokens(2_000))),
        ("refused", None, "BeforeModel", denies("keep it")),
        (
            "withheld",
            Some(summary("SECRET")),
            "AfterModel",
            denies("not this"),
        ),
    ]
}

/// LO-5, LO-3, EV-4: a summary that failed, is incomplete, is empty, isn't shorter, or was refused
/// by a hook doesn't change the history, however it was requested; that is reported, and the work
/// continues.
#[tokio::test]
async fn a_summary_of_no_use_changes_nothing() {
    for (what, answer, event, act) in useless() {
        for automatic in [true, false] {
            let threshold = if automatic { 900 } else { u64::MAX };
            let answers = [
                Some(long(400)),
                Some(long(400)),
                answer.clone(),
                Some(text("c")),
            ];
            let plot = over_tokens(threshold, Plot::of(answers.into_iter().flatten()))
                .tool(StubTool::reading("look"))
                .hook(event, "guard", on_summaries(act.clone()));
            let desk = Desk::of(plot);
            let (mut session, _) = desk.play().await;
            desk.prompt(&mut session, "two").await;
            let before = history(&session);
            if !automatic {
                let end = session.compress(desk.cancel.clone()).await;
                assert_eq!(end, TurnEnd::Completed, "{what}");
            }
            let prompt = of_tokens(200);
            assert_eq!(
                desk.prompt(&mut session, &prompt).await,
                TurnEnd::Completed,
                "{what}"
            );
            assert_eq!(history(&session)[..4], before[..], "{what}");
            let sent = desk.model.requests().pop().unwrap().contents;
            assert_eq!(sent.len(), 5, "{what}: {sent:?}");
            assert!(desk.entries_of(FIRST, "compressed").is_empty(), "{what}");
            assert!(!desk.screen.shown().contains(&Shown::Compressed), "{what}");
            assert_eq!(desk.screen.warnings().len(), 1, "{what}: it is said once");
            assert!(desk.read_by("BeforeTool").is_empty(), "{what}");
            assert!(!desk.records().contains("SECRET"), "{what}");
            assert_eq!(desk.stored(FIRST), history(&session), "{what}");
            let expected = if automatic { "auto" } else { "manual" };
            assert_eq!(triggers(&desk, session).await, [expected], "{what}");
        }
    }
}

/// LO-5, BM-3, AM-2: a summary as hooks changed it, or gave it instead of the model, is what the
/// model reads as notes from then on; what they removed is nowhere.
#[tokio::test]
async fn hooks_may_word_the_summary() {
    let given = json!({"hookSpecificOutput": {"llm_response": {"text": "notes of a hook"}}});
    for (event, answer) in [
        ("BeforeModel", None),
        ("AfterModel", Some(summary("SECRET notes"))),
    ] {
        let answers = [Some(long(400)), answer, Some(text("c"))];
        let plot = Plot::of(answers.into_iter().flatten());
        let desk = Desk::of(plot.hook(event, "writer", on_summaries(says(&given))));
        let (mut session, _) = desk.play().await;
        assert_eq!(
            session.compress(desk.cancel.clone()).await,
            TurnEnd::Completed
        );
        assert!(
            history_lines_of(&session)[0].contains("notes of a hook"),
            "{event}"
        );
        desk.prompt(&mut session, "two").await;
        let sent = desk.model.requests().pop().unwrap();
        assert!(sent.contents[0].contains("notes of a hook"), "{event}");
        assert!(!desk.records().contains("SECRET"), "{event}");
        assert_eq!(
            desk.screen.text(),
            of_tokens(400) + "c",
            "nobody watches a summary come"
        );
        assert_eq!(desk.stored(FIRST), history(&session), "{event}");
    }
}

/// OUT-3, BM-5: a stop also counts in a request for a summary: the turn ends, and nothing is
/// changed.
#[tokio::test]
async fn a_stop_within_a_compression_ends_the_turn() {
    let stops = says(&json!({"continue": false, "stopReason": "halt"}));
    for automatic in [true, false] {
        let threshold = if automatic { 500 } else { u64::MAX };
        let plot = over_tokens(threshold, Plot::of([long(400), text("b")]));
        let desk = Desk::of(plot.hook("BeforeModel", "brake", on_summaries(stops.clone())));
        let (mut session, _) = desk.play().await;
        let before = history(&session);
        let end = if automatic {
            desk.prompt(&mut session, &of_tokens(300)).await
        } else {
            session.compress(desk.cancel.clone()).await
        };
        assert!(
            matches!(&end, TurnEnd::Stopped(reason) if reason.as_str() == "halt"),
            "{end:?}"
        );
        assert_eq!(desk.model.requests().len(), 1);
        assert_eq!(history(&session)[..2], before[..]);
        assert_eq!(desk.stored(FIRST), history(&session));
    }
}

/// PC-2: whatever a hook of the event says, and however it fails or hangs, the history is
/// compressed, and the session ends.
#[tokio::test(start_paused = true)]
async fn no_hook_of_the_event_holds_a_compression_up() {
    let table = [
        denies("no"),
        Act::exits(2, "no"),
        Act::exits(1, "crashed"),
        says(&json!({"continue": false, "stopReason": "halt"})),
        Act::Hangs,
    ];
    for act in table {
        for automatic in [true, false] {
            let threshold = if automatic { 500 } else { u64::MAX };
            let mut plot = Plot::of([long(400), summary("notes"), text("b")]);
            plot.compression = CompressionThreshold::Tokens(threshold);
            let hook = super::stage::hook("PreCompress", "guard");
            plot.hooks.add_strict(hook, act.clone());
            let desk = Desk::of(plot);
            let (mut session, _) = desk.play().await;
            if !automatic {
                session.compress(desk.cancel.clone()).await;
            }
            let end = desk.prompt(&mut session, &of_tokens(300)).await;
            assert_eq!(end, TurnEnd::Completed);
            assert_eq!(desk.entries_of(FIRST, "compressed").len(), 1);
            assert!(history_lines_of(&session)[0].contains("notes"));
            assert_eq!(triggers(&desk, session).await.len(), 1);
        }
    }
}

/// LO-5, SE-11: notes are summarised in turn, and a resumed session only has the latest ones.
#[tokio::test]
async fn notes_are_summarised_in_their_turn() {
    let desk = Desk::of(Plot::of([
        long(400),
        summary(&of_tokens(50)),
        long(400),
        summary("short notes"),
        text("c"),
    ]));
    let (mut session, _) = desk.play().await;
    session.compress(desk.cancel.clone()).await;
    desk.prompt(&mut session, "two").await;
    // The latest turn alone is more than what stays, but there is nothing else besides the notes.
    session.compress(desk.cancel.clone()).await;
    let for_second = desk.model.requests()[3].clone();
    assert!(
        for_second.contents[0].contains(&of_tokens(50)),
        "it reads its earlier notes"
    );
    let reported = history_lines_of(&session);
    assert!(reported[0].contains("short notes"), "{reported:?}");
    assert_eq!(
        reported
            .iter()
            .filter(|it| it.contains("<notes_so_far>"))
            .count(),
        1
    );
    session.end(EndReason::Exit).await;

    let mut session = desk.resume(FIRST).await;
    desk.prompt(&mut session, "three").await;
    let sent = desk.model.requests().pop().unwrap();
    assert!(sent.contents[0].contains("short notes"));
    assert!(!sent.contents[0].contains(&of_tokens(50)));
    assert_eq!(desk.entries_of(FIRST, "compressed").len(), 2);
}

/// LO-4, LO-5: after a compression that was cancelled, by command or in the middle of a turn,
/// nothing has changed, and the session continues.
#[tokio::test]
async fn a_cancelled_compression_leaves_all_as_it_was() {
    for automatic in [true, false] {
        let threshold = if automatic { 500 } else { u64::MAX };
        let answers = [long(400), Answer::Cancels, text("b")];
        let desk = Desk::of(over_tokens(threshold, Plot::of(answers)));
        let (mut session, _) = desk.play().await;
        let before = history(&session);
        let cancel = desk.cancel.child_token();
        let end = if automatic {
            session.prompt(&of_tokens(300), cancel).await
        } else {
            session.compress(cancel).await
        };
        assert_eq!(end, TurnEnd::Cancelled);
        assert_eq!(history(&session)[..2], before[..]);
        assert!(desk.entries_of(FIRST, "compressed").is_empty());
        assert_eq!(desk.stored(FIRST), history(&session));
        // What is sent next isn't much more, so it isn't tried again at once (PC-1).
        assert_eq!(desk.prompt(&mut session, "on").await, TurnEnd::Completed);
        assert_eq!(desk.model.requests().len(), 3);
    }
}
