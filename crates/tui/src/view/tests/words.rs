//! Answers in words, and long pastes.

use crossterm::event::KeyCode;
use hookloop_agent::Consent;

use super::{Act, Intent, Screen};

/// TU-3: "y" or "yes" of its own, begun under the question and sent, allows the call once; "n" or "no" refuses
/// it.
#[test]
fn yes_and_no_answer() {
    for yes in ["y", "yes", "Y", " Yes "] {
        let mut screen = Screen::new(80);
        let mut answered = screen.ask();
        screen.write(yes.trim_start());
        assert!(answered.try_recv().is_err(), "{yes:?}");
        assert_eq!(screen.press(KeyCode::Enter), None);
        assert_eq!(answered.try_recv(), Ok(Consent::Given), "{yes:?}");
        assert_eq!(screen.view.next_intent(), None, "{yes:?}");
    }
    for no in ["n", "no", "No"] {
        let mut screen = Screen::new(80);
        screen.view.begin_work(screen.now);
        let mut answered = screen.ask();
        screen.write(no);
        assert_eq!(screen.press(KeyCode::Enter), Some(Act::Cancel), "{no:?}");
        assert_eq!(answered.try_recv(), Ok(Consent::Declined), "{no:?}");
    }
}

/// TU-3: no other text consents, nor a "y" that was begun before the question or under the one before it.
#[test]
fn other_words_allow_nothing() {
    for text in ["yes, but", "ok", "yy", "y\u{301}", "allow", "1 y"] {
        let mut screen = Screen::new(80);
        let mut answered = screen.ask();
        screen.write(text);
        screen.press(KeyCode::Enter);
        assert!(answered.try_recv().is_err(), "{text:?}");
    }
    let mut screen = Screen::new(80);
    screen.write("y");
    let mut answered = screen.ask();
    screen.press(KeyCode::Enter);
    assert!(answered.try_recv().is_err());
    assert_eq!(
        screen.view.next_intent(),
        Some(Intent::Prompt("y".to_owned()))
    );

    let mut screen = Screen::new(80);
    let _gone = screen.ask();
    screen.write("y");
    screen.view.end_work();
    let mut answered = screen.ask();
    screen.press(KeyCode::Enter);
    assert!(answered.try_recv().is_err());
}

/// TU-3: what was sent under a question, and answers nothing, is seen to wait.
#[test]
fn what_waits_under_a_question_is_shown() {
    for columns in [80, 40] {
        let mut screen = Screen::new(columns);
        screen.view.begin_work(screen.now);
        let _answered = screen.ask();
        screen.write("do it in red");
        screen.press(KeyCode::Enter);
        let live = screen.live();
        assert!(live.len() < 24);
        assert!(
            live.iter().any(|it| it.contains("next: do it in red")),
            "{live:?}"
        );
    }
}

/// TU-3: the number that refuses is heard at once, as Escape is; one that allows isn't, before the question can be
/// read.
#[test]
fn a_refusal_needs_no_look() {
    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    let mut answered = screen.ask();
    screen.now -= std::time::Duration::from_millis(500);
    screen.press(KeyCode::Char('4'));
    assert_eq!(answered.try_recv(), Ok(Consent::Declined));

    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    let mut answered = screen.ask();
    screen.now -= std::time::Duration::from_millis(500);
    screen.press(KeyCode::Char('1'));
    assert!(answered.try_recv().is_err());
}

/// TU-5: a long paste is one label while it is edited, which keys pass and delete as a whole, and is sent as
/// it is; on narrow screens, too.
#[test]
fn a_long_paste_is_folded_while_it_is_edited() {
    let lines: Vec<String> = (0..500).map(|number| format!("line {number}")).collect();
    let pasted = lines.join("\n");
    for columns in [120, 80, 40, 12] {
        let mut screen = Screen::new(columns);
        screen.write("see ");
        screen.view.paste(&pasted, screen.now);
        screen.write(" end");
        let live = screen.live();
        assert!(live.len() < 10, "{columns}: {live:?}");
        assert!(!live.iter().any(|it| it.contains("line 7")), "{live:?}");
        for _ in 0.." end".len() {
            screen.press(KeyCode::Left);
        }
        screen.press(KeyCode::Left);
        screen.write("<");
        screen.press(KeyCode::Right);
        screen.write(">");
        screen.press(KeyCode::Enter);
        let whole = format!("see <{pasted}> end");
        assert_eq!(screen.view.next_intent(), Some(Intent::Prompt(whole)));

        screen.view.paste(&pasted, screen.now);
        screen.press(KeyCode::Backspace);
        screen.write("short");
        screen.press(KeyCode::Enter);
        let rest = Intent::Prompt("short".to_owned());
        assert_eq!(screen.view.next_intent(), Some(rest));
    }
}

/// TU-5: the editor gets the whole of a folded paste, and a short one is shown.
#[test]
fn the_editor_gets_the_whole_paste() {
    let mut screen = Screen::new(80);
    let long = "long ".repeat(300);
    screen.view.paste(&long, screen.now);
    screen.control('x');
    assert_eq!(screen.view.next_intent(), Some(Intent::Edit(long)));
    screen.view.paste("two\nlines", screen.now);
    assert!(screen.live().iter().any(|it| it.contains("lines")));
}
