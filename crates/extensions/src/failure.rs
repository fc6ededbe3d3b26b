//! Why something could not be done with an extension.

use std::fmt;

/// Says why something could not be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Its kind.
    pub kind: FailureKind,
    /// What happened, for people.
    pub message: String,
    /// The name that does not exist, where one was given.
    pub wanted: Option<String>,
    /// The names that exist.
    pub known: Vec<String>,
}

/// Names the kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// There is no such extension.
    UnknownExtension,
    /// What was given can't be used.
    BadInput,
    /// A file can't be written.
    NotWritable,
    /// Something of this name exists, and is not overwritten.
    AlreadyExists,
    /// Something that should not happen.
    Internal,
}

impl Failure {
    /// Returns a failure of a kind.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            wanted: None,
            known: Vec::new(),
        }
    }

    /// Returns the failure of something that can't be used as it was given.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::new(FailureKind::BadInput, message)
    }

    /// Returns the failure of something that should not happen.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(FailureKind::Internal, message)
    }

    /// Adds the name that does not exist, and those that do.
    #[must_use]
    pub fn among(self, wanted: &str, known: &[&str]) -> Self {
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
