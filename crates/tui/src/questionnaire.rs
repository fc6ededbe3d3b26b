//! The dialog with the model's questions to the user (`ask_user`): a component without effects.

mod draw;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use hookloop_tools::{Choice, NoAnswer, Question, QuestionKind};

use crate::attention;
use crate::editor::{Direction, Editor};
use crate::keys;
use crate::painter::Size;
use crate::window::INPUT_MARGIN;

/// The user's answer to all questions, or why there is none.
pub(crate) type Answers = Result<Vec<String>, NoAnswer>;

/// Questions, one of which is shown at a time, with the answers so far.
#[derive(Debug)]
pub(crate) struct Questionnaire {
    questions: Vec<Question>,
    answers: Vec<String>,
    /// Which choice of the current question is selected; the last one means own words.
    marked: usize,
    /// Which choices are checked, if several may be.
    checked: Vec<Selection>,
    step: Step,
}

/// Whether a choice is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Selection {
    Yes,
    No,
}

/// What the user does.
#[derive(Debug)]
enum Step {
    Choosing,
    Writing(Editor),
}

/// The choices for the current question.
struct Offer<'q> {
    choices: Vec<(&'q str, &'q str)>,
    /// Whether own words are one of the choices.
    own_words: OwnWords,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OwnWords {
    Welcome,
    NotAsked,
}

impl Offer<'_> {
    fn count(&self) -> usize {
        self.choices.len() + usize::from(self.own_words == OwnWords::Welcome)
    }
}

impl Questionnaire {
    /// Asks questions; there is at least one.
    pub(crate) fn new(questions: Vec<Question>) -> Self {
        let mut questionnaire = Self {
            questions,
            answers: Vec::new(),
            marked: 0,
            checked: Vec::new(),
            step: Step::Choosing,
        };
        questionnaire.begin();
        questionnaire
    }

    fn question(&self) -> Option<&Question> {
        self.questions.get(self.answers.len())
    }

    /// Prepares for the current question.
    fn begin(&mut self) {
        self.marked = 0;
        let count = self.offer().choices.len();
        self.checked = vec![Selection::No; count];
        self.step = if count == 0 {
            Step::Writing(Editor::default())
        } else {
            Step::Choosing
        };
    }

