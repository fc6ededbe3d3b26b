//! Breaks styled lines so that they fit.

use std::ops::Range;
use std::sync::Arc;

use hookloop_text::wide_breaks;
use unicode_segmentation::UnicodeSegmentation;

use crate::styled::{Line, Span, Style, Tone, width};

/// Wraps a line at spaces, and between wide characters, so that each part takes at most `columns`,
/// the following ones after `indent` spaces. A word that is wider than the line is broken if
/// necessary.
pub(crate) fn wrap(line: &Line, columns: usize, indent: usize) -> Vec<Line> {
    let columns = columns.max(1);
    let indent = if indent * 2 < columns { indent } else { 0 };
    if line.width() <= columns {
        return vec![line.clone()];
    }
    let mut breaking = Breaking {
        columns,
        indent,
        done: Vec::new(),
        spans: Vec::new(),
        used: 0,
        address: None,
    };
    for word in words(line) {
        breaking.add(&word);
    }
    let mut rows = breaking.finish();
    if line.is_of_diff() {
        mark_continuations(&mut rows, indent);
    }
    rows
}

/// What marks a row that continues a line of a diff: its beginning isn't that of a line, whatever
/// it looks like.
const CONTINUED: &str = "… ";

/// Marks rows that continue a line, in their indent. One that continues an address stays as it is:
/// the terminal will break that.
fn mark_continuations(rows: &mut [Line], indent: usize) {
    let Some(blank) = indent.checked_sub(width(CONTINUED)) else {
        return;
    };
    for row in rows.iter_mut().skip(1) {
        let begins_with_address = row.0.get(1).is_some_and(|it| it.address.is_some());
        if let Some(first) = row.0.first_mut().filter(|_| !begins_with_address) {
            *first = Span::new(format!("{}{CONTINUED}", " ".repeat(blank)), Tone::Faint);
        }
    }
}

/// Wraps several lines.
pub(crate) fn wrap_all(lines: &[Line], columns: usize, indent: usize) -> Vec<Line> {
    lines
        .iter()
        .flat_map(|line| wrap(line, columns, indent))
        .collect()
}

/// Joins two rows if the second continues an address that the first breaks, so that the terminal
/// breaks it itself: only then can it be selected and copied as a whole.
pub(crate) fn with_whole_addresses(rows: Vec<Line>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::with_capacity(rows.len());
    for row in rows {
        let broken = lines.last().and_then(|it| it.0.last()?.address.clone());
        let is_indent = |it: &&Span| it.text.trim().is_empty() && it.address.is_none();
        let indent = row.0.iter().take_while(is_indent).count();
        let goes_on = broken.is_some() && row.0.get(indent).is_some_and(|it| it.address == broken);
        match lines.last_mut() {
            Some(line) if goes_on => {
                for span in row.0.into_iter().skip(indent) {
                    match line.0.last_mut() {
                        Some(last) if last.style == span.style && last.address == span.address => {
                            last.text.push_str(&span.text);
                        }
                        _ => line.0.push(span),
                    }
                }
            }
            _ => lines.push(row),
        }
    }
    lines
}

struct Breaking {
    columns: usize,
    indent: usize,
    done: Vec<Line>,
    spans: Vec<Span>,
    used: usize,
    /// The address that is being broken.
    address: Option<Arc<str>>,
}

impl Breaking {
    fn add(&mut self, word: &Word<'_>) {
        let columns: usize = word.body.iter().map(|(text, _)| width(text)).sum();
        // Breaking a word is better than a blank row above it.
        if self.used + columns > self.columns && self.used > self.start() && !self.is_blank() {
            self.end_row();
        }
        let fits = self.used + columns <= self.columns;
        let address = if fits { None } else { address_in(word) };
        let mut begin = 0;
        for (text, style) in &word.body {
            if fits {
                self.put(text, *style);
            } else {
                self.put_broken(text, *style, |at| {
                    let is_part = |it: &&Address| it.place.contains(&(begin + at));
                    address
                        .as_ref()
                        .filter(is_part)
                        .map(|it| Arc::clone(&it.text))
                });
            }
            begin += text.len();
        }
        self.address = None;
        // Spaces at the end of a row aren't carried over.
        let room = self.columns.saturating_sub(self.used);
        let (spaces, style) = word.spaces;
        self.put(&spaces[..spaces.len().min(room)], style);
    }

