//! What happens to a response: complete ones, and those that don't count (LO-3, AM-*, BM-*).

use hookloop_agent::{Half, TurnEnd};
use serde_json::{Value, json};

use super::stage::{
    Act, Answer, Plot, Shown, StubTool, call, calls, chunk, denies, says, text, thought, unfinished,
};

fn failed(end: &TurnEnd) -> &str {
    match end {
        TurnEnd::Failed(why) => why,
        other => panic!("{other:?}"),
    }
}

fn malformed() -> Answer {
    Answer::Chunks(vec![chunk(json!([]), Some("MALFORMED_FUNCTION_CALL"))])
}

fn empty() -> Answer {
    Answer::Chunks(vec![chunk(json!([]), Some("STOP"))])
}

fn thoughts() -> Answer {
    Answer::Chunks(vec![chunk(json!([thought()]), Some("STOP"))])
}

/// LO-3: if a response doesn't count, the model is asked again, and what was shown is removed:
/// nothing of it is in the history, in the final response, or in the next request.
#[tokio::test]
async fn an_answer_that_is_none_is_asked_for_again() {
    for flawed in [unfinished("half an ans"), malformed(), empty(), thoughts()] {
        let played = Plot::of([flawed, text("the whole answer")])
            .hook("BeforeModel", "watch", Act::silent())
            .hook("AfterAgent", "judge", Act::silent())
            .play()
            .await;
        assert_eq!(played.end, TurnEnd::Completed);
        let stage = played.stage;
        assert_eq!(
            stage.history_lines(),
            ["user: go", "model: the whole answer"]
        );
        assert_eq!(stage.screen.text(), "the whole answer");
        assert_eq!(
            stage.read_by("BeforeModel").len(),
            2,
            "hooks see each request"
        );
        let judged = &stage.read_by("AfterAgent")[0];
        assert_eq!(judged["prompt_response"], "the whole answer");
        assert!(!stage.model.requests()[1].json.contains("half"));
        assert_eq!(stage.resumed(), stage.history());
        let dropped = stage.screen.shown().into_iter();
        let dropped = dropped.filter(|it| matches!(it, Shown::Dropped(..)));
        assert_eq!(dropped.count(), 1);
        assert_eq!(stage.telemetry_of("content_retry").len(), 1);
    }
}

/// LO-3: after three more of them the turn has failed: half a response never counts as success.
#[tokio::test]
async fn half_an_answer_never_passes_as_success() {
    for (flawed, words) in [
        (unfinished("half an ans"), "cut off"),
        (malformed(), "MALFORMED_FUNCTION_CALL"),
        (empty(), "empty"),
        (thoughts(), "only thoughts"),
    ] {
        let played = Plot::of(vec![flawed; 4])
            .hook("AfterAgent", "judge", Act::silent())
            .play()
            .await;
        let why = failed(&played.end);
        assert!(why.contains(words) && why.contains("3 times"), "{why}");
        assert_eq!(played.stage.model.requests().len(), 4);
        let fired = played.stage.fired();
        assert!(fired.is_empty(), "nothing was answered: {fired:?}");
        assert!(
            played
                .stage
                .screen
                .shown()
                .contains(&Shown::Failed(why.to_owned()))
        );
        assert_eq!(played.stage.resumed(), played.stage.history());
        let lines = played.stage.history_lines();
        let half = lines.iter().filter(|it| it.contains("half"));
        assert!(
            half.clone()
                .all(|it| it.ends_with("[This answer is incomplete: it was cut off]")),
            "half of one isn't a whole one for the next request: {lines:?}"
        );
        assert_eq!(half.count(), usize::from(words == "cut off"));
    }
}

/// LO-3: three in a row are too many; one now and then isn't.
#[tokio::test]
async fn a_whole_answer_begins_the_count_anew() {
    let look = || calls(&[call("look", json!({}))]);
    let played = Plot::of([
        empty(),
        malformed(),
        look(),
        unfinished("a"),
        unfinished("b"),
        unfinished("c"),
        text("done"),
    ])
    .tool(StubTool::reading("look"))
    .play()
    .await;
    assert_eq!(played.end, TurnEnd::Completed);
    assert_eq!(played.stage.screen.text(), "done");
}

