use super::render;
use crate::styled::{Line, Palette, Tone, Weight, width};

const SAMPLE: &str = "# Plan\n\nFirst **look**, then `cargo test`.\n\n1. one\n   - nested item that is long enough to be broken\n2. two\n\n> quoted\n\n```rust\nfn main() {}\n```\n\nSee [the book](https://doc.rust-lang.org).\n\n| a | long |\n|---|---|\n| 1 | 2 |\n";

fn texts(text: &str, columns: usize) -> Vec<String> {
    let lines = render(text, columns, Palette::Plain);
    lines.iter().map(Line::text).collect()
}

/// TU-1: headings, lists, quotations, code with its language, links and tables.
#[test]
fn blocks_are_laid_out() {
    let expected = [
        "Plan",
        "",
        "First look, then `cargo test`.",
        "",
        "1. one",
        "   - nested item that is long enough to",
        "     be broken",
        "2. two",
        "",
        "│ quoted",
        "",
        "rust",
        "  fn main() {}",
        "",
        "See the book",
        "(https://doc.rust-lang.org).",
        "",
        "a  long",
        "───────",
        "1  2",
    ];
    assert_eq!(texts(SAMPLE, 40), expected);
}

/// TU-4: nothing is wider than the terminal.
#[test]
fn everything_fits() {
    for columns in [40, 80] {
        for line in texts(SAMPLE, columns) {
            assert!(width(&line) <= columns, "{line:?}");
        }
    }
}

/// TU-1: emphasis and inline code are styled.
#[test]
fn emphasis_has_a_look() {
    let lines = render("a **b** `c`", 40, Palette::Dark);
    let spans = &lines[0].0;
    assert!(
        spans
            .iter()
            .any(|it| it.text == "b" && it.style.weight == Weight::Strong)
    );
    assert!(
        spans
            .iter()
            .any(|it| it.text == "c" && it.style.tone == Tone::Code)
    );
}

/// TU-1: control characters of the model are escaped, in text and in code.
#[test]
fn control_characters_are_escaped() {
    for text in [
        "a\x1b[2Jb",
        "```\n\x1b[2J\n```",
        "`\x1b[2J`",
        "```\x1b[2J\nx\n```",
    ] {
        let shown = texts(text, 40).join("\n");
        assert!(!shown.contains('\x1b'), "{shown:?}");
        assert!(shown.contains("\\u{1b}[2J"), "{shown:?}");
    }
}

/// TU-1: the lines of the model stay separate lines.
#[test]
fn lines_stay_lines() {
    assert_eq!(texts("one\ntwo", 40), ["one", "two"]);
}

/// TU-5: cells that are too wide are wrapped in their column, and alignments are preserved.
#[test]
fn cells_wrap_and_align() {
    let table = "| name | what it does | count |\n|:--|:-:|--:|\n\
        | guard | keeps commands from doing harm | 7 |\n| x | y | 1234 |\n";
    let row = |name: &str, what: &str, count: &str| format!("{name:<5}  {what}  {count:>5}");
    assert_eq!(
        texts(table, 30),
        [
            row("name", "  what it does  ", "count"),
            "─".repeat(30),
            row("guard", " keeps commands ", "7"),
            format!("{}from doing harm", " ".repeat(7)),
            row("x", "       y        ", "1234"),
        ]
    );
    for columns in [20, 30, 40] {
        assert!(texts(table, columns).iter().all(|it| width(it) <= columns));
    }
}
