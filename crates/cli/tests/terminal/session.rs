//! Prompts, turns and commands.

use hookloop_testkit::{is_process_alive, wait_until};
use serde_json::json;

use crate::world::{CONTROL_C, CONTROL_D, ENTER, World};

fn process_of(world: &World) -> i32 {
    let file = world.path("pid");
    let mut process = None;
    wait_until("the tool runs", || {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        process = text.strip_suffix('\n').and_then(|it| it.parse().ok());
        process.is_some()
    });
    process.unwrap()
}

/// TU-1: a prompt is typed, the answer streams as Markdown.
#[test]
fn a_prompt_is_answered() {
    let world = World::new().says(&["# A ti", "tle\n\nSome **bold** text."]);
    let mut session = world.start(&[]);
    session.sends("hello there");
    session.sees("> hello there");
    session.sees("Some bold text.");
    assert!(session.rows().iter().any(|row| row == "A title"));
    session.is_at_prompt();
    session.types(CONTROL_D);
    assert_eq!(session.ends(), 0);
}

/// AG-CLI-1: on a terminal a positional prompt, or `-i`, starts the session with it.
#[test]
fn a_prompt_of_the_command_line_begins_the_session() {
    for options in [
        &["say", "hi"][..],
        &["-i", "say hi"],
        &["--prompt-interactive=say hi"],
    ] {
        let world = World::new().says(&["hello"]);
        let session = world.start(options);
        session.sees("> say hi");
        session.sees("hello");
        session.is_at_prompt();
    }
}

/// SE-11, SS-3: `/clear` ends the session and starts another one.
#[test]
fn clear_starts_another_session() {
    let world = World::new().says(&["first"]);
    let hooks = [
        ("SessionStart", "begin", &*world.noting("SessionStart")),
        ("SessionEnd", "end", &*world.noting("SessionEnd")),
    ];
    let hooks = hooks.map(|(event, name, command)| (event, name, command.to_owned()));
    let hooks: Vec<_> = hooks.iter().map(|(e, n, c)| (*e, *n, c.as_str())).collect();
    let world = world.hooks(&hooks);
    let mut session = world.start(&[]);
    session.sends("hello");
    session.sees("first");
    session.sends("/clear");
    session.sees("A new session has started.");
    assert!(!session.rows().iter().any(|row| row.contains("first")));
    session.sends("/quit");
    assert_eq!(session.ends(), 0);
    let starts = world.noted("SessionStart");
    let ends = world.noted("SessionEnd");
    let sources: Vec<_> = starts.iter().map(|it| it["source"].clone()).collect();
    let reasons: Vec<_> = ends.iter().map(|it| it["reason"].clone()).collect();
    assert_eq!(sources, [json!("startup"), json!("clear")]);
    assert_eq!(reasons, [json!("clear"), json!("exit")]);
    assert_eq!(starts[0]["session_id"], ends[0]["session_id"]);
    assert_eq!(starts[1]["session_id"], ends[1]["session_id"]);
    assert_ne!(starts[0]["session_id"], starts[1]["session_id"]);
}

/// LO-4: Ctrl-C ends the running tool, and the session stays usable.
#[test]
fn an_interrupt_ends_the_tool() {
    let world = World::new()
        .runs("echo $$ > pid; exec sleep 100")
        .says(&["still here"]);
    let mut session = world.start(&["--yolo"]);
    session.sends("sleep");
    let process = process_of(&world);
    session.types(CONTROL_C);
    wait_until("the tool is gone", || !is_process_alive(process));
    session.sees("Request cancelled.");
    session.sends("and now?");
    session.sees("still here");
}

/// LO-4: the second Ctrl-C leaves, and nothing continues to run.
#[test]
fn a_second_interrupt_leaves() {
    let world = World::new().runs("trap '' TERM; echo $$ > pid; while :; do sleep 1; done");
    let mut session = world.start(&["--yolo"]);
    session.sends("sleep");
    let process = process_of(&world);
    session.types(CONTROL_C);
    session.types(CONTROL_C);
    assert_eq!(session.ends(), 0);
    wait_until("the tool is gone", || !is_process_alive(process));
}

/// LO-4: a flood of output doesn't keep Ctrl-C from being heard.
#[test]
fn an_interrupt_ends_a_flood_of_output() {
    let world = World::new()
        .runs("echo $$ > pid; exec yes flood")
        .says(&["still here"]);
    let mut session = world.start(&["--yolo"]);
    session.sends("flood");
    let process = process_of(&world);
    session.types(CONTROL_C);
    wait_until("the tool is gone", || !is_process_alive(process));
    session.sees("Request cancelled.");
    session.sends("and now?");
    session.sees("still here");
}

