//! How much of tools' output is shown.

use std::time::Duration;

use crossterm::event::KeyCode;
use hookloop_agent::Consent;

use hookloop_text::{Notice, NoticeKind};

use super::{Screen, call};
use crate::message::{CallLine, FinishedTool, Message};
use crate::styled::width;
use crate::view::{Act, Intent};

fn ended(display: &str, error: Option<&str>, was_cut_short: bool) -> Message {
    Message::ToolFinished(FinishedTool {
        call: call(),
        display: display.to_owned(),
        error: error.map(str::to_owned),
        was_cut_short,
    })
}

/// LO-4: the output of a command until it was cancelled stays on the screen, unless hooks withheld
/// it.
#[test]
fn output_of_a_cancelled_command_stays() {
    for (was_cut_short, stays) in [(true, true), (false, false)] {
        let mut screen = Screen::new(80);
        screen.take(Message::ToolRequested(call()));
        let (call_id, text) = ("1".to_owned(), "half done\n".to_owned());
        screen.take(Message::ToolProgress { call_id, text });
        screen.take(ended("", Some("cancelled"), was_cut_short));
        let shown = screen.finished();
        assert_eq!(
            shown.contains(&"  half done".to_owned()),
            stays,
            "{shown:?}"
        );
        assert_eq!(shown.last(), Some(&"  cancelled".to_owned()));
    }
}

/// TU-1: the end of a long output is shown, which says how a command ended; for a command that the
/// user typed, all of it.
#[test]
fn the_end_of_an_output_is_shown() {
    let lines: Vec<String> = (1..=100).map(|number| format!("line {number}")).collect();
    let output = lines.join("\n") + "\nCommand exited with code: 3";
    let mut screen = Screen::new(80);
    screen.take(ended(&output, None, false));
    let shown = screen.finished();
    assert_eq!(shown.len(), 12, "{shown:?}");
    assert_eq!(shown[1], "  line 1");
    assert!(shown[4].contains("91 lines left out"), "{shown:?}");
    assert_eq!(shown[11], "  Command exited with code: 3");
    screen.view.submit("!seq 100".to_owned());
    let typed = Intent::Shell("seq 100".to_owned());
    assert_eq!(screen.view.next_intent(), Some(typed));
    screen.finished();
    screen.take(ended(&output, None, false));
    let shown = screen.finished();
    let is_whole = lines
        .iter()
        .all(|line| shown.contains(&format!("  {line}")));
    assert!(is_whole, "{shown:?}");
}

/// TU-1: what the tool itself left out isn't ignored in the count.
#[test]
fn what_a_tool_left_out_is_not_counted() {
    let kept = vec!["line"; 50].join("\n");
    let output = format!("{kept}\n… 7000 bytes left out …\n{kept}");
    let mut screen = Screen::new(80);
    screen.take(ended(&output, None, false));
    let shown = screen.finished();
    assert!(shown[4].contains("more than 91 lines"), "{shown:?}");
}

/// TU-1: how long a call took is shown, however long the call is.
#[test]
fn the_time_of_a_long_call_is_shown() {
    let mut screen = Screen::new(40);
    let long = CallLine {
        summary: "word ".repeat(30).as_str().into(),
        ..call()
    };
    screen.take(Message::ToolRequested(long.clone()));
    screen.now += Duration::from_secs(3);
    screen.take(Message::ToolFinished(FinishedTool {
        call: long,
        display: String::new(),
        error: None,
        was_cut_short: false,
    }));
    let head = &screen.finished()[0];
    assert!(head.ends_with(" 3s") && width(head) <= 40, "{head}");
}

/// TU-4: an address that doesn't fit into a row is wrapped only by the terminal, so that it can be
/// copied completely; other text is wrapped as usual.
#[test]
fn a_long_address_stays_whole() {
    let address = format!("https://example.com/{}", "long/".repeat(30));
    let mut screen = Screen::new(40);
    let text = format!("Open this address in a browser on this machine: {address} and come back");
    screen.take(Message::Said(Notice::new(NoticeKind::Info, text)));
    let shown = screen.finished();
    assert!(shown.contains(&address), "{shown:?}");
    let others = shown.iter().filter(|it| **it != address);
    assert!(others.clone().all(|it| width(it) <= 40), "{shown:?}");
    let words = others.flat_map(|it| it.split_whitespace()).count();
    assert_eq!(words, 12, "{shown:?}");
}

/// TU-3: a dialog that appears while somebody types isn't answered by keys that were meant for the
/// text; it accepts keys when that was sent, or after a pause. What allows nothing takes effect at
/// once.
#[test]
fn keys_of_a_text_answer_no_dialog() {
    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    screen.write("step ");
    let mut asked = screen.ask();
    screen.write("1");
    assert!(asked.try_recv().is_err(), "it isn't answered");
    let live = screen.live();
    assert!(live.contains(&"> step 1".to_owned()), "{live:?}");
    assert!(
        live.iter().any(|it| it.contains("1. Allow once")),
        "{live:?}"
    );
    screen.press(KeyCode::Enter);
    assert!(asked.try_recv().is_err(), "the text was sent");
    screen.press(KeyCode::Char('1'));
    assert_eq!(asked.try_recv(), Ok(Consent::Given));
    screen.write("draft");
    let mut asked = screen.ask();
    screen.now += Duration::from_secs(2);
    screen.press(KeyCode::Char('1'));
    assert_eq!(asked.try_recv(), Ok(Consent::Given));
    screen.write("x");
    let mut asked = screen.ask();
    assert_eq!(screen.press(KeyCode::Esc), Some(Act::Cancel));
    assert_eq!(asked.try_recv(), Ok(Consent::Declined));
}