/// LO-3: a model that has nothing to say about the results of its tools ends the turn, which is
/// reported.
#[tokio::test]
async fn nothing_to_add_to_results_ends_the_turn() {
    let played = Plot::of([calls(&[call("look", json!({}))]), empty()])
        .tool(StubTool::reading("look"))
        .hook("AfterAgent", "judge", Act::silent())
        .play()
        .await;
    assert_eq!(played.end, TurnEnd::Completed);
    assert_eq!(played.stage.fired(), ["AfterAgent"]);
    let warnings = played.stage.screen.warnings();
    assert!(
        warnings.iter().any(|it| it.contains("said nothing")),
        "{warnings:?}"
    );
}

/// LO-3: thoughts alone and a cut response don't count after results either.
#[tokio::test]
async fn results_do_not_excuse_half_an_answer() {
    for flawed in [thoughts(), unfinished("hal"), malformed()] {
        let played = Plot::of([calls(&[call("look", json!({}))]), flawed, text("all of it")])
            .tool(StubTool::reading("look"))
            .play()
            .await;
        assert_eq!(played.end, TurnEnd::Completed);
        assert_eq!(played.stage.screen.text(), "all of it");
    }
}

/// LO-3: the calls of a response that was cut don't run: it may be half of what the model wanted.
#[tokio::test]
async fn the_calls_of_a_cut_answer_do_not_run() {
    let cut = Answer::Chunks(vec![chunk(json!([call("look", json!({}))]), None)]);
    let played = Plot::of([cut, text("done")])
        .tool(StubTool::reading("look"))
        .play()
        .await;
    assert_eq!(played.end, TurnEnd::Completed);
    assert!(played.stage.ran().is_empty());
}

/// LO-3: what hooks did with a response isn't judged: a redactor that leaves nothing, and a
/// response instead of the model's, are intended.
#[tokio::test]
async fn hooks_may_leave_nothing_of_an_answer() {
    let emptied = json!({"hookSpecificOutput": {"llm_response": {"text": "",
        "candidates": [{"content": {"parts": [""]}}]}}});
    let played = Plot::of([text("the key is 1234")])
        .hook("AfterModel", "redact", says(&emptied))
        .play()
        .await;
    assert_eq!(played.end, TurnEnd::Completed);
    assert_eq!(played.stage.model.requests().len(), 1);
    assert_eq!(played.stage.screen.text(), "");
    assert!(!played.stage.transcript().contains("1234"));

    let given = json!({"hookSpecificOutput": {"llm_response": {
        "candidates": [{"content": {"role": "model", "parts": ["from the hook"]}}]}}});
    let played = Plot::of([])
        .hook("BeforeModel", "answer", says(&given))
        .play()
        .await;
    assert_eq!(played.end, TurnEnd::Completed);
    assert_eq!(
        played.stage.history_lines(),
        ["user: go", "model: from the hook"]
    );
    assert!(played.stage.model.requests().is_empty());
}

/// LO-3: half a response never counts as success, whatever the reason is called: hooks judge it,
/// the history keeps it, and the turn ends as one without a complete response. The next one is
/// judged separately.
#[tokio::test]
async fn half_an_answer_is_not_a_success() {
    for reason in ["MAX_TOKENS", "SAFETY", "OTHER", "A_REASON_OF_TOMORROW"] {
        let half = Answer::Chunks(vec![chunk(json!([{"text": "as far as"}]), Some(reason))]);
        let played = Plot::of([half])
            .hook("AfterAgent", "judge", Act::silent())
            .play()
            .await;
        assert_eq!(played.end, TurnEnd::EndedEarly(reason.to_owned()));
        let mut stage = played.stage;
        assert_eq!(stage.read_by("AfterAgent").len(), 1);
        let judged = &stage.read_by("AfterAgent")[0];
        assert_eq!(judged["prompt_response"], "as far as");
        let said = format!("as far as\n\n[This answer is incomplete: it ended early: {reason}]");
        assert_eq!(
            stage.history_lines(),
            ["user: go".to_owned(), format!("model: {said}")]
        );
        assert_eq!(stage.screen.text(), "as far as");
        assert!(matches!(
            stage.screen.shown().last(),
            Some(Shown::Failed(why)) if why.contains(reason)
        ));
        stage.model.then([text("all of it")]);
        assert_eq!(stage.prompt("again").await, TurnEnd::Completed);
    }
}

