//! When a question takes keys (TU-3): neither those of a text that somebody is in the middle of
//! writing, nor any that came before the question could be read.

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// How long a question is on the screen before a key answers it: what comes sooner was pressed before it was
/// there. It is short, so that whoever answers by a program need not wait.
const LOOK: Duration = Duration::from_millis(50);

/// How long nobody has to have written before a key answers a question that came in between.
const PAUSE: Duration = Duration::from_secs(1);

/// Whether a question takes keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heed {
    Keys,
    NotYet,
}

/// What somebody at the keyboard did last.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Attention {
    /// When the question came that is asked now.
    asked: Option<Instant>,
    /// When something was last written that answers nothing.
    written: Option<Instant>,
    /// The question under which the text was begun that is being written, by when it came: the text may be an
    /// answer in words, and a key of it must not be another.
    answered: Option<Instant>,
}

impl Attention {
    /// Takes note of a question that wasn't on the screen before.
    pub(crate) const fn ask(&mut self, now: Instant) {
        self.asked = Some(now);
    }

    /// Takes note of a key that was meant for a text.
    pub(crate) const fn write(&mut self, now: Instant) {
        self.written = Some(now);
    }

    /// Takes note of a text that begins while a question is open.
    pub(crate) const fn begin_answer(&mut self) {
        self.answered = self.asked;
    }

    /// Takes note of a text that begins while nothing is asked.
    pub(crate) const fn begin_text(&mut self) {
        self.answered = None;
    }

    /// Tells whether the text was begun under the question that is asked now, and not under one before it.
    pub(crate) fn answers(self) -> bool {
        self.answered.is_some() && self.answered == self.asked
    }

    /// Tells whether the question came a moment ago.
    pub(crate) fn is_looking(self, now: Instant) -> bool {
        !rest(self.asked, LOOK, now).is_zero()
    }

    /// Tells whether something was written a moment ago.
    pub(crate) fn is_writing(self, now: Instant) -> bool {
        self.answered.is_some() || !rest(self.written, PAUSE, now).is_zero()
    }

    /// Returns how long no key answers yet, if none is written.
    pub(crate) fn patience(self, now: Instant) -> Duration {
        rest(self.asked, LOOK, now).max(rest(self.written, PAUSE, now))
    }
}

/// Returns what is left of a time that began at some moment.
fn rest(begun: Option<Instant>, time: Duration, now: Instant) -> Duration {
    begun.map_or(Duration::ZERO, |begun| {
        time.saturating_sub(now.saturating_duration_since(begun))
    })
}

/// Returns the letter that a key writes.
pub(crate) fn letter(key: KeyEvent) -> Option<char> {
    let is_command = key
        .modifiers
        .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    match key.code {
        KeyCode::Char(letter) if !is_command => Some(letter),
        _ => None,
    }
}

/// Tells whether a key begins a text where it chooses nothing: a blank doesn't, nor does the question
/// mark that asks for help.
pub(crate) fn begins_text(key: KeyEvent) -> bool {
    letter(key).is_some_and(|it| !it.is_whitespace() && it != '?')
}
