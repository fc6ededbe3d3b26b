//! What is tried again, and when.

use hookloop_testkit::model_server::ReceivedRequest;
use serde_json::json;

use super::*;
use crate::http::{RetryObserver, Transport};
use crate::test_support::asking;

fn seconds(waits: &Waits) -> Vec<f64> {
    waits.taken().iter().map(Duration::as_secs_f64).collect()
}

fn too_many(delay: &str) -> Reply {
    let body = json!({"error": {"code": 429, "message": "Quota exceeded.",
        "status": "RESOURCE_EXHAUSTED", "details": [
            {"@type": "type.googleapis.com/google.rpc.Help"},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]}});
    Reply::json("429 Too Many Requests", &body.to_string())
}

/// MO-1: the delay that the server requests is obeyed and reported.
#[tokio::test]
async fn the_delay_of_the_server_is_obeyed() {
    let server = ModelServer::start([
        too_many("7.5s"),
        Reply::whole("503 Busy", &[("retry-after", "3")], ""),
        Reply::whole("503 Busy", &[("retry-after-ms", "250")], ""),
        gemini_reply(),
    ]);
    let reported = Arc::new(Mutex::new(Vec::new()));
    let telling = Arc::clone(&reported);
    let mut options = gemini_options(&server);
    options.transport.on_retry =
        RetryObserver::new(move |notice| telling.lock().unwrap().push(notice.to_string()));
    let mut client = GeminiClient::new(options).unwrap();
    let waits = paused(client.exchange_mut());

    let (chunks, error) = stream(&client, &asking("hi").await).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(texts(&chunks), ["Hel", "lo"]);
    assert_eq!(seconds(&waits), [7.5, 3.0, 0.25]);
    let reported = reported.lock().unwrap();
    let first = format!(
        "the model's server {} failed: 429: too many requests: Quota exceeded. (the server asks \
         to wait 7 s); trying again in 7.5 s (attempt 2 of 4)",
        server.url()
    );
    assert_eq!(reported.len(), 3);
    assert_eq!(reported[0], first);
}

