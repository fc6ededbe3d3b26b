//! Whether the terminal's background is light or dark, as the terminal itself says when asked
//! (TU-5).
//!
//! Nobody waits for the answer: it comes among the keys, soon, late or never, and is picked out
//! there.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use crate::styled::Palette;

/// Asks for the colour of the background.
pub(crate) const QUESTION: &[u8] = b"\x1b]11;?\x1b\\";

/// The beginning of an answer, after the escape character.
const BEGINNINGS: [&str; 2] = ["11;rgb:", "11;rgba:"];

/// The maximum length of an answer: four numbers of four digits.
const MAX_CHARACTERS: usize = 32;

/// Nobody types the next key so soon.
const AT_ONCE: Duration = Duration::from_millis(20);

/// Picks the answer out of what comes from the terminal.
#[derive(Debug, Default)]
pub(crate) struct Listener {
    /// The keys that may be the beginning of the answer.
    pending: Vec<KeyEvent>,
    /// What they say.
    text: String,
    /// When Esc was last pressed. If an answer follows at once, its own escape character is taken
    /// for a part of that key.
    escaped: Option<Instant>,
}

/// What came from the terminal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TerminalInput {
    Event(Event),
    /// The colours that can be read on its background.
    Ground(Palette),
}

impl Listener {
    /// Takes what came; returns what has to be processed, in order.
    pub(crate) fn take(&mut self, event: Event, now: Instant) -> Vec<TerminalInput> {
        // Only key presses matter here; a resize isn't one.
        let Event::Key(key) = event else {
            return vec![TerminalInput::Event(event)];
        };
        if self.pending.is_empty() {
            let escaped = self.escaped.take();
            if is(key, KeyCode::Esc, KeyModifiers::NONE) {
                self.escaped = Some(now);
            }
            let is_at_once = escaped.is_some_and(|it| now.saturating_duration_since(it) < AT_ONCE);
            let begins = is(key, KeyCode::Char(']'), KeyModifiers::ALT)
                || is_at_once && is(key, KeyCode::Char(']'), KeyModifiers::NONE);
            return if begins {
                self.pending.push(key);
                Vec::new()
            } else {
                vec![TerminalInput::Event(event)]
            };
        }
        self.pending.push(key);
        let is_end = is(key, KeyCode::Char('g'), KeyModifiers::CONTROL)
            || is(key, KeyCode::Char('\\'), KeyModifiers::ALT);
        if is_end && let Some(palette) = palette(&self.text) {
            self.pending.clear();
            self.text.clear();
            return vec![TerminalInput::Ground(palette)];
        }
        match key.code {
            KeyCode::Char(letter) if !is_end && self.goes_on_with(letter) => {
                self.text.push(letter);
                Vec::new()
            }
            _ => {
                self.text.clear();
                let delayed = std::mem::take(&mut self.pending).into_iter();
                delayed
                    .map(|it| TerminalInput::Event(Event::Key(it)))
                    .collect()
            }
        }
    }

    /// Returns whether the answer may continue with a letter.
    fn goes_on_with(&self, letter: char) -> bool {
        let text = format!("{}{letter}", self.text);
        let begins = |beginning: &&str| match text.strip_prefix(*beginning) {
            Some(rest) => rest.chars().all(|it| it == '/' || it.is_ascii_hexdigit()),
            None => beginning.starts_with(&text),
        };
        text.len() <= MAX_CHARACTERS && BEGINNINGS.iter().any(begins)
    }
}

fn is(key: KeyEvent, code: KeyCode, modifiers: KeyModifiers) -> bool {
    key.code == code && key.modifiers == modifiers
}

