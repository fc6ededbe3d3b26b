//! Errors of the database.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// What is wrong with the trace. The file is never changed because of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file is damaged, or isn't an `SQLite` database.
    #[error("the database is damaged ({0}); it is left unchanged: move it away to start a new one")]
    Corrupt(String),
    /// The file is a database of another program.
    #[error("the file is a database of another program; it is left unchanged")]
    Foreign,
    /// A newer version of this program wrote it.
    #[error(
        "a newer version wrote it (schema {found}, this version supports {known}); it is left \
         unchanged: use the newer version, or move the file away"
    )]
    Newer {
        /// The schema version of the file.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// There is no space left.
    #[error("the disk is full")]
    Full,
    /// Another process kept it locked for too long.
    #[error("another process keeps it locked")]
    Busy,
    /// The operating system refused.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Another error of the database.
    #[error("{0}")]
    Database(String),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        if is_unreadable_value(&error) {
            return Self::Corrupt(error.to_string());
        }
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Corrupt(error.to_string())
            }
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            _ => Self::Database(error.to_string()),
        }
    }
}

/// Returns whether a column contained something that this program never writes.
const fn is_unreadable_value(error: &rusqlite::Error) -> bool {
    matches!(
        error,
        rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..)
    )
}

macro_rules! operation_error {
    ($(#[$doc:meta])* $name:ident, $message:literal) => {
        $(#[$doc])*
        #[derive(Debug, thiserror::Error)]
        #[error($message, path = .path.display(), fault = .fault)]
        pub struct $name {
            /// The database.
            pub path: PathBuf,
            /// What is wrong.
            #[source]
            pub fault: Fault,
        }

        impl $name {
            pub(crate) fn new(path: &Path, fault: impl Into<Fault>) -> Self {
                Self {
                    path: path.to_owned(),
                    fault: fault.into(),
                }
            }
        }
    };
}

operation_error! {
    /// The trace can't be opened. This is no reason to end a session.
    OpenError, "open the trace {path}: {fault}"
}
operation_error! {
    /// Runs couldn't be written. None of the batch was.
    WriteError, "write to the trace {path}: {fault}"
}
operation_error! {
    /// The trace can't be read.
    QueryError, "read the trace {path}: {fault}"
}
