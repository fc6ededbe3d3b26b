//! A terminal that takes little, or nothing for a while, during a long answer: keys count at once,
//! and what they do is shown soon. Everything is measured in bytes, not in time.

use hookloop_testkit::model_server::{Gate, ModelServer, Reply};
use hookloop_testkit::wait_until;
use serde_json::json;

use crate::world::{CONTROL_C, ESCAPE, PLACEHOLDER, Session, World};

/// What a session may have on its way to a terminal (the system's buffers, and a frame or two).
const BUFFERS: usize = 32_000;
/// How much a terminal's reader takes at most after it was told to stop.
const ONE_READ: usize = 4096;
/// How many pieces a long answer has, each of about 40 bytes.
const PIECES: usize = 20_000;

/// A service that sends a long answer, which never ends, and opens the gate when the session hangs
/// up.
fn endless(closed: &Gate) -> ModelServer {
    let text = "many words of a model, line by line\n\n";
    let event =
        json!({ "candidates": [{ "content": { "role": "model", "parts": [{ "text": text }] } }] });
    let event = event.to_string();
    let reply = (0..PIECES).fold(Reply::stream(), |reply, _| reply.event(&event));
    ModelServer::start([reply.await_close(closed)])
}

fn is_asking(bytes: &str) -> bool {
    bytes.contains(PLACEHOLDER) && bytes.contains("\x1b]11;?")
}

/// LO-4, TU-5: Esc and Ctrl+C cancel the model's call while a terminal takes nothing at all of a
/// long answer, and what was typed meanwhile is there when it takes something again, after no more
/// than what was in its buffers.
#[test]
fn keys_count_while_the_terminal_takes_nothing() {
    for key in [ESCAPE, CONTROL_C] {
        let closed = Gate::new();
        let service = endless(&closed);
        let world = World::new();
        let mut session = world.start_with(&service, &[]);
        session.is_at_prompt();
        session.types("go\r");
        session.sees("many words of a model");
        session.stall();
        let taken = session.bytes().len();
        session.types("zqzq");
        session.types(key);
        closed.wait("the call is cancelled");
        let since = session.bytes().len() - taken;
        assert!(since <= ONE_READ, "{key:?}: only after {since} bytes");
        session.go_on();
        session.sees("> zqzq");
        session.sees("Request cancelled.");
        let since = session.bytes().len() - taken;
        assert!(since < 2 * BUFFERS, "{key:?}: {since} bytes were drawn");
    }
}

/// TU-5: what waits for a slow terminal gives way when the answer is cancelled: that it is, is
/// shown next.
#[test]
fn a_cancelled_answer_is_not_shown_to_its_end() {
    let closed = Gate::new();
    let service = endless(&closed);
    let world = World::new();
    let mut session = world.start_with(&service, &[]);
    let mut answered = 0;
    session.answers_until("the prompt", &mut answered, is_asking);
    session.slow_down_much();
    session.types("go\r");
    session.answers_until("the flood", &mut answered, |it| it.len() > 16_000);
    let before = session.bytes().len();
    session.types(ESCAPE);
    session.answers_until("the end", &mut answered, |it| {
        it[before..].contains("Request cancelled")
    });
    closed.wait("the call is cancelled");
    let ahead = session.bytes()[before..].find("Request cancelled").unwrap();
    assert!(ahead < 8_000, "{ahead} bytes came first");
}

/// TU-5: a terminal whose colours are known isn't asked before it proves slow, and is then.
#[test]
fn a_terminal_with_known_colours_is_asked_when_it_is_slow() {
    let closed = Gate::new();
    let service = endless(&closed);
    let world = World::new();
    let mut session = world.start_with(&service, &[("COLORFGBG", "15;0")]);
    session.is_at_prompt();
    session.slow_down_much();
    session.types("go\r");
    let mut answered = 0;
    session.answers_until("a question", &mut answered, |it| {
        it.contains("\x1b]11;?\x1b\\")
    });
    let asked = session.bytes().len();
    session.answers_until("the next ones", &mut answered, |it| {
        it.len() > asked + 4_000
    });
    let before = session.bytes().len();
    session.types("zqzq");
    session.answers_until("the key", &mut answered, |it| it.contains("zqzq"));
    let ahead = session.bytes().find("zqzq").unwrap() - before;
    assert!(ahead < 5_000, "{ahead} bytes came first");
    finish(session);
}

/// TU-5: a terminal that reports nothing is waited for once, and then no more than a little is
/// ahead of a key.
#[test]
fn a_silent_terminal_is_known_to_be_slow() {
    let closed = Gate::new();
    let service = endless(&closed);
    let world = World::new();
    let mut session = world.start_with(&service, &[]);
    session.is_at_prompt();
    session.slow_down_much();
    session.types("go\r");
    wait_until("the buffers are full, and emptied", || {
        session.bytes().len() > BUFFERS
    });
    for key in ["zqzq", "xjxj", "wvwv"] {
        let before = session.bytes().len();
        session.types(key);
        wait_until(key, || session.bytes()[before..].contains(key));
        let ahead = session.bytes()[before..].find(key).unwrap();
        assert!(ahead < 6_000, "{key}: {ahead} bytes came first");
    }
    finish(session);
}

/// Leaves a session that still shows an answer, with a text in its input line.
fn finish(mut session: Session) {
    session.types(CONTROL_C);
    session.types(CONTROL_C);
    session.types(CONTROL_C);
    session.ends();
}
