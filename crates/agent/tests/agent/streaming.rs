//! A response on its way through `AfterModel` hooks that read it chunk by chunk, held back or
//! joined, and what happens if it is replaced, refused, stopped, cancelled or broken (AM-1…AM-7,
//! LO-3, LO-4, MO-3).

use std::time::Duration;

use hookloop_agent::{Half, TurnEnd};
use hookloop_hook::{Chunks, HoldBack, HookDeclaration};
use hookloop_model::Content;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::desk::{Desk, FIRST, counted, history, history_lines_of, pieces};
use super::stage::{
    Act, Answer, Plot, Shown, StubTool, call, calls, chunk, denies, hook, says, text, unfinished,
};

fn holding(name: &str, hold_back: HoldBack) -> HookDeclaration {
    HookDeclaration {
        hold_back: Some(hold_back),
        ..hook("AfterModel", name)
    }
}

fn joining(name: &str) -> HookDeclaration {
    HookDeclaration {
        chunks: Chunks::Joined,
        ..hook("AfterModel", name)
    }
}

fn with(mut plot: Plot, hook: HookDeclaration, act: Act) -> Plot {
    plot.hooks.add(hook, act);
    plot
}

/// The ways in which hooks read a response.
fn ways() -> Vec<(&'static str, HookDeclaration)> {
    vec![
        ("each", hook("AfterModel", "it")),
        ("joined", joining("it")),
        ("line", holding("it", HoldBack::Line)),
        ("sentence", holding("it", HoldBack::Sentence)),
        ("characters", holding("it", HoldBack::Characters(16))),
    ]
}

fn replaces(from: &'static str, to: &'static str) -> Act {
    Act::decides(move |read| {
        let text = read["content"].as_str().unwrap_or_default();
        let left = text.replace(from, to);
        says(&json!({"hookSpecificOutput": {"llm_response": {"text": left}}}))
    })
}

fn on(word: &'static str, act: Act) -> Act {
    Act::decides(move |read| {
        let text = read["content"].as_str().unwrap_or_default();
        if text.contains(word) {
            act.clone()
        } else {
            Act::silent()
        }
    })
}

/// What hooks of `AfterModel` read of the texts, firing by firing.
fn contents_read(desk: &Desk) -> Vec<String> {
    let read = desk.read_by("AfterModel").into_iter();
    let texts = read.map(|it| it["content"].as_str().unwrap_or_default().to_owned());
    texts.collect()
}

const PIECES: [&str; 7] = [
    "First. Sec",
    "ond one,\nand a ",
    "line that goes",
    " on and on\n\n",
    "ä\u{1f980}",
    "e\u{301}. The",
    " end",
];

/// AM-1, AM-6, AM-7: with hooks that change nothing, what is shown, kept and judged is exactly what
/// the model said, however they read it.
#[tokio::test]
async fn no_text_is_lost_or_doubled() {
    let whole = PIECES.concat();
    for (way, hook) in ways() {
        let desk = Desk::of(with(Plot::of([pieces(&PIECES)]), hook, Act::silent()).hook(
            "AfterAgent",
            "judge",
            Act::silent(),
        ));
        let (session, end) = desk.play().await;
        assert_eq!(end, TurnEnd::Completed, "{way}");
        assert_eq!(desk.screen.text(), whole, "{way}");
        assert_eq!(history(&session)[1].visible_text(), whole, "{way}");
        assert_eq!(
            desk.read_by("AfterAgent")[0]["prompt_response"],
            *whole,
            "{way}"
        );
        assert_eq!(desk.stored(FIRST), history(&session), "{way}");
        if way != "characters" {
            assert_eq!(
                contents_read(&desk).concat(),
                whole,
                "{way}: each is read once"
            );
        }
    }
}

