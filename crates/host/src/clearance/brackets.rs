//! The matching brackets of a program's text, computed once for all callers.

use super::tokens::Token;

/// The brackets of a text, by token position.
#[derive(Debug, Default)]
pub(super) struct Brackets {
    /// The position of each bracket's partner.
    partners: Vec<Option<usize>>,
    /// The innermost open bracket at each position.
    open: Vec<Option<usize>>,
    /// Whether a `;` is between that bracket and the position.
    is_behind_end: Vec<bool>,
    /// Where the statement at each position begins, ignoring brackets.
    starts: Vec<usize>,
}

impl Brackets {
    pub(super) fn of(tokens: &[Token]) -> Self {
        let mut found = Self {
            partners: vec![None; tokens.len()],
            ..Self::default()
        };
        // The open brackets, each with the position before it.
        let mut open: Vec<usize> = Vec::new();
        let mut ended = vec![false];
        let mut start = 0;
        for (at, token) in tokens.iter().enumerate() {
            if let Token::Sign(')' | ']' | '}') = token
                && let Some(opening) = open.pop()
            {
                found.partners[opening] = Some(at);
                found.partners[at] = Some(opening);
                ended.pop();
            }
            found.open.push(open.last().copied());
            found
                .is_behind_end
                .push(ended.last().copied().unwrap_or(false));
            found.starts.push(start);
            match token {
                Token::Sign('(' | '[' | '{') => {
                    open.push(at);
                    ended.push(false);
                }
                Token::Sign(';') => {
                    if let Some(last) = ended.last_mut() {
                        *last = true;
                    }
                    start = at + 1;
                }
                Token::Line => start = at + 1,
                _ => {}
            }
        }
        found
    }

    /// Returns the partner of the bracket at a position.
    pub(super) fn partner(&self, at: usize) -> Option<usize> {
        *self.partners.get(at)?
    }

    /// Returns the innermost open bracket at a position.
    pub(super) fn around(&self, at: usize) -> Option<usize> {
        *self.open.get(at)?
    }

    /// Returns whether a statement ended between that bracket and the position.
    pub(super) fn is_behind_end(&self, at: usize) -> bool {
        self.is_behind_end.get(at) == Some(&true)
    }

    /// Returns where the statement at a position begins: after the last `;` or line end.
    pub(super) fn start(&self, at: usize) -> usize {
        self.starts.get(at).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens::{Language, tokens};
    use super::*;

    /// TR-8: brackets belong together whatever is left open or closed too often.
    #[test]
    fn brackets_find_their_partners() {
        let tokens = tokens("))((a[b];c)", Language::Python);
        let brackets = Brackets::of(&tokens);
        assert_eq!(brackets.partner(0), None);
        assert_eq!(brackets.partner(2), None);
        assert_eq!(brackets.partner(3), Some(10));
        assert_eq!(brackets.partner(7), Some(5));
        assert_eq!(brackets.around(6), Some(5));
        assert_eq!(brackets.around(9), Some(3));
        assert!(brackets.is_behind_end(9));
        assert!(!brackets.is_behind_end(6));
        assert_eq!(brackets.start(9), 9);
    }
}
