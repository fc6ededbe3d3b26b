//! Makes a picture of a program's terminal output: coloured text is read from standard input, and
//! an SVG is written. The pictures in the documentation are made with it.

use std::fmt::Write as _;

/// The size of a character cell, in the picture's units.
const CELL: (f64, f64) = (8.4, 18.0);
const MARGIN: f64 = 16.0;

/// How a run of text looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Style {
    bold: bool,
    dim: bool,
    colour: Option<u8>,
}

/// A run of text in one style.
#[derive(Debug, PartialEq, Eq)]
struct Span {
    column: usize,
    text: String,
    style: Style,
}

/// Draws terminal text as an SVG that follows the reader's light or dark theme.
pub(crate) fn draw(text: &str) -> String {
    let mut style = Style::default();
    let lines = text.lines().map(|line| spans(line, &mut style));
    let lines: Vec<Vec<Span>> = lines.collect();
    let ends = lines
        .iter()
        .flatten()
        .map(|span| span.column + span.text.chars().count());
    let width = 2.0_f64.mul_add(MARGIN, count(ends.max().unwrap_or(0)) * CELL.0);
    let height = 2.0_f64.mul_add(MARGIN, count(lines.len()) * CELL.1);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\">\n{SHEET}\
         <rect class=\"ground\" width=\"100%\" height=\"100%\" rx=\"8\"/>\n"
    );
    for (index, line) in lines.iter().enumerate() {
        let baseline = count(index).mul_add(CELL.1, MARGIN + 13.0);
        for span in line {
            draw_span(&mut svg, span, baseline);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

const SHEET: &str = "<style>\
    text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;\
    white-space:pre;fill:#24292f}.ground{fill:#f6f8fa;stroke:#d0d7de}.b{font-weight:700}\
    .d{fill:#6e7781}.c1{fill:#c4232d}.c2{fill:#1a7f37}.c3{fill:#8a6100}.c4{fill:#0b60c4}\
    .c5{fill:#7d3fc0}.c6{fill:#0f7080}\
    @media(prefers-color-scheme:dark){text{fill:#d6dde4}.ground{fill:#0f141a;stroke:#30363d}\
    .d{fill:#8b949e}.c1{fill:#ff7b72}.c2{fill:#56d364}.c3{fill:#e3b341}.c4{fill:#79c0ff}\
    .c5{fill:#d2a8ff}.c6{fill:#76e3ea}}</style>\n";

fn draw_span(svg: &mut String, span: &Span, baseline: f64) {
    let mut classes = Vec::new();
    if span.style.bold {
        classes.push("b".to_owned());
    }
    if span.style.dim {
        classes.push("d".to_owned());
    }
    classes.extend(span.style.colour.map(|colour| format!("c{colour}")));
    let left = count(span.column).mul_add(CELL.0, MARGIN);
    let length = count(span.text.chars().count()) * CELL.0;
    let text = span
        .text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        // Spaces in a row would be drawn as one.
        .replace(' ', "\u{a0}");
    // Writing to a string doesn't fail.
    let _ = writeln!(
        svg,
        "<text x=\"{left:.1}\" y=\"{baseline:.1}\" textLength=\"{length:.1}\" class=\"{}\">{text}</text>",
        classes.join(" ")
    );
}

/// Splits a line at its colour codes; other control sequences are left out. A style lasts until it
/// is changed, beyond the end of the line.
fn spans(line: &str, style: &mut Style) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut column = 0;
    let mut rest = line.trim_end_matches('\r');
    while !rest.is_empty() {
        let (text, after) = rest.split_at(rest.find('\u{1b}').unwrap_or(rest.len()));
        if !text.trim().is_empty() {
            let indent = text
                .chars()
                .take_while(|character| *character == ' ')
                .count();
            let text = text.trim().to_owned();
            spans.push(Span {
                column: column + indent,
                text,
                style: *style,
            });
        }
        column += text.chars().count();
        rest = after;
        if let Some(sequence) = rest.strip_prefix("\u{1b}[") {
            let end = sequence.find(|character: char| character.is_ascii_alphabetic());
            let Some(end) = end else { break };
            if sequence[end..].starts_with('m') {
                restyle(style, &sequence[..end]);
            }
            rest = &sequence[end + 1..];
        } else if let Some(lone) = rest.strip_prefix('\u{1b}') {
            rest = lone;
        }
    }
    spans
}

fn restyle(style: &mut Style, codes: &str) {
    for code in codes.split(';').map(|code| code.parse::<u8>().unwrap_or(0)) {
        match code {
            0 => *style = Style::default(),
            1 => style.bold = true,
            2 => style.dim = true,
            22 => (style.bold, style.dim) = (false, false),
            31..=36 => style.colour = Some(code - 30),
            91..=96 => style.colour = Some(code - 90),
            30 | 37 | 39 | 90 | 97 => style.colour = None,
            _ => {}
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a picture has thousands of cells, not 2^52"
)]
const fn count(cells: usize) -> f64 {
    cells as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_become_classes_and_text_is_escaped() {
        let svg = draw("\u{1b}[1mbold\u{1b}[0m \u{1b}[31m<red>\u{1b}[0m\r\nplain");
        assert!(svg.contains("class=\"b\">bold</text>"), "{svg}");
        assert!(svg.contains("class=\"c1\">&lt;red&gt;</text>"), "{svg}");
        assert!(svg.contains("class=\"\">plain</text>"), "{svg}");
    }

    #[test]
    fn a_style_lasts_over_the_end_of_a_line() {
        let svg = draw("\u{1b}[31mone\ntwo\u{1b}[0m\nthree");
        assert!(svg.contains("class=\"c1\">two</text>"), "{svg}");
        assert!(svg.contains("class=\"\">three</text>"), "{svg}");
    }

    #[test]
    fn text_keeps_its_column() {
        let line = "ab\u{1b}[2m  c\u{1b}[K\u{1b}[0m d";
        let spans = spans(line, &mut Style::default());
        let places: Vec<_> = spans
            .iter()
            .map(|span| (span.column, span.text.as_str()))
            .collect();
        assert_eq!(places, [(0, "ab"), (4, "c"), (6, "d")]);
        assert!(spans[1].style.dim && !spans[2].style.dim);
    }
}
