//! The dialog that asks whether a tool may run (TU-3). It decides nothing; it returns the user's
//! answer.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use hookloop_agent::Consent;
use hookloop_events::ToolArguments;

use crate::attention::KeyHandling;
use crate::editor::Editor;
use crate::keys;
use crate::menu::Menu;
use crate::painter::{Live, Size};
use crate::question::{Matter, Question, pretty};
use crate::styled::{Line, Palette, Tone};
use crate::window::{self, InputRows};
use crate::wrap::wrap_all;

/// Rows of the dialog besides the question itself: title, blank lines, choices.
const FRAME_ROWS: usize = 9;

/// A question with what the user has done about it so far.
#[derive(Debug)]
pub(crate) struct Dialog {
    question: Question,
    palette: Palette,
    step: Step,
}

#[derive(Debug)]
enum Step {
    Choosing(Menu, Vec<Choice>),
    Editing {
        editor: Editor,
        /// Why the arguments can't be used as they are.
        problem: Option<String>,
    },
}

/// The choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Once,
    Always,
    Edit,
    No,
}

/// How a dialog shows a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// It fits completely.
    Whole,
    /// It is cut, so all of it has to be shown above.
    Cut,
}

impl Dialog {
    pub(crate) fn new(question: Question, palette: Palette) -> Self {
        let step = choosing(&question);
        Self {
            question,
            palette,
            step,
        }
    }

    /// Returns the id of the call in question.
    pub(crate) fn call(&self) -> &str {
        &self.question.call
    }

    /// Returns the whole question, for the scrollback.
    pub(crate) fn whole(&self, columns: usize) -> Vec<Line> {
        let matter = &self.question.matter;
        let mut lines = wrap_all(&[matter.title()], columns, 2);
        lines.extend(matter.lines(columns, self.palette));
        lines
    }

    /// Returns whether the question fits on the screen.
    pub(crate) fn fit(&self, size: Size) -> Fit {
        let subject = self.question.matter.lines(size.columns, self.palette);
        if subject.len() > self.subject_rows(size) {
            Fit::Cut
        } else {
            Fit::Whole
        }
    }

    /// Takes a key; returns the answer, if there is one.
    pub(crate) fn key(&mut self, key: KeyEvent, columns: usize) -> Option<Consent> {
        match &mut self.step {
            Step::Choosing(menu, choices) => match choices.get(menu.key(key)?)? {
                Choice::Once => Some(Consent::Given),
                Choice::Always => Some(Consent::GivenForSession),
                Choice::Edit => {
                    self.step = Step::Editing {
                        editor: Editor::with_text(pretty(&self.question.arguments)),
                        problem: None,
                    };
                    None
                }
                Choice::No => Some(Consent::Declined),
            },
            Step::Editing { editor, problem } => match key.code {
                KeyCode::Esc => {
                    self.step = choosing(&self.question);
                    None
                }
                KeyCode::Enter if key.modifiers == KeyModifiers::NONE => {
                    match serde_json::from_str::<ToolArguments>(editor.text()) {
                        Ok(arguments) => Some(Consent::Edited(arguments)),
                        Err(error) => {
                            *problem = Some(format!("not a JSON object: {error}"));
                            None
                        }
                    }
                }
                _ => {
                    keys::edit(editor, key, input_columns(columns));
                    *problem = None;
                    None
                }
            },
        }
    }

    /// Returns whether a key begins a text that isn't an answer (TU-3).
    pub(crate) fn is_foreign(&self, key: KeyEvent) -> bool {
        match &self.step {
            Step::Choosing(menu, _) => menu.is_foreign(key),
            Step::Editing { .. } => false,
        }
    }

    /// Returns whether a key is the number of a choice.
    pub(crate) fn is_number(&self, key: KeyEvent) -> bool {
        match &self.step {
            Step::Choosing(menu, _) => menu.is_number(key),
            Step::Editing { .. } => false,
        }
    }

