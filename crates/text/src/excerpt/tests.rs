use super::*;

fn excerpt(snippet: &str, column: u32, width: Option<usize>) -> (String, String) {
    let excerpt = Excerpt::new(snippet, column, width);
    let carets = format!(
        "{}{}",
        " ".repeat(excerpt.before),
        "^".repeat(excerpt.marked)
    );
    (excerpt.line, carets)
}

/// ST-5: the carets underline the whole of the wrong thing.
#[test]
fn the_wrong_thing_is_underlined() {
    let (line, carets) = excerpt(r#"  "PreToolUse": ["#, 3, None);
    assert_eq!(line, r#"  "PreToolUse": ["#);
    assert_eq!(carets, "  ^^^^^^^^^^^^");
    assert_eq!(excerpt(r#"{"timeout": -5}"#, 13, None).1, "            ^^");
    assert_eq!(excerpt("{", 1, None).1, "^");
    assert_eq!(excerpt("", 1, None).1, "^");
    assert_eq!(excerpt("a", 99, None).1, " ^");
}

/// ST-5: tabs, wide characters and control characters in front don't move the carets.
#[test]
fn carets_stand_right_behind_strange_characters() {
    let (line, carets) = excerpt("\t\"日\x1b\": 1", 2, None);
    assert_eq!(line, "\\t\"日\\u{1b}\": 1");
    assert_eq!(carets, "  ^^^^^^^^^^");
}

/// ST-5: a string with escaped quotes is underlined as one thing.
#[test]
fn escaped_quotes_do_not_end_a_string() {
    assert_eq!(excerpt(r#""a\"b" x"#, 1, None).1, "^^^^^^");
    assert_eq!(excerpt(r#""a\\" x"#, 1, None).1, "^^^^^");
}

/// TU-4: a long line is cut around the place, and fits.
#[test]
fn long_lines_are_cut_around_the_place() {
    let snippet = format!("{}\"wrong\"{}", "a".repeat(100), "b".repeat(100));
    let (line, carets) = excerpt(&snippet, 101, Some(60));
    assert!(line.starts_with('…') && line.ends_with('…') && line.contains("\"wrong\""));
    assert!(columns(&line) <= 60, "{line}");
    let from = line.find('"').unwrap();
    let before: String = line[..from].chars().map(|_| ' ').collect();
    assert_eq!(carets, format!("{before}^^^^^^^"));
}

/// ST-5: the place is found in a cut snippet, however little follows it in its line.
#[test]
fn the_place_near_the_end_of_a_cut_line_is_found() {
    for after in [0, 1, 50, 118, 119, 200] {
        let whole = format!("{}\"wrong\"{}", "a".repeat(1000), "b".repeat(after));
        let cut: String = whole.chars().skip(1001 - 120).collect();
        for width in [None, Some(60), Some(100)] {
            let (line, carets) = excerpt(&format!("…{cut}"), 1001, width);
            let before = carets.chars().filter(|it| *it == ' ').count();
            let marked = carets.chars().filter(|it| *it == '^').count();
            let marked: String = line.chars().skip(before).take(marked).collect();
            assert_eq!(marked, "\"wrong\"", "{after} {width:?}: {line}");
        }
    }
}

/// ST-5: the place is found in a snippet that the settings code cut.
#[test]
fn the_place_in_a_cut_snippet_is_found() {
    let whole: String = format!("{}\"wrong\"{}", "a".repeat(1000), "b".repeat(1000));
    let cut: String = whole.chars().skip(1001 - 120).take(240).collect();
    let (line, carets) = excerpt(&format!("…{cut}…"), 1001, None);
    let characters: Vec<char> = line.chars().collect();
    assert_eq!(
        characters[carets.chars().filter(|it| *it == ' ').count()],
        '"'
    );
}

/// TU-4: at 40 columns, what follows a thing that doesn't fit is left out.
#[test]
fn a_long_thing_is_cut_at_the_edge() {
    let (line, carets) = excerpt(&format!("    \"{}\": [1]", "k".repeat(60)), 5, Some(40));
    assert_eq!(columns(&line), 28);
    assert!(
        line.ends_with("k…") && carets.len() == columns(&line),
        "{line}\n{carets}"
    );
}
