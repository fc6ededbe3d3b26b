//! The question about hooks that nobody has agreed to yet (TR-2).

use serde_json::json;

use crate::world::{CONTROL_D, Session, World};

fn world() -> World {
    let world = World::new().says(&["hello"]);
    world.sandbox.script("mark.sh", "#!/bin/sh\ntouch ran\n");
    world.project_hooks(&[("SessionStart", "mark", "./mark.sh")])
}

fn asks(world: &World) -> Session {
    let session = world.start(&[]);
    session.sees("May this hook run?");
    for text in [
        "SessionStart mark (new)",
        "./mark.sh",
        "settings.json:1:",
        "3. Skip this time",
    ] {
        session.sees(text);
    }
    assert!(
        !world.path("ran").exists(),
        "nothing ran before a person agreed"
    );
    session
}

/// TR-2: a trusted hook runs, now and in the next session without a question.
#[test]
fn a_trusted_hook_runs() {
    let world = world();
    let mut session = asks(&world);
    session.answers("1");
    session.is_at_prompt();
    assert!(world.path("ran").exists());
    session.types(CONTROL_D);
    assert_eq!(session.ends(), 0);
    std::fs::remove_file(world.path("ran")).unwrap();
    world.start(&[]).is_at_prompt();
    assert!(world.path("ran").exists());
}

/// TR-2: a skipped hook doesn't run, which is reported, and the next session asks again.
#[test]
fn a_skipped_hook_does_not_run() {
    let world = world();
    let mut session = asks(&world);
    session.answers("3");
    session.sees("is skipped");
    session.sends("hi");
    session.sees("hello");
    assert!(!world.path("ran").exists());
    session.is_at_prompt();
    session.types(CONTROL_D);
    session.ends();
    asks(&world);
}

/// TR-2: who quits starts no session at all.
#[test]
fn quitting_starts_nothing() {
    let world = world();
    let mut session = asks(&world);
    session.answers("4");
    assert_eq!(session.ends(), 0);
    assert!(!world.path("ran").exists());
}

/// TR-2: a hook that changed is asked about again, with what changed.
#[test]
fn a_changed_hook_is_asked_about_again() {
    let world = world();
    let mut session = asks(&world);
    session.answers("1");
    session.is_at_prompt();
    session.types(CONTROL_D);
    session.ends();
    world
        .sandbox
        .script("mark.sh", "#!/bin/sh\ntouch ran other\n");
    let session = world.start(&[]);
    session.sees("SessionStart mark (modified)");
    session.sees("mark.sh changed since it was trusted");
    session.sees("+touch ran other");
    session.sees("-touch ran");
    assert!(!world.path("other").exists());
}

/// TR-6: trust that is withdrawn while a session waits also applies to the hooks of its end.
#[test]
fn trust_that_was_taken_away_holds_at_the_end() {
    let world = World::new().says(&["hello"]);
    let end = ("SessionEnd", "mark", "touch ran");
    let world = world.project_hooks(&[end]);
    let mut session = world.start(&[]);
    session.sees("May this hook run?");
    session.answers("1");
    session.is_at_prompt();
    let trusted = world.sandbox.home().join(".gemini/trusted_hooks.json");
    std::fs::write(trusted, "{}").unwrap();
    session.types(CONTROL_D);
    assert_eq!(session.ends(), 0);
    assert!(!world.path("ran").exists());
}

/// TR-11: an agent that starts a session on a terminal that it created answers nothing instead of a
/// person: neither whether hooks may run, nor what a hook asks, nor whether guards are let go.
#[test]
fn an_agent_answers_nothing_in_a_persons_place() {
    let world = world().runs("touch changed").says(&["done"]);
    let ask = r#"echo '{"decision":"ask","reason":"a person decides"}'"#;
    let world = world.hooks(&[("BeforeTool", "guard", ask)]);
    let mark = json!({
        // The agent's terminal isn't this one.
        "pid": u32::MAX,
        "home": world.sandbox.home(),
        "project": world.sandbox.project(),
    });
    let mark = mark.to_string();
    let marked = [("HOOKLOOP_AGENT", mark.as_str())];
    let mut session = world.start_on(200, &marked, &["--yolo"]);
    session.sees("you aren't asked here");
    session.is_at_prompt();
    assert!(!world.path("ran").exists());
    session.sends("hi");
    session.sees("hello");
    session.sends("go");
    session.sees("done");
    assert!(!world.path("changed").exists());
    session.is_at_prompt();
    let world = world.hooks(&[]);
    session.sends("let them go");
    session.sees("the hooks stay in force: an agent (hookloop) started this session");
    assert!(!world.path("ran").exists());
}
