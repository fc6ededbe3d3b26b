//! How the text of a response flows through hooks that hold it back or read it joined: AM-6, AM-7.

use std::sync::Arc;

use futures_util::FutureExt;
use hookloop_engine::events::BeforeModelOutcome;
use hookloop_engine::events::EventName::AfterModel;
use hookloop_engine::events::llm::LlmResponse;
use hookloop_engine::{FlowEnd, ResponseFlow};
use hookloop_hook::{Chunks, HoldBack, HookDeclaration, Layer};
use proptest::prelude::*;
use serde_json::json;

use crate::running::request;
use crate::support::{Act, Host, Setting, answers, hook_of, says_after, silent};

const SECRET: &str = "sk-4711-secret";

fn holding(layer: Layer, command: &str, hold_back: Option<HoldBack>) -> HookDeclaration {
    HookDeclaration {
        hold_back,
        chunks: Chunks::Joined,
        ..hook_of(layer, AfterModel, command)
    }
}

/// Removes the secret from what it reads.
fn redacts() -> Act {
    answers(|read| {
        let text = read["content"].as_str().unwrap_or_default();
        let left = text.replace(SECRET, "***");
        (left != text).then(|| json!({"hookSpecificOutput": {"llm_response": {"text": left}}}))
    })
}

async fn flow(host: &Host) -> Option<ResponseFlow> {
    match host.session.before_model(request()).await.unwrap().outcome {
        BeforeModelOutcome::Send(cleared) => host.session.response_flow(&cleared),
        other => panic!("nobody objects: {other:?}"),
    }
}

/// Pushes chunks one by one, and collects what may be shown after each.
async fn shown(host: &Host, chunks: &[String]) -> Result<Vec<String>, FlowEnd> {
    let mut flow = flow(host).await.expect("a hook asks for it");
    let mut steps = Vec::new();
    for chunk in chunks {
        flow.push(&LlmResponse::of_text(chunk.as_str()));
        let mut step = String::new();
        while let Some(Some(text)) = flow.passed().now_or_never() {
            step.push_str(&text?);
        }
        steps.push(step);
    }
    flow.finish();
    let mut last = String::new();
    while let Some(text) = flow.passed().await {
        last.push_str(&text?);
    }
    steps.push(last);
    assert_eq!(flow.handed_out(), steps.concat());
    Ok(steps)
}

fn texts(chunks: &[&str]) -> Vec<String> {
    chunks.iter().map(|&chunk| chunk.to_owned()).collect()
}

fn one(hold_back: HoldBack, act: Act) -> Host {
    Setting::default()
        .hook(holding(Layer::User, "hook", Some(hold_back)), act)
        .host()
}

/// AM-6: complete lines are handed out as soon as hooks have read them, the rest waits.
#[tokio::test]
async fn lines_are_read_when_they_are_complete() {
    let host = one(HoldBack::Line, redacts());
    let chunks = texts(&["the key is sk-4711", "-secret\nand", " more", "\n"]);
    let shown = shown(&host, &chunks).await.unwrap();
    assert_eq!(shown, ["", "the key is ***\n", "", "and more\n", ""]);
}

/// AM-6: a sentence is complete when the next one begins.
#[tokio::test]
async fn sentences_are_read_when_they_are_complete() {
    let host = one(HoldBack::Sentence, answers(|_| None));
    let chunks = texts(&["One. Tw", "o! Three", " is cut"]);
    let shown = shown(&host, &chunks).await.unwrap();
    assert_eq!(shown, ["One. ", "Two! ", "", "Three is cut"]);
}

/// AM-6: a line without an end doesn't grow without bound.
#[tokio::test]
async fn an_endless_line_counts_as_complete() {
    let host = one(HoldBack::Line, answers(|_| None));
    let chunks = [String::from("x").repeat(64 * 1024), "y".to_owned()];
    let shown = shown(&host, &chunks).await.unwrap();
    assert_eq!(shown[0].len(), 64 * 1024);
    assert_eq!(shown[2], "y");
}

/// AM-3, AM-6: a refusal discards what was held back, and nothing follows.
#[tokio::test]
async fn a_refusal_discards_what_was_kept() {
    let host = one(
        HoldBack::Line,
        answers(|read| {
            let refuses = read["content"].as_str()?.contains(SECRET);
            refuses.then(|| json!({"decision": "deny", "reason": "no"}))
        }),
    );
    let mut flow = flow(&host).await.unwrap();
    flow.push(&LlmResponse::of_text("fine\n"));
    assert_eq!(flow.passed().await, Some(Ok("fine\n".to_owned())));
    flow.push(&LlmResponse::of_text("sk-4711-secret\nmore"));
    assert!(matches!(
        flow.passed().await,
        Some(Err(FlowEnd::Refused(..)))
    ));
    flow.finish();
    assert_eq!(flow.passed().await, None);
    assert_eq!(flow.handed_out(), "fine\n");
}

