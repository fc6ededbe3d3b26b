//! A short list of numbered choices.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::attention::{self, KeyHandling};
use crate::styled::{Line, Style, Tone};

/// Numbered choices, one of which is selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Menu {
    choices: Vec<String>,
    marked: usize,
}

impl Menu {
    /// Offers choices; Escape selects the last one.
    pub(crate) const fn new(choices: Vec<String>) -> Self {
        Self { choices, marked: 0 }
    }

    /// Selects another choice than the first one.
    pub(crate) fn marking(mut self, choice: usize) -> Self {
        self.marked = choice;
        self
    }

    /// Takes a key, and returns the choice that it makes, from 0.
    pub(crate) fn key(&mut self, key: KeyEvent) -> Option<usize> {
        let count = self.choices.len();
        if key
            .modifiers
            .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
        {
            return None;
        }
        match key.code {
            KeyCode::Up => self.marked = (self.marked + count - 1) % count,
            KeyCode::Down => self.marked = (self.marked + 1) % count,
            KeyCode::Enter => return Some(self.marked),
            KeyCode::Esc => return Some(count - 1),
            KeyCode::Char(digit) => return self.numbered(digit),
            _ => {}
        }
        None
    }

    /// Returns the choice with a number, from 0.
    fn numbered(&self, digit: char) -> Option<usize> {
        let number = usize::try_from(digit.to_digit(10)?).ok()?;
        number.checked_sub(1).filter(|it| *it < self.choices.len())
    }

    /// Returns whether a key is the number of a choice.
    pub(crate) fn is_number(&self, key: KeyEvent) -> bool {
        attention::letter(key).is_some_and(|it| self.numbered(it).is_some())
    }

    /// Returns whether a key is the number of the last choice, which Escape also selects.
    pub(crate) fn is_last_number(&self, key: KeyEvent) -> bool {
        attention::letter(key)
            .and_then(|it| self.numbered(it))
            .is_some_and(|it| it + 1 == self.choices.len())
    }

    /// Returns whether a key chooses nothing here and begins a text that is meant for somewhere
    /// else (TU-3).
    pub(crate) fn is_foreign(&self, key: KeyEvent) -> bool {
        attention::begins_text(key) && !self.is_number(key)
    }

    /// Draws the choices; none is selected while keys don't choose.
    pub(crate) fn lines(&self, heed: KeyHandling) -> impl Iterator<Item = Line> {
        self.choices.iter().enumerate().map(move |(index, choice)| {
            let text = format!("{}. {choice}", index + 1);
            match heed {
                KeyHandling::Keys if index == self.marked => {
                    Line::new("❯ ", Tone::Accent).with(text, Style::from(Tone::Accent).strong())
                }
                KeyHandling::Keys => Line::plain(format!("  {text}")),
                KeyHandling::NotYet => Line::new(format!("  {text}"), Tone::Faint),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn menu() -> Menu {
        Menu::new(["one", "two", "no (esc)"].map(str::to_owned).into())
    }

    /// TU-3: numbers, arrows with Enter, and Escape choose.
    #[test]
    fn keys_choose() {
        let press = |menu: &mut Menu, code: KeyCode| menu.key(code.into());
        assert_eq!(press(&mut menu(), KeyCode::Char('2')), Some(1));
        assert_eq!(press(&mut menu(), KeyCode::Esc), Some(2));
        let mut menu = menu();
        assert_eq!(press(&mut menu, KeyCode::Up), None);
        assert_eq!(press(&mut menu, KeyCode::Up), None);
        assert_eq!(press(&mut menu, KeyCode::Enter), Some(1));
        for nothing in ['0', '4', 'x'] {
            assert_eq!(press(&mut menu, KeyCode::Char(nothing)), None);
        }
    }
}
