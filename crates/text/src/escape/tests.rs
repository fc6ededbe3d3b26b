use proptest::prelude::*;

use super::*;

/// OUT-9: control characters of every kind are escaped, and nothing else is.
#[test]
fn control_characters_are_escaped() {
    assert_eq!(visible("a\x1b[31m\r\n\tb"), "a\\u{1b}[31m\\r\\n\\tb");
    assert_eq!(
        visible("\u{9b}2J\x7f\u{202e}x\0"),
        "\\u{9b}2J\\u{7f}\\u{202e}x\\u{0}"
    );
    assert_eq!(
        visible("\x1b]52;c;ZXZpbA==\x07"),
        "\\u{1b}]52;c;ZXZpbA==\\u{7}"
    );
    assert_eq!(visible("süß 日本 |\"'"), "süß 日本 |\"'");
}

/// OUT-9: invisible characters and those that change the direction of text are escaped.
#[test]
fn invisible_characters_are_escaped() {
    for hidden in [
        "\u{200b}",
        "\u{200c}",
        "\u{200d}",
        "\u{2060}",
        "\u{2064}",
        "\u{ad}",
        "\u{180e}",
        "\u{feff}",
        "\u{3164}",
        "\u{e0041}",
        "\u{e0100}",
        "\u{fe0f}",
        "\u{fe01}",
        "\u{2066}",
        "\u{34f}",
        "\u{fff9}",
        "\u{1d173}",
        "\u{61c}",
    ] {
        let text = format!("rm{hidden}x");
        let code = hidden.chars().next().unwrap().escape_unicode();
        assert_eq!(visible(&text), format!("rm{code}x"));
        assert_eq!(visible_lines(&text), format!("rm{code}x"));
        assert_eq!(visible_cells(&text), format!("rm{code}x"));
    }
}

/// OUT-9: line ends and tabs are kept where text has several lines; a Windows line end counts as
/// one.
#[test]
fn lines_stay_lines() {
    assert_eq!(visible_lines("a\r\nb\rc\td"), "a\nb\\u{d}c\td");
    assert_eq!(visible_cells("a\r\nb\rc\td"), "a\nb\\u{d}c    d");
    assert_eq!(visible_row("a\r\nb\x1b"), "a⏎b\\u{1b}");
    assert_eq!(harmless("a\x1b\u{200b}b\n\t👩‍💻\u{200d}"), "ab\n\t👩‍💻");
}

/// OUT-9: emoji and scripts that write with joiners are unchanged; a joiner that joins nothing is
/// escaped.
#[test]
fn joiners_stay_where_they_join() {
    for honest in ["👩‍💻", "❤️‍🔥", "👩🏽‍🚀", "می‌خواهم", "क्‍ष", "☀️", "1️⃣"]
    {
        assert_eq!(visible(honest), honest);
    }
    assert_eq!(visible("👩\u{200d}rm"), "👩\\u{200d}rm");
    assert_eq!(visible("☀\u{fe0f}\u{fe0f}"), "☀\u{fe0f}\\u{fe0f}");
}

/// OUT-9: escaping JSON for a terminal doesn't change its value.
#[test]
fn json_stays_json() {
    assert_eq!(
        visible_json("{\"a\":\n\"\u{9b}2J\u{e0041}ü\"}\n"),
        "{\"a\":\n\"\\u009b2J\\udb40\\udc41ü\"}\n"
    );
}

/// Generates characters of every kind, with many dangerous ones.
fn text() -> impl Strategy<Value = String> {
    let ranges = prop_oneof![
        any::<char>(),
        proptest::char::range('\u{0}', '\u{ff}'),
        proptest::char::range('\u{2000}', '\u{206f}'),
        proptest::char::range('\u{fe00}', '\u{feff}'),
        proptest::char::range('\u{e0000}', '\u{e01ef}'),
        Just('👩'),
        Just('\u{200d}'),
        Just('ه'),
    ];
    proptest::collection::vec(ranges, 0..60).prop_map(|it| it.into_iter().collect())
}

/// Recognises what must not reach a terminal, without using the list under test: controls by
/// Unicode's own category, directions and separators, characters without width.
fn steers(character: char) -> bool {
    character.is_control()
        || "\u{61c}\u{200b}\u{200e}\u{200f}\u{2028}\u{2029}\u{feff}".contains(character)
        || ('\u{202a}'..='\u{202e}').contains(&character)
        || ('\u{2060}'..='\u{206f}').contains(&character)
        || ('\u{e0000}'..='\u{e0fff}').contains(&character)
}

proptest! {
    /// OUT-9: whatever the text is, nothing in it can control the terminal.
    #[test]
    fn nothing_steers_the_terminal(text in text()) {
        prop_assert!(!visible(&text).chars().any(steers));
        let in_lines = |it: char| steers(it) && it != '\n' && it != '\t';
        prop_assert!(!visible_lines(&text).chars().any(in_lines));
        prop_assert!(!visible_cells(&text).chars().any(|it| steers(it) && it != '\n'));
    }

    /// OUT-9: harmless text is unchanged, and escaped text isn't escaped again.
    #[test]
    fn harmless_text_stays(text in text()) {
        let harmless: String = text.chars().filter(|it| !is_dangerous(*it)).collect();
        prop_assert_eq!(&visible(&harmless), &harmless);
        let once = visible(&text);
        prop_assert_eq!(visible(&once), once);
    }

    /// OUT-9: text in pieces is shown like the whole text.
    #[test]
    fn pieces_are_shown_as_the_whole(text in text(), size in 1_usize..5) {
        let characters: Vec<char> = text.chars().collect();
        let mut stream = VisibleStream::default();
        let mut shown = String::new();
        for piece in characters.chunks(size) {
            shown.push_str(&stream.push(&piece.iter().collect::<String>()));
        }
        shown.push_str(&stream.finish());
        prop_assert_eq!(shown, visible_lines(&text));
    }
}
