use std::net::TcpListener;

use hookloop_testkit::Finished;
use hookloop_testkit::model_server::{Gate, ModelServer, Reply};
use serde_json::json;

use crate::collector::{rejecting, requests};
use crate::scene::Scene;

/// Runs a session with a collector that doesn't accept its spans: nothing fails because of that,
/// and it is reported once, with the place of the setting.
fn loses(address: &str) -> String {
    let scene = Scene::new().says("Hello.").settings(address, &json!({}));
    let Finished {
        code,
        stdout,
        stderr,
    } = scene.run(&[]);
    assert_eq!((code, stdout.as_str()), (Some(0), "Hello.\n"), "{stderr}");
    let reported: Vec<&str> = stderr.lines().filter(|it| it.contains("span")).collect();
    let [reported] = *reported else {
        panic!("{stderr}");
    };
    assert!(reported.contains("/.gemini/settings.json:"), "{reported}");
    assert!(reported.contains(address), "{reported}");
    reported.to_owned()
}

/// TE-3: nothing fails because of a missing collector, which is reported.
#[test]
fn a_collector_that_is_not_there_is_reported() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let reported = loses(&address);
    assert!(reported.contains("lost so far: 2"), "{reported}");
}

/// TE-3: a silent collector doesn't delay the end of a session.
#[test]
fn a_silent_collector_does_not_hold_the_session_up() {
    let never = Gate::new();
    let server = ModelServer::start([Reply::new().wait(&never)]);
    let reported = loses(&server.url());
    // The session ended while the collector still was silent.
    assert_eq!(server.connections(), 1);
    never.open();
    assert!(reported.contains("within 2 s"), "{reported}");
}

/// TE-3: a collector's refusal is reported with its response; temporary ones are tried again.
#[test]
fn a_refusing_collector_is_reported() {
    let server = ModelServer::start([Reply::json("400 Bad Request", "{}")]);
    assert!(loses(&server.url()).contains("400"));
    assert_eq!(server.requests().len(), 1);

    let busy = || Reply::json("503 Service Unavailable", "{}");
    let server = ModelServer::start([busy(), busy(), busy()]);
    assert!(loses(&server.url()).contains("503"));
    assert_eq!(server.requests().len(), 3);
}

/// TE-3: what a collector rejects of what it accepts is reported.
#[test]
fn rejected_spans_are_reported() {
    let server = ModelServer::start([rejecting(1, "too long")]);
    let reported = loses(&server.url());
    assert!(reported.contains("too long"), "{reported}");
    assert!(reported.contains("lost so far: 1"), "{reported}");
}

/// TE-3: spans that reach a collector with the second attempt aren't lost.
#[test]
fn what_arrives_with_another_attempt_is_not_lost() {
    let replies = [
        Reply::json("503 Service Unavailable", "{}"),
        Reply::whole("200 OK", &[], ""),
        Reply::whole("200 OK", &[], ""),
        Reply::whole("200 OK", &[], ""),
    ];
    let server = ModelServer::start(replies);
    let scene = Scene::new().says("Hello.");
    let scene = scene.settings(&server.url(), &json!({}));
    scene.runs_well(&[]);
    let spans = requests(&server, "traces").into_iter();
    let bodies: Vec<_> = spans.map(|it| it.body).collect();
    assert_eq!(bodies.len(), 2);
    assert_eq!(bodies[0], bodies[1]);
}

/// TE-4: nothing fails because of a collector that only accepts spans, and that is reported once.
#[test]
fn a_collector_without_logs_is_reported() {
    let replies = [
        Reply::whole("200 OK", &[], ""),
        Reply::json("404 Not Found", "{}"),
        Reply::json("404 Not Found", "{}"),
    ];
    let server = ModelServer::start(replies);
    let scene = Scene::new().says("Hello.");
    let scene = scene.settings(&server.url(), &json!({}));
    let finished = scene.run(&[]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let lines = finished.stderr.lines();
    let reported: Vec<_> = lines.filter(|it| it.contains("404")).collect();
    assert_eq!(reported.len(), 1, "{}", finished.stderr);
    assert!(
        reported[0].contains("log records can't be sent to"),
        "{}",
        reported[0]
    );
}
