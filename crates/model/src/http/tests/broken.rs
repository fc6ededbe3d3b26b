//! Responses that break, lie, or never come: a clear message, and no hang.

use std::io::Write;
use std::net::TcpListener;

use super::*;
use crate::test_support::asking;

/// Calls a server that has one reply for a streamed response.
async fn one(reply: Reply) -> (Vec<String>, Option<HttpProblem>) {
    let server = ModelServer::start([reply]);
    let (client, waits) = gemini(&server);
    let (chunks, error) = stream(&client, &asking("hi").await).await;
    assert_eq!(waits.taken(), []);
    (texts(&chunks), error.map(|error| problem(Some(error))))
}

/// MO-1: after the first chunk a broken stream is an error; what came isn't requested again.
#[tokio::test]
async fn a_stream_that_breaks_is_an_error() {
    let cut = [
        Reply::stream().event(&gemini_text("Hel")).close(),
        Reply::stream()
            .event(&gemini_text("Hel"))
            .piece("data: {\"candi")
            .close(),
    ];
    for reply in cut {
        let (texts, problem) = one(reply).await;
        assert_eq!(texts, ["Hel"]);
        assert!(
            matches!(problem, Some(HttpProblem::CutOff(_))),
            "{problem:?}"
        );
    }
    let half = Reply::stream()
        .event(&gemini_text("Hel"))
        .piece("data: {\"candi")
        .end();
    let (texts, problem) = one(half).await;
    assert_eq!(texts, ["Hel"]);
    let expected = "the stream ended in the middle of a chunk";
    assert_eq!(problem, Some(HttpProblem::CutOff(expected.to_owned())));
}

/// LO-3: a stream that ends between two chunks isn't an error of the connection, however its end is
/// signalled: it has no reason to end, so the response is recognised as cut. All protocols agree in
/// that.
#[tokio::test]
async fn a_stream_without_a_reason_to_end_is_known_by_that() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    let untold = format!("{head}data: {}\n\n", gemini_text("Hel"));
    for reply in [
        Reply::stream().event(&gemini_text("Hel")).end(),
        Reply::new().send(untold).close(),
    ] {
        assert_eq!(one(reply).await, (vec!["Hel".to_owned()], None));
    }
    let text = r#"{"choices":[{"delta":{"content":"Hel"}}]}"#;
    let call = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"glob","arguments":"{"}}]}}]}"#;
    for (event, expected) in [(text, "Hel"), (call, "")] {
        let server = ModelServer::start([Reply::events(&[event])]);
        let (client, waits) = open_ai(&server);
        let (chunks, error) = stream(&client, &asking("hi").await).await;
        assert!(error.is_none(), "{error:?}");
        assert_eq!(texts(&chunks).concat(), expected);
        assert!(chunks.iter().all(|it| it.finish_reason().is_none()));
        assert_eq!(chunks.iter().flat_map(Chunk::function_calls).count(), 0);
        assert_eq!(waits.taken(), []);
    }
}

/// MO-1: a response without any content is reported as such.
#[tokio::test]
async fn an_empty_answer_is_an_error() {
    let replies = [
        Reply::stream().end(),
        Reply::stream().piece(": keep-alive\n\n: still\n\n").end(),
        Reply::json("200 OK", ""),
        Reply::whole("204 No Content", &[], ""),
    ];
    for reply in replies {
        assert_eq!(one(reply).await, (Vec::new(), Some(HttpProblem::Empty)));
    }
}

/// MO-1: garbage is shown, in one line and not too much of it.
#[tokio::test]
async fn garbage_is_an_error() {
    let long = "x".repeat(100_000);
    let replies = [
        (Reply::events(&["<html>"]), "<html>"),
        (Reply::events(&["{\"a\":1}"]), "{\"a\":1}"),
        (Reply::events(&["[]"]), "[]"),
        (
            Reply::whole("200 OK", &[], "<p>\nSign\u{7} in</p>"),
            "<p> Sign in</p>",
        ),
        (Reply::whole("200 OK", &[], &long), "xxxx"),
    ];
    for (reply, quoted) in replies {
        let (texts, problem) = one(reply).await;
        assert!(texts.is_empty());
        let Some(HttpProblem::Unreadable(text)) = problem else {
            panic!("{problem:?}");
        };
        let begin = format!("expected an answer of Gemini's API, got \"{quoted}");
        assert!(text.starts_with(&begin), "{text}");
        assert!(text.chars().count() <= 501, "{}", text.len());
    }
}

/// MO-1: no HTTP at all is an error, too.
#[tokio::test]
async fn another_protocol_is_an_error() {
    let server = ModelServer::start((0..4).map(|_| Reply::new().send("SSH-2.0-x\r\n").close()));
    let (client, _) = gemini(&server);
    let (_, error) = stream(&client, &asking("hi").await).await;
    assert!(matches!(problem(error), HttpProblem::Broken(_)));
}