    /// Returns whether a key is the number of the choice that allows nothing.
    pub(crate) fn is_refusal(&self, key: KeyEvent) -> bool {
        match &self.step {
            Step::Choosing(menu, _) => menu.is_last_number(key),
            Step::Editing { .. } => false,
        }
    }

    /// Returns whether a text is being written in it.
    pub(crate) const fn is_writing(&self) -> bool {
        matches!(self.step, Step::Editing { .. })
    }

    /// Clears the text that is being edited, if there is one: the following line replaces it.
    /// Returns whether there was one.
    pub(crate) fn clear_text(&mut self) -> bool {
        match &mut self.step {
            Step::Choosing(..) => false,
            Step::Editing { editor, .. } => {
                editor.set("");
                true
            }
        }
    }

    /// Takes what was pasted.
    pub(crate) fn paste(&mut self, text: &str) {
        if let Step::Editing { editor, problem } = &mut self.step {
            editor.insert(text);
            *problem = None;
        }
    }

    /// Draws the dialog.
    pub(crate) fn live(&self, size: Size, heed: KeyHandling) -> Live {
        let mut lines = vec![window::rule(size.columns), self.question.matter.title()];
        match &self.step {
            Step::Choosing(menu, _) => {
                lines.extend(self.subject(size));
                lines.extend(self.question.remarks.iter().cloned());
                lines.push(Line::default());
                let choices: Vec<Line> = menu.lines(heed).collect();
                let mut lines = wrap_all(&lines, size.columns, 2);
                lines.extend(wrap_all(&choices, size.columns, 5));
                Live {
                    lines,
                    cursor: None,
                }
            }
            Step::Editing { editor, problem } => {
                let hint = "Edit the arguments. Enter: continue with these, Esc: back";
                lines.push(Line::new(hint, Tone::Faint));
                if let Some(problem) = problem {
                    lines.push(Line::new(problem.clone(), Tone::Bad));
                }
                let mut lines = wrap_all(&lines, size.columns, 2);
                let rows = size.rows.saturating_sub(lines.len() + 2).max(1);
                let InputRows {
                    lines: input,
                    cursor: (row, column),
                } = window::input_rows(editor, input_columns(size.columns), rows);
                let cursor = Some((lines.len() + row, column));
                lines.extend(input);
                Live { lines, cursor }
            }
        }
    }

    /// Returns as much of what the call would do as fits.
    fn subject(&self, size: Size) -> Vec<Line> {
        let mut lines = self.question.matter.lines(size.columns, self.palette);
        let rows = self.subject_rows(size);
        if lines.len() > rows {
            let left_out = lines.len() - rows + 1;
            lines.truncate(rows.saturating_sub(1));
            let note = format!("… {left_out} more lines; the full text is above");
            lines.push(Line::new(note, Tone::Warning));
        }
        lines
    }

    fn subject_rows(&self, size: Size) -> usize {
        let remarks = wrap_all(&self.question.remarks, size.columns, 2).len();
        size.rows.saturating_sub(FRAME_ROWS + remarks).max(2)
    }
}

fn choosing(question: &Question) -> Step {
    let always = question.always.as_ref();
    let always = always.map(|it| (Choice::Always, format!("Allow always ({it})")));
    let (once, edit) = match question.matter {
        Matter::Call { .. } => ("Allow once", Some((Choice::Edit, "Edit".to_owned()))),
        // A plan has no edit choice, because the model changes it on request.
        Matter::Plan(_) => ("Yes, carry it out", None),
    };
    let offered = [
        Some((Choice::Once, once.to_owned())),
        always,
        edit,
        Some((Choice::No, "No, suggest changes (esc)".to_owned())),
    ];
    let (choices, worded): (Vec<_>, Vec<_>) = offered.into_iter().flatten().unzip();
    Step::Choosing(Menu::new(worded), choices)
}

const fn input_columns(columns: usize) -> usize {
    columns.saturating_sub(window::INPUT_MARGIN)
}

#[cfg(test)]
mod tests;