/// TU-3: a key that was on its way when a dialog appeared answers nothing: a letter begins a text,
/// and nothing is selected that Enter could choose.
#[test]
fn keys_that_came_with_a_dialog_answer_nothing() {
    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    let mut asked = screen.ask();
    let read = screen.now;
    screen.now -= Duration::from_millis(480);
    assert!(screen.live().contains(&"  1. Allow once".to_owned()));
    for code in [KeyCode::Enter, KeyCode::Up, KeyCode::Char('1')] {
        screen.press(code);
        assert!(asked.try_recv().is_err(), "{code:?}");
    }
    screen.now = read;
    screen.write(". fix 2 tests");
    assert!(asked.try_recv().is_err());
    let live = screen.live();
    assert!(live.contains(&"> 1. fix 2 tests".to_owned()), "{live:?}");
    screen.press(KeyCode::Enter);
    screen.now += Duration::from_secs(1);
    assert!(screen.live().contains(&"❯ 1. Allow once".to_owned()));
    screen.press(KeyCode::Char('1'));
    assert_eq!(asked.try_recv(), Ok(Consent::Given));
    let mut asked = screen.ask();
    screen.now -= Duration::from_millis(500);
    assert_eq!(screen.press(KeyCode::Esc), Some(Act::Cancel));
    assert_eq!(
        asked.try_recv(),
        Ok(Consent::Declined),
        "a refusal is heard at once"
    );
}

/// TU-3: an answer in words isn't consent, however long somebody thinks about it: neither its end
/// nor a number in it; an old draft isn't sent as one either.
#[test]
fn a_no_in_words_is_not_consent() {
    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    let mut asked = screen.ask();
    for words in ["no, use npm", " or ", "1"] {
        screen.write(words);
        screen.now += Duration::from_secs(5);
    }
    screen.press(KeyCode::Up);
    screen.press(KeyCode::Down);
    screen.press(KeyCode::Enter);
    assert!(asked.try_recv().is_err(), "words consent to nothing");
    assert_eq!(screen.view.waiting, ["no, use npm or 1"]);
    assert_eq!(screen.press(KeyCode::Esc), Some(Act::Cancel));
    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    screen.write("draft");
    let mut asked = screen.ask();
    screen.now += Duration::from_secs(5);
    screen.press(KeyCode::Enter);
    assert!(
        asked.try_recv().is_err(),
        "a draft is sent, and consents to nothing"
    );
}

/// TU-3: a letter that chooses nothing in an open dialog begins a text, so that a number in it
/// answers nothing; neither does a paste.
#[test]
fn a_text_begun_over_a_dialog_does_not_answer_it() {
    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    let mut asked = screen.ask();
    screen.write("add 2 more");
    screen.view.paste(" and 1", screen.now);
    screen.write("1");
    assert!(asked.try_recv().is_err());
    screen.press(KeyCode::Enter);
    assert_eq!(screen.view.waiting, ["add 2 more and 11"]);
    screen.press(KeyCode::Char('1'));
    assert_eq!(asked.try_recv(), Ok(Consent::Given));
}

/// TU-1, TU-4: of paths that don't fit, the completion shows the ends, which differ.
#[test]
fn completed_files_can_be_told_apart() {
    let mut screen = Screen::new(40);
    screen.write("@deep");
    let live = screen.live();
    for name in ["/one.rs", "/two.rs"] {
        let row = live.iter().find(|it| it.contains(name));
        assert!(row.is_some_and(|it| width(it) <= 40), "{live:?}");
    }
}

/// TU-1: the time that somebody takes to answer isn't the tool's, whatever the answer is.
#[test]
fn thinking_about_a_call_is_not_its_time() {
    for number in ['1', '4'] {
        let mut screen = Screen::new(80);
        screen.view.begin_work(screen.now);
        screen.take(Message::ToolRequested(call()));
        let _answer = screen.ask();
        screen.now += Duration::from_mins(1);
        screen.press(KeyCode::Char(number));
        screen.press(KeyCode::Enter);
        screen.take(Message::ToolFinished(FinishedTool {
            call: call(),
            display: String::new(),
            error: (number == '4').then(|| "declined".to_owned()),
            was_cut_short: false,
        }));
        let shown = screen.finished();
        let head = shown.iter().find(|it| it.contains("sleep 100"));
        assert!(
            head.is_some_and(|it| it.ends_with("sleep 100")),
            "{shown:?}"
        );
    }
}