/// MO-1: an error that the server reports in a stream, or instead of it, is reported in its words.
#[tokio::test]
async fn an_error_inside_of_an_answer_is_reported() {
    let error = r#"{"error":{"code":503,"message":"The model is overloaded."}}"#;
    let reported = HttpProblem::Reported("The model is overloaded.".to_owned());
    let reply = Reply::events(&[&gemini_text("Hel"), error]);
    assert_eq!(
        one(reply).await,
        (vec!["Hel".to_owned()], Some(reported.clone()))
    );
    let lasting = r#"{"error":{"code":400,"message":"The model is overloaded."}}"#;
    assert_eq!(
        one(Reply::json("200 OK", lasting)).await,
        (Vec::new(), Some(reported))
    );
    let blocked = r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#;
    let refused = HttpProblem::PromptRefused("SAFETY".to_owned());
    assert_eq!(
        one(Reply::events(&[blocked])).await,
        (Vec::new(), Some(refused))
    );
}

/// MO-1: a silent server is abandoned, before its response and in the middle of it.
#[tokio::test]
async fn silence_ends_the_call() {
    // However slow the machine is, the server sends nothing more, so the limit is reached.
    let limit = Duration::from_millis(100);
    let replies = [
        Reply::new(),
        Reply::stream(),
        Reply::stream().piece("data: {"),
        Reply::stream().event(&gemini_text("Hel")),
    ];
    for reply in replies {
        let server = ModelServer::start([reply]);
        let mut options = gemini_options(&server);
        options.transport.idle_timeout = limit;
        let client = GeminiClient::new(options).unwrap();
        let (_, error) = stream(&client, &asking("hi").await).await;
        assert_eq!(problem(error), HttpProblem::Silent(limit));
    }
    let text = HttpProblem::Silent(limit).to_string();
    assert_eq!(text, "the server has said nothing for 0.1 s");
}

/// MO-1: keeping a connection alive isn't a response: a server that sends nothing else is
/// abandoned, before its response and in the middle of it, streamed and complete.
#[tokio::test]
async fn signs_of_life_do_not_last_for_ever() {
    // However slow the machine is, the server continues for longer than the client waits.
    let limit = Duration::from_millis(100);
    let alive = |reply: Reply, sign: &str| {
        (0..400).fold(reply, |reply, _| {
            reply.piece(sign).pause(Duration::from_millis(10))
        })
    };
    for reply in [
        alive(Reply::stream(), ": still here\n\n"),
        alive(
            Reply::stream().event(&gemini_text("Hel")),
            ": still here\n\n",
        ),
        // Chunks without content are signs of life, too.
        alive(
            Reply::stream().event(&gemini_text("Hel")),
            &format!("data: {}\n\n", gemini_text("")),
        ),
        alive(
            Reply::stream().event(&gemini_text("Hel")),
            "data: {\"candidates\": [{\"content\": {\"role\": \"model\"}}]}\n\n",
        ),
    ] {
        let server = ModelServer::start([reply]);
        let mut options = gemini_options(&server);
        options.transport.idle_timeout = limit;
        let client = GeminiClient::new(options).unwrap();
        let (_, error) = stream(&client, &asking("hi").await).await;
        assert_eq!(problem(error), HttpProblem::Silent(limit * 6));
    }
    let server = ModelServer::start([alive(Reply::stream(), " ")]);
    let mut options = gemini_options(&server);
    options.transport.idle_timeout = limit;
    let client = GeminiClient::new(options).unwrap();
    let cancel = CancellationToken::new();
    let error = client.generate(&asking("hi").await, cancel).await.err();
    assert!(matches!(problem(error), HttpProblem::Silent(_)));
}

/// MO-1: a server that sends another word now and then is abandoned in the end, too.
#[tokio::test]
async fn a_trickle_does_not_last_for_ever() {
    let limit = Duration::from_millis(200);
    let word = format!("data: {}\n\n", gemini_text("more "));
    let reply = (0..2_000).fold(Reply::stream(), |reply, _| {
        reply.piece(&word).pause(Duration::from_millis(10))
    });
    let server = ModelServer::start([reply]);
    let mut options = gemini_options(&server);
    options.transport.idle_timeout = limit;
    let client = GeminiClient::new(options).unwrap();
    let (said, error) = stream(&client, &asking("hi").await).await;
    assert!(!said.is_empty());
    assert_eq!(problem(error), HttpProblem::TooLong(limit * 48));
}

