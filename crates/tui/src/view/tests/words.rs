//! Answers in words, and long pastes.

use std::time::Duration;

use crossterm::event::KeyCode;
use hookloop_agent::Consent;

use super::{Act, Intent, Screen};

/// TU-3: "y" or "yes" as a text, begun during the question and sent, allows the call once; "n" or
/// "no" refuses it.
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

/// TU-3: no other text consents, nor a "y" that was begun before the question or during the
/// previous one.
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

/// TU-3: a word whose first key came before the question could be read isn't an answer, however
/// late the rest of it and Enter come; it is removed, not sent, and what is typed again answers.
#[test]
fn a_word_begun_too_early_allows_nothing() {
    for early in [0, 20, 60, 200, 499] {
        let mut screen = Screen::new(80);
        screen.view.begin_work(screen.now);
        let mut answered = screen.ask();
        let read = screen.now;
        screen.now -= Duration::from_millis(500 - early);
        screen.write("y");
        screen.now = read + Duration::from_secs(3);
        screen.write("es");
        screen.press(KeyCode::Backspace);
        screen.press(KeyCode::Backspace);
        screen.press(KeyCode::Enter);
        assert!(answered.try_recv().is_err(), "{early}");
        assert!(screen.view.waiting.is_empty(), "{early}");
        assert!(screen.view.input.is_empty(), "{early}");
        assert!(screen.view.hint.is_some(), "{early}");
        screen.look();
        screen.write("y");
        screen.press(KeyCode::Enter);
        assert_eq!(answered.try_recv(), Ok(Consent::Given), "{early}");
    }
}

/// TU-3: what looks like an answer and came too early doesn't wait as the next prompt: Enter
/// removes it, which is reported, and the question has to be read again. Other texts, and those
/// begun before, are prompts.
#[test]
fn an_early_answer_is_not_a_prompt() {
    for (text, waits) in [
        ("y", false),
        ("no", false),
        (" yes ", false),
        ("not so", true),
        ("y, but", true),
    ] {
        for columns in [80, 40] {
            let mut screen = Screen::new(columns);
            screen.view.begin_work(screen.now);
            let mut answered = screen.ask();
            let read = screen.now;
            screen.now -= Duration::from_millis(450);
            screen.write(text.trim_start());
            screen.now = read + Duration::from_secs(2);
            screen.view.take_due(screen.now);
            screen.press(KeyCode::Enter);
            assert!(screen.view.input.is_empty(), "{text:?}");
            assert_eq!(!screen.view.waiting.is_empty(), waits, "{text:?}");
            let shown = screen.live().join(" ");
            assert_eq!(shown.contains("Answer again."), !waits, "{shown}");
            if waits {
                continue;
            }
            screen.view.drawn(screen.now);
            screen.press(KeyCode::Enter);
            assert!(answered.try_recv().is_err(), "{text:?}: Enter twice");
            screen.now += Duration::from_secs(1);
            screen.write("y");
            screen.press(KeyCode::Enter);
            assert_eq!(answered.try_recv(), Ok(Consent::Given), "{text:?}");
        }
    }
    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    screen.write("y");
    let _answered = screen.ask();
    screen.now += Duration::from_secs(9);
    screen.press(KeyCode::Enter);
    assert_eq!(screen.view.waiting, ["y"], "it was begun before");
}

/// TU-3: an answer that was being typed disappears with its question when the turn is cancelled;
/// other texts stay.
#[test]
fn an_answer_goes_with_its_question() {
    for (text, is_kept) in [("y", false), ("no", false), ("use tabs", true)] {
        for early in [0, 450] {
            let mut screen = Screen::new(80);
            screen.view.begin_work(screen.now);
            let mut answered = screen.ask();
            screen.now -= Duration::from_millis(early);
            screen.write(text);
            assert_eq!(screen.control('c'), Some(Act::Cancel));
            assert_eq!(screen.view.input.is_empty(), !is_kept, "{text:?} {early}");
            assert_eq!(answered.try_recv(), Ok(Consent::Declined));
        }
    }
    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    let _answered = screen.ask();
    screen.view.paste("1", screen.now);
    assert_eq!(screen.press(KeyCode::Esc), Some(Act::Cancel));
    assert!(screen.view.input.is_empty());
}

/// TU-3: a question that isn't drawn yet, or that another program covered, isn't answered by any
/// word.
#[test]
fn a_word_that_nobody_could_ask_for_allows_nothing() {
    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    let mut answered = screen.ask();
    screen.view.mark_covered();
    screen.now += Duration::from_secs(9);
    for code in [KeyCode::Enter, KeyCode::Char('y'), KeyCode::Enter] {
        screen.press(code);
        assert!(answered.try_recv().is_err(), "{code:?}");
    }
    screen.look();
    screen.write("y");
    screen.view.mark_covered();
    screen.press(KeyCode::Enter);
    assert!(answered.try_recv().is_err(), "typed before it was covered");
}

