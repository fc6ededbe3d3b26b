//! A list from which the user chooses one item: a component without effects.

mod draw;
#[cfg(test)]
mod tests;

use crossterm::event::{KeyCode, KeyEvent};

use crate::fuzzy::fuzzy_rank;
use crate::lines;
use crate::painter::Size;
use crate::search::{self, Search};
use crate::view::Leave;

/// The rank of an item whose text that isn't shown contains the words: after those that show them,
/// and before those that show the letters apart.
const HIDDEN_RANK: usize = 999;

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChooserItem {
    /// Its unique id.
    pub id: String,
    /// The text before its title, such as a date. All notes of a list have the same width.
    pub note: String,
    /// The title.
    pub title: String,
    /// Additional text for the search.
    pub hidden: String,
}

/// The user's action in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChooserIntent {
    /// Choose the item with this id.
    Choose(String),
    /// Close the list.
    Close,
    /// Leave the session.
    Leave(Leave),
}

/// A list, with its selection and its search text.
#[derive(Debug, Clone)]
pub struct Chooser {
    heading: String,
    items: Vec<ChooserItem>,
    search: Search,
    /// The index among those that are shown.
    marked: usize,
}

impl Chooser {
    /// Creates a list with a heading. The first item is selected.
    pub fn new(heading: impl Into<String>, items: Vec<ChooserItem>) -> Self {
        Self {
            heading: heading.into(),
            items,
            search: Search::default(),
            marked: 0,
        }
    }

    /// Takes a key; returns what the user wants, if that is more than looking.
    pub(crate) fn key(&mut self, key: KeyEvent, size: Size) -> Option<ChooserIntent> {
        if let Some(closes) = search::closes(key) {
            return closes.then_some(ChooserIntent::Close);
        }
        if self.search.takes(key.code) {
            self.marked = 0;
            return None;
        }
        let page = Self::rows(size).saturating_sub(1).max(1);
        let last = self.visible_items().len().saturating_sub(1);
        match key.code {
            KeyCode::Up => self.marked = self.marked.saturating_sub(1),
            KeyCode::Down => self.marked = (self.marked + 1).min(last),
            KeyCode::PageUp => self.marked = self.marked.saturating_sub(page),
            KeyCode::PageDown => self.marked = (self.marked + page).min(last),
            KeyCode::Home => self.marked = 0,
            KeyCode::End => self.marked = last,
            KeyCode::Enter => {
                let id = self.visible_items().get(self.marked)?.id.clone();
                return Some(ChooserIntent::Choose(id));
            }
            KeyCode::Esc => return self.escape(),
            KeyCode::Char(' ') => {}
            KeyCode::Char(letter) => {
                self.search.begin();
                self.marked = 0;
                // A slash only begins the search, as in the panel of hooks.
                if letter != '/' {
                    self.search.takes(key.code);
                }
            }
            _ => {}
        }
        None
    }

    /// Takes a line, if nothing is painted: the number of an item, or nothing.
    pub(crate) fn line(&mut self, text: &str) -> Option<ChooserIntent> {
        if text.trim().is_empty() {
            return Some(ChooserIntent::Close);
        }
        let place = lines::number(text)?.checked_sub(1)?;
        let item = self.items.get(place)?;
        Some(ChooserIntent::Choose(item.id.clone()))
    }

    /// Takes what was pasted.
    pub(crate) fn paste(&mut self, text: &str) {
        self.search.begin();
        self.search.paste(text);
        self.marked = 0;
    }

    /// Goes one step back: from a search to the whole list, and then out.
    fn escape(&mut self) -> Option<ChooserIntent> {
        if !self.search.is_on() {
            return Some(ChooserIntent::Close);
        }
        self.search.clear();
        self.marked = 0;
        None
    }

    /// Returns what the search finds, the best matches first.
    fn visible_items(&self) -> Vec<&ChooserItem> {
        let found = self.items.iter();
        let found = found.filter_map(|item| Some((self.rank(item)?, item)));
        let mut found: Vec<(usize, &ChooserItem)> = found.collect();
        found.sort_by_key(|(rank, _)| *rank);
        found.into_iter().map(|(_, item)| item).collect()
    }

    /// Ranks an item for the search; lower is better. Nearly everything contains a few letters
    /// somewhere in its order, so text that isn't shown has to contain them together.
    fn rank(&self, item: &ChooserItem) -> Option<usize> {
        let words = self.search.words();
        let shown = [&item.title, &item.note];
        let shown = shown.into_iter().filter_map(|it| fuzzy_rank(it, words));
        let hidden = self.search.finds(&[&item.hidden]).then_some(HIDDEN_RANK);
        shown.chain(hidden).min()
    }
}
