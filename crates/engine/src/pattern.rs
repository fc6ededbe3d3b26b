//! ECMAScript regular expressions that are guaranteed to finish: matching counts its steps (PL-1,
//! PL-12).
//!
//! The crate `regress` decides what a valid pattern is. It has no step limit, so patterns are
//! matched here instead, by backtracking over a small program with an explicit stack. A property
//! test compares the results of both.

mod program;
mod syntax;

use program::{Program, Run};

/// The steps after which a comparison counts as one without end (PL-12).
const MAX_STEPS: u32 = 1_000_000;

/// A valid pattern, ready to be compared.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// Nothing if the pattern is larger than can be compared in the time there is.
    program: Option<Program>,
}

/// The result of comparing a pattern with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatchResult {
    /// It is in the text.
    Yes,
    /// It isn't.
    No,
    /// It took too many steps (PL-12).
    Endless,
}

impl From<bool> for MatchResult {
    fn from(found: bool) -> Self {
        if found { Self::Yes } else { Self::No }
    }
}

impl Pattern {
    /// Reads a pattern; nothing if it isn't valid.
    pub(crate) fn new(text: &str) -> Option<Self> {
        regress::Regex::new(text).ok()?;
        Some(Self {
            program: syntax::parse(text).and_then(|tree| Program::of(&tree)),
        })
    }

    /// Looks for the pattern anywhere in a text.
    pub(crate) fn find(&self, text: &str) -> MatchResult {
        let Some(program) = &self.program else {
            return MatchResult::Endless;
        };
        let text: Vec<char> = text.chars().collect();
        Run::new(program, &text, MAX_STEPS).find()
    }
}

#[cfg(test)]
mod tests;
