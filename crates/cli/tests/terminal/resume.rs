//! Continuing an earlier session (SE-11).

use hookloop_testkit::wait_until;

use crate::world::{CONTROL_C, ENTER, ESCAPE, Session, World};

fn world() -> World {
    let world = World::new().says(&["the **first** answer"]);
    let start = world.noting("SessionStart");
    let end = world.noting("SessionEnd");
    world.hooks(&[
        ("SessionStart", "start", &start),
        ("SessionEnd", "end", &end),
    ])
}

/// Holds a session about apples, and begins another one.
fn earlier_session(world: &World) -> Session {
    let mut session = world.start(&[]);
    session.sends("about apples");
    session.sees("the first answer");
    session.sends("/quit");
    session.ends();
    world.start(&[])
}

/// SE-11: what was said before is shown when a session is resumed, by its number or as the latest
/// one: one that was only opened isn't meant.
#[test]
fn the_conversation_is_shown_again() {
    let world = world();
    let mut session = earlier_session(&world);
    session.sends("/quit");
    session.ends();
    for choice in ["1", "latest"] {
        let mut session = world.start(&["--resume", choice]);
        session.sees("resumed with 2 messages");
        session.sees("> about apples");
        session.sees("the first answer");
        session.sends("/quit");
        session.ends();
    }
}

/// SE-1, SE-11: a session that is chosen replaces the current one: hooks see the end of the one and
/// the beginning of the other, and the model knows what was said.
#[test]
fn another_session_is_chosen() {
    let world = world();
    let mut session = earlier_session(&world);
    session.sends("/resume");
    session.sees("Sessions of this project · 1 of 1");
    session.sees("about apples");
    session.types(ESCAPE);
    session.is_at_prompt();
    assert_eq!(world.noted("SessionEnd").len(), 1);
    session.sends("/resume");
    session.sees("Sessions of this project");
    session.types("/ANSWER");
    session.sees("/ANSWER  1 of 1");
    session.types(ENTER);
    session.sees("Continuing the session of");
    session.sees("> about apples");
    let (starts, ends) = (world.noted("SessionStart"), world.noted("SessionEnd"));
    assert_eq!(ends[1]["reason"], "exit");
    assert_eq!(ends[1]["session_id"], starts[1]["session_id"]);
    assert_eq!(starts[2]["source"], "resume");
    assert_eq!(starts[2]["session_id"], starts[0]["session_id"]);
    session.sends("and again");
    let transcript = starts[2]["transcript_path"].as_str().unwrap();
    wait_until("both prompts in one transcript", || {
        let text = std::fs::read_to_string(transcript).unwrap();
        text.contains("about apples") && text.contains("and again")
    });
}

/// SE-11: a session is named by its number, its id or as the latest one; another name is an
/// error that ends nothing.
#[test]
fn another_session_is_named() {
    let world = world();
    let mut session = earlier_session(&world);
    session.sends("/resume 7");
    session.sees("there is no other session \"7\"");
    assert_eq!(world.noted("SessionEnd").len(), 1);
    session.sends("/resume latest");
    session.sees("> about apples");
    session.sees("Continuing the session of");
    session.sends("/resume");
    session.sees("This project has no other session");
    session.types(CONTROL_C);
    session.types(CONTROL_C);
    session.ends();
    assert_eq!(world.noted("SessionEnd").len(), 3);
}

/// SE-10, SE-11: a session that is open elsewhere can't be continued or deleted in any way, which
/// is reported with the remedy, and its record stays whole; once it has ended, it can be.
#[test]
fn a_session_that_is_open_is_not_continued() {
    let world = World::new().says(&["the first answer"]);
    let mut open = world.start(&[]);
    open.sends("about apples");
    open.sees("the first answer");
    for options in [["--resume", "latest"], ["--delete-session", "latest"]] {
        let mut refused = world.start(&options);
        assert_eq!(refused.ends(), 1, "{options:?}");
        refused.sees("this session is open elsewhere");
    }
    let mut other = world.start(&[]);
    other.sends("/resume 1");
    other.sees("this session is open elsewhere");
    other.sends("/quit");
    other.ends();
    open.sends("/quit");
    assert_eq!(open.ends(), 0);
    let session = world.start(&["--resume", "1"]);
    session.sees("resumed with 2 messages");
}
