use hookloop_testkit::model_server::{ModelServer, Reply};
use hookloop_testkit::wait_until;
use serde_json::json;

use crate::collector::{Spans, willing};
use crate::on_terminal::{CONTROL_D, World};
use crate::scene::{hook, of};

fn traced(world: World, address: &str) -> World {
    let settings = json!({
        "telemetry": { "enabled": true, "otlpEndpoint": address },
        "hooks": { "BeforeAgent": of(&[hook("judge", "true")]) },
    });
    world.sandbox.user_settings(&settings.to_string());
    world
}

/// TE-3: each turn of a terminal session is a trace, which is sent while the session continues;
/// a session that begins with `/clear` is traced as well.
#[test]
fn a_terminal_session_is_traced() {
    let server = willing();
    let world = World::new()
        .says(&["first answer"])
        .says(&["second answer"]);
    let world = traced(world, &server.url());
    let mut session = world.start(&[]);
    session.is_at_prompt();
    session.sends("one");
    session.sees("first answer");
    wait_until("the first turn arrived", || {
        Spans::of(&server).named("hookloop.turn").len() == 1
    });
    session.sends("/clear");
    session.sees("A new session has started.");
    session.sends("two");
    session.sees("second answer");
    session.is_at_prompt();
    session.types(CONTROL_D);
    assert_eq!(session.ends(), 0);
    let spans = Spans::of(&server);
    let turns = spans.named("hookloop.turn");
    assert_eq!(turns.len(), 2);
    assert_ne!(turns[0].trace, turns[1].trace);
    assert_ne!(
        turns[0].attributes["session.id"],
        turns[1].attributes["session.id"]
    );
    for hook in spans.hooks("judge") {
        assert_eq!(spans.parent_of(hook).name, "hookloop.turn");
    }
    assert_eq!(spans.hooks("judge").len(), 2);
}

/// TE-3: a terminal session continues without its collector, and reports that while it runs.
#[test]
fn a_terminal_session_tells_of_lost_spans() {
    let server = ModelServer::start([Reply::json("404 Not Found", "{}")]);
    let world = traced(World::new().says(&["an answer"]), &server.url());
    let mut session = world.start(&[]);
    session.is_at_prompt();
    session.sends("one");
    session.sees("spans can't be sent");
    session.is_at_prompt();
    session.types(CONTROL_D);
    assert_eq!(session.ends(), 0);
}