/// LO-3, AA-1: if a hook makes the model answer once more, that response counts.
#[tokio::test]
async fn a_whole_answer_after_half_of_one_counts() {
    let half = Answer::Chunks(vec![chunk(json!([{"text": "as"}]), Some("MAX_TOKENS"))]);
    let judge = Act::decides(|input| match input["prompt_response"].as_str().unwrap() {
        "as" => denies("go on"),
        _ => Act::silent(),
    });
    let played = Plot::of([half, text("whole")])
        .hook("AfterAgent", "judge", judge)
        .play()
        .await;
    assert_eq!(played.end, TurnEnd::Completed);
}

/// LO-3: the tools of a response that ended early don't run, each call is told why, and the model
/// may do better: what it says then counts. That happens a bounded number of times.
#[tokio::test]
async fn the_tools_of_half_an_answer_do_not_run() {
    let half = || {
        let asked = json!([{"text": "I write"}, call("look", json!({})), call("look", json!({}))]);
        Answer::Chunks(vec![chunk(asked, Some("MAX_TOKENS"))])
    };
    let played = Plot::of([half(), calls(&[call("look", json!({}))]), text("done")])
        .tool(StubTool::reading("look"))
        .hook("BeforeTool", "watch", Act::silent())
        .play()
        .await;
    assert_eq!(played.end, TurnEnd::Completed);
    let stage = played.stage;
    assert_eq!(stage.ran().len(), 1, "only the whole one");
    assert_eq!(stage.read_by("BeforeTool").len(), 1);
    let sent = &stage.model.requests()[1].json;
    assert_eq!(
        sent.matches("ended early (MAX_TOKENS)").count(),
        2,
        "{sent}"
    );
    let warnings = stage.screen.warnings();
    assert!(
        warnings.iter().any(|it| it.contains("MAX_TOKENS")),
        "{warnings:?}"
    );

    let played = Plot::of([half(), half(), half(), half(), text("never asked for")])
        .tool(StubTool::reading("look"))
        .play()
        .await;
    assert_eq!(played.end, TurnEnd::EndedEarly("MAX_TOKENS".to_owned()));
    assert!(played.stage.ran().is_empty());
    assert_eq!(played.stage.model.requests().len(), 4);
}

/// LO-3: a turn calls the model no more often than it may; responses that don't count are included.
#[tokio::test]
async fn a_turn_has_a_limit() {
    let mut plot = Plot::of([
        calls(&[call("look", json!({}))]),
        empty(),
        calls(&[call("look", json!({}))]),
    ])
    .tool(StubTool::reading("look"));
    plot.limits.model_calls = 2;
    let played = plot.play().await;
    assert_eq!(
        played.end,
        TurnEnd::Completed,
        "empty after a result ends it before"
    );
    let mut plot =
        Plot::of(vec![calls(&[call("look", json!({}))]); 3]).tool(StubTool::reading("look"));
    plot.limits.model_calls = 2;
    let played = plot.play().await;
    assert_eq!(played.end, TurnEnd::LimitReached(2));
    assert_eq!(played.stage.model.requests().len(), 2);
    assert!(matches!(
        played.stage.screen.shown().last(),
        Some(Shown::Failed(why)) if why.contains("model.maxSessionTurns")
    ));
}

/// MO-3: a model that fails ends the turn, and the session continues.
#[tokio::test]
async fn a_failing_model_ends_the_turn_alone() {
    let played = Plot::of([Answer::Fails]).play().await;
    failed(&played.end);
    let mut stage = played.stage;
    stage.model.then([text("hello again")]);
    assert_eq!(stage.prompt("again").await, TurnEnd::Completed);
    assert_eq!(
        stage.history_lines(),
        ["user: go", "user: again", "model: hello again"]
    );
    assert_eq!(stage.telemetry_of("api_error").len(), 1);
    assert_eq!(stage.telemetry_of("api_response").len(), 1);
}

