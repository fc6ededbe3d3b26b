//! The input line with its completion.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use hookloop_text::shorten::path_to_columns;

use crate::completion::{Completion, Completions, MAX_SHOWN};
use crate::editor::{Direction, Editor, Pasted};
use crate::keys::{self, Edited};
use crate::past::PastSearch;
use crate::styled::{Line, Span, Style, Tone};
use crate::window::{self, INPUT_MARGIN, InputRows};

/// The placeholder of an empty input line (TU-1).
pub(crate) const PLACEHOLDER: &str = "  Type your message or @path/to/file";

/// What the user types.
#[derive(Debug, Default)]
pub(crate) struct Input {
    editor: Editor,
    completion: Option<Completion>,
    /// The search in earlier input, while it is open.
    search: Option<PastSearch>,
}

/// Whether something was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dismissed {
    Something,
    Nothing,
}

impl Input {
    /// Starts with the input of earlier sessions, oldest first.
    pub(crate) fn with_history(entries: Vec<String>) -> Self {
        Self {
            editor: Editor::with_history(entries),
            ..Self::default()
        }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.editor.is_empty()
    }

    /// Returns what is written.
    pub(crate) fn text(&self) -> &str {
        self.editor.text()
    }

    /// Returns whether keys search in earlier input.
    pub(crate) const fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Draws the search, while it is open.
    pub(crate) fn search_line(&self, columns: usize) -> Option<Line> {
        let search = self.search.as_ref()?;
        Some(search.line(self.editor.entries()).cut(columns))
    }

    /// Closes what is open beside the text: the completion, or the search.
    pub(crate) fn dismiss(&mut self) -> Dismissed {
        if let Some(search) = self.search.take() {
            self.editor.set(search.draft);
            return Dismissed::Something;
        }
        match self.completion.take() {
            Some(_) => Dismissed::Something,
            None => Dismissed::Nothing,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.put(String::new());
    }

    /// Replaces the text.
    pub(crate) fn put(&mut self, text: String) {
        self.editor.set(text);
        self.completion = None;
        self.search = None;
    }

    /// Takes the text out, without sending it.
    pub(crate) fn take(&mut self) -> String {
        let text = self.editor.text().to_owned();
        self.clear();
        text
    }

    /// Takes what was pasted.
    pub(crate) fn paste(&mut self, text: &str) -> Pasted {
        self.search = None;
        self.completion = None;
        self.editor.paste(text)
    }

    /// Takes a key, and returns what it submits.
    pub(crate) fn key(
        &mut self,
        key: KeyEvent,
        columns: usize,
        known: &dyn Completions,
    ) -> Option<String> {
        if self.search_key(key) == Edited::Yes {
            return None;
        }
        if let Some(completion) = &mut self.completion {
            match key.code {
                KeyCode::Up => {
                    completion.go(Direction::Up);
                    return None;
                }
                KeyCode::Down => {
                    completion.go(Direction::Down);
                    return None;
                }
                KeyCode::Enter if completion.is_complete(&self.editor) => {}
                KeyCode::Tab | KeyCode::Enter => {
                    completion.accept(&mut self.editor);
                    self.completion = Completion::find(&self.editor, known);
                    return None;
                }
                _ => {}
            }
        }
        if key.code == KeyCode::Tab {
            self.completion = Completion::find(&self.editor, known);
            return None;
        }
        if key.code == KeyCode::Enter && key.modifiers == KeyModifiers::NONE {
            self.completion = None;
            if self.editor.take_line_break() || self.editor.text().trim().is_empty() {
                return None;
            }
            return Some(self.editor.submit());
        }
        let moves_in_history = matches!(key.code, KeyCode::Up | KeyCode::Down);
        let columns = columns.saturating_sub(INPUT_MARGIN);
        if keys::edit(&mut self.editor, key, columns) == Edited::Yes {
            self.completion = if moves_in_history {
                None
            } else {
                Completion::find(&self.editor, known)
            };
        }
        None
    }

    /// Begins or continues a search in earlier input (Ctrl+R). What is found is in the input line,
    /// and any key that doesn't belong to the search accepts it.
    fn search_key(&mut self, key: KeyEvent) -> Edited {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let entries = self.editor.entries();
        match (&mut self.search, key.code) {
            (None, KeyCode::Char('r')) if control => {
                self.completion = None;
                self.search = Some(PastSearch::new(self.editor.text().to_owned()));
                return Edited::Yes;
            }
            (Some(search), KeyCode::Char('r')) if control => search.go_back(entries),
            (Some(search), KeyCode::Char(letter)) if !control => {
                search.push(letter.encode_utf8(&mut [0; 4]));
            }
            (Some(search), KeyCode::Backspace) => search.pop(),
            (search, _) => {
                let was_searching = search.take().is_some();
                let takes_over = was_searching && key.code == KeyCode::Enter;
                return if takes_over { Edited::Yes } else { Edited::No };
            }
        }
        let found = self.search.as_ref().map(|search| {
            let found = search.current_match(entries);
            found.unwrap_or(&search.draft).to_owned()
        });
        if let Some(text) = found {
            self.editor.set(text);
        }
        Edited::Yes
    }

    /// Draws the text, in at most this many rows.
    pub(crate) fn rows(&self, columns: usize, most: usize) -> InputRows {
        if self.editor.is_empty() {
            let line = Line(vec![
                Span::new(">", Tone::Accent),
                Span::new(PLACEHOLDER, Tone::Faint),
            ]);
            return InputRows {
                lines: vec![line.cut(columns)],
                cursor: (0, 2),
            };
        }
        window::input_rows(&self.editor, columns.saturating_sub(INPUT_MARGIN), most)
    }

    /// Draws what can appear at the cursor.
    pub(crate) fn popup(&self, columns: usize) -> Vec<Line> {
        if let Some(line) = self.search_line(columns) {
            return vec![line];
        }
        let Some(completion) = &self.completion else {
            return Vec::new();
        };
        let candidates = &completion.candidates;
        let first = (completion.chosen + 1).saturating_sub(MAX_SHOWN);
        let widest = candidates
            .iter()
            .map(|it| crate::styled::width(&it.text))
            .max();
        let widest = widest.unwrap_or(0).min(columns / 2);
        let shown = candidates.iter().enumerate().skip(first).take(MAX_SHOWN);
        let rows = shown.map(|(index, candidate)| {
            let (mark, style) = if index == completion.chosen {
                ("❯ ", Style::from(Tone::Accent).strong())
            } else {
                ("  ", Style::default())
            };
            let text = hookloop_text::visible_row(&candidate.text);
            // Of files in the same deep folder, the ends differ.
            let text = if text.starts_with('@') {
                path_to_columns(&text, columns.saturating_sub(crate::styled::width(mark)))
            } else {
                text
            };
            let mut row = Line::new(mark, style);
            let note = hookloop_text::visible_row(&candidate.note);
            let gap = widest.saturating_sub(crate::styled::width(&text)) + 2;
            row = row.with(text, style);
            if !note.is_empty() {
                row = row.with(format!("{}{note}", " ".repeat(gap)), Tone::Faint);
            }
            row.cut(columns)
        });
        let mut lines: Vec<Line> = rows.collect();
        if candidates.len() > MAX_SHOWN {
            let text = format!("  {} of {}", completion.chosen + 1, candidates.len());
            lines.push(Line::new(text, Tone::Faint));
        }
        lines
    }
}