    /// Puts a text that doesn't fit, each piece as a part of the address that is at its place.
    fn put_broken(
        &mut self,
        text: &str,
        style: Style,
        address_at: impl Fn(usize) -> Option<Arc<str>>,
    ) {
        for (at, piece) in text.grapheme_indices(true) {
            self.address = address_at(at);
            if self.used + width(piece) > self.columns && self.used > self.start() {
                self.end_row();
            }
            self.put(piece, style);
        }
    }

    /// Returns where the current row's text begins.
    fn start(&self) -> usize {
        if self.done.is_empty() { 0 } else { self.indent }
    }

    /// Returns whether the current row contains only spaces, or the mark of a diff, which means
    /// nothing alone.
    fn is_blank(&self) -> bool {
        let text: String = self.spans.iter().map(|span| span.text.trim()).collect();
        matches!(text.as_str(), "" | "+" | "-")
    }

    fn put(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        self.used += width(text);
        match self.spans.last_mut() {
            Some(last) if last.style == style && last.address == self.address => {
                last.text.push_str(text);
            }
            _ => self.spans.push(Span {
                address: self.address.clone(),
                ..Span::new(text, style)
            }),
        }
    }

    fn end_row(&mut self) {
        let mut spans = std::mem::take(&mut self.spans);
        if let Some(last) = spans.last_mut() {
            last.text.truncate(last.text.trim_end_matches(' ').len());
        }
        self.done.push(Line(spans));
        self.used = 0;
        if self.indent > 0 {
            self.spans
                .push(Span::new(" ".repeat(self.indent), Style::default()));
            self.used = self.indent;
        }
    }

    fn finish(mut self) -> Vec<Line> {
        let is_open = self.used > self.start() || self.done.is_empty();
        if is_open {
            self.done.push(Line(self.spans));
        }
        self.done
    }
}

/// An address in a word, and its place there.
struct Address {
    text: Arc<str>,
    place: Range<usize>,
}

/// Finds the address in a word that doesn't fit: marks of punctuation behind it belong to the
/// sentence.
fn address_in(word: &Word<'_>) -> Option<Address> {
    let text: String = word.body.iter().map(|(text, _)| *text).collect();
    let begin = ["https://", "http://"]
        .iter()
        .filter_map(|it| text.find(it))
        .min()?;
    let behind = &text[begin..];
    let ends = |it: char| !it.is_ascii_graphic() || "<>\"`\\^{|}".contains(it);
    let end = behind.find(ends).unwrap_or(behind.len());
    let mut address = behind[..end].trim_end_matches(['.', ',', ';', ':', '!', '?', '\'']);
    // A bracket that was opened before the address closes behind it.
    for (opening, closing) in [('(', ')'), ('[', ']')] {
        let count = |of: char| address.matches(of).count();
        if count(closing) > count(opening) {
            address = address.trim_end_matches(closing);
        }
    }
    Some(Address {
        text: address.into(),
        place: begin..begin + address.len(),
    })
}

