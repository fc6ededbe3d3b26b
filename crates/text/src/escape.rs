//! Makes text harmless for a terminal (OUT-9).
//!
//! [`is_dangerous`] contains the complete list of dangerous characters. Two kinds of characters on
//! it also have honest uses: joiners, which emoji and several scripts need, and variation
//! selectors. They are kept where their neighbours show such a use, and escaped everywhere else.

mod joiner;
mod stream;

use std::iter::Peekable;
use std::str::Chars;

pub use stream::VisibleStream;

/// How many columns a tab takes when it is replaced by spaces.
const TAB: &str = "    ";

/// Returns whether a character would control a terminal, or make it show something other than the
/// text says:
///
/// - control characters: C0 (with ESC, which begins CSI and OSC sequences), DEL, and C1 (with CSI
///   and OSC as single characters);
/// - line and paragraph separators (U+2028, U+2029);
/// - characters that change the direction of their neighbours (U+061C, U+200E, U+200F, U+202A to
///   U+202E, U+2066 to U+2069);
/// - invisible characters: U+00AD, U+034F, U+200B to U+200D, U+2060 to U+206F, U+FEFF, Hangul
///   fillers (U+115F, U+1160, U+3164, U+FFA0), inherent vowels of Khmer (U+17B4, U+17B5),
///   controls of Mongolian (U+180B to U+180F), shorthand (U+1BCA0 to U+1BCA3) and music
///   (U+1D173 to U+1D17A), annotations (U+FFF0 to U+FFFB), variation selectors (U+FE00 to U+FE0F)
///   and the whole range of tags (U+E0000 to U+E0FFF).
///
/// These are Unicode's controls and all code points that it calls "default ignorable", with the
/// separators and annotations.
pub const fn is_dangerous(character: char) -> bool {
    matches!(character,
        '\u{0}'..='\u{1F}' | '\u{7F}'..='\u{9F}'
        | '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Returns whether a byte is a whole character that is shown as it is everywhere: most texts
/// consist of nothing else.
const fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// How line ends and tabs are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// They are shown as `\n` and `\t`.
    OneLine,
    /// They are kept; a Windows line end becomes a Unix one.
    Lines,
    /// Line ends as in `Lines`; a tab is replaced by spaces.
    Cells,
}

/// Returns a text on one line, with all dangerous characters escaped, including line ends and tabs.
///
/// ```
/// use hookloop_text::visible;
///
/// // A name that would clear the line and paint another one in its place.
/// assert_eq!(visible("safe.sh\r\u{1b}[2Krm -rf ."), "safe.sh\\r\\u{1b}[2Krm -rf .");
/// assert_eq!(visible("日本 👩‍💻"), "日本 👩‍💻");
/// ```
pub fn visible(text: &str) -> String {
    escaped(text, Layout::OneLine)
}

/// Returns a text with all dangerous characters escaped. Line ends and tabs are kept.
pub fn visible_lines(text: &str) -> String {
    escaped(text, Layout::Lines)
}

/// Returns a text for a screen that counts columns: like [`visible_lines`], with spaces instead of
/// tabs.
pub fn visible_cells(text: &str) -> String {
    escaped(text, Layout::Cells)
}

/// Returns a text for one row of such a screen: like [`visible_cells`], with a symbol instead of
/// each line end.
pub fn visible_row(text: &str) -> String {
    visible_cells(text).replace('\n', "⏎")
}

/// Replaces dangerous characters in JSON text with JSON escapes, so that the value is unchanged and
/// the text is safe to display. Line ends and tabs, which may occur between values, are kept.
pub fn visible_json(json: &str) -> String {
    use std::fmt::Write as _;
    if json.bytes().all(|it| is_plain(it) || it == b'\n') {
        return json.to_owned();
    }
    let mut shown = String::with_capacity(json.len());
    for character in json.chars() {
        if is_dangerous(character) && !matches!(character, '\n' | '\t') {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a string can't fail.
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Returns a text without dangerous characters, for places where it is typed or pasted. Line ends
/// and tabs are kept.
///
/// ```
/// use hookloop_text::harmless;
///
/// // What is pasted must not press Enter for the person, nor hide a word.
/// assert_eq!(harmless("ls\u{200b}\u{1b}[A\n"), "ls[A\n");
/// ```
pub fn harmless(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut before, mut characters) = (None, text.chars().peekable());
    while let Some(character) = characters.next() {
        let is_honest = joiner::is_honest(character, before, characters.peek());
        if is_honest || matches!(character, '\n' | '\t') || !is_dangerous(character) {
            kept.push(character);
            before = Some(character);
        }
    }
    kept
}

fn escaped(text: &str, layout: Layout) -> String {
    if text.bytes().all(is_plain) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len());
    escape_into(&mut shown, text, None, layout);
    shown
}

/// Appends a text; `before` is the character in front of it.
fn escape_into(shown: &mut String, text: &str, mut before: Option<char>, layout: Layout) {
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let kept = push(shown, character, before, &mut characters, layout);
        // A character that was escaped doesn't count as a neighbour of a joiner.
        before = kept.then_some(character);
    }
}

/// Appends a character, and returns whether it was appended unescaped.
fn push(
    shown: &mut String,
    character: char,
    before: Option<char>,
    behind: &mut Peekable<Chars<'_>>,
    layout: Layout,
) -> bool {
    match (character, layout) {
        ('\n' | '\t', Layout::Lines) | ('\n', Layout::Cells) => shown.push(character),
        ('\r', Layout::Lines | Layout::Cells) if behind.peek() == Some(&'\n') => {}
        ('\t', Layout::Cells) => shown.push_str(TAB),
        ('\n', Layout::OneLine) => shown.push_str("\\n"),
        ('\r', Layout::OneLine) => shown.push_str("\\r"),
        ('\t', Layout::OneLine) => shown.push_str("\\t"),
        _ if !is_dangerous(character) || joiner::is_honest(character, before, behind.peek()) => {
            shown.push(character);
            return true;
        }
        _ => shown.extend(character.escape_unicode()),
    }
    false
}

#[cfg(test)]
mod tests;