    fn offer(&self) -> Offer<'_> {
        match self.question().map(|it| &it.kind) {
            Some(QuestionKind::One(choices) | QuestionKind::Several(choices)) => Offer {
                choices: choices.iter().map(choice_texts).collect(),
                own_words: OwnWords::Welcome,
            },
            Some(QuestionKind::YesOrNo) => Offer {
                choices: vec![("Yes", ""), ("No", "")],
                own_words: OwnWords::NotAsked,
            },
            Some(QuestionKind::Words(_)) | None => Offer {
                choices: Vec::new(),
                own_words: OwnWords::NotAsked,
            },
        }
    }

    /// Returns whether own words are being written.
    pub(crate) const fn is_writing(&self) -> bool {
        matches!(self.step, Step::Writing(_))
    }

    /// Returns whether several choices may be checked.
    pub(crate) fn takes_several(&self) -> bool {
        matches!(
            self.question().map(|it| &it.kind),
            Some(QuestionKind::Several(_))
        )
    }

    /// Takes a key; returns the answers when all are given, or when the user doesn't want to give
    /// any.
    pub(crate) fn key(&mut self, key: KeyEvent, size: Size) -> Option<Answers> {
        let nothing_to_choose = self.checked.is_empty();
        match &mut self.step {
            Step::Choosing => self.choose(key),
            Step::Writing(editor) => match key.code {
                KeyCode::Esc if nothing_to_choose => Some(Err(NoAnswer::Dismissed)),
                KeyCode::Esc => {
                    self.step = Step::Choosing;
                    None
                }
                KeyCode::Enter if key.modifiers == KeyModifiers::NONE => {
                    if editor.take_line_break() || editor.text().trim().is_empty() {
                        return None;
                    }
                    let words = editor.text().trim().to_owned();
                    self.answer(Some(words))
                }
                _ => {
                    keys::edit(editor, key, size.columns.saturating_sub(INPUT_MARGIN));
                    None
                }
            },
        }
    }

    /// Answers with exactly the choices with these numbers, from 1; own words are written next. If
    /// there is no such choice, nothing is answered.
    pub(crate) fn take_numbers(&mut self, numbers: &BTreeSet<usize>) -> Option<Answers> {
        let count = self.offer().count();
        if numbers.is_empty() || numbers.iter().any(|it| !(1..=count).contains(it)) {
            return None;
        }
        self.checked.fill(Selection::No);
        for number in numbers {
            self.marked = number - 1;
            self.pick(self.marked);
        }
        if self.is_writing() {
            return None;
        }
        self.enter()
    }

    fn choose(&mut self, key: KeyEvent) -> Option<Answers> {
        if key
            .modifiers
            .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
        {
            return None;
        }
        let count = self.offer().count();
        match key.code {
            KeyCode::Esc => return Some(Err(NoAnswer::Dismissed)),
            KeyCode::Up => self.go(Direction::Up, count),
            KeyCode::Down | KeyCode::Tab => self.go(Direction::Down, count),
            KeyCode::Enter => return self.enter(),
            KeyCode::Char(' ') => self.pick(self.marked),
            KeyCode::Char('y') if self.is_yes_or_no() => return self.answer(Some("Yes".into())),
            KeyCode::Char('n') if self.is_yes_or_no() => return self.answer(Some("No".into())),
            KeyCode::Char(digit) => {
                let place = self.numbered(digit)?;
                self.marked = place;
                if self.takes_several() {
                    self.pick(place);
                } else {
                    return self.enter();
                }
            }
            _ => {}
        }
        None
    }

    /// Returns the choice of a number, from 0.
    fn numbered(&self, digit: char) -> Option<usize> {
        let number = usize::try_from(digit.to_digit(10)?).ok()?;
        let count = self.offer().count();
        number.checked_sub(1).filter(|it| *it < count)
    }

    /// Returns whether a key answers nothing and begins a text that is meant for somewhere else
    /// (TU-3).
    pub(crate) fn is_foreign(&self, key: KeyEvent) -> bool {
        let answers = |it: char| {
            self.numbered(it).is_some() || (self.is_yes_or_no() && matches!(it, 'y' | 'n'))
        };
        !self.is_writing()
            && attention::begins_text(key)
            && !attention::letter(key).is_some_and(answers)
    }

    fn is_yes_or_no(&self) -> bool {
        matches!(
            self.question().map(|it| &it.kind),
            Some(QuestionKind::YesOrNo)
        )
    }

    const fn go(&mut self, direction: Direction, count: usize) {
        self.marked = match direction {
            Direction::Up => (self.marked + count - 1) % count,
            Direction::Down => (self.marked + 1) % count,
        };
    }

    /// Checks or unchecks a choice, if several may be checked; the last one is for own words.
    fn pick(&mut self, place: usize) {
        match self.checked.get_mut(place) {
            Some(checked) => {
                *checked = match *checked {
                    Selection::Yes => Selection::No,
                    Selection::No => Selection::Yes,
                };
            }
            None => self.step = Step::Writing(Editor::default()),
        }
    }

    /// Answers with the selected choice, or with all that are checked.
    fn enter(&mut self) -> Option<Answers> {
        let offer = self.offer();
        let Some((label, _)) = offer.choices.get(self.marked) else {
            self.step = Step::Writing(Editor::default());
            return None;
        };
        let label = (*label).to_owned();
        if self.takes_several() {
            if !self.checked.contains(&Selection::Yes) {
                self.pick(self.marked);
            }
            return self.answer(None);
        }
        self.answer(Some(label))
    }

    /// Keeps the answer to the current question, own words after the checked choices, and
    /// continues.
    fn answer(&mut self, words: Option<String>) -> Option<Answers> {
        let selection = if self.takes_several() {
            self.checked.as_slice()
        } else {
            &[]
        };
        let offer = self.offer();
        let labels = offer.choices.iter().zip(selection);
        let labels = labels.filter(|(_, selection)| **selection == Selection::Yes);
        let mut parts: Vec<String> = labels.map(|((label, _), _)| (*label).to_owned()).collect();
        parts.extend(words);
        let answer = parts.join(", ");
        self.answers.push(answer);
        if self.answers.len() == self.questions.len() {
            return Some(Ok(std::mem::take(&mut self.answers)));
        }
        self.begin();
        None
    }

    /// Takes what was pasted.
    pub(crate) fn paste(&mut self, text: &str) {
        if let Step::Writing(editor) = &mut self.step {
            editor.insert(text);
        }
    }
}

fn choice_texts(choice: &Choice) -> (&str, &str) {
    (&choice.label, &choice.description)
}
