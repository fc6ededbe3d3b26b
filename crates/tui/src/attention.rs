//! When a question accepts keys (TU-3): not while somebody is typing a text, and no key that was
//! pressed before the question could be read.

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// How long a question is on the screen before a number answers it: a key that comes sooner was
/// pressed before it appeared. The time is short, so that a program that answers needn't wait.
const MIN_SHOWN: Duration = Duration::from_millis(50);

/// How long a question is on the screen before somebody can have read it: an answer in words that
/// was begun sooner, and an Enter that came sooner, were meant for something else.
const READ: Duration = Duration::from_millis(500);

/// How long there must have been no typing before a key answers a question that appeared meanwhile.
pub(crate) const PAUSE: Duration = Duration::from_secs(1);

/// Whether a question accepts keys.
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
    /// Since when it has been on the screen; `None` while it hasn't been drawn.
    shown: Option<Instant>,
    /// When something that answers nothing was last typed.
    written: Option<Instant>,
    /// The question during which the current text was begun: the text may be an answer in words,
    /// and none of its keys may count as another answer.
    begun_under: Option<usize>,
    /// The question that could be read before the first key of the text, if the text was typed key
    /// by key since then: nothing pasted, recalled or completed counts as an answer.
    typed_under: Option<usize>,
}

impl Attention {
    /// Records a question that wasn't asked before.
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

    /// Records that the question is on the screen.
    pub(crate) const fn show(&mut self, now: Instant) {
        if self.shown.is_none() {
            self.shown = Some(now);
        }
    }

    /// Records that another program used the screen, or that another question replaces this one:
    /// nobody can read it until it is drawn again, and what was typed isn't an answer.
    pub(crate) const fn hide(&mut self) {
        self.shown = None;
        self.typed_under = None;
    }

    /// Records a key that was meant for a text.
    pub(crate) const fn write(&mut self, now: Instant) {
        self.written = Some(now);
    }

    /// Records a text that begins while a question is open.
    pub(crate) const fn begin_answer(&mut self) {
        self.begun_under = Some(self.question);
    }

    /// Records a text that begins while nothing is asked.
    pub(crate) const fn begin_text(&mut self) {
        self.begun_under = None;
    }

    /// Records a letter that begins a text while a question is open.
    pub(crate) fn begin_word(&mut self, now: Instant) {
        self.typed_under = self.is_read(now).then_some(self.question);
    }

    /// Records that the text isn't what was typed.
    pub(crate) const fn spoil_word(&mut self) {
        self.typed_under = None;
    }

    /// Returns whether the text was typed, from its first key on, while the current question could
    /// be read.
    pub(crate) fn answers(self) -> bool {
        self.typed_under == Some(self.question)
    }

    /// Returns whether the text was begun while the current question was open.
    pub(crate) fn was_begun_here(self) -> bool {
        self.begun_under == Some(self.question)
    }

    /// Returns whether the question appeared a moment ago.
    pub(crate) fn is_looking(self, now: Instant) -> bool {
        !self.remaining_look(MIN_SHOWN, now).is_zero()
    }

    /// Returns whether somebody can have read the question.
    pub(crate) fn is_read(self, now: Instant) -> bool {
        self.remaining_look(READ, now).is_zero()
    }

    /// Returns whether something was typed a moment ago.
    pub(crate) fn is_writing(self, now: Instant) -> bool {
        self.begun_under.is_some() || !remaining(self.written, PAUSE, now).is_zero()
    }

    /// Returns how long no key answers yet, if nothing is typed and the question has to be read.
    pub(crate) fn patience(self, now: Instant) -> Duration {
        self.remaining_look(READ, now)
            .max(remaining(self.written, PAUSE, now))
    }

    /// Returns the remaining time that the question has to be on the screen.
    fn remaining_look(self, time: Duration, now: Instant) -> Duration {
        self.shown.map_or(time, |it| remaining(Some(it), time, now))
    }
}

/// Returns the rest of a time that began at some moment.
fn remaining(since: Option<Instant>, time: Duration, now: Instant) -> Duration {
    since.map_or(Duration::ZERO, |since| {
        time.saturating_sub(now.saturating_duration_since(since))
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

/// Returns whether a key begins a text if it chooses nothing: a blank doesn't, nor does the
/// question mark that asks for help.
pub(crate) fn begins_text(key: KeyEvent) -> bool {
    letter(key).is_some_and(|it| !it.is_whitespace() && it != '?')
}
