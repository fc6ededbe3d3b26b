//! The panel of hooks (CM-1): a component without effects.

mod draw;

use crossterm::event::{KeyCode, KeyEvent};

use crate::painter::Size;
use crate::search::{self, Search};
use crate::view::Leave;

/// A hook as the panel shows it (CM-1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PanelItem {
    /// A unique id that stays the same when the list is read again.
    pub id: String,
    /// The event. Hooks of the same event are adjacent.
    pub event: String,
    /// The hook's name, or else its command.
    pub name: String,
    /// The layer of settings that contains it.
    pub layer: String,
    /// The command, for the search.
    pub command: String,
    /// Whether it may run.
    pub mark: PanelMark,
    /// What the space bar does: enable or disable it.
    pub switch: PanelSwitch,
    /// The result of its last run, in one word.
    pub last_result: Option<String>,
    /// Its p50 and p95 durations, as text.
    pub times: Option<String>,
    /// Further properties, each with its value.
    pub details: Vec<(String, String)>,
}

/// Whether a hook may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanelMark {
    /// It may.
    Enabled,
    /// It is switched off.
    Disabled,
    /// Nobody has trusted it.
    Untrusted,
    /// It is a duplicate of another hook, which runs instead.
    Shadowed,
}

/// Whether a hook is enabled or disabled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanelSwitch {
    /// Enable it.
    On,
    /// Disable it.
    Off,
}

/// The user's action in the panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PanelIntent {
    /// Enable or disable the hooks with this name (CM-2); the panel stays open.
    Switch(PanelSwitch, String),
    /// Review the hook with this name and its files (CM-9); the panel stays open.
    Review(String),
    /// Trust the hook with this id (TR-2); the panel stays open.
    Trust(String),
    /// Fire this event as a test (CM-5); the panel stays open.
    Fire(String),
    /// Close the panel.
    Close,
    /// Leave the session.
    Leave(Leave),
}

/// What is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    List,
    /// The marked hook, from this row of its details on.
    Details(usize),
}

/// How far a key moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Back(usize),
    Forward(usize),
}

/// The panel of hooks, with its selection and its search text.
#[derive(Debug, Clone)]
pub struct Panel {
    items: Vec<PanelItem>,
    notes: Vec<String>,
    search: Search,
    page: Page,
    /// Which one of those that are shown.
    marked: usize,
}

impl Panel {
    /// Creates a panel of hooks, with notes about all of them at the top.
    pub fn new(items: Vec<PanelItem>, notes: Vec<String>) -> Self {
        Self {
            items,
            notes,
            search: Search::default(),
            page: Page::List,
            marked: 0,
        }
    }

    /// Updates the hooks. The selection stays.
    pub fn update(&mut self, items: Vec<PanelItem>, notes: Vec<String>) {
        let marked = self.marked_item().map(|it| it.id.clone());
        self.items = items;
        self.notes = notes;
        let shown = self.visible_items();
        let place = shown.iter().position(|it| Some(&it.id) == marked.as_ref());
        let last = shown.len().saturating_sub(1);
        if place.is_none() {
            self.page = Page::List;
        }
        self.marked = place.unwrap_or_else(|| self.marked.min(last));
    }

    /// Takes a key; what the user wants is returned when it is more than a look.
    pub(crate) fn key(&mut self, key: KeyEvent, size: Size) -> Option<PanelIntent> {
        if let Some(closes) = search::closes(key) {
            return closes.then_some(PanelIntent::Close);
        }
        if self.search.takes(key.code) {
            self.marked = 0;
            return None;
        }
        let page = self.page_rows(size).saturating_sub(1).max(1);
        match key.code {
            KeyCode::Up => self.step(Step::Back(1), size),
            KeyCode::Down => self.step(Step::Forward(1), size),
            KeyCode::PageUp => self.step(Step::Back(page), size),
            KeyCode::PageDown => self.step(Step::Forward(page), size),
            KeyCode::Home => self.step(Step::Back(usize::MAX), size),
            KeyCode::End => self.step(Step::Forward(usize::MAX), size),
            KeyCode::Enter => self.enter(),
            KeyCode::Esc => return self.escape(),
            KeyCode::Char('/') if self.page == Page::List => self.search.begin(),
            KeyCode::Char(' ') => {
                let item = self.marked_item()?;
                return Some(PanelIntent::Switch(item.switch, item.name.clone()));
            }
            KeyCode::Char('r') => {
                return Some(PanelIntent::Review(self.marked_item()?.name.clone()));
            }
            KeyCode::Char('t') => return Some(PanelIntent::Trust(self.marked_item()?.id.clone())),
            KeyCode::Char('f') => {
                return Some(PanelIntent::Fire(self.marked_item()?.event.clone()));
            }
            KeyCode::Char('q') => match self.page {
                Page::List => return Some(PanelIntent::Close),
                Page::Details(_) => self.page = Page::List,
            },
            _ => {}
        }
        None
    }

    /// Takes what was pasted.
    pub(crate) fn paste(&mut self, text: &str) {
        if self.search.paste(text) {
            self.marked = 0;
        }
    }

    fn enter(&mut self) {
        self.search.end();
        self.page = match self.page {
            Page::List if self.marked_item().is_some() => Page::Details(0),
            _ => Page::List,
        };
    }

    /// Goes one step back: from the details to the list, from a search to all hooks, and out.
    fn escape(&mut self) -> Option<PanelIntent> {
        if self.page != Page::List {
            self.page = Page::List;
        } else if self.search.is_on() {
            let marked = self.marked_item().map(|it| it.id.clone());
            self.search.clear();
            let place = self
                .items
                .iter()
                .position(|it| Some(&it.id) == marked.as_ref());
            self.marked = place.unwrap_or(0);
        } else {
            return Some(PanelIntent::Close);
        }
        None
    }

    fn step(&mut self, step: Step, size: Size) {
        let moved = |from: usize, last: usize| match step {
            Step::Back(count) => from.min(last).saturating_sub(count),
            Step::Forward(count) => from.saturating_add(count).min(last),
        };
        match self.page {
            Page::List => {
                let last = self.visible_items().len().saturating_sub(1);
                self.marked = moved(self.marked, last);
            }
            Page::Details(first) => {
                self.page = Page::Details(moved(first, self.last_first_row(size)));
            }
        }
    }

    /// Returns the hooks that the search finds, by name, event or command.
    fn visible_items(&self) -> Vec<&PanelItem> {
        let is_found = |it: &&PanelItem| self.search.finds(&[&it.name, &it.event, &it.command]);
        self.items.iter().filter(is_found).collect()
    }

    fn marked_item(&self) -> Option<&PanelItem> {
        self.visible_items().get(self.marked).copied()
    }
}

#[cfg(test)]
mod tests;
