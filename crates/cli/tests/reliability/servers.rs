//! A model's server that breaks off, refuses, lies or says nothing: a clear message, no hang, and
//! a conversation that continues.

use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::OwnedFd;
use std::thread;
use std::time::Duration;

use hookloop_testkit::model_server::{Gate, ModelServer, Reply};
use hookloop_testkit::{Finished, Sandbox, wait_until};
use rustix::net::{self, AddressFamily, SocketType};
use rustix::process::Signal;
use serde_json::json;

use crate::service::Service;
use crate::world::{Running, run, served};

/// A way to misbehave, and the expected result.
struct Case {
    name: &'static str,
    replies: Vec<Reply>,
    /// What the user reads in the end; `None` if the response comes after all.
    message: Option<&'static str>,
    /// What the user saw of the responses.
    shown: &'static str,
    /// What the conversation contains of them.
    kept: &'static str,
    /// How often the server is called.
    requests: usize,
}

impl Case {
    /// A server that fails at once, and the expected message.
    fn fails(name: &'static str, reply: Reply, message: &'static str) -> Self {
        Self {
            name,
            replies: vec![reply],
            message: Some(message),
            shown: "",
            kept: "",
            requests: 1,
        }
    }

    /// A server that fails in the middle of its response.
    fn breaks(name: &'static str, reply: Reply, message: &'static str) -> Self {
        Self {
            shown: "tok-half",
            kept: "tok-half",
            ..Self::fails(name, reply, message)
        }
    }

    /// A server whose connection breaks in the middle of each of its responses: it is called again,
    /// but not forever.
    fn cuts(name: &'static str, reply: &Reply) -> Self {
        Self {
            shown: "tok-half\ntok-half\ntok-half\ntok-half",
            kept: "tok-half",
            ..Self::fails_for_ever(name, reply, "the answer was cut off")
        }
    }

    /// A server that fails each time that it is called.
    fn fails_for_ever(name: &'static str, reply: &Reply, message: &'static str) -> Self {
        Self {
            replies: vec![reply.clone(); 4],
            requests: 4,
            ..Self::fails(name, Reply::new(), message)
        }
    }

    /// A server that answers after all.
    fn answers(name: &'static str, replies: Vec<Reply>) -> Self {
        Self {
            name,
            requests: replies.len(),
            replies,
            message: None,
            shown: "tok-whole",
            kept: "tok-whole",
        }
    }
}

const SETTINGS: &str = r#"{"model": {"idleTimeout": "3s"}}"#;

/// Runs a session with a server that misbehaves, and then continues with one that doesn't.
fn play(service: Service, case: Case) {
    let place = format!("{service:?}, {}", case.name);
    let sandbox = Sandbox::new();
    sandbox.user_settings(SETTINGS);
    let server = ModelServer::start(case.replies);
    let arguments = ["-p", "tok-first"];
    let finished = run(served(&sandbox, service, &server, &arguments));
    assert_eq!(server.requests().len(), case.requests, "{place}");
    let Finished { stdout, stderr, .. } = &finished;
    assert_eq!(stdout.trim_end(), case.shown, "{place}: {stderr}");
    match case.message {
        None => assert_eq!(finished.code, Some(0), "{place}: {stderr}"),
        Some(message) => {
            assert_eq!(finished.code, Some(1), "{place}: {stderr}");
            assert!(stderr.contains(message), "{place}: {stderr}");
            assert!(stderr.contains(&server.url()), "{place}: {stderr}");
        }
    }
    let kept = match case.message {
        None => Kept::Whole(case.kept),
        Some(_) => Kept::Half(case.kept),
    };
    goes_on(&sandbox, service, kept, &place);
}