/// AM-1, AM-2: a chunk is shown after its hooks and as they left it, everywhere; the chunks before
/// it are in `full_content` as they were left.
#[tokio::test]
async fn a_chunk_is_shown_as_hooks_left_it() {
    let answer = Answer::Chunks(vec![
        chunk(json!([{"text": "my key "}]), None),
        chunk(json!([{"text": "is 1234"}]), Some("STOP")),
    ]);
    let redact = Act::decides(|input| {
        let content = input["content"].as_str().unwrap();
        let text = content.replace("1234", "****");
        says(&json!({"hookSpecificOutput": {"llm_response": {
            "candidates": [{"content": {"role": "model", "parts": [text]}}]}}}))
    });
    let played = Plot::of([answer])
        .hook("AfterModel", "redact", redact)
        .hook("AfterAgent", "judge", Act::silent())
        .play()
        .await;
    let stage = played.stage;
    assert_eq!(stage.screen.text(), "my key is ****");
    assert_eq!(stage.history_lines(), ["user: go", "model: my key is ****"]);
    let read = stage.read_by("AfterModel");
    assert_eq!(read[1]["full_content"], "my key is 1234");
    assert_eq!(
        stage.read_by("AfterAgent")[0]["prompt_response"],
        "my key is ****"
    );
    assert!(!stage.transcript().contains("1234"));
}

/// AM-3, LO-3: a refused chunk is neither shown nor stored; what was shown before it stays, as an
/// incomplete answer, but its calls don't run.
#[tokio::test]
async fn a_refused_chunk_goes_nowhere() {
    let answer = Answer::Chunks(vec![
        chunk(json!([{"text": "fine"}, call("look", json!({}))]), None),
        chunk(json!([{"text": "the secret"}]), Some("STOP")),
    ]);
    let refuse = Act::decides(|input| match input["content"].as_str().unwrap() {
        "fine" => Act::silent(),
        _ => denies("no secrets"),
    });
    let played = Plot::of([answer])
        .tool(StubTool::reading("look"))
        .hook("AfterModel", "guard", refuse)
        .play()
        .await;
    assert!(matches!(&played.end, TurnEnd::Refused(reason, _) if reason.as_str() == "no secrets"));
    let stage = played.stage;
    assert_eq!(
        stage.history_lines(),
        [
            "user: go",
            "model: fine\n\n[This answer is incomplete: a hook stopped it here]"
        ]
    );
    assert_eq!(stage.resumed(), stage.history());
    let half = Shown::Incomplete(Half::StoppedByHook);
    assert!(stage.screen.shown().contains(&half));
    assert!(stage.ran().is_empty());
    assert!(
        stage
            .screen
            .shown()
            .contains(&Shown::Blocked("no secrets".to_owned()))
    );
    for record in [stage.transcript(), stage.telemetry()] {
        assert!(!record.contains("the secret"), "{record}");
    }
}

/// BM-3, BM-4: a request that hooks refuse isn't sent; a response given with the refusal is shown
/// and kept, without its calls.
#[tokio::test]
async fn a_refused_request_is_not_made() {
    let given = |fields: Value| {
        let mut reply = json!({"decision": "deny", "reason": "not now", "hookSpecificOutput":
            {"llm_response": {"candidates": [{"content": {"role": "model",
                "parts": ["as a hook says"]}}]}}});
        if fields.is_null() {
            reply["hookSpecificOutput"] = json!({});
        }
        says(&reply)
    };
    for (act, history) in [
        (given(json!({})), vec!["user: go", "model: as a hook says"]),
        (given(Value::Null), vec!["user: go"]),
    ] {
        let played = Plot::of([text("never said")])
            .hook("BeforeModel", "guard", act)
            .play()
            .await;
        assert!(matches!(&played.end, TurnEnd::Refused(reason, _) if reason.as_str() == "not now"));
        assert_eq!(played.stage.history_lines(), history);
        assert!(played.stage.model.requests().is_empty());
    }
}