/// LO-5, PC-1: `/compress` makes an attempt, and one that changes nothing is reported.
#[test]
fn compress_makes_an_attempt() {
    let world = World::new().says(&["hello"]);
    let note = world.noting("SessionStart");
    let world = world.hooks(&[("PreCompress", "note", &note)]);
    let mut session = world.start(&[]);
    session.sends("hi");
    session.sees("hello");
    session.sends("/compress");
    session.sees("the history couldn't be compressed");
    session.sends("/quit");
    session.ends();
    assert_eq!(world.noted("SessionStart")[0]["trigger"], "manual");
}

/// SE-11: a session is resumed on the terminal.
#[test]
fn a_session_is_resumed() {
    let world = World::new().says(&["first answer"]);
    let note = world.noting("SessionStart");
    let world = world.hooks(&[("SessionStart", "note", &note)]);
    let mut session = world.start(&[]);
    session.sends("hi");
    session.sees("first answer");
    session.sends("/quit");
    session.ends();
    let mut session = world.start(&["--resume"]);
    session.sees("resumed with 2 messages");
    session.sends("again");
    session.sees("first answer");
    let starts = world.noted("SessionStart");
    assert_eq!(starts[1]["source"], "resume");
    assert_eq!(starts[0]["session_id"], starts[1]["session_id"]);
}

/// TU-1: several lines that are pasted are one prompt.
#[test]
fn a_paste_of_several_lines_is_one_prompt() {
    let world = World::new().says(&["done"]);
    let note = world.noting("BeforeAgent");
    let world = world.hooks(&[("BeforeAgent", "note", &note)]);
    let mut session = world.start(&[]);
    session.is_at_prompt();
    session.types("\x1b[200~one\r\ntwo\x1b[201~");
    session.sees("two");
    session.types(ENTER);
    session.sees("done");
    assert_eq!(world.noted("BeforeAgent")[0]["prompt"], "one\ntwo");
}

/// TU-1, ST-8: running hooks are named with their number.
#[test]
fn running_hooks_are_named() {
    let world = World::new().says(&["done"]);
    let wait = "while [ ! -e go ]; do sleep 0.01; done";
    let other = format!("{wait}; true");
    let world = world.hooks(&[
        ("BeforeAgent", "guard", wait),
        ("BeforeAgent", "other", &other),
    ]);
    let mut session = world.start(&[]);
    session.sends("hello");
    session.sees("Executing hook: guard (1/2)");
    session.sees("Executing hook: other (2/2)");
    world.sandbox.file("go", "");
    session.sees("done");
}

/// HT-3: what a hook says about itself is shown while it runs.
#[test]
fn running_hooks_say_what_they_do() {
    let world = World::new().says(&["done"]);
    let wait = "while [ ! -e go ]; do sleep 0.01; done";
    let hook = serde_json::json!({"type": "command", "name": "guard", "command": wait,
        "statusMessage": "Looking at the prompt…"});
    let settings = serde_json::json!({"hooks": {"BeforeAgent": [{"hooks": [hook]}]}});
    world.sandbox.user_settings(&settings.to_string());
    let mut session = world.start(&[]);
    session.sends("hello");
    session.sees("Looking at the prompt… (hook guard, 1/1)");
    world.sandbox.file("go", "");
    session.sees("done");
}

/// BA-2, AG-CLI-6, OUT-1: a refused turn and a hook's message are shown; the session continues.
#[test]
fn a_refused_turn_is_shown() {
    let reply = r#"grep -q secret && echo '{"decision":"deny","reason":"no secrets","systemMessage":"looked"}' || true"#;
    let world = World::new()
        .says(&["fine"])
        .hooks(&[("BeforeAgent", "guard", reply)]);
    let mut session = world.start(&[]);
    session.sends("secret");
    session.sees("Hook system message: looked");
    session.sees("[WARNING] Agent execution blocked: no secrets");
    session.sends("hello");
    session.sees("fine");
}

/// TU-2: commands answer, and an unknown one never goes to the model.
#[test]
fn commands_answer() {
    let world = World::new().hooks(&[("SessionEnd", "my-hook", "true")]);
    let mut session = world.start(&[]);
    for (command, answer) in [
        ("/tools", "run_shell_command"),
        ("/model", "Model: gemini"),
        ("/stats", "tools: 0 calls"),
        ("/mcp", "No MCP servers are configured"),
        ("/extensions list", "No extensions are installed"),
        ("/mcp nonsense", "/mcp has only list, auth"),
        ("/cleer", "did you mean /clear?"),
        ("/hooks why SessionEnd", "my-hook"),
        ("/hooks nonsense", "unrecognized subcommand"),
    ] {
        session.sends(command);
        session.sees(answer);
    }
    session.sends("/exit");
    assert_eq!(session.ends(), 0);
}
