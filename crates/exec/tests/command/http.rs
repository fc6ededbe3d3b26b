//! Services and the ways in which they end (HT-15).

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use hookloop_engine::{Completion, Ending, Executor as _, Invocation, StopCause};
use hookloop_hook::{Handler, HttpRequest, Layer};

use crate::support::Stage;

/// A service on the loopback interface that answers each request with the next of its answers, and
/// then always with the last one.
struct Service {
    address: String,
    /// The requests, each as it arrived, and the number of connections.
    seen: Arc<Mutex<(Vec<String>, usize)>>,
}

impl Service {
    fn answering(answers: &'static [&'static str]) -> Self {
        let answers: Vec<&'static [u8]> = answers.iter().map(|it| it.as_bytes()).collect();
        Self::writing(answers.leak())
    }

    fn writing(answers: &'static [&'static [u8]]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new((Vec::new(), 0)));
        let noted = Arc::clone(&seen);
        thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                noted.lock().unwrap().1 += 1;
                let noted = Arc::clone(&noted);
                thread::spawn(move || serve(connection, answers, &noted));
            }
        });
        Self { address, seen }
    }

    fn requests(&self) -> Vec<String> {
        self.seen.lock().unwrap().0.clone()
    }

    fn connections(&self) -> usize {
        self.seen.lock().unwrap().1
    }
}

