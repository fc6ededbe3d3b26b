//! What the screen looks like.

use hookloop_testkit::wait_until;
use serde_json::json;

use crate::world::{ENTER, PLACEHOLDER, World};

/// TU-4: the screen fits at 40 columns, even after the terminal became narrower.
#[test]
fn the_screen_fits_after_a_resize() {
    let world = World::new().says(&["a ".repeat(60).as_str()]);
    let mut session = world.start(&[]);
    session.is_at_prompt();
    session.resize(40);
    let status = "gemini-2.5-pro · default · no hooks".to_owned();
    wait_until("the status fits", || session.rows().contains(&status));
    session.sends("hello");
    session.sees("a a a");
    let rows = session.rows();
    let version = rows.iter().filter(|row| row.contains("/help lists"));
    assert_eq!(version.count(), 1, "what stood above stays: {rows:#?}");
    session.is_at_prompt();
}

/// TU-4: with `NO_COLOR` nothing on the screen is styled, at 40 columns.
#[test]
fn no_colour_means_none() {
    let arguments = json!({ "file_path": "a.txt", "content": "x\n" });
    let world = World::new()
        .calls("write_file", &arguments)
        .says(&["**done** `now`"]);
    let mut session = world.start_on(40, &[("NO_COLOR", "1")], &[]);
    session.sends("go");
    session.sees("4. No, suggest changes (esc)");
    session.answers("1");
    session.sees("done `now`");
    session.is_at_prompt();
    let bytes = session.bytes();
    let looks = bytes.split("\x1b[").skip(1).filter_map(|rest| {
        let end = rest.find(|it: char| !it.is_ascii_digit() && it != ';')?;
        rest[end..].starts_with('m').then(|| rest[..end].to_owned())
    });
    assert_eq!(looks.collect::<Vec<_>>(), Vec::<String>::new());
}

/// TU-5: the terminal is asked for its background. Its answer selects the colours, however late it
/// comes, and isn't mistaken for input.
#[test]
fn the_terminal_says_what_its_background_is() {
    let faint_on_light = "\x1b[38;5;242m";
    let world = World::new().says(&["done"]);
    let mut session = world.start(&[]);
    session.is_at_prompt();
    assert_eq!(session.bytes().matches("\x1b]11;?\x1b\\").count(), 1);
    assert!(!session.bytes().contains(faint_on_light));
    session.types("be");
    session.sees("> be");
    session.types("\x1b]11;rgb:ffff/ffff/ffff\x1b\\fore");
    session.sees("> before");
    wait_until("colours for a light background", || {
        session.bytes().contains(faint_on_light)
    });
    session.types(ENTER);
    session.sees("done");
    session.is_at_prompt();
    // If the variable says it, the terminal isn't asked.
    let session = world.start_on(80, &[("COLORFGBG", "0;15")], &[]);
    session.is_at_prompt();
    assert!(session.bytes().contains(faint_on_light));
    assert!(!session.bytes().contains("\x1b]11;"));
}

/// TU-1: commands, names of hooks and files are completed.
#[test]
fn words_are_completed() {
    let world = World::new().hooks(&[("SessionEnd", "my-own-guard", "true")]);
    world.sandbox.file("src/main.rs", "");
    let mut session = world.start(&[]);
    session.is_at_prompt();
    session.types("/comp");
    session.sees("compress the history");
    session.types("\t");
    session.sees("> /compress");
    session.types("\x15/hooks disable my-");
    session.sees("❯ my-own-guard");
    session.types("\x15read @sr");
    session.sees("❯ @src/");
    session.types("\t");
    session.sees("❯ @src/main.rs");
    session.types(ENTER);
    session.sees("> read @src/main.rs");
}

/// TU-1: earlier input comes back.
#[test]
fn history_comes_back() {
    let world = World::new().says(&["one"]).says(&["two"]);
    let mut session = world.start(&[]);
    session.sends("first prompt");
    session.sees("one");
    session.is_at_prompt();
    session.types("\x1b[A");
    wait_until("the prompt is back", || {
        let rows = session.rows();
        rows.iter().filter(|row| *row == "> first prompt").count() == 2
    });
    session.types(ENTER);
    session.sees("two");
}

/// TU-1: nothing that the model writes controls the terminal.
#[test]
fn control_characters_are_shown_as_such() {
    let world = World::new().says(&["a\x1b[2Jb\x1b]0;title\x07"]);
    let mut session = world.start(&[]);
    session.sends("hello");
    session.sees("a\\u{1b}[2Jb\\u{1b}]0;title\\u{7}");
}

/// TU-5, LO-4: a terminal that is much too slow for the output gets a part of it, with the number
/// of lines that it doesn't get, and then what comes next; nothing waits for the rest.
#[test]
fn a_slow_terminal_is_not_held_up() {
    let paragraph = "words that somebody may want to read later, in the transcript.\n\n";
    let world = World::new().says(&[paragraph.repeat(10_000).as_str()]);
    let guard = (
        "AfterAgent",
        "notes",
        "echo '{\"systemMessage\": \"seen by the guard\"}'",
    );
    let world = world.says(&["still here"]).hooks(&[guard]);
    let mut session = world.start(&[]);
    session.is_at_prompt();
    session.slow_down();
    session.sends("go");
    wait_until("lines give way", || {
        session.bytes().contains("lines left out")
    });
    wait_until("what a hook says comes all the same", || {
        session.bytes().contains("seen by the guard")
    });
    session.sends("hello");
    session.sees("still here");
    let shown = session.bytes().len();
    assert!(shown < 600_000, "{shown} of 640,000 bytes and more");
    session.sends("/quit");
    assert_eq!(session.ends(), 0);
}

/// TU-5: what is typed during a flood is shown next on a terminal that is slow and answers
/// questions, and not after everything that would fit into the buffers before it.
#[test]
fn little_is_ahead_of_a_key() {
    const BUFFERS: usize = 10_000;
    let world = World::new().says(&[&"many words of a model, line by line\n\n".repeat(5_000)]);
    let mut session = world.start(&[]);
    let mut answered = 0;
    session.answers_until("the prompt", &mut answered, |it| {
        it.contains(PLACEHOLDER) && it.contains("\x1b]11;?")
    });
    session.slow_down_much();
    session.types("go\r");
    session.answers_until("the flood", &mut answered, |it| it.len() > BUFFERS);
    let before = session.bytes().len();
    session.types("zqzq");
    session.answers_until("the key", &mut answered, |it| it.contains("zqzq"));
    let ahead = session.bytes().find("zqzq").unwrap() - before;
    assert!(ahead < BUFFERS / 2, "{ahead} bytes came first");
}
