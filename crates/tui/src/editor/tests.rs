use proptest::prelude::*;

use super::{Direction, Editor, Reach};

fn editor(text: &str) -> Editor {
    Editor::with_text(text)
}

/// TU-1: a paste of several lines stays one text, without terminal control sequences.
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

/// TU-1: up and down go through the rows first, then through earlier input, and back to the draft.
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
    let rows: Vec<String> = layout.rows("日本語a").collect();
    assert_eq!(rows, ["日本", "語a"]);
}

/// TU-5: a paste that comes back complete, from an editor, the queue or the history, is a label
/// again; one that was changed meanwhile is shown.
#[test]
fn a_paste_that_comes_back_is_folded_again() {
    let paste = "line\n".repeat(20);
    let shown =
        |editor: &Editor| -> Vec<String> { editor.layout(80).rows(editor.text()).collect() };
    let mut editor = editor("look: ");
    editor.paste(&paste);
    let written = format!("first\n{}", editor.text());
    editor.set(String::new());
    editor.set(written.trim_end());
    assert_eq!(shown(&editor), ["first", "look: [Pasted text: 20 lines]"]);
    assert_eq!(editor.text(), written.trim_end());
    editor.set(format!("{paste}and\n{paste}"));
    let label = "[Pasted text: 20 lines]";
    assert_eq!(shown(&editor), [label, "and", label, ""]);
    editor.submit();
    editor.go_history(Direction::Up);
    assert_eq!(shown(&editor), [label, "and", label, ""]);
    editor.set(paste.replacen("line", "changed", 20));
    assert_eq!(editor.layout(80).row_count(), 21);
}

/// TU-1: changes are undone one by one: a word as a whole, a deletion, a paste with its label, and
/// the replacement of a draft by an entry of the history. What was sent can't be undone.
#[test]
fn changes_are_taken_back() {
    let mut editor = editor("");
    let write = |editor: &mut Editor, text: &str| {
        for letter in text.chars() {
            editor.insert(letter.encode_utf8(&mut [0; 4]));
        }
    };
    write(&mut editor, "one two");
    editor.delete(Reach::LineStart);
    editor.insert_deleted();
    editor.paste(&"line\n".repeat(20));
    editor.set("from an editor");
    let mut seen = Vec::new();
    for _ in 0..7 {
        editor.undo();
        seen.push(editor.layout(80).rows(editor.text()).next().unwrap());
    }
    let expected = [
        "one two[Pasted text: 20 lines]",
        "one two",
        "",
        "one two",
        "one ",
        "one",
        "",
    ];
    assert_eq!(seen, expected);
    editor.undo();
    assert_eq!(editor.text(), "");
    write(&mut editor, "sent");
    editor.submit();
    editor.undo();
    assert_eq!(editor.text(), "");
}

proptest! {
    /// TU-1: whatever is done, the cursor stays between characters and inside its rows.
    #[test]
    fn the_cursor_stays_inside(
        text in "[aé日 \n\t👩]{0,20}",
        steps in prop::collection::vec(0..15_u8, 0..30),
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
                11 => editor.set(editor.text().to_owned()),
                12 => editor.undo(),
                13 => editor.insert_deleted(),
                _ => editor.delete(Reach::WordBack),
            }
            prop_assert!(editor.text().is_char_boundary(editor.cursor()));
            let layout = editor.layout(6);
            prop_assert!(layout.row < layout.row_count());
            prop_assert!(layout.column <= 6);
            prop_assert_eq!(layout.rows(editor.text()).count(), layout.row_count());
        }
    }
}