fn serve(
    connection: TcpStream,
    answers: &[&[u8]],
    seen: &Mutex<(Vec<String>, usize)>,
) -> Option<()> {
    let mut reader = BufReader::new(connection);
    loop {
        let mut request = String::new();
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
            let ends = line.trim().is_empty();
            request.push_str(&line);
            if ends {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        request.push_str(&String::from_utf8_lossy(&body));
        let number = {
            let mut seen = seen.lock().unwrap();
            seen.0.push(request);
            seen.0.len()
        };
        let answer = answers[(number - 1).min(answers.len() - 1)];
        match answer {
            b"hang" => thread::park(),
            b"hang up" => return None,
            _ => reader.get_mut().write_all(answer).ok()?,
        }
        if answer.windows(3).any(|it| it == b"cut") {
            return None;
        }
    }
}

fn asked(stage: &Stage, request: HttpRequest) -> Invocation {
    let mut invocation = stage.invocation("");
    invocation.input = r#"{"tool_name":"x"}"#.into();
    "run-7".clone_into(&mut invocation.run_id);
    Arc::make_mut(&mut invocation.hook).handler = Handler::Http(request);
    invocation
}

fn to(url: &str) -> HttpRequest {
    HttpRequest {
        url: url.to_owned(),
        ..HttpRequest::default()
    }
}

async fn ask(stage: &Stage, service: &Service) -> Completion {
    let request = to(&format!("{}/check", service.address));
    stage.executor().execute(asked(stage, request)).await
}

fn body(completion: &Completion) -> String {
    String::from_utf8_lossy(&completion.stdout.bytes).into_owned()
}

/// HT-15: the payload is posted as a command would read it, with the run's id; an object is the
/// reply, an empty answer means no opinion, and the connection is kept.
#[tokio::test]
async fn a_service_answers_over_one_connection() {
    let stage = Stage::new();
    let service = Service::answering(&[
        "HTTP/1.1 200 OK\r\ncontent-length: 19\r\n\r\n{\"decision\":\"deny\"}",
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n\n",
    ]);
    let executor = stage.executor();
    let request = || to(&format!("{}/check", service.address));
    let first = executor.execute(asked(&stage, request())).await;
    assert_eq!(first.ending, Ending::Exited(0), "{first:?}");
    assert_eq!(body(&first), r#"{"decision":"deny"}"#);
    assert!(first.remarks_on_guards.is_empty());
    for is_reported in [false, true] {
        let silent = executor.execute(asked(&stage, request())).await;
        assert_eq!(silent.ending, Ending::Exited(0), "{silent:?}");
        assert_eq!(body(&silent).trim(), "");
        // The status 204 says that nothing is missing.
        assert_eq!(
            !silent.remarks_on_guards.is_empty(),
            is_reported,
            "{silent:?}"
        );
    }
    let requests = service.requests();
    assert!(requests[0].starts_with("POST /check HTTP/1.1\r\n"));
    assert!(requests[0].contains("idempotency-key: run-7\r\n"));
    assert!(requests[0].ends_with(r#"{"tool_name":"x"}"#));
    assert_eq!((requests.len(), service.connections()), (3, 1));
}

/// HT-15, IO-22: an answer that isn't a JSON object, or breaks off, is a failure; its text is kept,
/// so that a refusal in it counts.
#[tokio::test]
async fn other_answers_are_failures_of_their_own() {
    const CASES: &[(&[&str], &str)] = &[
        (
            &["HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"],
            "hello",
        ),
        (&["HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]"], "[]"),
        (
            &["HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"cut\""],
            "{\"cut\"",
        ),
    ];
    for (answers, said) in CASES {
        let stage = Stage::new();
        let service = Service::answering(answers);
        let completion = ask(&stage, &service).await;
        let failed = matches!(&completion.ending, Ending::Failed(_));
        assert!(failed, "{answers:?}: {completion:?}");
        assert_eq!(body(&completion), *said);
    }
}

/// HT-15, IO-21: a service that responds with a status that isn't an answer, or hangs up before
/// sending one, has looked at nothing, like one that can't be reached; what it said is kept,
/// whether or not it ever ends.
#[tokio::test]
async fn another_status_is_no_answer() {
    const CASES: &[(&[&str], &str)] = &[
        (
            &[
                "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 19\r\n\r\n{\"decision\":\"deny\"}",
            ],
            r#"{"decision":"deny"}"#,
        ),
        (
            &["HTTP/1.1 401 Unauthorized\r\ncontent-length: 20\r\n\r\n{\"decision\":\"allow\"}"],
            r#"{"decision":"allow"}"#,
        ),
        (&["HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"], ""),
        (
            &["HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:9/x\r\ncontent-length: 0\r\n\r\n"],
            "",
        ),
        (
            &[
                "HTTP/1.1 500 Oh\r\ncontent-length: 99\r\n\r\n{\"decision\":\"deny\",\"reason\":\"cut",
            ],
            r#"{"decision":"deny","reason":"cut"#,
        ),
        (
            &["HTTP/1.1 403 No\r\ncontent-length: 99\r\n\r\n{\"decision\":\"deny\""],
            r#"{"decision":"deny""#,
        ),
        (
            &["HTTP/1.1 204 No Content\r\ncontent-length: 19\r\n\r\n{\"decision\":\"deny\"}"],
            "",
        ),
        (
            &[
                "HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n13\r\n{\"decision\":\"deny\"}\r\n0\r\n\r\n",
            ],
            "",
        ),
        (&["hang up"], ""),
        (&["HTTP/1.1 200 OK\r\nx-is: cut"], ""),
        (&["no HTTP, and cut"], ""),
    ];
    for (answers, said) in CASES {
        let stage = Stage::new();
        let service = Service::answering(answers);
        let completion = ask(&stage, &service).await;
        let no_answer = matches!(&completion.ending, Ending::NotStarted(_));
        assert!(no_answer, "{answers:?}: {completion:?}");
        assert_eq!(body(&completion), *said);
    }
}

/// HT-15, IO-14: what was received before the run is stopped is kept, so that a refusal in it
/// counts; and a status that isn't an answer stays that.
#[tokio::test]
async fn what_came_before_the_stop_is_kept() {
    const DENY: &str = "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"decision\":\"deny\"}";
    const STATUS: &str = "HTTP/1.1 403 No\r\ncontent-length: 99\r\n\r\n";
    for (answers, is_answer, said) in [
        (&[DENY], true, r#"{"decision":"deny"}"#),
        (&[STATUS], false, ""),
    ] {
        let stage = Stage::new();
        let service = Service::answering(answers);
        let invocation = asked(&stage, to(&service.address));
        let stop = invocation.stop.clone();
        let executor = stage.executor();
        let mut running = tokio::spawn(async move { executor.execute(invocation).await });
        // What was written needs some time to be read, and the answer has no end.
        let patience = std::time::Duration::from_millis(500);
        let early = tokio::time::timeout(patience, &mut running).await;
        stop.stop(StopCause::TimedOut);
        let completion = match early {
            Ok(completion) => completion.unwrap(),
            Err(_) => running.await.unwrap(),
        };
        assert_eq!(body(&completion), said);
        match completion.ending {
            Ending::Stopped => assert!(is_answer),
            Ending::NotStarted(_) => assert!(!is_answer),
            other => panic!("{other:?}"),
        }
    }
}

/// HT-15, IO-21: an answer that is compressed although nobody requested it is unpacked, even one
/// that breaks off; one in an unknown encoding isn't an answer, but a refusal in it that isn't
/// compressed can be read.
#[tokio::test]
async fn packed_answers_are_read() {
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    let deny = br#"{"decision":"deny"}"#;
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(deny).unwrap();
    let gzip = gzip.finish().unwrap();
    let mut deflate = ZlibEncoder::new(Vec::new(), Compression::default());
    deflate.write_all(deny).unwrap();
    let deflate = deflate.finish().unwrap();
    let mut bare = DeflateEncoder::new(Vec::new(), Compression::default());
    bare.write_all(deny).unwrap();
    let bare = bare.finish().unwrap();
    let mut open = DeflateEncoder::new(Vec::new(), Compression::default());
    open.write_all(deny).unwrap();
    open.flush().unwrap();
    let open = open.get_ref().clone();
    let cut = &gzip[..gzip.len() - 4];
    let is_read: fn(&Ending) -> bool = |it| *it == Ending::Exited(0);
    let is_failure: fn(&Ending) -> bool = |it| matches!(it, Ending::Failed(_));
    let is_none: fn(&Ending) -> bool = |it| matches!(it, Ending::NotStarted(_));
    for (encoding, packed, ends, said) in [
        ("gzip", gzip.as_slice(), is_read, true),
        ("GZip", &gzip, is_read, true),
        ("deflate", &deflate, is_read, true),
        ("deflate", &bare, is_read, true),
        // Not compressed at all, whatever the header says: a refusal in it can be read (IO-21).
        ("gzip", deny, is_failure, true),
        ("deflate", deny, is_failure, true),
        ("gzip", cut, is_failure, true),
        ("deflate", &open, is_failure, true),
        ("br", b"xyz\xff", is_none, false),
        ("br", deny, is_none, true),
        ("gzip, br", deny, is_none, true),
    ] {
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-encoding: {encoding}\r\ncontent-length: {}\r\n\r\n",
            packed.len()
        );
        let answer: &'static [u8] = [head.as_bytes(), packed].concat().leak();
        let stage = Stage::new();
        let service = Service::writing(vec![answer].leak());
        let completion = ask(&stage, &service).await;
        assert!(ends(&completion.ending), "{encoding}: {completion:?}");
        assert_eq!(completion.stdout.bytes == deny, said, "{encoding}");
        assert!(service.requests()[0].contains("accept-encoding: identity\r\n"));
    }
}

/// HT-15, IO-21: a service that can't be reached couldn't start, also for want of TLS.
#[tokio::test]
async fn a_service_that_cannot_be_reached_could_not_start() {
    let stage = Stage::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let gone = format!("http://{}/", free.local_addr().unwrap());
    drop(free);
    let plain = Service::answering(&["HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n"]);
    let encrypted = plain.address.replace("http://", "https://");
    for address in [gone.as_str(), encrypted.as_str(), "http://[x"] {
        let completion = stage.executor().execute(asked(&stage, to(address))).await;
        assert!(
            matches!(completion.ending, Ending::NotStarted(_)),
            "{address}: {completion:?}"
        );
        if let Ending::NotStarted(why) = &completion.ending {
            assert!(!why.contains("client error"), "{address}: {why}");
        }
    }
}

/// HT-15, IO-17: the beginning of an answer over the cap is kept, and the rest isn't read.
#[tokio::test]
async fn an_answer_over_the_cap_is_cut() {
    let stage = Stage::new();
    let service = Service::answering(&[
        "HTTP/1.1 200 OK\r\ncontent-length: 999999999\r\n\r\n{\"reason\":\"xxxxxxxxxxxxxxxx",
    ]);
    let request = to(&format!("{}/", service.address));
    let mut invocation = asked(&stage, request);
    invocation.max_output_bytes = 8;
    let completion = stage.executor().execute(invocation).await;
    assert!(completion.stdout.is_cut(), "{completion:?}");
    assert_eq!(body(&completion), "{\"reason");
}

/// HT-15, IO-31: a service that hangs is left when the run is stopped.
#[tokio::test]
async fn a_service_that_hangs_is_left() {
    let stage = Stage::new();
    let service = Service::answering(&["hang"]);
    let invocation = asked(&stage, to(&service.address));
    let stop = invocation.stop.clone();
    let executor = stage.executor();
    let running = tokio::spawn(async move { executor.execute(invocation).await });
    while service.requests().is_empty() {
        tokio::task::yield_now().await;
    }
    stop.stop(StopCause::TimedOut);
    assert_eq!(running.await.unwrap().ending, Ending::Stopped);
}

/// HT-15: headers contain variables that the hook names, and no others.
#[tokio::test]
async fn headers_hold_named_variables_alone() {
    let mut stage = Stage::new();
    stage.set("HOOK_WORD", "s3cret");
    let service = Service::answering(&["HTTP/1.1 204 No Content\r\n\r\n"]);
    let with = |allowed: &[&str], header: &str, value: &str| HttpRequest {
        headers: [(header.to_owned(), value.to_owned())].into(),
        allowed_env: allowed.iter().map(|it| (*it).to_owned()).collect(),
        ..to(&service.address)
    };
    let executor = stage.executor();
    let good = with(&["HOOK_WORD"], "authorization", "Bearer $HOOK_WORD");
    let completion = executor.execute(asked(&stage, good)).await;
    assert_eq!(completion.ending, Ending::Exited(0), "{completion:?}");
    assert!(service.requests()[0].contains("authorization: Bearer s3cret\r\n"));
    for wrong in [
        with(&[], "authorization", "Bearer $HOOK_WORD"),
        with(&["HOOK_NONE"], "authorization", "$HOOK_NONE"),
        with(&[], "idempotency-key", "mine"),
        with(&[], "not a header", "x"),
    ] {
        let completion = executor.execute(asked(&stage, wrong)).await;
        assert!(
            matches!(completion.ending, Ending::NotStarted(_)),
            "{completion:?}"
        );
    }
    assert_eq!(service.requests().len(), 1);
}

/// HT-15: a project's hook reaches only what the user or the system allowed.
#[tokio::test]
async fn a_projects_hook_reaches_what_is_allowed() {
    let mut stage = Stage::new();
    let service = Service::answering(&["HTTP/1.1 204 No Content\r\n\r\n"]);
    let of_project = |stage: &Stage, layer| {
        let mut invocation = asked(stage, to(&format!("{}/check", service.address)));
        Arc::make_mut(&mut invocation.hook).source.layer = layer;
        invocation
    };
    for layer in [Some(Layer::Project), None] {
        let invocation = of_project(&stage, layer);
        let refused = stage.executor().execute(invocation).await;
        let Ending::NotStarted(why) = &refused.ending else {
            panic!("{refused:?}");
        };
        assert!(why.contains("http.allowed"), "{why}");
    }
    assert_eq!(service.connections(), 0);
    stage.surroundings.http_allowed = vec![service.address.clone()];
    let invocation = of_project(&stage, Some(Layer::Project));
    let completion = stage.executor().execute(invocation).await;
    assert_eq!(completion.ending, Ending::Exited(0), "{completion:?}");
}

/// HT-15, IO-21: a service whose handshake never ends was never asked, and the hook couldn't start;
/// one that was asked and doesn't answer uses its time.
#[tokio::test]
async fn a_handshake_without_an_end_is_no_question() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    for (address, is_asked) in [
        (format!("https://{address}"), false),
        (format!("http://{address}"), true),
    ] {
        let stage = Stage::new();
        let mut invocation = asked(&stage, to(&address));
        let hook = Arc::make_mut(&mut invocation.hook);
        hook.timeout = std::time::Duration::from_millis(500);
        let stop = invocation.stop.clone();
        let executor = stage.executor();
        let stops = async {
            tokio::time::sleep(std::time::Duration::from_secs(3)).await;
            stop.stop(StopCause::TimedOut);
        };
        let (completion, ()) = tokio::join!(executor.execute(invocation), async {
            if is_asked {
                stops.await;
            }
        });
        let could_not_start = matches!(completion.ending, Ending::NotStarted(_));
        assert_eq!(could_not_start, !is_asked, "{completion:?}");
    }
}
