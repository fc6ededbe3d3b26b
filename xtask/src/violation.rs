//! The findings of a check.

use std::fmt;

/// A place that breaks one of the project's rules.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation {
    /// Path from the workspace's root, with forward slashes.
    pub(crate) file: String,
    /// Line, from 1; 0 for the whole file.
    pub(crate) line: usize,
    /// What is wrong.
    pub(crate) wrong: String,
    /// What would be right.
    pub(crate) right: String,
}

impl Violation {
    pub(crate) fn new(
        file: &str,
        line: usize,
        wrong: impl Into<String>,
        right: impl Into<String>,
    ) -> Self {
        Self {
            file: file.to_owned(),
            line,
            wrong: wrong.into(),
            right: right.into(),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.max(1);
        write!(
            formatter,
            "{}:{line}: {}; {}",
            self.file, self.wrong, self.right
        )
    }
}