/// MO-1: server errors and connections that break before the first chunk are tried again, with
/// a wait that doubles; both clients do it.
#[tokio::test]
async fn failures_before_the_first_chunk_are_tried_again() {
    let replies = || {
        [
            Reply::json("500 Internal Server Error", "{}"),
            Reply::new().close(),
            Reply::stream().piece("data: {\"cand").close(),
        ]
    };
    let server = ModelServer::start(replies().into_iter().chain([gemini_reply()]));
    let (client, waits) = gemini(&server);
    let (chunks, error) = stream(&client, &asking("hi").await).await;
    assert!(error.is_none(), "{error:?}");
    assert_eq!(texts(&chunks), ["Hel", "lo"]);
    assert_eq!(seconds(&waits), [0.75, 1.5, 3.0]);
    let bodies: Vec<_> = server
        .requests()
        .iter()
        .map(ReceivedRequest::json)
        .collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");

    let whole = Reply::json("200 OK", r#"{"choices":[{"message":{"content":"Hello"}}]}"#);
    let server = ModelServer::start(replies().into_iter().chain([whole]));
    let (client, waits) = open_ai(&server);
    let chunk = client
        .generate(&asking("hi").await, CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(chunk.visible_text(), "Hello");
    assert_eq!(waits.taken().len(), 3);
}

/// MO-1: a server that reports in its stream that it is overloaded is called again, as long as
/// nothing of a response arrived; what would fail again isn't.
#[tokio::test]
async fn a_report_of_overload_in_a_stream_is_tried_again() {
    for event in [
        r#"{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}"#,
        r#"{"error":{"code":429,"message":"busy"}}"#,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"busy"}}"#,
        r#"{"error":{"message":"busy","type":"server_error","code":null}}"#,
    ] {
        let server = ModelServer::start([Reply::events(&[event]), gemini_reply()]);
        let (client, waits) = gemini(&server);
        let (chunks, error) = stream(&client, &asking("hi").await).await;
        assert!(error.is_none(), "{event}: {error:?}");
        assert_eq!(texts(&chunks), ["Hel", "lo"]);
        assert_eq!(waits.taken().len(), 1);
    }
    for (begin, event) in [
        (
            "",
            r#"{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}"#,
        ),
        ("Hel", r#"{"error":{"code":503,"message":"busy"}}"#),
    ] {
        let beginning = match begin {
            "" => Reply::stream(),
            text => Reply::stream().event(&gemini_text(text)),
        };
        let server = ModelServer::start([beginning.event(event).end()]);
        let (client, waits) = gemini(&server);
        let (_, error) = stream(&client, &asking("hi").await).await;
        assert!(matches!(problem(error), HttpProblem::Reported(_)));
        assert_eq!(waits.taken(), []);
    }
}

/// MO-1: attempts are limited, and the error says how many there were.
#[tokio::test]
async fn attempts_are_bounded() {
    let failing = || Reply::json("502 Bad Gateway", r#"{"error":{"message":"no backend"}}"#);
    let server = ModelServer::start((0..9).map(|_| failing()));
    let (client, _) = gemini(&server);
    let (_, error) = stream(&client, &asking("hi").await).await;
    assert_eq!(
        error.unwrap().to_string(),
        format!(
            "the model's server {}: 502: the server failed: no backend (asked 4 times)",
            server.url()
        )
    );
    assert_eq!(server.requests().len(), 4);
}

/// MO-1: a wait longer than anybody accepts isn't waited for, and not shortened either.
#[tokio::test]
async fn a_long_delay_ends_the_call() {
    let server = ModelServer::start([too_many("3600s")]);
    let (client, waits) = gemini(&server);
    let error = http_error(stream(&client, &asking("hi").await).await.1);
    assert!(
        error.to_string().contains("the server asks to wait 3600 s"),
        "{error}"
    );
    assert_eq!(waits.taken(), []);
    let status = "503 Service Unavailable";
    let body = r#"{"error":{"message":"busy"}}"#;
    let busy = Reply::whole(status, &[("retry-after", "3600")], body);
    let server = ModelServer::start([busy]);
    let (client, waits) = gemini(&server);
    let error = http_error(stream(&client, &asking("hi").await).await.1);
    assert!(
        error
            .to_string()
            .contains("503: the server failed: busy (the server asks to wait 3600 s)"),
        "{error}"
    );
    assert_eq!(waits.taken(), []);
}

/// MO-1: what would fail the same way again is reported at once, in the server's words.
#[tokio::test]
async fn refusals_are_not_tried_again() {
    let cases = [
        (
            "400 Bad Request",
            r#"{"error":{"message":"Invalid JSON."}}"#,
            "400: Invalid JSON.",
        ),
        (
            "400 Bad Request",
            r#"[{"error":{"message":"Bad key.","details":[{"reason":"API_KEY_INVALID"}]}}]"#,
            "400: the API key wasn't accepted: Bad key.",
        ),
        (
            "401 Unauthorized",
            "",
            "401: the API key wasn't accepted: the server gives no reason",
        ),
        (
            "403 Forbidden",
            r#"{"error":"not allowed"}"#,
            "403: the API key wasn't accepted: not allowed",
        ),
        (
            "404 Not Found",
            r#"{"error":{"message":"models/gemini is not found"}}"#,
            "404: models/gemini is not found (is the model's name \"gemini\" right?)",
        ),
        (
            "429 Too Many Requests",
            r#"{"error":{"message":"Pay first.","code":"insufficient_quota"}}"#,
            "429: too many requests: Pay first.",
        ),
        (
            "413 Too Large",
            "<h1>Too\n\u{1b}[31mlarge</h1>",
            "413: <h1>Too [31mlarge</h1>",
        ),
    ];
    for (status, body, expected) in cases {
        let server = ModelServer::start([Reply::whole(status, &[], body)]);
        let (client, waits) = gemini(&server);
        let error = problem(stream(&client, &asking("hi").await).await.1);
        assert_eq!(error.to_string(), expected);
        assert_eq!(waits.taken(), [], "{status}");
    }
}

/// MO-1: a refused connection isn't tried again.
#[tokio::test]
async fn a_refused_connection_is_reported_at_once() {
    // Nothing listens on this port of the loopback interface.
    let mut client = OpenAiClient::new(OpenAiOptions::new("http://127.0.0.1:1/v1")).unwrap();
    let waits = paused(client.exchange_mut());
    let error = http_error(stream(&client, &asking("hi").await).await.1);
    assert!(
        matches!(&error.problem, HttpProblem::NoConnection(text)
        if text.ends_with("is the server running?")),
        "{error}"
    );
    assert_eq!((error.attempts, waits.taken().len()), (1, 0));
}

/// MO-1: waits double from one second, differ by their jitter, and don't exceed the maximum.
#[test]
fn waits_grow() {
    use crate::http::failure::Failure;
    use crate::http::pause::{RealPause, wait_after};

    let transport = Transport {
        attempts: 20,
        ..Transport::default()
    };
    let failure = Failure::passing(HttpProblem::Empty);
    let wait = |attempt, jitter| wait_after(&failure, attempt, &transport, jitter).unwrap();
    assert_eq!(wait(1, 0.0), Duration::from_millis(500));
    assert_eq!(wait(3, 1.0), Duration::from_secs(4));
    assert_eq!(wait(19, 1.0), transport.longest_wait);
    assert_eq!(wait_after(&failure, 20, &transport, 0.0), None);
    let jitters: Vec<f64> = (0..64).map(|_| RealPause.jitter()).collect();
    assert!(jitters.iter().all(|jitter| (0.0..1.0).contains(jitter)));
    assert!(
        jitters
            .iter()
            .any(|jitter| (jitter - jitters[0]).abs() > f64::EPSILON)
    );
}
