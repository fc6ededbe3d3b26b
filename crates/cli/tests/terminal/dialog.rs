//! The dialog that asks whether a tool may run (TU-3).

use serde_json::json;

use crate::world::{ENTER, ESCAPE, Session, World};

const ASKS: &str =
    r#"echo '{"decision":"ask","reason":"a person decides","systemMessage":"careful"}'"#;

fn opens(world: &World, options: &[&str]) -> Session {
    let mut session = world.start(options);
    session.sends("go");
    session.sees("4. No, suggest changes (esc)");
    session
}

/// BT-5, TU-3: a hook's question shows its reason and message, in yolo mode too; Escape cancels,
/// nothing runs, and the session stays usable.
#[test]
fn escape_refuses_what_a_hook_asks_about() {
    let world = World::new().runs("touch ran").says(&["next turn"]);
    let world = world.hooks(&[("BeforeTool", "guard", ASKS)]);
    let mut session = opens(&world, &["--yolo"]);
    for text in [
        "Allow run_shell_command?",
        "$ touch ran",
        "The hook \"guard\" asks: a person decides",
        "Hook system message: careful",
        "1. Allow once",
        "2. Allow always",
        "3. Edit",
    ] {
        session.sees(text);
    }
    session.types(ESCAPE);
    session.sees("Request cancelled.");
    session.sends("go on");
    session.sees("next turn");
    assert!(!world.path("ran").exists());
}

/// TU-3, TO-6: a write is asked about with its diff, and runs once it is allowed.
#[test]
fn an_allowed_write_runs() {
    let arguments = json!({ "file_path": "new.txt", "content": "first line\n" });
    let world = World::new()
        .calls("write_file", &arguments)
        .says(&["written"]);
    let mut session = opens(&world, &[]);
    session.sees("+first line");
    assert!(!world.path("new.txt").exists());
    session.answers("1");
    session.sees("written");
    let text = std::fs::read_to_string(world.path("new.txt")).unwrap();
    assert_eq!(text, "first line\n");
}

/// TO-6: after "Allow always" there are no more questions for such commands in this session, but
/// there are for others.
#[test]
fn allow_always_holds_for_such_commands() {
    let world = World::new()
        .runs("touch one")
        .runs("touch two")
        .runs("mkdir three")
        .says(&["done"]);
    let mut session = opens(&world, &[]);
    session.answers("2");
    session.sees("$ mkdir three");
    assert!(world.path("one").exists() && !world.path("three").exists());
    session.answers("4");
    session.sees("Request cancelled.");
}

/// BT-8, TU-3: edited arguments go through the hooks again, and are what runs.
#[test]
fn edited_arguments_go_through_the_hooks_again() {
    let world = World::new().runs("touch first").says(&["done"]);
    let note = world.noting("BeforeTool");
    let world = world.hooks(&[("BeforeTool", "note", &note)]);
    let mut session = opens(&world, &[]);
    session.answers("3");
    session.sees("\"command\": \"touch first\"");
    // Line by line, the whole text is replaced.
    session.types("\x01\x1b[A\x1b[A\x1b[A");
    for _ in 0..3 {
        session.types("\x0b\x1b[3~");
    }
    session.types("\x1b[200~{\"command\": \"touch second\"}\x1b[201~");
    session.sees("touch second");
    session.types(ENTER);
    session.sees("$ touch second");
    session.answers("1");
    session.sees("done");
    let commands: Vec<_> = world
        .noted("BeforeTool")
        .iter()
        .map(|it| it["tool_input"]["command"].clone())
        .collect();
    assert_eq!(commands, [json!("touch first"), json!("touch second")]);
    assert!(world.path("second").exists() && !world.path("first").exists());
}

/// BT-1, AG-CLI-6: a refused tool is never asked about; its card shows the reason.
#[test]
fn a_refused_tool_shows_the_reason() {
    let denies = "echo 'never' >&2; exit 2";
    let world = World::new().runs("touch ran").says(&["understood"]);
    let world = world.hooks(&[("BeforeTool", "guard", denies)]);
    let mut session = world.start(&[]);
    session.sends("go");
    session.sees("Error executing tool run_shell_command: Tool execution blocked: never");
    session.sees("understood");
    assert!(!world.path("ran").exists());
}

/// TU-3, LO-4: refusing a call ends the turn: a later call of the same response doesn't run, though
/// nobody would have been asked about it.
#[test]
fn a_refusal_keeps_later_calls_from_running() {
    let asks_once = format!("grep -q first && {ASKS} || true");
    let world = World::new()
        .runs_both(["touch first", "touch second"])
        .says(&["next turn"])
        .hooks(&[("BeforeTool", "guard", &asks_once)]);
    let mut session = opens(&world, &["--yolo"]);
    session.sees("$ touch first");
    session.types(ESCAPE);
    session.sees("Request cancelled.");
    session.sends("go on");
    session.sees("next turn");
    assert!(!world.path("first").exists() && !world.path("second").exists());
}

/// TO-2, TO-6: in every mode a command leaves the sandbox only after a person's consent to that
/// call, who is told what is asked.
#[test]
fn a_command_leaves_the_sandbox_by_a_persons_yes_alone() {
    let outside = json!({ "command": "touch ran", "outside_sandbox": true });
    let world = World::new()
        .calls("run_shell_command", &outside)
        .says(&["as you say"]);
    world
        .sandbox
        .user_settings(&json!({ "tools": { "sandbox": "ask" } }).to_string());
    let mut session = world.start(&["--yolo"]);
    session.sends("go");
    // No earlier consent counts for another command.
    session.sees("3. No, suggest changes (esc)");
    session.sees("The command is to run outside of the sandbox");
    session.answers("3");
    session.is_at_prompt();
    assert!(!world.path("ran").exists());
}
