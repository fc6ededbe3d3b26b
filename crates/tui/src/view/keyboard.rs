//! What keys mean (TU-1, TU-3, LO-4).

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use hookloop_agent::Consent;

use crate::attention::{self, KeyHandling};
use crate::editor::Pasted;
use crate::input::Dismissed;
use crate::lines::Awaited;
use crate::view::open::{Answer, Open, Pressed};
use crate::view::{Act, Leave, Phase, View, Wanted};

pub(super) const LEAVE_HINT: &str = "Press Ctrl+C again to exit.";

/// How long a second Ctrl+C leaves: later it counts as the first one again.
pub(super) const LEAVING: Duration = Duration::from_secs(2);

/// When an approval mode chosen while something runs takes effect.
const MODE_HINT: &str = "The approval mode changes when this turn ends.";

/// When an editor requested while something runs opens.
const EDITOR_HINT: &str = "The editor opens when this turn ends.";

/// How to see a paste that is shown as a label.
const FOLD_HINT: &str = "The paste is sent whole. Ctrl+X shows and edits it, Backspace removes it.";

/// What happened to an answer that doesn't count.
const VAIN_HINT: &str = "That doesn't count as an answer: it came before the question could be \
                         read, or wasn't typed. Answer again.";

/// How long a number isn't a choice yet: with a letter after it, both are a text.
pub(super) const HOLD: Duration = Duration::from_millis(300);

/// A number that may be a choice, or the beginning of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct PendingNumber {
    number: KeyEvent,
    /// When it is a choice if no key follows.
    due: Instant,
    haste: Haste,
}

/// Whether a number came before its question could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Haste {
    /// It did: with Enter after it, it is what somebody was just typing.
    Early,
    /// It came later, or allows nothing.
    Calm,
}

/// Who gets a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Recipient {
    Dialog,
    Text,
    /// It came before the dialog could be read.
    Nobody,
}

