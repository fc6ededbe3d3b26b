//! Writes frames: finished lines go to the terminal's scrollback, and the live area below them is
//! redrawn.
//!
//! The painter moves the cursor only relative to its last position, so it never has to ask the
//! terminal for it. It works over slow connections, and the live area can grow and shrink. A frame
//! is a single write, so a half-drawn dialog is never visible (TU-3).

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write};

use crate::styled::{Hyperlinks, Line, Palette};

/// From here on the terminal cuts a row that is too wide.
const KEEPS_ROWS: &str = "\x1b[?7l";
/// From here on it wraps such a row, as usual.
const BREAKS_ROWS: &str = "\x1b[?7h";

/// Where the cursor is in the live area: row and column, from 0.
pub(crate) type Cursor = (usize, usize);

/// The lines at the lower end of the terminal that change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Live {
    pub(crate) lines: Vec<Line>,
    /// Where the cursor is shown; hidden if nowhere.
    pub(crate) cursor: Option<Cursor>,
}

/// The size of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

/// What has to be done before the next frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ground {
    /// What was drawn is unchanged.
    Kept,
    /// The terminal has changed it.
    Disturbed,
}

/// Draws frames.
pub(crate) struct Painter<W> {
    out: W,
    palette: Palette,
    hyperlinks: Hyperlinks,
    size: Size,
    /// The live area as it is.
    drawn: Live,
    /// The row of the live area that the cursor is in.
    row: usize,
    ground: Ground,
}

impl<W: Write> Painter<W> {
    pub(crate) fn new(out: W, palette: Palette, size: Size) -> Self {
        Self {
            out,
            palette,
            hyperlinks: Hyperlinks::Plain,
            size,
            drawn: Live::default(),
            row: 0,
            ground: Ground::Kept,
        }
    }

    /// Writes addresses that are broken as the terminal understands them.
    pub(crate) fn with(self, hyperlinks: Hyperlinks) -> Self {
        Self { hyperlinks, ..self }
    }

    pub(crate) const fn size(&self) -> Size {
        self.size
    }

    /// Switches to other colours; what is on the screen is drawn again in them.
    pub(crate) const fn set_palette(&mut self, palette: Palette) {
        self.palette = palette;
        self.ground = Ground::Disturbed;
    }

    pub(crate) const fn out(&self) -> &W {
        &self.out
    }

    pub(crate) const fn out_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// Records another size. A narrower terminal wraps the rows that were drawn, so the live area
    /// begins further up than before.
    pub(crate) fn resize(&mut self, size: Size) {
        let columns = size.columns.max(1);
        if size.columns < self.size.columns {
            let broken = |line: &Line| line.width().max(1).div_ceil(columns);
            let above: usize = self.drawn.lines.iter().take(self.row).map(broken).sum();
            let column = self.drawn.cursor.map_or(0, |(_, column)| column);
            self.row = (above + column / columns).min(size.rows.saturating_sub(1));
        }
        self.size = size;
        self.ground = Ground::Disturbed;
    }

    /// Records that something else has written to the terminal: everything is redrawn below it.
    pub(crate) fn disturb(&mut self) {
        self.drawn = Live::default();
        self.row = 0;
        self.ground = Ground::Disturbed;
    }

    /// Writes finished lines above the live area, and the live area below them.
    pub(crate) fn paint(&mut self, finished: &[Line], live: Live) -> io::Result<()> {
        if finished.is_empty() && live == self.drawn && self.ground == Ground::Kept {
            return Ok(());
        }
        let mut frame = String::from("\x1b[?2026h\x1b[?25l");
        self.go_to_start(&mut frame);
        let shrinks = finished.len() + live.lines.len() < self.drawn.lines.len();
        // The terminal wraps these itself, and overwrites rows that weren't cleared.
        let overflows = finished.iter().any(|it| it.widest() > self.size.columns);
        let is_cleared = shrinks || overflows || self.ground == Ground::Disturbed;
        if is_cleared {
            frame.push_str("\x1b[J");
        }
        // Unchanged rows aren't sent again, which helps slow terminals.
        let fits = |it: &Line| it.width() <= self.size.columns;
        let keeps_rows = !is_cleared && finished.is_empty() && live.lines.iter().all(fits);
        for line in finished {
            self.write_line(&mut frame, line);
            frame.push_str("\r\n");
        }
        for (index, line) in live.lines.iter().enumerate() {
            if index > 0 {
                frame.push_str("\r\n");
            }
            if !(keeps_rows && self.drawn.lines.get(index) == Some(line)) {
                self.write_row(&mut frame, line);
            }
        }
        let last = live.lines.len().saturating_sub(1);
        let (row, column) = live.cursor.unwrap_or((last, 0));
        if last > row {
            let _ = write!(frame, "\x1b[{}A", last - row);
        }
        frame.push('\r');
        if column > 0 {
            let _ = write!(frame, "\x1b[{column}C");
        }
        if live.cursor.is_some() {
            frame.push_str("\x1b[?25h");
        }
        frame.push_str("\x1b[?2026l");
        self.row = row;
        self.drawn = live;
        self.ground = Ground::Kept;
        self.out.write_all(frame.as_bytes())?;
        self.out.flush()
    }

    /// Tells the terminal how to behave; nothing of that is visible.
    pub(crate) fn instruct(&mut self, sequences: &[u8]) -> io::Result<()> {
        self.out.write_all(sequences)?;
        self.out.flush()
    }

    /// Clears the screen; the scrollback stays.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.out.write_all(b"\x1b[2J\x1b[H")?;
        self.drawn = Live::default();
        self.row = 0;
        self.out.flush()
    }

    fn go_to_start(&self, frame: &mut String) {
        if self.row > 0 {
            let _ = write!(frame, "\x1b[{}A", self.row);
        }
        frame.push('\r');
    }

    /// Writes a row of the live area. If the terminal may display it wider than it is, it must not
    /// wrap it: the cursor would no longer be where the next frame begins.
    fn write_row(&self, frame: &mut String, line: &Line) {
        let columns = self.size.columns;
        let is_doubtful = line.width() <= columns && line.widest() > columns;
        if is_doubtful {
            frame.push_str(KEEPS_ROWS);
        }
        self.write_line(frame, line);
        if is_doubtful {
            frame.push_str(BREAKS_ROWS);
        }
    }

    fn write_line(&self, frame: &mut String, line: &Line) {
        // Clears the whole row before writing: if only its end was cleared, some terminals remember
        // its length, and wrap it when they become narrower.
        frame.push_str("\x1b[2K");
        for span in &line.0 {
            let address = span.address.as_deref();
            let address = address.filter(|_| self.hyperlinks == Hyperlinks::Written);
            if let Some(address) = address {
                let _ = write!(frame, "\x1b]8;id={};{address}\x1b\\", id_of(address));
            }
            match span.style.sequence(self.palette) {
                Some(look) => {
                    let _ = write!(frame, "{look}{}\x1b[0m", span.text);
                }
                None => frame.push_str(&span.text),
            }
            if address.is_some() {
                frame.push_str("\x1b]8;;\x1b\\");
            }
        }
    }
}

/// Returns what tells a terminal that rows are parts of the same address.
fn id_of(address: &str) -> String {
    let mut hasher = DefaultHasher::new();
    address.hash(&mut hasher);
    format!("{:x}", hasher.finish())
}

#[cfg(test)]
mod tests;