/// What the conversation keeps of an answer.
#[derive(Clone, Copy)]
enum Kept<'a> {
    Whole(&'a str),
    /// It says that it is incomplete.
    Half(&'a str),
}

/// Continues with a session: the conversation contains what was said and what was shown of the
/// answer.
fn goes_on(sandbox: &Sandbox, service: Service, kept: Kept<'_>, place: &str) {
    let (Kept::Whole(shown) | Kept::Half(shown)) = kept;
    let server = ModelServer::start([service.says("tok-resumed")]);
    let arguments = ["--resume", "latest", "-p", "tok-second"];
    let resumed = run(served(sandbox, service, &server, &arguments));
    assert_eq!(resumed.code, Some(0), "{place}: {}", resumed.stderr);
    assert_eq!(resumed.stdout, "tok-resumed\n", "{place}");
    let request = &server.requests()[0];
    let sent = String::from_utf8_lossy(&request.body).into_owned();
    let said = service.conversation(request);
    let texts: Vec<&str> = said.iter().map(|(_, text)| text.as_str()).collect();
    let roles: Vec<&str> = said.iter().map(|(role, _)| role.as_str()).collect();
    for part in ["functionCall\"", "functionResponse\"", "tool_calls\""] {
        assert!(!sent.contains(part), "{place}: {sent}");
    }
    if shown.is_empty() {
        // Services require that speakers alternate.
        assert_eq!(roles, ["user"], "{place}: {said:?}");
        let both = texts[0].starts_with("tok-first") && texts[0].ends_with("tok-second");
        assert!(both, "{place}: {said:?}");
    } else {
        assert_eq!(roles, ["user", service.model(), "user"], "{place}");
        let answer = texts[1];
        let answer = match kept {
            Kept::Whole(_) => answer,
            Kept::Half(_) => {
                answer
                    .split_once("\n\n[This answer is incomplete: ")
                    .unwrap()
                    .0
            }
        };
        assert_eq!(
            [texts[0], answer, texts[2]],
            ["tok-first", shown, "tok-second"],
            "{place}"
        );
    }
}

/// Plays cases of both services in parallel.
fn play_all(cases: impl Fn(Service) -> Vec<Case>) {
    thread::scope(|scope| {
        for service in Service::ALL {
            for case in cases(service) {
                scope.spawn(move || play(service, case));
            }
        }
    });
}

/// MO-1, MO-2, LO-3: a response that breaks off is requested again, and after the last attempt it
/// is an error that says so; what was shown of that one stays, and nothing else.
#[test]
fn answers_that_break_off() {
    play_all(|service| {
        let begins = || service.begins("tok-half");
        let chunk = service.chunk("é");
        let cut = chunk.find('é').unwrap() + 1;
        let event = format!("data: {chunk}\n\n");
        let (front, back) = event.as_bytes().split_at("data: ".len() + cut);
        vec![
            Case::cuts("cut between chunks", &begins().close()),
            Case::cuts("cut in a chunk", &begins().piece("data: {\"cand").close()),
            Case::cuts(
                "half a chunk at the end",
                &begins().piece("data: {\"can").end(),
            ),
            Case::cuts("cut in a character", &begins().piece(front).close()),
            Case::cuts("half a character at the end", &begins().piece(front).end()),
            Case::breaks(
                "invalid JSON",
                begins().event("{\"cand}").end(),
                "can't be read",
            ),
            Case {
                shown: "tok-half\ntok-whole",
                ..Case::answers(
                    "cut, then not",
                    vec![begins().close(), service.says("tok-whole")],
                )
            },
            Case {
                shown: "tok-halfé",
                kept: "tok-halfé",
                ..Case::answers(
                    "a character in two pieces",
                    vec![service.ends(begins().piece(front).piece(back))],
                )
            },
        ]
    });
}

/// MO-1, MO-2: what isn't a response is an error that shows how it begins; an endless one ends.
#[test]
fn answers_that_are_none() {
    play_all(|_| {
        let html = "<html><body>Sign in to the hotel's network</body></html>";
        let html = Reply::whole("200 OK", &[("content-type", "text/html")], html);
        vec![
            Case::fails("garbage", html, "Sign in to the hotel"),
            Case::fails("invalid JSON", Reply::events(&["{\"a"]), "can't be read"),
            Case::fails("nothing", Reply::stream().end(), "the answer is empty"),
            Case::fails("no body", Reply::json("200 OK", ""), "the answer is empty"),
            Case::fails(
                "an endless line",
                Reply::stream()
                    .piece("data: ")
                    .flood(b'x', 100 * 1024 * 1024),
                "it is too large",
            ),
        ]
    });
}

/// MO-1: a server that is busy, or fails, is called again when it says so or after a while, but not
/// forever.
#[test]
fn servers_that_refuse() {
    play_all(|service| {
        let good = || service.says("tok-whole");
        let failed = Reply::json("500 Internal Server Error", r#"{"error":{"message":"oh"}}"#);
        vec![
            Case::answers("busy, then not", vec![busy(service, "0.2"), good()]),
            Case::fails_for_ever("busy for ever", &busy(service, "0.1"), "429"),
            Case::fails("busy for the day", busy(service, "86400"), "429"),
            Case::answers("failing, then not", vec![failed.clone(), good()]),
            Case::fails_for_ever("failing for ever", &failed, "500: the server failed: oh"),
            Case::answers("broken, then not", vec![Reply::new().close(), good()]),
        ]
    });
}

/// Builds a refusal that asks to wait for this many seconds, in the service's own way.
fn busy(service: Service, seconds: &str) -> Reply {
    let status = "429 Too Many Requests";
    match service {
        Service::Gemini => Reply::json(
            status,
            &json!({"error": {"code": 429, "message": "slow down", "details": [{
                "@type": "type.googleapis.com/google.rpc.RetryInfo",
                "retryDelay": format!("{seconds}s"),
            }]}})
            .to_string(),
        ),
        Service::OpenAi => {
            let milliseconds = seconds.parse::<f64>().unwrap() * 1000.0;
            let wait = format!("{milliseconds}");
            let body = r#"{"error":{"message":"slow down"}}"#;
            Reply::whole(status, &[("retry-after-ms", &wait)], body)
        }
    }
}

/// MO-1: a server that says nothing for as long as `model.idleTimeout` has failed; a slow one
/// hasn't.
#[test]
fn servers_that_say_nothing() {
    let silence = "has said nothing for 3 s";
    play_all(|service| {
        let bytes = format!("data: {}\n\n", service.chunk("tok-whole"));
        let slow = bytes.bytes().fold(Reply::stream(), |reply, byte| {
            reply.piece([byte]).pause(Duration::from_millis(3500) / 80)
        });
        vec![
            Case::fails("silent", Reply::new().await_close(&Gate::new()), silence),
            Case::breaks(
                "silent in the middle",
                service.begins("tok-half").await_close(&Gate::new()),
                silence,
            ),
            Case::answers("slow", vec![service.ends(slow)]),
        ]
    });
}

/// Reserves a port on which nobody listens.
fn silent_port() -> (u16, OwnedFd) {
    let socket = net::socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    net::bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = SocketAddrV4::try_from(net::getsockname(&socket).unwrap()).unwrap();
    (address.port(), socket)
}

/// MO-1: a missing server is reported as such.
#[test]
fn a_server_that_is_not_there() {
    thread::scope(|scope| {
        for service in Service::ALL {
            scope.spawn(move || {
                let sandbox = Sandbox::new();
                let server = ModelServer::start([]);
                let mut command = served(&sandbox, service, &server, &["-p", "tok-first"]);
                // Bound but never listening: nobody answers there, and nobody else gets the port.
                let (port, _socket) = silent_port();
                let address = format!("http://127.0.0.1:{port}");
                command.envs(service.variables(&address));
                let finished = run(command);
                assert_eq!(finished.code, Some(1), "{}", finished.stderr);
                let said = finished.stderr.contains("no connection");
                assert!(said, "{}", finished.stderr);
                goes_on(&sandbox, service, Kept::Half(""), "nobody there");
            });
        }
    });
}

/// MO-1, SE-10: a call in a response that breaks off isn't run, now or later.
#[test]
fn a_call_that_breaks_off_is_not_carried_out() {
    let sandbox = Sandbox::new();
    let arguments = json!({"file_path": "written", "content": "x"});
    let call = json!({"candidates": [{"content": {"role": "model", "parts": [
        {"functionCall": {"name": "write_file", "args": arguments}}
    ]}}]});
    let service = Service::Gemini;
    let reply = service.begins("tok-half").event(&call.to_string()).close();
    let server = ModelServer::start(vec![reply; 4]);
    let arguments = ["--yolo", "-p", "tok-first"];
    let finished = run(served(&sandbox, service, &server, &arguments));
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    goes_on(&sandbox, service, Kept::Half("tok-half"), "a call");
    assert!(!sandbox.project().join("written").exists());
}

/// LO-4, AG-CLI-4: a response that nobody wants to wait for is abandoned at once, including the
/// wait for another attempt.
#[test]
fn waiting_is_given_up() {
    thread::scope(|scope| {
        for service in Service::ALL {
            for (name, reply, shown) in [
                ("silent", Reply::new(), ""),
                (
                    "silent in the middle",
                    service.begins("tok-half"),
                    "tok-half",
                ),
                ("busy", busy(service, "60"), ""),
            ] {
                scope.spawn(move || {
                    let sandbox = Sandbox::new();
                    let server = ModelServer::start([reply]);
                    let arguments = ["-p", "tok-first"];
                    let session = Running::start(served(&sandbox, service, &server, &arguments));
                    wait_until("the server is asked", || !server.requests().is_empty());
                    session.signal(Signal::INT);
                    let finished = session.ends();
                    assert_eq!(finished.code, Some(130), "{name}: {}", finished.stderr);
                    // Whether the first words were read before depends on chance.
                    let shown = finished.stdout.trim_end() == shown || finished.stdout.is_empty();
                    assert!(shown, "{name}: {}", finished.stdout);
                    let kept = Kept::Half(finished.stdout.trim_end());
                    goes_on(&sandbox, service, kept, name);
                });
            }
        }
    });
}
