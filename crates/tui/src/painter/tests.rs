use std::io;
use std::num::NonZeroU16;

use vt100::Parser;

use super::{Live, Painter, Size};
use crate::styled::{Hyperlinks, Line, Palette, Style, Tone};
use crate::wrap::wrap;

/// A terminal that records every write.
struct Terminal {
    screen: Parser,
    writes: usize,
    bytes: Vec<u8>,
}

impl Terminal {
    fn new(rows: u16, columns: u16) -> Self {
        Self {
            screen: Parser::new(
                NonZeroU16::new(rows).unwrap(),
                NonZeroU16::new(columns).unwrap(),
                1000,
            ),
            writes: 0,
            bytes: Vec::new(),
        }
    }

    fn rows(&self) -> Vec<String> {
        let columns = self.screen.screen().size().1.get();
        let rows = self.screen.screen().rows(0, columns);
        rows.map(|row| row.trim_end().to_owned()).collect()
    }
}

impl io::Write for &mut Terminal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writes += 1;
        self.bytes.extend(bytes);
        self.screen.process(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn lines(texts: &[&str]) -> Vec<Line> {
    texts.iter().map(|text| Line::plain(*text)).collect()
}

fn live(texts: &[&str]) -> Live {
    Live {
        lines: lines(texts),
        cursor: Some((texts.len() - 1, 0)),
    }
}

const SIZE: Size = Size {
    columns: 10,
    rows: 6,
};

/// TU-4: a finished line that the terminal wraps itself leaves nothing of what was below it.
#[test]
fn an_overlong_line_leaves_nothing_behind() {
    let mut terminal = Terminal::new(6, 10);
    let mut painter = Painter::new(&mut terminal, Palette::Plain, SIZE);
    painter
        .paint(&[], live(&["---------", "---------", "input"]))
        .unwrap();
    painter
        .paint(&lines(&["abcdefghijklm"]), live(&["==", "==", "input"]))
        .unwrap();
    let expected = ["abcdefghij", "klm", "==", "==", "input", ""];
    assert_eq!(terminal.rows(), expected);
}

/// TU-4: terminals disagree about the width of an emoji of several parts. In the live area none of
/// them may wrap such a row, which would move everything; other rows don't matter.
#[test]
fn a_row_of_doubtful_width_stays_one_row() {
    let mut terminal = Terminal::new(6, 10);
    let mut painter = Painter::new(&mut terminal, Palette::Plain, SIZE);
    let doubtful = ["thumbs 👍🏽", "👩\u{200d}👩\u{200d}👧 family"];
    let certain = ["----------", "日本語日本", "a 👍 b", "👍🏽"];
    painter
        .paint(&[], live(&[&doubtful[..], &certain[..]].concat()))
        .unwrap();
    let frame = String::from_utf8(terminal.bytes).unwrap();
    for row in doubtful {
        assert!(
            frame.contains(&format!("\x1b[?7l\x1b[2K{row}\x1b[?7h")),
            "{row}: {frame:?}"
        );
    }
    assert_eq!(frame.matches("\x1b[?7l").count(), 2, "{frame:?}");
}

/// TU-4: a finished line that the terminal may display wider than it is leaves nothing of what was
/// below it.
#[test]
fn a_finished_line_of_doubtful_width_leaves_nothing_behind() {
    let mut terminal = Terminal::new(6, 10);
    let mut painter = Painter::new(&mut terminal, Palette::Plain, SIZE);
    painter
        .paint(&[], live(&["---------", "---------", "input"]))
        .unwrap();
    painter
        .paint(&lines(&["thumbs 👍🏽"]), live(&["==", "==", "input"]))
        .unwrap();
    // This terminal shows the two parts side by side.
    assert_eq!(terminal.rows()[1..], ["🏽", "==", "==", "input", ""]);
}

/// TU-1: finished lines stay above, the live area grows and shrinks below them.
#[test]
fn finished_lines_stay_above_the_live_area() {
    let mut terminal = Terminal::new(6, 10);
    let mut painter = Painter::new(&mut terminal, Palette::Plain, SIZE);
    painter.paint(&[], live(&["tail", "input"])).unwrap();
    painter
        .paint(&lines(&["done"]), live(&["a", "b", "input"]))
        .unwrap();
    painter.paint(&lines(&["more"]), live(&["input"])).unwrap();
    assert_eq!(terminal.rows(), ["done", "more", "input", "", "", ""]);
}

/// TU-5: rows that exist already aren't sent again, and stay where they are.
#[test]
fn rows_that_stand_are_not_sent_again() {
    let mut terminal = Terminal::new(6, 10);
    let mut painter = Painter::new(&mut terminal, Palette::Plain, SIZE);
    for rows in [
        vec!["spin 1", "----", "text"],
        vec!["spin 2", "----", "text"],
        vec!["spin 2", "----", "text", "more"],
        vec!["spin 2", "----", "other", "more"],
    ] {
        painter.paint(&[], live(&rows)).unwrap();
    }
    let expected = ["spin 2", "----", "other", "more", "", ""];
    assert_eq!(terminal.rows(), expected);
    let sent = String::from_utf8_lossy(&terminal.bytes);
    assert_eq!(sent.matches("----").count(), 1);
}

/// TU-1: what no longer fits goes to the scrollback, and nothing is lost or duplicated.
#[test]
fn lines_go_to_the_scrollback_in_order() {
    let mut terminal = Terminal::new(6, 10);
    let mut painter = Painter::new(&mut terminal, Palette::Plain, SIZE);
    for index in 0..20 {
        let line = format!("line {index}");
        painter
            .paint(&lines(&[&line]), live(&["----------", "input"]))
            .unwrap();
    }
    let expected = [
        "line 16",
        "line 17",
        "line 18",
        "line 19",
        "----------",
        "input",
    ];
    assert_eq!(terminal.rows(), expected);
    terminal.screen.screen_mut().set_scrollback(16);
    assert_eq!(terminal.rows()[..2], ["line 0", "line 1"]);
}

/// TU-3: a frame is one write, and an unchanged one isn't written.
#[test]
fn a_frame_is_one_write() {
    let mut terminal = Terminal::new(6, 10);
    let mut painter = Painter::new(&mut terminal, Palette::Dark, SIZE);
    painter
        .paint(&lines(&["done", "done"]), live(&["a", "b"]))
        .unwrap();
    painter.paint(&[], live(&["a", "b"])).unwrap();
    assert_eq!(terminal.writes, 1);
}

/// TU-4: without colour no styles are written at all.
#[test]
fn plain_text_has_no_look() {
    let look = Style::from(Tone::Bad).strong();
    for (palette, has_look) in [(Palette::Plain, false), (Palette::Dark, true)] {
        let mut terminal = Terminal::new(6, 10);
        let mut painter = Painter::new(&mut terminal, palette, SIZE);
        painter
            .paint(&[Line::new("x", look)], Live::default())
            .unwrap();
        let bytes = String::from_utf8(terminal.bytes).unwrap();
        assert_eq!(bytes.contains('m'), has_look, "{bytes:?}");
    }
}

/// TU-4: the row above stays when the terminal becomes narrower and wraps what was drawn.
#[test]
fn a_narrower_terminal_keeps_what_stands_above() {
    let mut bytes = Vec::new();
    let mut painter = Painter::new(&mut bytes, Palette::Plain, SIZE);
    painter.paint(&[], live(&["----------", "input"])).unwrap();
    painter.resize(Size {
        columns: 5,
        rows: 6,
    });
    painter.out.clear();
    painter.paint(&[], live(&["-----", "input"])).unwrap();
    let frame = String::from_utf8(bytes).unwrap();
    assert!(
        frame.contains("\x1b[2A"),
        "a rule became two rows: {frame:?}"
    );
}

/// TU-4: a row is cleared completely before it is written again, so that no terminal remembers its
/// old length.
#[test]
fn a_row_is_cleared_as_a_whole() {
    let mut terminal = Terminal::new(6, 10);
    let mut painter = Painter::new(&mut terminal, Palette::Plain, SIZE);
    painter.paint(&[], live(&["long line", "input"])).unwrap();
    painter.paint(&[], live(&["short", "ten chars!"])).unwrap();
    let bytes = String::from_utf8(terminal.bytes.clone()).unwrap();
    assert!(bytes.contains("\x1b[2Kshort\r\n"), "{bytes:?}");
    assert_eq!(terminal.rows()[..2], ["short", "ten chars!"]);
}

/// TU-4: each row of a broken address opens the whole of it where the terminal understands that,
/// and elsewhere nothing is written but the text.
#[test]
fn rows_of_an_address_are_hyperlinks() {
    let address = "https://a.b/0123456789";
    let rows = wrap(&Line::new(address, Tone::Link), SIZE.columns, 0);
    for (hyperlinks, count) in [(Hyperlinks::Written, rows.len()), (Hyperlinks::Plain, 0)] {
        let mut terminal = Terminal::new(6, 10);
        let mut painter = Painter::new(&mut terminal, Palette::Dark, SIZE).with(hyperlinks);
        painter.paint(&rows, Live::default()).unwrap();
        let bytes = String::from_utf8(terminal.bytes.clone()).unwrap();
        assert_eq!(
            bytes.matches(&format!(";{address}\x1b\\")).count(),
            count,
            "{bytes:?}"
        );
        assert_eq!(bytes.matches("\x1b]8;;\x1b\\").count(), count);
        assert_eq!(terminal.rows()[..3].concat(), address);
    }
}
