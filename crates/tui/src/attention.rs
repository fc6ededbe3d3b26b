//! When a question accepts keys (TU-3): not while somebody is typing a text, and no key that was pressed
//! before the question could be read.

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// How long a question is on the screen before a number answers it: what comes sooner was pressed before it was
/// there. It is short, so that whoever answers by a program need not wait.
const LOOK: Duration = Duration::from_millis(50);

/// How long a question is on the screen before somebody can have read it: an answer in words that was begun
/// sooner, and an Enter that came sooner, were meant for something else.
const READ: Duration = Duration::from_millis(500);

/// How long nobody has to have written before a key answers a question that came in between.
pub(crate) const PAUSE: Duration = Duration::from_secs(1);

/// Whether a question takes keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyHandling {
    Keys,
    NotYet,
}

/// What somebody at the keyboard did last.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Attention {
    /// The number of the question that is asked now, or was last.
    question: usize,
    /// Since when it has been on the screen; nothing while it hasn't been drawn.
    shown: Option<Instant>,
    /// When something was last written that answers nothing.
    written: Option<Instant>,
    /// The question under which the text was begun that is being written: the text may be an answer in words,
    /// and a key of it must not be another.
    begun_under: Option<usize>,
    /// The question that could be read before the first key of the text, if the text was typed key by key since
    /// then: nothing pasted, recalled or completed is an answer.
    typed_under: Option<usize>,
}

impl Attention {
    /// Takes note of a question that wasn't asked before.
    pub(crate) const fn ask(&mut self) {
        self.question += 1;
        self.hide();
    }

    /// Returns the number of the question while it isn't on the screen.
    pub(crate) const fn unseen_question(self) -> Option<usize> {
        match self.shown {
            None => Some(self.question),
            Some(_) => None,
        }
    }

    /// Takes note that the question is on the screen.
    pub(crate) const fn show(&mut self, now: Instant) {
        if self.shown.is_none() {
            self.shown = Some(now);
        }
    }

    /// Takes note that the screen was somebody else's, or that another question takes its place: nobody can look
    /// at it until it is drawn again, and what was typed isn't an answer.
    pub(crate) const fn hide(&mut self) {
        self.shown = None;
        self.typed_under = None;
    }

    /// Takes note of a key that was meant for a text.
    pub(crate) const fn write(&mut self, now: Instant) {
        self.written = Some(now);
    }

    /// Takes note of a text that begins while a question is open.
    pub(crate) const fn begin_answer(&mut self) {
        self.begun_under = Some(self.question);
    }

    /// Takes note of a text that begins while nothing is asked.
    pub(crate) const fn begin_text(&mut self) {
        self.begun_under = None;
    }

    /// Takes note of a letter that a text begins with while a question is open.
    pub(crate) fn begin_word(&mut self, now: Instant) {
        self.typed_under = self.is_read(now).then_some(self.question);
    }

    /// Takes note that the text isn't what was typed.
    pub(crate) const fn spoil_word(&mut self) {
        self.typed_under = None;
    }

    /// Returns whether the text was typed, from its first key on, while the question that is asked now could be read.
    pub(crate) fn answers(self) -> bool {
        self.typed_under == Some(self.question)
    }

    /// Returns whether the text was begun while the question was open that is asked now.
    pub(crate) fn was_begun_here(self) -> bool {
        self.begun_under == Some(self.question)
    }

    /// Returns whether the question came a moment ago.
    pub(crate) fn is_looking(self, now: Instant) -> bool {
        !self.remaining_look(LOOK, now).is_zero()
    }

    /// Returns whether somebody can have read the question.
    pub(crate) fn is_read(self, now: Instant) -> bool {
        self.remaining_look(READ, now).is_zero()
    }

    /// Returns whether something was written a moment ago.
    pub(crate) fn is_writing(self, now: Instant) -> bool {
        self.begun_under.is_some() || !remaining(self.written, PAUSE, now).is_zero()
    }

    /// Returns how long no key answers yet, if none is written and the question has to be read.
    pub(crate) fn patience(self, now: Instant) -> Duration {
        self.remaining_look(READ, now)
            .max(remaining(self.written, PAUSE, now))
    }

    /// Returns what is left of a time that the question has to be on the screen.
    fn remaining_look(self, time: Duration, now: Instant) -> Duration {
        self.shown.map_or(time, |it| remaining(Some(it), time, now))
    }
}

/// Returns what is left of a time that began at some moment.
fn remaining(begun: Option<Instant>, time: Duration, now: Instant) -> Duration {
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

/// Returns whether a key begins a text where it chooses nothing: a blank doesn't, nor does the question
/// mark that asks for help.
pub(crate) fn begins_text(key: KeyEvent) -> bool {
    letter(key).is_some_and(|it| !it.is_whitespace() && it != '?')
}
