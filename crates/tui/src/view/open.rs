//! The dialogs that wait for an answer of the user.

use std::collections::BTreeSet;

use crossterm::event::{KeyCode, KeyEvent};
use hookloop_agent::Consent;
use hookloop_tools::NoAnswer;
use tokio::sync::oneshot;

use crate::attention::KeyHandling;
use crate::dialog::{Dialog, Fit};
use crate::lines;
use crate::painter::{Live, Size};
use crate::questionnaire::{Answers, Questionnaire};
use crate::styled::Line;

/// A dialog, with whoever waits for its answer.
pub(super) enum Open {
    /// May a tool run? (TU-3)
    Call(Dialog, oneshot::Sender<Consent>),
    /// What the model asks.
    Questions(Questionnaire, oneshot::Sender<Answers>),
}

/// What a key made of a dialog.
pub(super) enum Pressed {
    /// It stays open.
    Open,
    /// It was answered.
    Answered(Answer),
}

/// What the user said.
pub(super) enum Answer {
    Consent(Consent),
    Words(Answers),
}

impl Open {
    pub(super) fn key(&mut self, key: KeyEvent, size: Size) -> Pressed {
        let answer = match self {
            Self::Call(dialog, _) => dialog.key(key, size.columns).map(Answer::Consent),
            Self::Questions(questions, _) => questions.key(key, size).map(Answer::Words),
        };
        answer.map_or(Pressed::Open, Pressed::Answered)
    }

    /// Returns the id of the call that may run with a yes.
    pub(super) fn call(&self) -> Option<&str> {
        match self {
            Self::Call(dialog, _) => Some(dialog.call()),
            Self::Questions(..) => None,
        }
    }

    /// Takes a line as the keys that it stands for, where nothing is painted (TU-5).
    pub(super) fn line(&mut self, text: &str, size: Size) -> Pressed {
        let writes = match self {
            Self::Call(dialog, _) => dialog.clear_text(),
            Self::Questions(questions, _) => questions.is_writing(),
        };
        if writes && text.trim().is_empty() {
            return self.key(KeyCode::Esc.into(), size);
        }
        if writes {
            self.paste(text);
            return self.key(KeyCode::Enter.into(), size);
        }
        // Only numbers count as an answer: words beside them may say the opposite.
        if let Self::Questions(questions, _) = self
            && questions.takes_several()
        {
            let words = text.split([',', ' ']).filter(|it| !it.is_empty());
            let numbers: Option<BTreeSet<usize>> = words.map(lines::number).collect();
            let answers = numbers.and_then(|it| questions.take_numbers(&it));
            return answers.map_or(Pressed::Open, |it| Pressed::Answered(Answer::Words(it)));
        }
        let number = lines::number(text).and_then(|it| u32::try_from(it).ok());
        match number.and_then(|it| char::from_digit(it, 10)) {
            Some(digit) => self.key(KeyCode::Char(digit).into(), size),
            // The question is repeated; Enter alone isn't consent.
            None => Pressed::Open,
        }
    }

    /// Returns whether a text that isn't an answer begins with a key (TU-3).
    pub(super) fn is_foreign(&self, key: KeyEvent) -> bool {
        match self {
            Self::Call(dialog, _) => dialog.is_foreign(key),
            Self::Questions(questions, _) => questions.is_foreign(key),
        }
    }

    /// Returns whether a key is a number by which a call is consented to, or refused.
    pub(super) fn is_number(&self, key: KeyEvent) -> bool {
        match self {
            Self::Call(dialog, _) => dialog.is_number(key),
            Self::Questions(..) => false,
        }
    }

    /// Returns whether a key is the number by which a call is refused.
    pub(super) fn is_refusal(&self, key: KeyEvent) -> bool {
        match self {
            Self::Call(dialog, _) => dialog.is_refusal(key),
            Self::Questions(..) => false,
        }
    }

    /// Returns whether it is a choice that may allow something.
    pub(super) const fn is_consent(&self) -> bool {
        matches!(self, Self::Call(dialog, _) if !dialog.is_writing())
    }

    /// Returns whether a text is written in it.
    pub(super) const fn is_writing(&self) -> bool {
        match self {
            Self::Call(dialog, _) => dialog.is_writing(),
            Self::Questions(questions, _) => questions.is_writing(),
        }
    }

    /// Returns whether "yes" or "no" in a text of its own answers it (TU-3).
    pub(super) const fn takes_words(&self) -> bool {
        self.is_consent()
    }

    pub(super) fn paste(&mut self, text: &str) {
        match self {
            Self::Call(dialog, _) => dialog.paste(text),
            Self::Questions(questions, _) => questions.paste(text),
        }
    }

    pub(super) fn live(&self, size: Size, heed: KeyHandling) -> Live {
        match self {
            Self::Call(dialog, _) => dialog.live(size, heed),
            Self::Questions(questions, _) => questions.live(size, heed),
        }
    }

    /// Returns all of it for the scrollback, if it does not fit on the screen.
    pub(super) fn whole(&self, size: Size) -> Option<Vec<Line>> {
        match self {
            Self::Call(dialog, _) => {
                (dialog.fit(size) == Fit::Cut).then(|| dialog.whole(size.columns))
            }
            Self::Questions(questions, _) => {
                let lines = questions.live(size, KeyHandling::Keys).lines;
                (lines.len() >= size.rows).then_some(lines)
            }
        }
    }

    /// Sends the answer; a call that ended in the meantime needs none.
    pub(super) fn send(self, answer: Answer) {
        match (self, answer) {
            (Self::Call(_, sender), Answer::Consent(consent)) => drop(sender.send(consent)),
            (Self::Questions(_, sender), Answer::Words(words)) => drop(sender.send(words)),
            (open, _) => open.decline(),
        }
    }

    /// Gives the answer that allows nothing.
    pub(super) fn decline(self) {
        match self {
            Self::Call(_, sender) => drop(sender.send(Consent::Declined)),
            Self::Questions(_, sender) => drop(sender.send(Err(NoAnswer::Dismissed))),
        }
    }
}