/// MO-1: a response that doesn't end is abandoned, though each of its parts is small: of every
/// service, whether the model says something or writes a call.
#[tokio::test]
async fn a_response_does_not_go_on_for_ever() {
    let call = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"glob","arguments":"    "}}]}}]}"#;
    let endless = |event: &str| {
        let (send, pieces) = std::sync::mpsc::channel();
        let event = format!("data: {event}\n\n");
        // Ends when the client has closed the connection.
        std::thread::spawn(move || {
            while send.send(event.clone()).is_ok() {
                std::thread::sleep(Duration::from_micros(10));
            }
        });
        ModelServer::start([Reply::stream().follow(pieces)])
    };
    let server = endless(&gemini_text("more "));
    let mut options = gemini_options(&server);
    options.transport.max_answer_bytes = 20_000;
    let client = GeminiClient::new(options).unwrap();
    let (chunks, error) = stream(&client, &asking("hi").await).await;
    assert!(!chunks.is_empty());
    assert!(matches!(problem(error), HttpProblem::Unreadable(_)));
    let server = endless(call);
    let mut options = OpenAiOptions::new(server.url() + "/v1");
    options.transport.max_answer_bytes = 20_000;
    let client = OpenAiClient::new(options).unwrap();
    let (chunks, error) = stream(&client, &asking("hi").await).await;
    assert_eq!(chunks, []);
    assert!(matches!(problem(error), HttpProblem::Unreadable(_)));
}

/// MO-1: a compressed response, which wasn't requested, is reported as such and not shown.
#[tokio::test]
async fn a_packed_answer_is_reported_as_such() {
    for packing in ["gzip", "br", "zstd, gzip"] {
        let headers = [("content-encoding", packing)];
        let (texts, problem) = one(Reply::whole("200 OK", &headers, "\u{1f}\u{8b}")).await;
        assert!(texts.is_empty());
        assert!(
            matches!(&problem, Some(HttpProblem::Unreadable(why)) if why.contains(packing)),
            "{problem:?}"
        );
    }
    let headers = [("content-encoding", "identity")];
    let body = gemini_last("Hello");
    assert_eq!(
        one(Reply::whole("200 OK", &headers, &body)).await,
        (vec!["Hello".to_owned()], None)
    );
}

/// MO-1: once the model has announced its end, a connection that breaks doesn't matter.
#[tokio::test]
async fn a_break_after_the_end_does_no_harm() {
    for reply in [
        Reply::stream().event(&gemini_last("Hello")).close(),
        Reply::stream()
            .event(&gemini_last("Hello"))
            .piece("data: {\"us")
            .end(),
        // The last empty line is missing.
        Reply::stream()
            .piece(format!("data: {}", gemini_last("Hello")))
            .end(),
    ] {
        assert_eq!(one(reply).await, (vec!["Hello".to_owned()], None));
    }
}

/// MO-1: an event arrives complete, however the network splits it, with comments between.
#[tokio::test]
async fn events_arrive_in_pieces() {
    let event = format!(": hi\r\n\r\ndata: {}\r\n\r\n", gemini_last("grüße"));
    let middle = event.find('ü').unwrap() + 1;
    let (first, second) = event.as_bytes().split_at(middle);
    let gate = Gate::new();
    let head = "HTTP/1.1 200 OK\r\n\r\n";
    let reply = Reply::new()
        .send(head)
        .send(first)
        .wait(&gate)
        .send(second)
        .close();
    let server = ModelServer::start([reply]);
    let (client, _) = gemini(&server);
    let request = asking("hi").await;
    let asked = stream(&client, &request);
    let opening = async {
        arrival(&server).await;
        gate.open();
    };
    let ((chunks, error), ()) = tokio::join!(asked, opening);
    assert!(error.is_none(), "{error:?}");
    assert_eq!(texts(&chunks), ["grüße"]);
}

/// Waits until a request arrived.
async fn arrival(server: &ModelServer) {
    while server.requests().is_empty() {
        tokio::task::yield_now().await;
    }
}

/// MO-1: a server without encryption is reported at once if encryption was requested.
#[tokio::test]
async fn a_server_without_encryption_is_reported_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            let _ = connection.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
            let _ = std::io::copy(&mut connection, &mut std::io::sink());
        }
    });
    let options = OpenAiOptions::new(format!("https://{address}/v1"));
    let mut client = OpenAiClient::new(options).unwrap();
    let waits = paused(client.exchange_mut());
    let error = http_error(stream(&client, &asking("hi").await).await.1);
    // On a machine without trusted certificates, the error is this one.
    let reported = match &error.problem {
        HttpProblem::NoConnection(text) => text.starts_with("the encryption failed: "),
        HttpProblem::Settings(text) => text.contains("certificates"),
        _ => false,
    };
    assert!(reported, "{error}");
    assert_eq!((error.attempts, waits.taken().len()), (1, 0), "{error}");
}
