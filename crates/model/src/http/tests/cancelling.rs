//! Calls that are abandoned: the connection closes at once.

use super::*;
use crate::test_support::asking;

/// LO-4: a cancellation before the response ends the call and closes the connection.
#[tokio::test]
async fn cancelling_closes_the_connection_before_the_answer() {
    for reply in [Reply::new(), Reply::stream().piece(": wait\n\n")] {
        let closed = Gate::new();
        let server = ModelServer::start([reply.await_close(&closed)]);
        let (client, _) = gemini(&server);
        let request = asking("hi").await;
        let cancel = CancellationToken::new();
        let cancelling = async {
            while server.requests().is_empty() {
                tokio::task::yield_now().await;
            }
            cancel.cancel();
        };
        let (asked, ()) = tokio::join!(client.stream(&request, cancel.clone()), cancelling);
        assert!(matches!(asked, Err(ModelError::Cancelled)), "{asked:?}");
        opened(&closed, "the connection closes").await;
    }
}

/// LO-4: a cancellation in the middle of the response ends it and closes the connection, though the
/// stream still exists.
#[tokio::test]
async fn cancelling_closes_the_connection_in_the_middle() {
    let closed = Gate::new();
    let reply = Reply::stream()
        .event(&gemini_text("Hel"))
        .await_close(&closed);
    let server = ModelServer::start([reply]);
    let (client, _) = gemini(&server);
    let cancel = CancellationToken::new();
    let mut stream = client
        .stream(&asking("hi").await, cancel.clone())
        .await
        .unwrap();
    assert_eq!(stream.next().await.unwrap().unwrap().visible_text(), "Hel");
    let (next, ()) = tokio::join!(stream.next(), async { cancel.cancel() });
    assert!(matches!(next, Some(Err(ModelError::Cancelled))), "{next:?}");
    opened(&closed, "the connection closes").await;
    assert!(stream.next().await.is_none());
}

/// LO-4: dropping a stream ends the call.
#[tokio::test]
async fn dropping_a_stream_closes_the_connection() {
    let closed = Gate::new();
    let reply = Reply::stream()
        .event(&gemini_text("Hel"))
        .await_close(&closed);
    let server = ModelServer::start([reply]);
    let (client, _) = gemini(&server);
    let request = asking("hi").await;
    let stream = client
        .stream(&request, CancellationToken::new())
        .await
        .unwrap();
    drop(stream);
    opened(&closed, "the connection closes").await;
}

/// LO-4: a cancellation also ends the wait before another attempt.
#[tokio::test]
async fn cancelling_ends_the_wait_between_attempts() {
    let server = ModelServer::start([Reply::json("503 Busy", "{}")]);
    let asked = Arc::new(tokio::sync::Notify::new());
    let telling = Arc::clone(&asked);
    let mut options = gemini_options(&server);
    options.transport.on_retry = crate::http::RetryObserver::new(move |_| telling.notify_one());
    let mut client = GeminiClient::new(options).unwrap();
    client.exchange_mut().set_pause(Endless);
    let cancel = CancellationToken::new();
    let request = asking("hi").await;
    let (answer, ()) = tokio::join!(client.generate(&request, cancel.clone()), async {
        asked.notified().await;
        cancel.cancel();
    });
    assert!(matches!(answer, Err(ModelError::Cancelled)), "{answer:?}");
}

/// LO-4: a call that is cancelled already calls no server.
#[tokio::test]
async fn a_cancelled_call_asks_nobody() {
    let server = ModelServer::start([gemini_reply()]);
    let (client, _) = gemini(&server);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let asked = client.stream(&asking("hi").await, cancel).await;
    assert!(matches!(asked, Err(ModelError::Cancelled)));
    assert_eq!((server.connections(), server.requests().len()), (0, 0));
}

/// AM-1: dropping the wait for a chunk loses none.
#[tokio::test]
async fn dropping_the_wait_for_a_chunk_loses_nothing() {
    let (gate, last) = (Gate::new(), gemini_last("lo"));
    let (half, rest) = last.split_at(20);
    let reply = Reply::stream()
        .event(&gemini_text("Hel"))
        .piece(format!("data: {half}"))
        .wait(&gate)
        .piece(format!("{rest}\n\n"))
        .end();
    let server = ModelServer::start([reply]);
    let (client, _) = gemini(&server);
    let request = asking("hi").await;
    let mut stream = client
        .stream(&request, CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(stream.next().await.unwrap().unwrap().visible_text(), "Hel");
    for _ in 0..50 {
        tokio::select! {
            biased;
            next = stream.next() => panic!("there is no chunk yet: {next:?}"),
            () = tokio::task::yield_now() => {}
        }
    }
    gate.open();
    assert_eq!(stream.next().await.unwrap().unwrap().visible_text(), "lo");
    assert!(stream.next().await.is_none());
}