/// What must not be separated, with the space that follows it.
#[derive(Default)]
struct Word<'l> {
    body: Vec<(&'l str, Style)>,
    spaces: (&'l str, Style),
}

impl<'l> Word<'l> {
    fn add(&mut self, text: &'l str, style: Style) {
        if !text.is_empty() {
            self.body.push((text, style));
        }
    }

    /// Takes the word out, unless it is empty.
    fn take(&mut self) -> Option<Self> {
        (!self.body.is_empty()).then(|| std::mem::take(self))
    }
}

/// Splits a line into words; a word may consist of pieces that look different.
fn words(line: &Line) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut word = Word::default();
    let breaks = wide_breaks(&line.text());
    let mut breaks = breaks.into_iter().peekable();
    let mut begin = 0;
    for span in &line.0 {
        for piece in span.text.split_inclusive(' ') {
            let mut body = piece.trim_end_matches(' ');
            let spaces = &piece[body.len()..];
            let end = begin + piece.len();
            while let Some(place) = breaks.next_if(|place| *place < end) {
                let (before, after) = body.split_at((place - begin).min(body.len()));
                word.add(before, span.style);
                words.extend(word.take());
                begin += before.len();
                body = after;
            }
            word.add(body, span.style);
            begin = end;
            if !spaces.is_empty() {
                word.spaces = (spaces, span.style);
                words.push(std::mem::take(&mut word));
            }
        }
    }
    words.push(word);
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::styled::Tone;

    fn texts(line: &Line, columns: usize, indent: usize) -> Vec<String> {
        let rows = wrap(line, columns, indent);
        rows.iter().map(Line::text).collect()
    }

    /// TU-4: text breaks between words, and following rows are indented.
    #[test]
    fn text_breaks_between_words() {
        let line = Line::plain("- one two three");
        assert_eq!(texts(&line, 9, 2), ["- one two", "  three"]);
        assert_eq!(texts(&line, 40, 2), ["- one two three"]);
    }

    /// TU-4: an indented word that is wider than the screen leaves no blank row above it.
    #[test]
    fn a_wide_word_begins_behind_its_indent() {
        let line = Line::plain("  +KEY=${KEY}");
        assert_eq!(texts(&line, 10, 2), ["  +KEY=${K", "  EY}"]);
        assert_eq!(
            texts(&Line::plain("a KEY=${KEY}"), 10, 2),
            ["a", "  KEY=${KE", "  Y}"]
        );
    }

    /// TU-4: wide characters count as the columns that they take.
    #[test]
    fn wide_characters_count_double() {
        assert_eq!(
            texts(&Line::plain("日本語日本語"), 7, 0),
            ["日本語", "日本語"]
        );
    }

    /// TU-4: text that is written without spaces is wrapped where Unicode's rules allow it, even
    /// where its style changes; Latin parts stay together, and punctuation doesn't begin a row.
    #[test]
    fn wide_text_breaks_by_the_rules() {
        let text = "你好，世界。请运行cargo-test命令";
        let rows = ["你好，世界。", "请运行", "cargo-test命", "令"];
        assert_eq!(texts(&Line::plain(text), 12, 0), rows);
        let strong = Style::default().strong();
        let line = Line::plain("请运行")
            .with("ca", strong)
            .with("rgo命令", Tone::Accent);
        assert_eq!(texts(&line, 8, 0), ["请运行", "cargo命", "令"]);
        let line = Line::plain("前面")
            .with("命令。", strong)
            .with("后", strong);
        assert_eq!(texts(&line, 9, 0), ["前面命", "令。后"]);
    }

    /// TU-4: Latin text isn't broken at hyphens and slashes.
    #[test]
    fn paths_and_options_stay_whole() {
        let line = Line::plain("run it --no-hooks é/a-b/c");
        assert_eq!(texts(&line, 12, 0), ["run it", "--no-hooks", "é/a-b/c"]);
    }

    /// TU-4: the rows of an address that is broken know the whole of it, and what is around it
    /// isn't part of it.
    #[test]
    fn a_broken_address_is_known_whole() {
        let line = Line::plain("see (").with("https://a.b/c(d)/0123456789", Tone::Link);
        let line = line.with("), please", Tone::Plain);
        let rows = wrap(&line, 12, 2);
        let spans = rows.iter().flat_map(|it| &it.0);
        let (parts, others): (Vec<&Span>, Vec<&Span>) = spans.partition(|it| it.address.is_some());
        let written: String = parts.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(written, "https://a.b/c(d)/0123456789");
        assert!(parts.len() > 2);
        assert!(
            parts
                .iter()
                .all(|it| it.address.as_deref() == Some(&*written))
        );
        let others: String = others.iter().map(|it| it.text.trim()).collect();
        assert_eq!(others, "see(),please");
        let whole = with_whole_addresses(rows);
        let lines: Vec<String> = whole.iter().map(Line::text).collect();
        assert_eq!(lines[0], "see", "{lines:?}");
        assert!(
            lines[1].contains("https://a.b/c(d)/0123456789"),
            "{lines:?}"
        );
        let rows = wrap(&line, 80, 0);
        assert!(
            rows.iter()
                .flat_map(|it| &it.0)
                .all(|it| it.address.is_none()),
            "a terminal finds one that fits by itself"
        );
    }

    proptest! {
        /// TU-4: no row is wider than the terminal, and no word is lost.
        #[test]
        fn rows_fit_and_lose_nothing(text in "[a-z日。「🎉 ]{0,80}", columns in 4_usize..30) {
            let rows = texts(&Line::plain(text.clone()), columns, 2);
            for row in &rows {
                prop_assert!(width(row) <= columns, "{row:?}");
            }
            let letters = |text: &str| text.replace(' ', "");
            prop_assert_eq!(letters(&rows.concat()), letters(&text));
        }
    }
}