/// PL-5, finding 24: Google Search is offered if the model's service has it.
#[tokio::test]
async fn a_search_is_offered_where_there_is_one() {
    let played = Plot::of([text("hi")])
        .tool(StubTool::reading("google_web_search"))
        .tool(StubTool::reading("look"))
        .play()
        .await;
    let tools = played.stage.model.requests()[0].tools.clone();
    assert!(tools.contains(&"google_web_search".to_owned()), "{tools:?}");
}

fn redacts(secret: &'static str) -> Act {
    Act::decides(move |read| {
        let text = read["content"].as_str().unwrap_or_default();
        let left = text.replace(secret, "***");
        says(&json!({"hookSpecificOutput": {"llm_response": {"text": left}}}))
    })
}

/// AM-6: a secret that is split over chunks isn't shown to anybody; the person sees what hooks that
/// hold lines back leave, and so do the history and later hooks.
#[tokio::test]
async fn a_secret_split_over_chunks_is_not_shown() {
    let parts = ["the key is sk-47", "11\nfi", "ne"];
    let mut chunks: Vec<Value> = parts
        .iter()
        .map(|part| chunk(json!([{"text": part}]), None))
        .collect();
    chunks.push(chunk(json!([]), Some("STOP")));
    let played = Plot::of([Answer::Chunks(chunks)])
        .line_hook("redactor", redacts("sk-4711"))
        .hook("AfterAgent", "judge", Act::silent())
        .play()
        .await;
    assert_eq!(played.end, TurnEnd::Completed);
    let stage = played.stage;
    assert_eq!(stage.screen.text(), "the key is ***\nfine");
    assert_eq!(
        stage.history_lines(),
        ["user: go", "model: the key is ***\nfine"]
    );
    let judged = &stage.read_by("AfterAgent")[0];
    assert_eq!(judged["prompt_response"], "the key is ***\nfine");
}

/// AM-6, AM-3: a call runs only when all hooks of the response have answered; a refusal discards it
/// with the text.
#[tokio::test]
async fn a_refused_response_takes_its_calls_with_it() {
    let asked = chunk(
        json!([{"text": "let me look"}, call("look", json!({}))]),
        Some("STOP"),
    );
    let played = Plot::of([Answer::Chunks(vec![asked])])
        .line_hook("guard", denies("no"))
        .tool(StubTool::reading("look"))
        .play()
        .await;
    assert!(
        matches!(played.end, TurnEnd::Refused(..)),
        "{:?}",
        played.end
    );
    assert_eq!(played.stage.read_by("BeforeTool").len(), 0);
    assert_eq!(played.stage.screen.text(), "");
}

/// LO-3: if the connection breaks in the middle of a response, it is removed and the model is asked
/// again, a bounded number of times; one that had already ended is complete.
#[tokio::test]
async fn a_broken_connection_cuts_an_answer() {
    let half = || {
        let asked = json!([{"text": "I be"}, call("look", json!({}))]);
        Answer::Breaks(vec![chunk(asked, None)])
    };
    let played = Plot::of([half(), text("all of it")])
        .tool(StubTool::reading("look"))
        .play()
        .await;
    assert_eq!(played.end, TurnEnd::Completed);
    assert!(played.stage.ran().is_empty());
    assert_eq!(
        played.stage.history_lines(),
        ["user: go", "model: all of it"]
    );

    let played = Plot::of([half(), half(), half(), half(), text("never asked for")])
        .play()
        .await;
    assert!(
        matches!(&played.end, TurnEnd::Failed(why) if why.contains("connection reset")),
        "{:?}",
        played.end
    );
    assert_eq!(played.stage.model.requests().len(), 4);

    let whole = Answer::Breaks(vec![chunk(json!([{"text": "whole"}]), Some("STOP"))]);
    let played = Plot::of([whole]).play().await;
    assert_eq!(played.end, TurnEnd::Completed);
    assert_eq!(played.stage.history_lines(), ["user: go", "model: whole"]);
}