/// AM-2, AM-5, AM-6, AM-7: what a hook replaces is replaced everywhere: for the user, the model,
/// the judges, and in all records; the calls beside it stay, and run.
#[tokio::test]
async fn a_replaced_text_is_replaced_everywhere() {
    for (way, hook) in ways() {
        let answer = Answer::Chunks(vec![
            chunk(json!([{"text": "it is SECRET. "}]), None),
            chunk(
                json!([{"text": "So what?\n"}, call("look", json!({}))]),
                Some("STOP"),
            ),
        ]);
        let plot = Plot::of([answer, text("bye")])
            .tool(StubTool::reading("look"))
            .hook("AfterAgent", "judge", Act::silent());
        let desk = Desk::of(with(plot, hook, replaces("SECRET", "***")));
        let (session, end) = desk.play().await;
        assert_eq!(end, TurnEnd::Completed, "{way}");
        assert_eq!(desk.screen.text(), "it is ***. So what?\nbye", "{way}");
        let sent = history_lines_of(&session);
        assert_eq!(
            sent[1], "model: it is ***. So what?\n; model calls look",
            "{way}"
        );
        assert!(sent[2].starts_with("look says output"), "{way}: {sent:?}");
        let judged = desk.read_by("AfterAgent")[0]["prompt_response"].clone();
        assert_eq!(judged, "it is ***. So what?\n\nbye", "{way}");
        assert!(!desk.model.requests()[1].json.contains("SECRET"), "{way}");
        let records = desk.records();
        assert!(!records.contains("SECRET"), "{way}: {records}");
    }
}

/// AM-3, AM-4, AM-6, AM-7: a refusal or a stop in the middle of a response keeps what was let
/// through before it, and nothing of what comes with it or after it, including calls; the session
/// continues.
#[tokio::test]
async fn a_refusal_in_the_middle_ends_the_answer() {
    let stops = says(&json!({"continue": false, "stopReason": "not this"}));
    for act in [denies("not this"), stops] {
        for (way, hook) in ways() {
            let answer = Answer::Chunks(vec![
                chunk(
                    json!([{"text": "This sentence is fine.\nSo is this one here.\n"}]),
                    None,
                ),
                chunk(
                    json!([{"text": "A SECRET is not.\n"}, call("look", json!({}))]),
                    None,
                ),
                chunk(json!([{"text": "Nor is the rest."}]), Some("STOP")),
            ]);
            let plot = Plot::of([answer, text("sorry")]).tool(StubTool::reading("look"));
            let desk = Desk::of(with(plot, hook, on("SECRET", act.clone())));
            let (mut session, end) = desk.play().await;
            let reason = match &end {
                TurnEnd::Refused(reason, _) | TurnEnd::Stopped(reason) => reason.as_str(),
                other => panic!("{way}: {other:?}"),
            };
            assert_eq!(reason, "not this", "{way}");
            let shown = desk.screen.text();
            assert!(
                "This sentence is fine.\nSo is this one here.\n".starts_with(&shown),
                "{way}: {shown}"
            );
            assert!(
                desk.read_by("BeforeTool").is_empty() && session.stats().tools.total_calls == 0
            );
            let kept: String = history(&session)[1..]
                .iter()
                .map(Content::visible_text)
                .collect();
            // What was shown is kept, and isn't taken for the whole, by the model neither.
            let note = format!("\n\n{}", Half::StoppedByHook.note());
            let kept_of = kept.strip_suffix(&note).unwrap_or(&kept);
            assert_eq!(kept_of, shown, "{way}");
            assert_eq!(kept_of != kept, !shown.is_empty(), "{way}: {kept}");
            assert!(!desk.records().contains("SECRET"), "{way}");
            assert!(!desk.records().contains("Nor is the rest"), "{way}");
            assert_eq!(desk.prompt(&mut session, "again").await, TurnEnd::Completed);
            assert!(
                !desk.model.requests()[1].json.contains("functionCall"),
                "{way}"
            );
            let told = desk.model.requests()[1].json.contains("incomplete: a hook");
            assert_eq!(told, !shown.is_empty(), "{way}");
            assert!(!desk.model.requests()[1].json.contains("not this"), "{way}");
            assert_eq!(desk.stored(FIRST), history(&session), "{way}");
        }
    }
}

/// AM-6: a secret across a boundary is read completely if a hook requests enough characters:
/// however a response is split, the secret is nowhere.
#[tokio::test]
async fn a_secret_is_read_whole_however_it_is_cut() {
    let said = "Well, the long secret word is sk-4711-ABCD, and it goes on after that for a while.";
    for size in 1..said.len() {
        let cut: Vec<String> = said
            .as_bytes()
            .chunks(size)
            .map(|it| String::from_utf8(it.to_vec()).unwrap())
            .collect();
        let cut: Vec<&str> = cut.iter().map(String::as_str).collect();
        let plot = Plot::of([pieces(&cut)]);
        let hook = holding("it", HoldBack::Characters(16));
        let desk = Desk::of(with(plot, hook, replaces("sk-4711-ABCD", "***")));
        let (session, end) = desk.play().await;
        assert_eq!(end, TurnEnd::Completed);
        let expected = said.replace("sk-4711-ABCD", "***");
        assert_eq!(desk.screen.text(), expected, "in pieces of {size}");
        assert_eq!(
            history(&session)[1].visible_text(),
            expected,
            "in pieces of {size}"
        );
    }
}

