//! Numbers that choose, and numbers that begin a text.

use super::*;

/// TU-3: a number that begins a text answers nothing: with a letter shortly after it, both are a
/// text. Alone, or with Enter after it, it is a choice.
#[test]
fn a_number_that_begins_a_text_is_not_a_choice() {
    for text in ["1. do it", "2nd file", "11"] {
        let mut screen = Screen::new(80);
        screen.view.begin_work(screen.now);
        let mut answer = screen.ask();
        screen.write(text);
        screen.now += Duration::from_secs(5);
        assert_eq!(screen.view.take_due(screen.now), None);
        assert_eq!(answer.try_recv(), Err(oneshot::error::TryRecvError::Empty));
        let live = screen.live();
        assert!(live.contains(&format!("> {text}")), "{live:?}");
    }
    let mut screen = Screen::new(80);
    screen.view.begin_work(screen.now);
    let mut answer = screen.ask();
    screen.write("1");
    assert_eq!(
        screen.view.take_due(screen.now),
        None,
        "it may begin a text"
    );
    screen.press(KeyCode::Enter);
    assert_eq!(answer.try_recv(), Ok(Consent::Given));
    let mut answer = screen.ask();
    screen.write("1");
    assert_eq!(screen.press(KeyCode::Esc), Some(Act::Cancel));
    assert_eq!(answer.try_recv(), Ok(Consent::Declined));
}
