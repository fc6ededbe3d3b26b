use proptest::prelude::*;

use super::{Direction, Editor, Reach};

fn editor(text: &str) -> Editor {
    Editor::with_text(text)
}

/// TU-1: a paste of several lines stays one text, without what steers a terminal.
#[test]
fn a_paste_of_several_lines_is_one_text() {
    let mut editor = editor("see ");
    editor.insert("one\r\ntwo\rthree\x1b[2J\u{202e}");
    assert_eq!(editor.text(), "see one\ntwo\nthree[2J");
    assert_eq!(editor.layout(40).row_count(), 3);
}

/// TU-1: words, lines and characters as people see them.
#[test]
fn the_cursor_moves_by_characters_words_and_lines() {
    let mut editor = editor("größe 日本 👩‍💻");
    editor.delete(Reach::Back);
    assert_eq!(editor.text(), "größe 日本 ");
    editor.go(Reach::LineStart);
    editor.go(Reach::WordForward);
    editor.insert("!");
    assert_eq!(editor.text(), "größe! 日本 ");
    editor.delete(Reach::WordBack);
    assert_eq!(editor.text(), " 日本 ");
    editor.delete(Reach::LineEnd);
    assert!(editor.is_empty());
}

/// TU-1: a backslash before Enter makes a new line.
#[test]
fn a_backslash_makes_a_new_line() {
    let mut editor = editor("one\\");
    assert!(editor.take_line_break());
    assert!(!editor.take_line_break());
    assert_eq!(editor.text(), "one\n");
}

/// TU-1: up and down go through the rows first, then through what was written before, and back
/// to what was being written.
#[test]
fn up_and_down_go_through_rows_and_history() {
    let mut editor = Editor::default();
    for text in ["first", "second"] {
        editor.insert(text);
        editor.submit();
    }
    editor.insert("new\ntext");
    editor.go_row(Direction::Up, 40);
    assert_eq!((editor.text(), editor.cursor()), ("new\ntext", 3));
    editor.go_row(Direction::Up, 40);
    editor.go_row(Direction::Up, 40);
    assert_eq!(editor.text(), "first");
    editor.go_row(Direction::Up, 40);
    assert_eq!(editor.text(), "first", "there is nothing before");
    editor.go_row(Direction::Down, 40);
    editor.go_row(Direction::Down, 40);
    assert_eq!(editor.text(), "new\ntext");
}

/// TU-4: the cursor is where wide characters put it, and a long text is broken.
#[test]
fn the_cursor_follows_wide_characters() {
    let layout = editor("日本語a").layout(4);
    assert_eq!((layout.row, layout.column), (1, 3));
    let rows: Vec<String> = layout.shown("日本語a").collect();
    assert_eq!(rows, ["日本", "語a"]);
}

proptest! {
    /// TU-1: whatever is done, the cursor stays between characters and inside its rows.
    #[test]
    fn the_cursor_stays_inside(
        text in "[aé日 \n\t👩]{0,20}",
        steps in prop::collection::vec(0..12_u8, 0..30),
    ) {
        let mut editor = editor(&text);
        for step in steps {
            match step {
                0 => editor.go(Reach::Back),
                1 => editor.go(Reach::WordBack),
                2 => editor.go(Reach::WordForward),
                3 => editor.go(Reach::LineStart),
                4 => editor.delete(Reach::Back),
                5 => editor.delete(Reach::Forward),
                6 => editor.insert("日\n"),
                7 => editor.go_row(Direction::Up, 6),
                8 => editor.go_row(Direction::Down, 6),
                9 => drop(editor.paste(&"日\n".repeat(20))),
                10 => editor.go(Reach::LineEnd),
                _ => editor.delete(Reach::WordBack),
            }
            prop_assert!(editor.text().is_char_boundary(editor.cursor()));
            let layout = editor.layout(6);
            prop_assert!(layout.row < layout.row_count());
            prop_assert!(layout.column <= 6);
            prop_assert_eq!(layout.shown(editor.text()).count(), layout.row_count());
        }
    }
}
