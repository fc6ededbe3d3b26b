//! Terminals that can't be painted on, editors, and the shell in between (TU-5).

use std::os::unix::fs::PermissionsExt as _;

use crate::world::{CONTROL_C, CONTROL_D, ENTER, World};

/// TU-5: a dumb terminal and a screen reader get lines: no escape sequence, nothing twice, and
/// questions with numbers.
#[test]
fn lines_are_printed_where_nothing_is_painted() {
    for (variables, options) in [
        (&[("TERM", "dumb")][..], &[][..]),
        (&[], &["--screen-reader"][..]),
    ] {
        let world = World::new()
            .runs("touch ran")
            .says(&["# All\n\n**done**\n"]);
        let ask = r#"echo '{"decision":"ask","reason":"a person decides"}'"#;
        let world = world.hooks(&[("BeforeTool", "guard", ask)]);
        let mut session = world.start_on(80, variables, options);
        session.sees("/help lists the commands");
        session.types("go\r");
        session.sees("Calls run_shell_command touch ran");
        session.sees("The hook \"guard\" asks: a person decides");
        session.sees("1. Allow once");
        session.sees("Your answer:");
        session.types("9\r1\r");
        session.sees("done");
        assert!(world.path("ran").exists());
        session.types("/last\r");
        session.sees("BeforeTool guard · asked");
        session.types(CONTROL_D);
        assert_eq!(session.ends(), 0);
        let bytes = session.bytes();
        assert!(!bytes.contains('\x1b'), "{bytes:?}");
        assert_eq!(bytes.matches("Calls run_shell_command").count(), 1);
    }
}

/// TU-5, LO-4: without painting Ctrl+C cancels what runs, and twice it leaves.
#[test]
fn an_interrupt_cancels_where_nothing_is_painted() {
    let world = World::new().runs("sleep 1000").says(&["never"]);
    let mut session = world.start(&["--screen-reader", "--yolo"]);
    session.sees("/help lists the commands");
    session.types("go\r");
    session.sees("Calls run_shell_command sleep 1000");
    session.types(CONTROL_C);
    session.sees("Request cancelled.");
    session.types(CONTROL_C);
    session.sees("Press Ctrl+C again to exit.");
    session.types(CONTROL_C);
    assert_eq!(session.ends(), 0);
}

fn editor(world: &World, script: &str) -> String {
    let file = world.sandbox.root().join("editor.sh");
    std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    file.display().to_string()
}

/// TU-5: Ctrl+X opens the editor with the draft; what was written is in the input line, and keys
/// typed in the editor are the editor's.
#[test]
fn the_editor_changes_the_draft() {
    let world = World::new().says(&["answered"]);
    let note = world.noting("BeforeAgent");
    let world = world.hooks(&[("BeforeAgent", "note", &note)]);
    let script = "echo the editor is here; read line; printf '%s and %s\\nsecond line\\n' \"$(cat \"$1\")\" \"$line\" > \"$1\"";
    let editor = editor(&world, script);
    let mut session = world.start_on(80, &[("EDITOR", "false"), ("VISUAL", &editor)], &[]);
    session.is_at_prompt();
    session.types("my draft");
    session.sees("my draft");
    session.types("\x18");
    session.sees("the editor is here");
    session.types("typed there\n");
    session.sees("second line");
    session.types(ENTER);
    session.sees("answered");
    let prompt = &world.noted("BeforeAgent")[0]["prompt"];
    assert_eq!(prompt, "my draft and typed there\nsecond line");
}

/// TU-5: an editor that fails, or none, leaves the draft as it was.
#[test]
fn a_failing_editor_keeps_the_draft() {
    let world = World::new();
    let editor = editor(&world, "echo lost > \"$1\"; exit 3");
    let mut session = world.start_on(80, &[("EDITOR", &editor)], &[]);
    session.is_at_prompt();
    session.types("precious\x18");
    session.sees("ended with exit status: 3; the draft stays as");
    session.sees("> precious");
    let mut session = world.start_on(80, &[], &[]);
    session.sends("/editor precious");
    session.sees("no editor is configured; set VISUAL or EDITOR");
    session.sees("> precious");
}

/// TU-5: Ctrl+Z returns the terminal to the shell, and everything is redrawn when it comes back.
#[test]
fn the_shell_can_be_visited() {
    let world = World::new().says(&["welcome back"]);
    let script = "set -m; \"$0\" \"$@\"; echo the shell is here; stty -a | grep -o '[-]*icanon'; \
                  read line; fg >/dev/null";
    let mut session = world.start_below("/bin/sh", &["-c", script]);
    session.is_at_prompt();
    session.types("draft");
    session.sees("draft");
    session.types("\x1a");
    session.sees("the shell is here");
    session.sees("icanon");
    assert!(!session.rows().iter().any(|row| row == "-icanon"));
    session.types("\n");
    session.sees("> draft");
    session.types(ENTER);
    session.sees("welcome back");
    session.is_at_prompt();
    session.types(CONTROL_D);
    session.ends();
}
