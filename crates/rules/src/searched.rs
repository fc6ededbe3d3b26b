//! A text that many expressions are compared with.

use std::cell::OnceCell;

use crate::needs::{Needs, is_of_run};

/// How many bits say which three characters occur one after the other.
const BITS: usize = 1 << 15;

/// How long a text is, in bytes, before it is worth noting which three characters follow each
/// other.
const LONG: usize = 64;

/// A text that is searched, and what can be said about it at once.
pub(crate) struct Searched<'t> {
    text: &'t str,
    /// The longest run of letters, digits, underscores and hyphens.
    run: usize,
    signs: Signs,
    /// The text in lowercase, once somebody looks for a literal in it.
    lower: OnceCell<String>,
    /// Which three characters occur one after the other in a long text.
    threes: OnceCell<Box<[u64]>>,
}

impl<'t> Searched<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let runs = text.split(|it| !is_of_run(it));
        Self {
            text,
            run: runs.map(str::len).max().unwrap_or(0),
            signs: Signs::of(text),
            lower: OnceCell::new(),
            threes: OnceCell::new(),
        }
    }

    pub(crate) const fn text(&self) -> &'t str {
        self.text
    }

    /// Returns how long the longest run of letters, digits, underscores and hyphens is.
    pub(crate) const fn run(&self) -> usize {
        self.run
    }

    /// Returns whether the text has what an expression needs.
    pub(crate) fn may_match(&self, needs: &Needs) -> bool {
        self.run >= needs.run
            && (needs.literals.is_empty() || needs.literals.iter().any(|it| self.contains(it)))
    }

    /// Returns whether a literal is in the text, whatever its case there.
    fn contains(&self, literal: &str) -> bool {
        if !self.signs.include(literal) {
            return false;
        }
        let lower = self.lower.get_or_init(|| self.text.to_ascii_lowercase());
        if lower.len() < LONG {
            return lower.contains(literal);
        }
        let threes = self.threes.get_or_init(|| threes_of(lower));
        let mut parts = literal.as_bytes().windows(3);
        parts.all(|three| is_noted(threes, three)) && lower.contains(literal)
    }
}

/// Notes which three characters occur one after the other.
fn threes_of(lower: &str) -> Box<[u64]> {
    let mut threes = vec![0_u64; BITS / 64].into_boxed_slice();
    for three in lower.as_bytes().windows(3) {
        let (word, bit) = place(three);
        threes[word] |= bit;
    }
    threes
}

fn is_noted(threes: &[u64], three: &[u8]) -> bool {
    let (word, bit) = place(three);
    threes[word] & bit != 0
}

/// Returns whether a text contains one of the literals that an expression needs.
pub(crate) fn has_one(text: &str, needs: &Needs) -> bool {
    if needs.literals.is_empty() {
        return true;
    }
    let signs = Signs::of(text);
    let mut possible = needs.literals.iter().filter(|it| signs.include(it));
    let Some(first) = possible.next() else {
        return false;
    };
    let lower = text.to_ascii_lowercase();
    lower.contains(first) || possible.any(|it| lower.contains(it))
}

/// Which characters a text consists of, whatever their case: several share a bit.
#[derive(Debug, Clone, Copy)]
struct Signs(u64);

impl Signs {
    fn of(text: &str) -> Self {
        Self(text.bytes().fold(0, |signs, byte| signs | bit_of(byte)))
    }

    /// Returns whether a text with these characters may contain a literal in lowercase.
    fn include(self, literal: &str) -> bool {
        literal.bytes().all(|it| self.0 & bit_of(it) != 0)
    }
}

fn bit_of(byte: u8) -> u64 {
    1 << (byte.to_ascii_lowercase() & 63)
}

/// Where three characters are noted.
fn place(three: &[u8]) -> (usize, u64) {
    let sum = three
        .iter()
        .fold(0, |sum, byte| (sum << 5) ^ usize::from(*byte));
    let at = sum % BITS;
    (at / 64, 1 << (at % 64))
}
