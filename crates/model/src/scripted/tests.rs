use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::*;
use crate::test_support::{asking, scripted, stream_line, stream_texts, whole_line, whole_text};

/// MO-3: one line answers one call, in order, chunk by chunk.
#[tokio::test(flavor = "current_thread")]
async fn lines_are_consumed_in_order() {
    let lines = stream_line(&["a", "b"]) + &whole_line("c") + &stream_line(&[]);
    let client = scripted(&lines, Matching::Strict);
    assert_eq!(stream_texts(&client).await.unwrap(), ["a", "b"]);
    assert_eq!(whole_text(&client).await.unwrap(), "c");
    assert!(stream_texts(&client).await.unwrap().is_empty());
}

/// MO-3: a call of the other method is an error that consumes nothing.
#[tokio::test(flavor = "current_thread")]
async fn the_wrong_method_consumes_nothing() {
    let lines = stream_line(&["a"]) + &whole_line("b");
    let client = scripted(&lines, Matching::Strict);
    for _ in 0..2 {
        let error = whole_text(&client).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the next scripted response, answers.jsonl:1, is for generateContentStream, not for \
             generateContent of model \"gemini\" after the user's text \"hello\""
        );
    }
    assert_eq!(stream_texts(&client).await.unwrap(), ["a"]);
    assert_eq!(whole_text(&client).await.unwrap(), "b");
}

/// MO-3: running out is an error that names the request.
#[tokio::test(flavor = "current_thread")]
async fn running_out_names_the_request() {
    for matching in [Matching::Strict, Matching::ByMethod] {
        let error = stream_texts(&scripted("", matching)).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "answers.jsonl contains no further scripted response for generateContentStream of \
             model \"gemini\" after the user's text \"hello\""
        );
    }
}

/// MO-3: matched by method, each method has its own order, and nothing is lost.
#[tokio::test(flavor = "current_thread")]
async fn by_method_the_next_fitting_line_answers() {
    let lines =
        whole_line("w1") + &stream_line(&["s1"]) + &whole_line("w2") + &stream_line(&["s2"]);
    let client = scripted(&lines, Matching::ByMethod);
    assert_eq!(stream_texts(&client).await.unwrap(), ["s1"]);
    assert_eq!(whole_text(&client).await.unwrap(), "w1");
    assert_eq!(stream_texts(&client).await.unwrap(), ["s2"]);
    assert_eq!(whole_text(&client).await.unwrap(), "w2");
    assert!(whole_text(&client).await.is_err());
}

/// LO-4: a cancelled call consumes nothing, and a stream that is cancelled ends with that.
#[tokio::test(flavor = "current_thread")]
async fn cancelling_ends_a_call() {
    let client = scripted(&stream_line(&["a", "b", "c"]), Matching::Strict);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let request = asking("hello").await;
    let refused = client.stream(&request, cancel).await;
    assert!(matches!(refused, Err(ModelError::Cancelled)));

    let cancel = CancellationToken::new();
    let mut stream = client.stream(&request, cancel.clone()).await.unwrap();
    assert_eq!(stream.next().await.unwrap().unwrap().visible_text(), "a");
    cancel.cancel();
    assert!(matches!(
        stream.next().await,
        Some(Err(ModelError::Cancelled))
    ));
    assert!(stream.next().await.is_none());
}

/// MO-3: other tasks get their turn before each chunk.
#[tokio::test(flavor = "current_thread")]
async fn chunks_do_not_come_all_at_once() {
    let client = scripted(&stream_line(&["a"]), Matching::Strict);
    let mut stream = client
        .stream(&asking("hello").await, CancellationToken::new())
        .await
        .unwrap();
    let mut next = pin!(stream.next());
    let mut context = Context::from_waker(Waker::noop());
    assert!(matches!(next.as_mut().poll(&mut context), Poll::Pending));
    assert_eq!(next.await.unwrap().unwrap().visible_text(), "a");
}
