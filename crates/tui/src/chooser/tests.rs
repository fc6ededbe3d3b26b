use crossterm::event::KeyCode;

use super::*;
use crate::styled::Line;

const SIZE: Size = Size {
    columns: 40,
    rows: 10,
};

fn chooser(count: usize) -> Chooser {
    let items = (1..=count).map(|number| ChooserItem {
        id: format!("id-{number}"),
        note: "2026-01-02 03:04".to_owned(),
        title: format!("what was asked in session {number}"),
        hidden: format!("answer{number}"),
    });
    Chooser::new("Sessions", items.collect())
}

fn press(chooser: &mut Chooser, codes: &[KeyCode]) -> Option<ChooserIntent> {
    let mut intent = None;
    for code in codes {
        assert_eq!(intent, None);
        intent = chooser.key((*code).into(), SIZE);
    }
    intent
}

fn rows(chooser: &Chooser) -> Vec<String> {
    let live = chooser.live(SIZE);
    assert!(live.lines.len() < SIZE.rows);
    assert!(live.lines.iter().all(|it| it.width() <= SIZE.columns));
    live.lines.iter().map(Line::text).collect()
}

/// TU-2, TU-4: the list scrolls, and fits at 40 columns and 10 rows.
#[test]
fn the_list_scrolls() {
    let mut sessions = chooser(20);
    press(&mut sessions, &[KeyCode::End]);
    assert_eq!(
        rows(&sessions)[7],
        "❯ 2026-01-02 03:04  what was asked in s…"
    );
    assert_eq!(rows(&sessions)[1], "Sessions · 20 of 20");
    press(&mut sessions, &[KeyCode::PageUp, KeyCode::Up]);
    assert_eq!(
        press(&mut sessions, &[KeyCode::Enter]),
        Some(ChooserIntent::Choose("id-14".to_owned()))
    );
}

/// TU-2: text typed after a slash searches titles and text that isn't shown; Escape goes back
/// first, then out.
#[test]
fn the_search_finds() {
    let mut sessions = chooser(20);
    let typed: Vec<KeyCode> = "/answer17".chars().map(KeyCode::Char).collect();
    press(&mut sessions, &typed);
    assert_eq!(rows(&sessions)[1], "/answer17  1 of 1");
    press(&mut sessions, &[KeyCode::Esc]);
    assert_eq!(rows(&sessions)[1], "Sessions · 1 of 20");
    press(&mut sessions, &typed);
    assert_eq!(
        press(&mut sessions, &[KeyCode::Enter]),
        Some(ChooserIntent::Choose("id-17".to_owned()))
    );
    press(&mut sessions, &[KeyCode::Esc]);
    assert_eq!(
        press(&mut sessions, &[KeyCode::Esc]),
        Some(ChooserIntent::Close)
    );
}

/// TU-2: letters narrow the list at once, fuzzily, and the best matches come first: what an item
/// shows, then what it doesn't show, then letters that are apart.
#[test]
fn letters_narrow_the_list() {
    let item = |id: &str, title: &str, hidden: &str| ChooserItem {
        id: id.to_owned(),
        note: String::new(),
        title: title.to_owned(),
        hidden: hidden.to_owned(),
    };
    let items = vec![
        item("apart", "fast little ash", ""),
        item("hidden", "something else", "it was flash"),
        item("shown", "gemini-flash", ""),
        item("quick", "quick", ""),
    ];
    let letters = |text: &str| -> Vec<KeyCode> { text.chars().map(KeyCode::Char).collect() };
    for (typed, choices) in [
        ("flash", vec!["shown", "hidden", "apart"]),
        ("q", vec!["quick"]),
        ("gmflsh", vec!["shown"]),
        ("/flash", vec!["shown", "hidden", "apart"]),
        ("xyz", vec![]),
    ] {
        for (place, id) in choices.iter().enumerate() {
            let mut chooser = Chooser::new("Models", items.clone());
            assert_eq!(press(&mut chooser, &letters(typed)), None);
            press(&mut chooser, &vec![KeyCode::Down; place]);
            let chosen = press(&mut chooser, &[KeyCode::Enter]);
            let expected = ChooserIntent::Choose((*id).to_owned());
            assert_eq!(chosen, Some(expected), "{typed} {place}");
        }
        let mut chooser = Chooser::new("Models", items.clone());
        press(&mut chooser, &letters(typed));
        assert_eq!(chooser.visible_items().len(), choices.len(), "{typed}");
    }
    let mut chooser = Chooser::new("Models", items);
    chooser.paste("quick");
    let chosen = press(&mut chooser, &[KeyCode::Enter]);
    assert_eq!(chosen, Some(ChooserIntent::Choose("quick".to_owned())));
}
