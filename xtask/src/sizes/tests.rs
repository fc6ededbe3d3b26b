//! The limits themselves, and one more.

use super::*;

fn file(text: String) -> SourceFile {
    SourceFile::new("crates/x/src/lib.rs", text)
}

fn function(lines: usize) -> String {
    format!("fn long() {{\n{}}}\n", "    // }\n".repeat(lines - 2))
}

#[test]
fn a_file_may_have_six_hundred_lines() {
    assert_eq!(check(&[file("//\n".repeat(600))]), []);
    let found = check(&[file("//\n".repeat(601))]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].line, 601);
}

#[test]
fn a_function_may_have_eighty_lines_whatever_is_in_comments() {
    assert_eq!(check(&[file(function(80))]), []);
    let found = check(&[file(format!("\n{}", function(81)))]);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].line, found[0].wrong.as_str()),
        (2, "function `long` has 81 lines")
    );
}

#[test]
fn functions_in_impls_traits_and_functions_count() {
    let long = function(81).replace("fn long()", "fn long(&self)");
    for text in [
        format!("impl X {{ {long} }}"),
        format!("trait X {{ {long} }}"),
        format!("mod x {{ {} }}", function(81)),
    ] {
        assert_eq!(check(&[file(text)]).len(), 1);
    }
    let nested = format!("fn outer() {{ {} }}", function(81));
    assert_eq!(check(&[file(nested)]).len(), 2);
}

#[test]
fn the_median_is_the_file_in_the_middle() {
    let files: Vec<SourceFile> = [9, 1, 200]
        .into_iter()
        .map(|lines| file("//\n".repeat(lines)))
        .collect();
    assert_eq!(median(&files), 9);
    assert_eq!(median(&[]), 0);
}

#[test]
fn a_line_of_a_comment_may_have_a_hundred_columns() {
    let of = |columns: usize, begin: &str| format!("{begin}{}", "x".repeat(columns - begin.len()));
    for begin in ["// ", "    /// ", "//! "] {
        let text = [of(100, begin), of(101, begin)].join("\n");
        let found: Vec<_> = wide_comments(&text).collect();
        assert_eq!(found, [(2, 101)], "{begin}");
    }
    for text in [
        of(120, "let x = "),
        of(120, "/// | a row "),
        of(120, "/// [id]: "),
        format!("/// ```\n{}\n/// ```", of(120, "/// ")),
    ] {
        assert_eq!(wide_comments(&text).next(), None, "{text}");
    }
    let behind = format!("/// ```\n/// ```\n{}", of(120, "/// "));
    assert_eq!(wide_comments(&behind).next(), Some((3, 120)));
}