/// AM-1, AM-6, AM-7: `full_content` is what was passed on so far, as hooks left it, and what this
/// hook reads now.
#[tokio::test]
async fn hooks_know_what_came_before() {
    let texts = ["one SECRET\n", "two SECRET\n", "three. ", "And four"];
    for (way, hook) in ways().into_iter().filter(|(way, _)| *way != "characters") {
        let desk = Desk::of(with(
            Plot::of([pieces(&texts)]),
            hook,
            replaces("SECRET", "***"),
        ));
        desk.play().await;
        let mut passed_on = String::new();
        for read in desk.read_by("AfterModel") {
            let content = read["content"].as_str().unwrap();
            let full = read["full_content"].as_str().unwrap();
            assert_eq!(full, passed_on + content, "{way}");
            let before = full.strip_suffix(content).unwrap();
            passed_on = before.to_owned() + &content.replace("SECRET", "***");
        }
        assert_eq!(passed_on, desk.screen.text(), "{way}");
    }
}

/// AM-7: chunks that come while a hook runs are read in one firing, in order; a hook that wants
/// each of them gets each.
#[tokio::test(start_paused = true)]
async fn joined_chunks_are_read_together() {
    let texts: Vec<String> = (0..40).map(|it| format!("w{it} ")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for (hook, is_joined) in [(joining("it"), true), (hook("AfterModel", "it"), false)] {
        let desk = Desk::of(with(Plot::of([pieces(&texts)]), hook, Act::silent()));
        let (_session, end) = desk.play().await;
        assert_eq!(end, TurnEnd::Completed);
        assert_eq!(contents_read(&desk).concat(), texts.concat());
        let firings = contents_read(&desk).len();
        if is_joined {
            assert!(firings < 20, "{:?}", contents_read(&desk));
        } else {
            assert_eq!(firings, 40);
        }
    }
}

/// AM-7, AM-1: if one hook wants each chunk, all hooks read them one by one.
#[tokio::test]
async fn one_hook_that_wants_each_chunk_gets_each() {
    let plot = with(
        Plot::of([pieces(&["a", "b", "c"])]),
        joining("joined"),
        Act::silent(),
    )
    .hook("AfterModel", "each", Act::silent());
    let desk = Desk::of(plot);
    desk.play().await;
    assert_eq!(contents_read(&desk), ["a", "a", "b", "b", "c", "c"]);
}

/// LO-4, AM-6, EV-5: a turn that is cancelled while a hook judges what is held back ends at once,
/// and what was held is neither shown nor kept nor recorded.
#[tokio::test(start_paused = true)]
async fn what_is_held_back_goes_nowhere_when_cancelled() {
    for (way, hook) in ways() {
        let plot = Plot::of([
            pieces(&["let through\n", "HELD. And", " more"]),
            text("fine"),
        ]);
        let desk = Desk::of(with(plot, hook, on("HELD", Act::Hangs)));
        let mut session = desk.start().await;
        let cancel = CancellationToken::new();
        let end = {
            let turn = session.prompt("go", cancel.clone());
            tokio::pin!(turn);
            tokio::select! {
                end = &mut turn => panic!("{way}: it ended by itself: {end:?}"),
                () = tokio::time::sleep(Duration::from_secs(1)) => cancel.cancel(),
            }
            turn.await
        };
        assert_eq!(end, TurnEnd::Cancelled, "{way}");
        assert!(!desk.screen.text().contains("HELD"), "{way}");
        assert!(
            !json!(history(&session)).to_string().contains("HELD"),
            "{way}"
        );
        assert!(
            !json!(desk.entries(FIRST)).to_string().contains("HELD"),
            "{way}"
        );
        let end = session.prompt("again", CancellationToken::new()).await;
        assert_eq!(end, TurnEnd::Completed, "{way}");
        assert!(!desk.model.requests()[1].json.contains("HELD"), "{way}");
    }
}

/// AM-6, LO-3: what is held back of a response that then breaks off isn't part of the repeated
/// response.
#[tokio::test]
async fn nothing_of_a_broken_answer_is_in_the_next() {
    for (way, hook) in ways() {
        for broken in [
            Answer::Breaks(vec![chunk(json!([{"text": "half a li"}]), None)]),
            unfinished("half a li"),
        ] {
            let plot = Plot::of([broken, pieces(&["the wh", "ole"])]);
            let desk = Desk::of(with(plot, hook.clone(), Act::silent()));
            let (session, end) = desk.play().await;
            assert_eq!(end, TurnEnd::Completed, "{way}");
            assert_eq!(desk.screen.text(), "the whole", "{way}");
            assert_eq!(
                history_lines_of(&session),
                ["user: go", "model: the whole"],
                "{way}"
            );
            assert_eq!(desk.telemetry_of("content_retry").len(), 1, "{way}");
            assert_eq!(desk.stored(FIRST), history(&session), "{way}");
        }
    }
}

/// MO-3, LO-3, TE-4: a model that fails ends the turn, wherever in the turn it does; what existed
/// stays, it is counted and reported as an error, and the next prompt is sent with it.
#[tokio::test]
async fn a_failing_model_leaves_what_was_there() {
    let table: [(Vec<Answer>, Vec<&str>); 2] = [
        (vec![Answer::Fails], vec!["user: go"]),
        (
            vec![calls(&[call("fail", json!({}))]), Answer::Fails],
            vec![
                "user: go",
                "model calls fail",
                "fail says error: Error: broken",
            ],
        ),
    ];
    for (answers, kept) in table {
        let asked = answers.len();
        let plot = Plot::of(answers).tool(StubTool::failing("fail", "broken"));
        let desk = Desk::of(plot);
        let (mut session, end) = desk.play().await;
        assert!(matches!(end, TurnEnd::Failed(_)), "{end:?}");
        assert_eq!(history_lines_of(&session), kept);
        let failed = desk.screen.shown();
        assert_eq!(
            failed
                .iter()
                .filter(|it| matches!(it, Shown::Failed(_)))
                .count(),
            1
        );
        let api = &session.stats().models["gemini-2.5-pro"].api;
        assert_eq!((api.total_requests, api.total_errors), (asked as u64, 1));
        assert_eq!(desk.telemetry_of("api_error").len(), 1);
        assert_eq!(desk.telemetry_of("api_response").len(), asked - 1);
        desk.model.then([text("back again")]);
        assert_eq!(desk.prompt(&mut session, "more").await, TurnEnd::Completed);
        let sent = &desk.model.requests()[asked].contents;
        assert_eq!(sent[..kept.len()], kept);
        assert_eq!(desk.stored(FIRST), history(&session));
    }
}

/// BM-1, BM-6, TU-2: a hook may let another model answer one request; the next goes to the
/// session's again, or to the one that the user chose, and each is counted under its own name.
#[tokio::test]
async fn each_request_goes_to_its_model() {
    let usage = json!({"promptTokenCount": 10, "candidatesTokenCount": 1, "totalTokenCount": 11});
    let other = says(&json!({"hookSpecificOutput": {"llm_request": {"model": "of-a-hook"}}}));
    let desk = Desk::of(
        Plot::of(["a", "b", "c"].map(|it| counted(it, usage.clone()))).hook(
            "BeforeModel",
            "route",
            Act::in_turn(vec![other, Act::silent()]),
        ),
    );
    let (mut session, _) = desk.play().await;
    desk.prompt(&mut session, "two").await;
    session.ask_model("of-the-user");
    desk.prompt(&mut session, "three").await;
    let expected = ["of-a-hook", "gemini-2.5-pro", "of-the-user"];
    for event in ["api_request", "api_response"] {
        let recorded = desk.telemetry_of(event).into_iter();
        let models: Vec<Value> = recorded.map(|it| it["model"].clone()).collect();
        assert_eq!(models, expected, "{event}");
    }
    let stats = session.stats();
    for model in expected {
        assert_eq!(stats.models[model].tokens.total, 11, "{model}");
    }
    let read = desk.read_by("BeforeModel").into_iter();
    let read: Vec<Value> = read.map(|it| it["llm_request"]["model"].clone()).collect();
    assert_eq!(read, ["gemini-2.5-pro", "gemini-2.5-pro", "of-the-user"]);
}
