//! A text that many expressions are compared with.

use crate::needs::{Needs, is_of_run};

/// How many bits say which three characters occur one after the other.
const BITS: usize = 1 << 15;

/// A text that is searched, and what can be said about it at once.
pub(crate) struct Searched<'t> {
    text: &'t str,
    lower: String,
    /// The longest run of letters, digits, underscores and hyphens.
    run: usize,
    /// Which three characters occur one after the other.
    threes: Box<[u64]>,
}

impl<'t> Searched<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let lower = text.to_ascii_lowercase();
        let mut threes = vec![0_u64; BITS / 64].into_boxed_slice();
        for three in lower.as_bytes().windows(3) {
            let (word, bit) = place(three);
            threes[word] |= bit;
        }
        let runs = text.split(|it| !is_of_run(it));
        Self {
            text,
            run: runs.map(str::len).max().unwrap_or(0),
            lower,
            threes,
        }
    }

    pub(crate) const fn text(&self) -> &'t str {
        self.text
    }

    /// Returns whether the text has what an expression needs.
    pub(crate) fn may_match(&self, needs: &Needs) -> bool {
        self.run >= needs.run
            && (needs.literals.is_empty()
                || needs
                    .literals
                    .iter()
                    .any(|it| self.may_contain(it) && self.lower.contains(it)))
    }

    fn may_contain(&self, literal: &str) -> bool {
        literal.as_bytes().windows(3).all(|three| {
            let (word, bit) = place(three);
            self.threes[word] & bit != 0
        })
    }
}

/// Returns whether a text contains one of the literals that an expression needs.
pub(crate) fn has_one(text: &str, needs: &Needs) -> bool {
    needs.literals.is_empty() || {
        let lower = text.to_ascii_lowercase();
        needs.literals.iter().any(|it| lower.contains(it))
    }
}

/// Where three characters are noted.
fn place(three: &[u8]) -> (usize, u64) {
    let sum = three
        .iter()
        .fold(0, |sum, byte| (sum << 5) ^ usize::from(*byte));
    let at = sum % BITS;
    (at / 64, 1 << (at % 64))
}
