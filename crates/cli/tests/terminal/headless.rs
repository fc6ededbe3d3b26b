//! A headless session whose output is a terminal.

use crate::world::World;

/// OUT-9: what a model writes reaches the terminal as text, in every output format.
#[test]
fn model_text_is_harmless_on_a_terminal() {
    for (options, expected) in [
        (
            &["-p", "hi"][..],
            ["\\u{1b}]52;c;eA==\\u{7}", "\\u{9b}2J\\u{202e}"],
        ),
        (
            &["-p", "hi", "-o", "json"],
            ["\\u001b]52;c;eA==\\u0007", "\\u009b2J\\u202e"],
        ),
    ] {
        let world = World::new().says(&["clip\u{1b}]52;c;eA==\u{7}", "\u{9b}2J\u{202e}end"]);
        let mut session = world.start(options);
        assert_eq!(session.ends(), 0);
        let bytes = session.bytes();
        for text in expected {
            assert!(bytes.contains(text), "{bytes:?}");
        }
        let steers = |it: char| it.is_control() && !matches!(it, '\n' | '\r' | '\t');
        assert!(!bytes.contains(steers), "{bytes:?}");
        assert!(!bytes.contains('\u{202e}'), "{bytes:?}");
    }
}

/// ENV-3: a hook that inspects the program which started it finds none of the person's secrets.
#[cfg(target_os = "linux")]
#[test]
fn the_program_gives_no_secret_away() {
    let world = World::new().says(&["done"]);
    let seen = world.path("seen");
    let look = format!(
        "tr '\\0' '\\n' < /proc/$PPID/environ > '{}' 2>&1; true",
        seen.display()
    );
    let world = world.hooks(&[("BeforeAgent", "look", &look)]);
    let mut session = world.start_on(80, &[("DEPLOY_TOKEN", "canary")], &["-p", "hi"]);
    assert_eq!(session.ends(), 0);
    let seen = std::fs::read_to_string(seen).expect("the hook ran");
    assert!(!seen.contains("canary"), "{seen}");
}

/// TO-6: a session says at its start which names in its options and settings nothing has.
#[test]
fn names_that_nothing_has_are_told() {
    let world = World::new().says(&["done"]);
    let options = ["--allowed-tools", "glob,run_shell_comand", "-p", "hi"];
    let mut session = world.start(&options);
    assert_eq!(session.ends(), 0);
    let shown = session.bytes();
    assert!(shown.contains("\"run_shell_comand\""), "{shown:?}");
    assert!(!shown.contains("\"glob\""), "{shown:?}");
}