/// AM-1, AM-6, AM-7: without a hook that requires it, every chunk is read as it arrives; one that
/// wants each chunk keeps all others from reading them joined.
#[tokio::test]
async fn chunks_are_joined_only_where_every_hook_says_so() {
    let joined = |command| holding(Layer::User, command, None);
    let each = hook_of(Layer::User, AfterModel, "each");
    let none = Setting::default().host();
    assert!(flow(&none).await.is_none());
    let mixed = Setting::default()
        .hook(joined("joined"), silent())
        .hook(each, silent())
        .host();
    assert!(flow(&mixed).await.is_none());
    let all = Setting::default()
        .hook(joined("a"), silent())
        .hook(joined("b"), silent())
        .host();
    assert!(flow(&all).await.is_some());
}

/// AM-7: chunks that arrive while hooks are running are read in one firing.
#[tokio::test(start_paused = true)]
async fn chunks_that_came_meanwhile_are_read_at_once() {
    let host = Setting::default()
        .hook(
            holding(Layer::User, "slow", None),
            says_after(20, &json!({})),
        )
        .host();
    let mut flow = flow(&host).await.unwrap();
    flow.push(&LlmResponse::of_text("a"));
    assert!(
        flow.passed().now_or_never().is_none(),
        "the hook is running"
    );
    for number in 0..200 {
        flow.push(&LlmResponse::of_text(format!("{number} ")));
    }
    assert_eq!(flow.passed().await, Some(Ok("a".to_owned())));
    let rest = flow.passed().await.unwrap().unwrap();
    assert!(rest.starts_with("0 1 ") && rest.ends_with("199 "), "{rest}");
    assert_eq!(host.executed().len(), 2);
}

/// AM-6: hooks read what was passed on before as `full_content`, without what is held back.
#[tokio::test]
async fn full_content_holds_what_came_before() {
    let host = one(HoldBack::Line, redacts());
    shown(&host, &texts(&["a sk-4711-secret\nb", "\n"]))
        .await
        .unwrap();
    let read = |at: usize| {
        let text = host.invocations()[at].input.text().into_owned();
        let payload: serde_json::Value = serde_json::from_str(&text).unwrap();
        (payload["content"].clone(), payload["full_content"].clone())
    };
    assert_eq!(read(0).1, "a sk-4711-secret\n");
    assert_eq!(read(1), (json!("b\n"), json!("a ***\nb\n")));
}

fn hold_back() -> impl Strategy<Value = Option<HoldBack>> {
    prop_oneof![
        Just(None),
        Just(Some(HoldBack::Line)),
        Just(Some(HoldBack::Sentence)),
        (16..40u16).prop_map(|count| Some(HoldBack::Characters(count))),
    ]
}

fn chunks() -> impl Strategy<Value = Vec<String>> {
    let piece = prop::sample::select(vec![
        "sk-",
        "4711",
        "-sec",
        "ret",
        "sk-4711-secret",
        "a",
        " ",
        "\n",
        ". ",
        "ü",
        "漢字",
        "",
        "\r\n",
        "a longer piece of text, so that something is handed out. ",
    ]);
    prop::collection::vec(piece.prop_map(str::to_owned), 0..40)
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(future)
}

proptest! {
    /// AM-6: with hooks that change nothing, what is shown is what the model said, however they
    /// hold it back.
    #[test]
    fn text_is_neither_lost_nor_doubled(
        chunks in chunks(),
        holds in prop::collection::vec(hold_back(), 1..4),
    ) {
        let mut setting = Setting::default();
        for (number, hold_back) in holds.into_iter().enumerate() {
            let hook = holding(Layer::User, &format!("hook-{number}"), hold_back);
            setting = setting.hook(hook, answers(|_| None));
        }
        let host = setting.host();
        let shown = block_on(shown(&host, &chunks)).unwrap();
        prop_assert_eq!(shown.concat(), chunks.concat());
    }

    /// AM-6: a secret that is split over chunks isn't shown if text is held back by at least its
    /// length, nor one within a line if lines are.
    #[test]
    fn a_split_secret_is_not_shown(
        chunks in chunks(),
        hold_back in prop_oneof![
            Just(HoldBack::Line),
            (16..40u16).prop_map(HoldBack::Characters),
        ],
    ) {
        let host = one(hold_back, redacts());
        let shown = block_on(shown(&host, &chunks)).unwrap().concat();
        prop_assert!(!shown.contains(SECRET), "{shown}");
        prop_assert_eq!(shown, chunks.concat().replace(SECRET, "***"));
    }
}

/// AM-6: the future that waits for text may be dropped at any time.
#[tokio::test(start_paused = true)]
async fn waiting_for_text_loses_nothing() {
    let host = Setting::default()
        .hook(
            holding(Layer::User, "slow", Some(HoldBack::Line)),
            says_after(20, &json!({})),
        )
        .host();
    let host = Arc::new(host);
    let mut flow = flow(&host).await.unwrap();
    flow.push(&LlmResponse::of_text("one\ntwo"));
    for _ in 0..3 {
        let wait = std::time::Duration::from_millis(5);
        assert!(tokio::time::timeout(wait, flow.passed()).await.is_err());
    }
    flow.finish();
    let mut shown = String::new();
    while let Some(text) = flow.passed().await {
        shown.push_str(&text.unwrap());
    }
    assert_eq!(shown, "one\ntwo");
    assert_eq!(host.executed().len(), 2);
}