/// TU-3: only what is typed answers: nothing that is pasted, recalled or found in the history.
#[test]
fn a_word_that_was_not_typed_allows_nothing() {
    let way = |name: &str, screen: &mut Screen| match name {
        "pasted" => screen.view.paste("y", screen.now),
        "pasted with its end" => screen.view.paste("y\n", screen.now),
        "pasted behind a letter" => {
            screen.write("y");
            screen.view.paste("es", screen.now);
        }
        "recalled" => {
            screen.write("n");
            screen.press(KeyCode::Up);
        }
        "put there" => screen.view.put_draft("yes".to_owned()),
        other => panic!("{other}"),
    };
    for name in [
        "pasted",
        "pasted with its end",
        "pasted behind a letter",
        "recalled",
        "put there",
    ] {
        let mut screen = Screen::new(80);
        screen.write("yes");
        screen.press(KeyCode::Enter);
        screen.view.next_intent();
        screen.view.begin_work(screen.now);
        let mut answered = screen.ask();
        way(name, &mut screen);
        screen.now += Duration::from_secs(2);
        screen.press(KeyCode::Enter);
        assert!(answered.try_recv().is_err(), "{name}");
    }
}

/// TU-3: a search in earlier input that is open when the question appears keeps its keys: neither
/// its letters nor what it finds is an answer, and it stays visible.
#[test]
fn a_search_answers_nothing() {
    for keys in ["y", "yes", "n", "1"] {
        let mut screen = Screen::new(80);
        screen.write("yes");
        screen.press(KeyCode::Enter);
        screen.view.next_intent();
        screen.view.begin_work(screen.now);
        screen.control('r');
        let mut answered = screen.ask();
        screen.now += Duration::from_secs(2);
        screen.write(keys);
        assert!(screen.live().iter().any(|it| it.contains(keys)));
        for _ in 0..3 {
            screen.now += Duration::from_secs(2);
            let lone = screen.view.input.is_empty();
            if !lone {
                screen.press(KeyCode::Enter);
            }
            assert!(answered.try_recv().is_err(), "{keys}");
        }
    }
}

/// TU-3: Enter allows nothing before the question can be read, nor does a number with Enter after
/// it: both are the end of what somebody was typing. So a key that is held down doesn't answer a
/// series of questions.
#[test]
fn what_was_under_way_allows_nothing() {
    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    let mut first = screen.ask();
    let mut others: Vec<_> = (0..3).map(|_| screen.ask()).collect();
    screen.press(KeyCode::Enter);
    assert_eq!(first.try_recv(), Ok(Consent::Given));
    screen.view.drawn(screen.now);
    for _ in 0..15 {
        screen.now += Duration::from_millis(30);
        screen.press(KeyCode::Enter);
    }
    screen.view.drawn(screen.now);
    for code in [KeyCode::Char('1'), KeyCode::Enter] {
        screen.view.key(code.into(), screen.now);
    }
    assert!(others.iter_mut().all(|it| it.try_recv().is_err()));
    assert!(screen.view.waiting.is_empty());
    assert!(screen.view.input.is_empty());
}

/// TU-3: a number that came before the question could be read, and that nothing follows, chooses
/// after a second.
#[test]
fn an_early_number_alone_chooses() {
    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    let mut answered = screen.ask();
    screen.now -= Duration::from_millis(300);
    let key = KeyCode::Char('1').into();
    assert_eq!(screen.view.key(key, screen.now), None);
    for (passed, expected) in [(900, false), (1000, true)] {
        screen
            .view
            .take_due(screen.now + Duration::from_millis(passed));
        assert_eq!(answered.try_recv().is_ok(), expected, "{passed}");
    }
}

/// TU-3: what was sent during a question, and answers nothing, is shown as waiting.
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

/// TU-3: the number that refuses takes effect at once, like Escape; one that allows doesn't, before
/// the question can be read.
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

/// TU-5: a long paste is one label while it is edited, which keys skip and delete as a whole, and
/// is sent completely; on narrow screens, too.
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

/// TU-5: the editor gets the whole folded paste, and a short one is shown.
#[test]
fn the_editor_gets_the_whole_paste() {
    let mut screen = Screen::new(80);
    let long = "long ".repeat(300);
    screen.view.paste(&long, screen.now);
    screen.control('g');
    assert_eq!(screen.view.next_intent(), Some(Intent::Edit(long)));
    screen.view.paste("two\nlines", screen.now);
    assert!(screen.live().iter().any(|it| it.contains("lines")));
}

/// TU-5, TU-3: if nothing is painted, only the number of a choice answers; a line with words beside
/// it is asked about again, and allows nothing.
#[test]
fn a_line_with_words_is_no_answer() {
    let mut screen = Screen::new(80);
    let mut answered = screen.ask();
    for line in [
        "1 thing first: no, not this",
        "1,4",
        "1.",
        "1 1",
        "+1",
        "yes",
        "",
        " ",
        "0",
        "9",
        "11",
        "４",
    ] {
        assert_eq!(screen.view.line(line, screen.now), None, "{line:?}");
        assert!(answered.try_recv().is_err(), "{line:?}");
    }
    assert_eq!(screen.view.line(" 1 ", screen.now), None);
    assert_eq!(answered.try_recv(), Ok(Consent::Given));
}
