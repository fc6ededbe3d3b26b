//! How a session ends, and that nothing is left of it.

use hookloop_testkit::{is_process_alive, wait_until};

use crate::world::{CONTROL_C, CONTROL_D, World};

fn noting_end() -> World {
    let world = World::new();
    let note = world.noting("SessionEnd");
    let message = format!("{note}; echo '{{\"systemMessage\":\"good bye\"}}'");
    world.hooks(&[("SessionEnd", "note", &message)])
}

fn reasons(world: &World) -> Vec<String> {
    let noted = world.noted("SessionEnd");
    let reasons = noted
        .iter()
        .map(|it| it["reason"].as_str().unwrap().to_owned());
    reasons.collect()
}

/// SE-1, SE-2: each way to leave has its reason, and a message of the end is shown.
#[test]
fn each_way_to_leave_has_its_reason() {
    for (keys, reason) in [
        (CONTROL_D, "prompt_input_exit"),
        ("/quit\r", "exit"),
        ("\x03\x03", "exit"),
    ] {
        let world = noting_end();
        let mut session = world.start(&[]);
        session.is_at_prompt();
        session.types(keys);
        assert_eq!(session.ends(), 0, "{keys:?}");
        assert_eq!(reasons(&world), [reason]);
        session.sees("Hook system message: good bye");
    }
}

/// SE-2, ST-11: the last messages are shown, however soon the program ends after them: from a hook
/// that outlasts the session, and several lines in a row.
#[test]
fn the_last_words_are_shown() {
    for _ in 0..4 {
        let world = World::new().hooks(&[
            ("SessionEnd", "late", "sleep 20"),
            ("SessionEnd", "first", "echo '{\"systemMessage\":\"one\"}'"),
        ]);
        let mut session = world.start(&[]);
        session.is_at_prompt();
        session.types("/quit\r");
        assert_eq!(session.ends(), 0);
        session.sees("[WARNING] Hook \"late\"");
        session.sees("Hook system message: one");
    }
}

/// SE-1: one Ctrl+C at the prompt only says how to leave.
#[test]
fn one_interrupt_at_the_prompt_does_not_leave() {
    let world = World::new().says(&["still here"]);
    let mut session = world.start(&[]);
    session.is_at_prompt();
    session.types("half a thought");
    session.sees("half a thought");
    session.types(CONTROL_C);
    session.sees("Press Ctrl+C again to exit.");
    session.sends("hello");
    session.sees("still here");
}

/// TU-4, IO-34, SE-1: a hang-up ends the running tool and the session, with its reason.
#[test]
fn a_hang_up_leaves_no_process() {
    let world = noting_end().runs("echo $$ > pid; exec sleep 100");
    let mut session = world.start(&["--yolo"]);
    session.sends("sleep");
    let mut tool = None;
    wait_until("the tool runs", || {
        let text = std::fs::read_to_string(world.path("pid")).unwrap_or_default();
        tool = text.strip_suffix('\n').and_then(|it| it.parse().ok());
        tool.is_some()
    });
    session.hang_up();
    session.ends();
    wait_until("the tool is gone", || !is_process_alive(tool.unwrap()));
    wait_until("the end is noted", || !reasons(&world).is_empty());
    assert_eq!(reasons(&world), ["other"]);
}

/// TU-4: a hang-up while a hook runs ends the hook.
#[test]
fn a_hang_up_ends_a_running_hook() {
    let hook = "echo $$ > pid; exec sleep 100";
    let world = World::new().hooks(&[("BeforeAgent", "slow", hook)]);
    let mut session = world.start(&[]);
    session.sends("hello");
    let mut running = None;
    wait_until("the hook runs", || {
        let text = std::fs::read_to_string(world.path("pid")).unwrap_or_default();
        running = text.strip_suffix('\n').and_then(|it| it.parse().ok());
        running.is_some()
    });
    session.hang_up();
    session.ends();
    wait_until("the hook is gone", || !is_process_alive(running.unwrap()));
}