impl View {
    /// Takes a key.
    pub(crate) fn key(&mut self, key: KeyEvent, now: Instant) -> Option<Act> {
        if key.kind == KeyEventKind::Release {
            return None;
        }
        let hinted = self.is_leaving(now);
        self.hint = None;
        let pending = self.pending.take();
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if control => return self.interrupt(hinted, now),
            KeyCode::Char('l') if control => return Some(Act::ClearScreen),
            KeyCode::Char('z') if control => return Some(Act::Suspend),
            _ => {}
        }
        match pending {
            Some(pending) if key.code == KeyCode::Enter && pending.haste == Haste::Calm => {
                return self.answer(pending.number, now);
            }
            Some(pending) if key.code == KeyCode::Enter || attention::letter(key).is_some() => {
                self.write(pending.number, now);
            }
            _ => {}
        }
        if key.code == KeyCode::Enter
            && let Some(consent) = self.typed_consent()
        {
            self.input.clear();
            return self.answered(Answer::Consent(consent), now);
        }
        if key.code == KeyCode::Enter && self.is_ineffective_answer() {
            self.take_answer_away();
            return None;
        }
        match self.recipient(key, now) {
            Recipient::Dialog if self.dialogs.front().is_some_and(|it| it.is_number(key)) => {
                self.pending = Some(self.hold(key, now));
                return None;
            }
            Recipient::Dialog => return self.answer(key, now),
            Recipient::Nobody => return None,
            Recipient::Text => {}
        }
        match key.code {
            KeyCode::Char('d') if control && self.input.is_empty() => {
                let leaves = self.phase == Phase::Idle && self.waiting.is_empty();
                return leaves.then_some(Act::Leave(Leave::InputEnded));
            }
            KeyCode::Esc => return self.escape(now),
            KeyCode::Char('o') if control => {
                self.show_last_turn();
                return None;
            }
            KeyCode::Char('x' | 'g') if control => {
                self.editor = Wanted::Yes;
                if self.phase != Phase::Idle {
                    self.hint = Some(EDITOR_HINT);
                }
                return None;
            }
            KeyCode::BackTab => {
                self.wanted_modes += 1;
                if self.phase != Phase::Idle {
                    self.hint = Some(MODE_HINT);
                }
                return None;
            }
            KeyCode::Char('?') if self.input.is_empty() => {
                self.waiting.push_back("?".to_owned());
                return None;
            }
            _ => {}
        }
        self.write(key, now);
        None
    }

    /// Passes a key to the text that is being typed.
    fn write(&mut self, key: KeyEvent, now: Instant) {
        self.notes_word(key, now);
        self.writes(now);
        let submitted = self.input.key(key, self.size.columns, &*self.completions);
        if let Some(text) = submitted {
            self.history.add(&text);
            self.waiting.push_back(text);
        }
    }

    /// Records how a key changes the text: an answer in words is typed, and nothing else (TU-3).
    fn notes_word(&mut self, key: KeyEvent, now: Instant) {
        let is_typed = attention::letter(key).is_some() && !self.input.is_searching();
        if is_typed && self.input.is_empty() && !self.dialogs.is_empty() {
            self.attention.begin_word(now);
        } else if !is_typed && key.code != KeyCode::Backspace {
            self.attention.spoil_word();
        }
    }

    /// Keeps a number until it is known whether a text begins with it.
    fn hold(&self, number: KeyEvent, now: Instant) -> PendingNumber {
        let refuses = self.dialogs.front().is_some_and(|it| it.is_refusal(number));
        let (haste, wait) = if refuses || self.attention.is_read(now) {
            (Haste::Calm, HOLD)
        } else {
            (Haste::Early, attention::PAUSE)
        };
        let due = now + wait;
        PendingNumber { number, due, haste }
    }

    /// Makes the choice of a number that no letter followed (TU-3).
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<Act> {
        let pending = self.pending?;
        if now < pending.due {
            return None;
        }
        self.pending = None;
        self.answer(pending.number, now)
    }

    /// Returns the meaning of a text that was typed during the question about a call, and that is
    /// nothing but "yes" or "no" (TU-3).
    pub(super) fn typed_consent(&self) -> Option<Consent> {
        self.attention.answers().then(|| self.word()).flatten()
    }

    /// Returns what a text would mean during the question about a call.
    pub(super) fn word(&self) -> Option<Consent> {
        let takes_words = self.dialogs.front().is_some_and(Open::takes_words);
        if !takes_words || self.input.is_searching() {
            return None;
        }
        match self.input.text().trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => Some(Consent::Given),
            "n" | "no" => Some(Consent::Declined),
            _ => None,
        }
    }

    /// Returns whether a text that was begun during the question looks like an answer to it, but
    /// isn't one: it came too early, or wasn't typed. It isn't meant for the model (TU-3).
    pub(super) fn is_ineffective_answer(&self) -> bool {
        let is_number = || {
            let mut letters = self.input.text().trim().chars();
            match (letters.next(), letters.next(), self.dialogs.front()) {
                (Some(it), None, Some(dialog)) => dialog.is_number(KeyCode::Char(it).into()),
                _ => false,
            }
        };
        self.attention.was_begun_here()
            && !self.input.is_searching()
            && self.typed_consent().is_none()
            && (self.word().is_some() || is_number())
    }

    /// Removes an answer that doesn't count. The question has to be read again: an additional Enter
    /// must not make its first choice.
    fn take_answer_away(&mut self) {
        self.input.clear();
        self.attention.hide();
        self.hint = Some(VAIN_HINT);
    }

    /// Records a key or a paste for the text: one that begins during a question keeps its keys
    /// until it is sent.
    fn writes(&mut self, now: Instant) {
        self.attention.write(now);
        match (self.input.is_empty(), self.dialogs.is_empty()) {
            (true, true) => self.attention.begin_text(),
            (true, false) => self.attention.begin_answer(),
            (false, _) => {}
        }
    }

    /// Returns whether somebody is typing: a dialog that appears just then gets none of the keys
    /// that were meant for the text (TU-3).
    pub(super) fn is_writing(&self, now: Instant) -> bool {
        self.input.is_searching() || !self.input.is_empty() && self.attention.is_writing(now)
    }

    /// Returns whether keys choose in a dialog: its choices are highlighted then.
    pub(super) fn attention_for(&self, dialog: &Open, now: Instant) -> KeyHandling {
        let is_open = if dialog.is_consent() {
            self.attention.is_read(now)
        } else {
            !self.attention.is_looking(now)
        };
        if is_open {
            KeyHandling::Keys
        } else {
            KeyHandling::NotYet
        }
    }

    /// Returns who gets a key. A letter that arrives with a dialog, or that chooses nothing there,
    /// begins a text; what allows nothing takes effect at once (TU-3).
    fn recipient(&self, key: KeyEvent, now: Instant) -> Recipient {
        let Some(dialog) = self.dialogs.front() else {
            return Recipient::Text;
        };
        // Enter at the end of a text isn't consent.
        let ends_text = key.code == KeyCode::Enter && !self.input.is_empty();
        if ends_text || self.is_writing(now) {
            return Recipient::Text;
        }
        if self.attention_for(dialog, now) == KeyHandling::NotYet {
            return match key.code {
                KeyCode::Esc => Recipient::Dialog,
                // The key permits nothing, so it is taken at once; if a letter follows quickly, it
                // still begins a text.
                _ if dialog.is_refusal(key) => Recipient::Dialog,
                // The number is a choice if nothing follows for a while.
                _ if dialog.is_number(key) && !self.attention.is_looking(now) => Recipient::Dialog,
                _ if attention::letter(key).is_some() => Recipient::Text,
                _ => Recipient::Nobody,
            };
        }
        if dialog.is_foreign(key) {
            Recipient::Text
        } else {
            Recipient::Dialog
        }
    }

    /// Takes a line, if nothing is painted (TU-5).
    pub(crate) fn line(&mut self, text: &str, now: Instant) -> Option<Act> {
        self.hint = None;
        if let Some(dialog) = self.dialogs.front_mut() {
            let Pressed::Answered(answer) = dialog.line(text, self.size) else {
                return None;
            };
            return self.answered(answer, now);
        }
        if !text.trim().is_empty() {
            self.history.add(text);
            self.waiting.push_back(text.to_owned());
        }
        None
    }

    /// Records that there is no more input: the question gets no answer.
    pub(crate) fn input_ended(&mut self, now: Instant) -> Option<Act> {
        (!self.dialogs.is_empty()).then(|| self.cancel(now))
    }

    /// Returns what is waited for, if nothing is painted.
    pub(crate) fn prompt_state(&self) -> Awaited {
        match (self.dialogs.front(), self.phase) {
            (Some(dialog), _) => Awaited::Question(dialog.live(self.size, KeyHandling::Keys).lines),
            (None, Phase::Idle) => Awaited::Anything,
            (None, _) => Awaited::Nothing,
        }
    }

    /// Takes what was pasted.
    pub(crate) fn paste(&mut self, text: &str, now: Instant) {
        self.hint = None;
        if let Some(pending) = self.pending.take() {
            self.write(pending.number, now);
        }
        let is_held = self.is_writing(now) || self.attention.is_looking(now);
        match self.dialogs.front_mut() {
            Some(dialog) if dialog.is_writing() && !is_held => dialog.paste(text),
            _ => {
                self.attention.spoil_word();
                self.writes(now);
                if self.input.paste(text) == Pasted::Folded {
                    self.hint = Some(FOLD_HINT);
                }
            }
        }
    }

    /// Ctrl+C: cancels what runs, or otherwise clears the input, or otherwise leaves the second
    /// time.
    pub(super) fn interrupt(&mut self, hinted: bool, now: Instant) -> Option<Act> {
        match self.phase {
            Phase::Busy { .. } => {
                self.offer_leaving(now);
                return Some(self.cancel(now));
            }
            Phase::Cancelling { .. } => return Some(Act::Leave(Leave::Exit)),
            Phase::Idle => {}
        }
        if hinted && self.input.is_empty() {
            return Some(Act::Leave(Leave::Exit));
        }
        self.input.clear();
        self.offer_leaving(now);
        None
    }

    fn offer_leaving(&mut self, now: Instant) {
        self.hint = Some(LEAVE_HINT);
        self.leaving_until = now + LEAVING;
    }

    /// Returns whether a Ctrl+C leaves: the previous one was recent, and nothing came between.
    pub(super) fn is_leaving(&self, now: Instant) -> bool {
        self.hint == Some(LEAVE_HINT) && now < self.leaving_until
    }

    /// Removes a temporary hint when its time is over, and returns its remaining time (LO-4).
    pub(crate) fn rest_of_hint(&mut self, now: Instant) -> Option<Duration> {
        if self.hint != Some(LEAVE_HINT) {
            return None;
        }
        if self.is_leaving(now) {
            return Some(self.leaving_until - now);
        }
        self.hint = None;
        None
    }

    fn escape(&mut self, now: Instant) -> Option<Act> {
        if self.input.dismiss() == Dismissed::Something {
            return None;
        }
        matches!(self.phase, Phase::Busy { .. }).then(|| self.cancel(now))
    }

    /// Passes a key to the dialog. A refused call ends the turn: the user wants to say what to do
    /// instead (TU-3).
    fn answer(&mut self, key: KeyEvent, now: Instant) -> Option<Act> {
        let Pressed::Answered(answer) = self.dialogs.front_mut()?.key(key, self.size) else {
            return None;
        };
        self.answered(answer, now)
    }

    fn answered(&mut self, answer: Answer, now: Instant) -> Option<Act> {
        if matches!(answer, Answer::Consent(Consent::Declined)) {
            return Some(self.cancel(now));
        }
        let open = self.dialogs.pop_front()?;
        if let Some(call) = open.call() {
            self.activity.answered(call, now);
        }
        open.send(answer);
        self.attention.ask();
        None
    }
}
