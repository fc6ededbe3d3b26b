//! Parses an object as far as its nesting can be followed: JSON, and common deviations from it
//! (single quotes or none, `True`, `NaN`, an extra comma, a missing end).

use std::borrow::Cow;

use super::strings::{end_of_string, unescaped};
use super::unfollowed::Rest;
use super::words::{DECISIONS, UNREAD, squashed};
use super::{Place, Reading};

/// Reads one output.
pub(super) struct Reader<'t, 'f> {
    text: &'t str,
    at: usize,
    found: &'f mut Reading,
}

/// The position from which the nesting can't be followed.
struct Lost {
    from: usize,
}

/// A value, reduced to what matters.
enum FieldValue<'t> {
    Text(Cow<'t, str>),
    Nested,
}

impl<'t, 'f> Reader<'t, 'f> {
    /// Begins at an opening brace.
    pub(super) const fn new(text: &'t str, found: &'f mut Reading) -> Self {
        Self { text, at: 0, found }
    }

    /// Reads all of the text: the object, and after it, or after the break in it, everything
    /// outside of strings.
    pub(super) fn read(mut self) {
        let from = match self.object(Place::Top) {
            Ok(()) => self.at,
            Err(Lost { from }) => from,
        };
        Rest::new(self.text, from, self.found).read();
    }

    /// Reads an object at its opening brace.
    fn object(&mut self, place: Place) -> Result<(), Lost> {
        self.at += 1;
        loop {
            match self.next_sign() {
                None => return Err(self.lost()),
                Some('}') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(',') => self.at += 1,
                Some(_) => self.pair(place)?,
            }
        }
    }

    /// Reads a key and its value, and the comma or brace after it.
    fn pair(&mut self, place: Place) -> Result<(), Lost> {
        let start = self.at;
        let lost = Lost { from: start };
        let Some(key) = self.scalar() else {
            return Err(lost);
        };
        if self.next_sign() != Some(':') {
            return Err(lost);
        }
        self.at += 1;
        let name = squashed(&key);
        let is_unread = UNREAD.contains(&name.as_str());
        let said = match self.next_sign() {
            None => return Err(lost),
            Some('{') if place == Place::Top && name == "hookspecificoutput" => {
                self.object(Place::Own)?;
                FieldValue::Nested
            }
            Some('{')
                if matches!(place, Place::Top | Place::Own) && DECISIONS.contains(&&*name) =>
            {
                self.object(Place::Decided)?;
                FieldValue::Nested
            }
            Some('{' | '[') => {
                self.nested(is_unread)?;
                FieldValue::Nested
            }
            Some('"') if is_unread && end_of_string(self.text, self.at, '"').is_none() => {
                // All of the rest belongs to the unread string.
                return Err(Lost {
                    from: self.text.len(),
                });
            }
            Some(_) => match self.scalar() {
                Some(text) => FieldValue::Text(text),
                None => return Err(lost),
            },
        };
        match self.next_sign() {
            None | Some(',' | '}') => {
                if let FieldValue::Text(text) = said {
                    self.found.note(place, &key, &text);
                }
                Ok(())
            }
            Some(_) => Err(match said {
                FieldValue::Text(_) => lost,
                FieldValue::Nested => self.lost(),
            }),
        }
    }

    /// Skips an object or a list: its content is a value.
    fn nested(&mut self, is_unread: bool) -> Result<(), Lost> {
        let mut open = Vec::new();
        let mut previous = None;
        loop {
            let start = self.at;
            let Some(sign) = self.next_sign() else {
                return Err(self.lost());
            };
            match sign {
                '{' | '[' if previous.is_none() => {
                    open.push(if sign == '{' { '}' } else { ']' });
                    self.at += 1;
                }
                '}' | ']' => {
                    if open.pop() != Some(sign) {
                        return Err(Lost { from: start });
                    }
                    self.at += 1;
                    if open.is_empty() {
                        return Ok(());
                    }
                    previous = Some(start);
                    continue;
                }
                ',' | ':' => self.at += 1,
                _ => {
                    if let Some(from) = previous {
                        return Err(Lost { from });
                    }
                    if self.scalar().is_none() {
                        let from = if is_unread {
                            self.text.len()
                        } else {
                            start + sign.len_utf8()
                        };
                        return Err(Lost { from });
                    }
                    previous = Some(start);
                    continue;
                }
            }
            previous = None;
        }
    }

    /// Reads a quoted text, or an unquoted word; `None` if it has no end.
    fn scalar(&mut self) -> Option<Cow<'t, str>> {
        let rest = &self.text[self.at..];
        let first = rest.chars().next()?;
        if matches!(first, '"' | '\'') {
            let end = end_of_string(self.text, self.at, first)?;
            let inner = &self.text[self.at + 1..end];
            self.at = end + 1;
            return Some(if inner.contains('\\') {
                Cow::Owned(unescaped(inner))
            } else {
                Cow::Borrowed(inner)
            });
        }
        let length = rest
            .find(|sign: char| sign.is_whitespace() || "{}[],:\"'\\".contains(sign))
            .unwrap_or(rest.len());
        self.at += length;
        (length > 0).then(|| Cow::Borrowed(&rest[..length]))
    }

    /// Skips white space, and returns what follows it.
    fn next_sign(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        let sign = rest.char_indices().find(|(_, sign)| !sign.is_whitespace());
        self.at += sign.map_or(rest.len(), |(length, _)| length);
        sign.map(|(_, sign)| sign)
    }

    const fn lost(&self) -> Lost {
        Lost { from: self.at }
    }
}
