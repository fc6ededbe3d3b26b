//! Draws the current question.

use hookloop_tools::{Question, QuestionKind};

use super::{OwnWords, Questionnaire, Selection, Step};
use crate::attention::KeyHandling;
use crate::painter::{Live, Size};
use crate::styled::{Line, Style, Tone};
use crate::window::{self, INPUT_MARGIN, InputRows};
use crate::wrap::{wrap, wrap_all};
use hookloop_text::{visible_cells, visible_row};

/// The choice for an own answer.
const OWN_WORDS: &str = "Other, in your own words";
/// The placeholder of an empty answer.
const PLACEHOLDER: &str = "Type your answer";
/// A narrower screen gets the short hints.
const WIDE: usize = 60;

impl Questionnaire {
    /// Draws the dialog.
    pub(crate) fn live(&self, size: Size, heed: KeyHandling) -> Live {
        let Some(question) = self.question() else {
            return Live::default();
        };
        let mut lines = vec![window::rule(size.columns)];
        lines.extend(self.heading(question, size.columns));
        lines.push(Line::default());
        match &self.step {
            Step::Choosing => {
                lines.extend(self.choices(size.columns, heed));
                lines.push(Line::new(self.hint(size.columns), Tone::Faint).cut(size.columns));
                Live {
                    lines,
                    cursor: None,
                }
            }
            Step::Writing(editor) => {
                let room = size.rows.saturating_sub(lines.len() + 2).max(1);
                let InputRows {
                    lines: mut input,
                    cursor: (row, column),
                } = window::input_rows(editor, size.columns.saturating_sub(INPUT_MARGIN), room);
                if editor.is_empty() {
                    let text = format!("  {}", placeholder(question));
                    input = vec![
                        Line::new(">", Tone::Accent)
                            .with(text, Tone::Faint)
                            .cut(size.columns),
                    ];
                }
                let cursor = Some((lines.len() + row, column));
                lines.extend(input);
                let back = if self.offer().choices.is_empty() {
                    "Enter answers · Esc dismisses"
                } else {
                    "Enter answers · Esc back"
                };
                lines.push(Line::new(back, Tone::Faint).cut(size.columns));
                Live { lines, cursor }
            }
        }
    }

    fn heading(&self, question: &Question, columns: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        let place = match self.questions.len() {
            1 => String::new(),
            count => format!(" ({} of {count})", self.answers.len() + 1),
        };
        let header = match visible_row(question.header.trim()) {
            header if header.is_empty() => "The model asks".to_owned(),
            header => header,
        };
        let header = Line::new(header, Style::from(Tone::Accent).strong()).with(place, Tone::Faint);
        lines.push(header);
        let text = visible_cells(question.question.trim());
        lines.extend(
            text.lines()
                .map(|line| Line::new(line, Style::default().strong())),
        );
        wrap_all(&lines, columns, 0)
    }

    /// Draws the choices; none is selected while keys don't choose.
    fn choices(&self, columns: usize, heed: KeyHandling) -> Vec<Line> {
        let offer = self.offer();
        let several = self.takes_several();
        let mut lines = Vec::new();
        let own = (offer.own_words == OwnWords::Welcome).then_some((OWN_WORDS, ""));
        for (index, (label, description)) in offer.choices.iter().copied().chain(own).enumerate() {
            let (pointer, style) = match heed {
                KeyHandling::Keys if index == self.marked => {
                    ("❯ ", Style::from(Tone::Accent).strong())
                }
                KeyHandling::Keys => ("  ", Style::default()),
                KeyHandling::NotYet => ("  ", Style::from(Tone::Faint)),
            };
            let sign = match self.checked.get(index) {
                Some(Selection::Yes) if several => "[x] ",
                Some(Selection::No) if several => "[ ] ",
                _ => "",
            };
            let text = format!("{}. {sign}{}", index + 1, visible_row(label));
            let line = Line::new(pointer, Tone::Accent).with(text, style);
            lines.extend(wrap(&line, columns, 5));
            for row in visible_cells(description.trim()).lines() {
                lines.extend(wrap(
                    &Line::new(format!("     {row}"), Tone::Faint),
                    columns,
                    5,
                ));
            }
        }
        lines
    }

    fn hint(&self, columns: usize) -> &'static str {
        match (self.takes_several(), columns) {
            (true, WIDE..) => "Space selects · Enter answers with all selected · Esc dismisses",
            (true, _) => "Space selects · Enter · Esc dismisses",
            (false, _) => "Enter answers · Esc dismisses",
        }
    }
}

fn placeholder(question: &Question) -> String {
    match &question.kind {
        QuestionKind::Words(text) if !text.trim().is_empty() => visible_row(text.trim()),
        _ => PLACEHOLDER.to_owned(),
    }
}
