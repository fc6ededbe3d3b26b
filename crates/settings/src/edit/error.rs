//! Why settings couldn't be edited.

use std::path::PathBuf;

use thiserror::Error;

use hookloop_hook::{Position, Source};

/// Why a text can't be edited. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EditFault {
    /// The text isn't JSON.
    #[error("the file isn't JSON: {message}")]
    NotJson {
        /// The first character that can't be read.
        position: Position,
        /// What is wrong there.
        message: String,
    },
    /// A value on the path to the edited one has the wrong type for its key.
    #[error("\"{path}\" is {found}, not {wanted}")]
    WrongType {
        /// The keys that lead to the value, joined by dots.
        path: String,
        /// What was found.
        found: &'static str,
        /// What would be right.
        wanted: &'static str,
        /// The value's place.
        position: Position,
    },
}

impl EditFault {
    /// Returns the place of the fault.
    pub const fn position(&self) -> Position {
        match self {
            Self::NotJson { position, .. } | Self::WrongType { position, .. } => *position,
        }
    }
}

/// Why a settings file wasn't edited. The file is unchanged (ST-10).
#[derive(Debug, Error)]
pub enum EditError {
    /// The file, or its folder, can't be written.
    #[error("{} can't be written: {reason}", file.display())]
    NotWritable {
        /// The file.
        file: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The file can't be read.
    #[error("{} can't be read: {reason}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The file isn't a settings file that could be edited without losing something.
    #[error("{}:{}:{}: {fault}", file.display(), fault.position().line, fault.position().column)]
    InvalidSettings {
        /// The file.
        file: PathBuf,
        /// What is wrong, and where.
        fault: EditFault,
    },
    /// Another process has been editing the file for too long.
    #[error("{} is being changed by another process", file.display())]
    Locked {
        /// The file.
        file: PathBuf,
    },
}

impl EditError {
    /// Returns the code as JSON output spells it (`cli-json.md` §1).
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotWritable { .. } => "not_writable",
            Self::Unreadable { .. } | Self::InvalidSettings { .. } => "invalid_settings",
            Self::Locked { .. } => "locked",
        }
    }

    /// Returns the place that the error is about.
    pub fn source_place(&self) -> Source {
        match self {
            Self::NotWritable { file, .. }
            | Self::Unreadable { file, .. }
            | Self::Locked { file } => Source::of_file(file.as_path()),
            Self::InvalidSettings { file, fault } => {
                Source::of_file(file.as_path()).at(fault.position())
            }
        }
    }
}
