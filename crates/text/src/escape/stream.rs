//! Text that arrives in pieces.

use super::{Layout, escape_into};

/// Escapes text that arrives in pieces, such as a model's response. The end of a piece is held back
/// if the next piece decides how to treat it.
///
/// ```
/// use hookloop_text::VisibleStream;
///
/// let mut stream = VisibleStream::default();
/// let mut shown = String::new();
/// // A line end of Windows, torn in two.
/// for piece in ["one\r", "\ntwo\u{1b}"] {
///     shown += &stream.push(piece);
/// }
/// shown += &stream.finish();
/// assert_eq!(shown, "one\ntwo\\u{1b}");
/// ```
#[derive(Debug, Default)]
pub struct VisibleStream {
    /// A carriage return or a joiner that may turn out to be harmless.
    pending: Option<char>,
    /// The last character that was passed on, if it wasn't escaped.
    last: Option<char>,
}

impl VisibleStream {
    /// Returns the next piece in the form of [`super::visible_lines`].
    pub fn push(&mut self, piece: &str) -> String {
        let mut text = String::with_capacity(piece.len() + 4);
        text.extend(self.pending.take());
        text.push_str(piece);
        if let Some(end @ ('\r' | '\u{200C}' | '\u{200D}')) = text.chars().next_back() {
            self.pending = Some(end);
            text.truncate(text.len() - end.len_utf8());
        }
        self.escape_piece(&text)
    }

    /// Returns the text that was held back. Call it after the last piece.
    pub fn finish(&mut self) -> String {
        let rest = self.pending.take().map(String::from).unwrap_or_default();
        self.escape_piece(&rest)
    }

    fn escape_piece(&mut self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        escape_into(&mut shown, text, self.last, Layout::Lines);
        if let Some(last) = text.chars().next_back() {
            self.last = shown.ends_with(last).then_some(last);
        }
        shown
    }
}
