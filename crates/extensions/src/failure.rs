//! Errors of operations on extensions.

use std::fmt;

/// Why an operation failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Its kind.
    pub kind: FailureKind,
    /// What happened, for people.
    pub message: String,
    /// The given name, if it doesn't exist.
    pub wanted: Option<String>,
    /// The names that exist.
    pub known: Vec<String>,
}

/// The kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// There is no such extension.
    UnknownExtension,
    /// The input can't be used.
    BadInput,
    /// A file can't be written.
    NotWritable,
    /// Something with this name exists, and isn't overwritten.
    AlreadyExists,
    /// An internal error.
    Internal,
}

impl Failure {
    /// Creates a failure of a kind.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            wanted: None,
            known: Vec::new(),
        }
    }

    /// Creates a failure for input that can't be used.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::new(FailureKind::BadInput, message)
    }

    /// Creates an internal failure.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Internal, message)
    }

    /// Adds the unknown name, and the known ones.
    #[must_use]
    pub fn with_candidates(self, wanted: &str, known: &[&str]) -> Self {
        Self {
            wanted: Some(wanted.to_owned()),
            known: known.iter().map(|it| (*it).to_owned()).collect(),
            ..self
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}