/// Returns the colours for a background such as `11;rgb:ffff/ffff/ffff`; `None` if it isn't one.
fn palette(answer: &str) -> Option<Palette> {
    let mut beginnings = BEGINNINGS.iter();
    let numbers = beginnings.find_map(|it| answer.strip_prefix(it))?;
    let level = |number: &str| {
        let most = match number.len() {
            1..=4 => 16_u32.pow(u32::try_from(number.len()).ok()?) - 1,
            _ => return None,
        };
        u32::from_str_radix(number, 16)
            .ok()
            .map(|it| it * 1000 / most)
    };
    let levels: Option<Vec<u32>> = numbers.split('/').map(level).collect();
    let [red, green, blue, ..] = levels?[..] else {
        return None;
    };
    // The perceived brightness, out of 1000.
    let brightness = (299 * red + 587 * green + 114 * blue) / 1000;
    Some(if brightness > 500 {
        Palette::Light
    } else {
        Palette::Dark
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(letter: char, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(KeyCode::Char(letter), modifiers))
    }

    /// Returns an answer as the keys that are read.
    fn answer(text: &str, end: Event) -> Vec<Event> {
        let letters = text.chars().map(|it| key(it, KeyModifiers::NONE));
        let begin = key(']', KeyModifiers::ALT);
        std::iter::once(begin).chain(letters).chain([end]).collect()
    }

    fn heard(events: impl IntoIterator<Item = Event>) -> Vec<TerminalInput> {
        let (mut listener, now) = (Listener::default(), Instant::now());
        events
            .into_iter()
            .flat_map(|it| listener.take(it, now))
            .collect()
    }

    /// TU-5: an answer that follows Esc at once isn't typed: its own escape character is read as a
    /// part of that key. What is typed after Esc is.
    #[test]
    fn an_answer_behind_escape_is_not_typed() {
        let escape = Event::Key(KeyCode::Esc.into());
        let plain = key(']', KeyModifiers::NONE);
        let mut events = answer("11;rgb:ffff/ffff/ffff", key('\\', KeyModifiers::ALT));
        events[0] = plain.clone();
        events.insert(0, escape.clone());
        let expected = [
            TerminalInput::Event(escape.clone()),
            TerminalInput::Ground(Palette::Light),
        ];
        assert_eq!(heard(events), expected);
        let (mut listener, now) = (Listener::default(), Instant::now());
        for (event, later) in [(escape, 0), (plain, 500)] {
            let at = now + Duration::from_millis(later);
            assert_eq!(
                listener.take(event.clone(), at),
                [TerminalInput::Event(event)]
            );
        }
    }

    /// TU-5: the answer says whether the background is light or dark, in any precision and with
    /// either end, and none of it counts as a key.
    #[test]
    fn the_terminal_says_what_its_background_is() {
        let bell = || key('g', KeyModifiers::CONTROL);
        let string_end = || key('\\', KeyModifiers::ALT);
        for (text, palette) in [
            ("11;rgb:ffff/ffff/ffff", Palette::Light),
            ("11;rgb:fd/f6/e3", Palette::Light),
            ("11;rgb:1e1e/1e1e/2e2e", Palette::Dark),
            ("11;rgba:0000/0000/0000/ffff", Palette::Dark),
            ("11;rgb:0/0/f", Palette::Dark),
        ] {
            for end in [bell(), string_end()] {
                assert_eq!(
                    heard(answer(text, end)),
                    [TerminalInput::Ground(palette)],
                    "{text}"
                );
            }
        }
    }

    /// TU-5: what only begins like an answer is what somebody typed; a change of size in between
    /// isn't delayed.
    #[test]
    fn what_only_looks_like_an_answer_is_keys() {
        let bell = || key('g', KeyModifiers::CONTROL);
        for text in [
            "",
            "11;rgb:",
            "11;rgb:zz/",
            "12;rgb:0/0/0",
            "11;rgb:00000/0/0",
            "hello",
        ] {
            let events = answer(text, bell());
            let expected: Vec<_> = events.iter().cloned().map(TerminalInput::Event).collect();
            assert_eq!(heard(events), expected, "{text}");
        }
        let mut events = answer("11;rgb:0/0/0", bell());
        events.insert(4, Event::Resize(40, 20));
        let expected = [
            TerminalInput::Event(Event::Resize(40, 20)),
            TerminalInput::Ground(Palette::Dark),
        ];
        assert_eq!(heard(events), expected);
    }

    proptest! {
        /// TU-5: no key is lost or changes its place, whatever is typed.
        #[test]
        fn no_key_is_lost(keys in proptest::collection::vec(("[]1;rgb:0f/x]", any::<bool>()), 0..40)) {
            let events: Vec<Event> = keys
                .iter()
                .map(|(text, alt)| {
                    let modifiers = if *alt { KeyModifiers::ALT } else { KeyModifiers::NONE };
                    key(text.chars().next().unwrap(), modifiers)
                })
                .chain([key('q', KeyModifiers::NONE)])
                .collect();
            let expected: Vec<_> = events.iter().cloned().map(TerminalInput::Event).collect();
            prop_assert_eq!(heard(events), expected);
        }
    }
}
