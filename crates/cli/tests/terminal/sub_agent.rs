//! Sub-agents on the terminal (TO-4).

use serde_json::json;

use crate::world::{CONTROL_C, World};

const FILE: &str = ".gemini/agents/helper.md";
const TEXT: &str = "---\nname: helper\ndescription: helps\n---\nYou help.\n";

fn delegating(world: World) -> World {
    world.sandbox.file(FILE, TEXT);
    let arguments = json!({"agent_name": "helper", "objective": "Touch it."});
    world.calls("delegate_to_agent", &arguments)
}

/// TO-4, TU-3: the calls of a sub-agent are shown under its name and ask like any others; what the
/// user allows for the session also applies to the session's own agent.
#[test]
fn its_calls_are_named_and_ask() {
    let world = delegating(World::new())
        .runs("touch a")
        .says(&["I touched it."])
        .runs("touch b")
        .says(&["All done."]);
    let mut session = world.start(&[]);
    session.sends("go");
    session.sees("Allow helper: run_shell_command?");
    assert!(!world.path("a").exists());
    session.answers("2");
    session.sees("All done.");
    session.is_at_prompt();
    assert!(world.path("a").exists() && world.path("b").exists());
}

/// TO-4, SE-11: after `/clear` the hooks within a sub-agent fire for the new session.
#[test]
fn after_clear_it_works_for_the_new_session() {
    let world = delegating(World::new().says(&["first"]))
        .says(&["I looked."])
        .says(&["All done."]);
    let hooks = [
        ("SessionStart", "begin", world.noting("SessionStart")),
        ("BeforeAgent", "prompt", world.noting("BeforeAgent")),
    ];
    let hooks = hooks.each_ref().map(|(e, n, c)| (*e, *n, c.as_str()));
    let world = world.hooks(&hooks);
    let mut session = world.start(&[]);
    session.sends("hello");
    session.sees("first");
    session.sends("/clear");
    session.sees("A new session has started.");
    session.sends("go");
    session.sees("All done.");
    session.sends("/quit");
    assert_eq!(session.ends(), 0);
    let (starts, prompts) = (world.noted("SessionStart"), world.noted("BeforeAgent"));
    let within = &prompts[2];
    assert_eq!(within["agent_name"], "helper");
    assert_eq!(within["session_id"], starts[1]["session_id"]);
    assert_ne!(within["session_id"], starts[0]["session_id"]);
}

/// TO-4, LO-4: Ctrl+C ends a sub-agent with the turn, and the session stays usable.
#[test]
fn an_interrupt_ends_it() {
    let world = delegating(World::new())
        .runs("touch a; exec sleep 100")
        .says(&["still here"]);
    let mut session = world.start(&["--yolo"]);
    session.sends("go");
    session.sees("helper: run_shell_command");
    hookloop_testkit::wait_until("the tool runs", || world.path("a").exists());
    session.types(CONTROL_C);
    session.sees("Request cancelled.");
    session.sends("and now?");
    session.sees("still here");
}
