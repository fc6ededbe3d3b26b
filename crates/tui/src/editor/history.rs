//! Earlier input.

use crate::editor::Direction;

/// The submitted texts, oldest first, with a position among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct History {
    entries: Vec<String>,
    /// The entry that is shown; `None` while the user writes something new.
    place: Option<usize>,
    /// The draft when the user went back.
    draft: String,
}

impl History {
    pub(crate) fn new(entries: Vec<String>) -> Self {
        Self {
            entries,
            ..Self::default()
        }
    }

    pub(crate) fn entries(&self) -> &[String] {
        &self.entries
    }

    pub(crate) fn remember(&mut self, text: &str) {
        self.place = None;
        self.draft.clear();
        let is_news = self.entries.last().is_none_or(|last| last != text);
        if is_news && !text.trim().is_empty() {
            self.entries.push(text.to_owned());
        }
    }

    /// Goes one entry back or forth; returns `None` if there is none.
    pub(crate) fn step(&mut self, direction: Direction, current: &str) -> Option<String> {
        let count = self.entries.len();
        let place = match (direction, self.place) {
            (Direction::Up, None) => {
                current.clone_into(&mut self.draft);
                count.checked_sub(1)?
            }
            (Direction::Up, Some(place)) => place.checked_sub(1)?,
            (Direction::Down, None) => return None,
            (Direction::Down, Some(place)) if place + 1 < count => place + 1,
            (Direction::Down, Some(_)) => {
                self.place = None;
                return Some(std::mem::take(&mut self.draft));
            }
        };
        self.place = Some(place);
        self.entries.get(place).cloned()
    }
}
