//! What a person should know about recording.

use std::io;

use hookloop_hook::Source;

use crate::fault::{OpenError, WriteError};

/// Something is missing from the trace, or was cut: each kind is reported once by an observer,
/// a cut once for each hook.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceProblem {
    /// The database can't be opened; nothing is recorded.
    #[error("hook runs are not recorded: failed to {0}")]
    NotOpened(#[source] OpenError),
    /// The system starts no thread to write; nothing is recorded.
    #[error("hook runs are not recorded: no thread can be started: {0}")]
    NoThread(#[source] io::Error),
    /// Runs were not written. Later ones are tried all the same.
    #[error("hook runs are missing from the trace: failed to {0}")]
    NotRecorded(#[source] WriteError),
    /// Runs came faster than they could be written, and were dropped.
    #[error(
        "hook runs are missing from the trace: they came faster than they could be written to \
         {path}"
    )]
    Overflow {
        /// The database.
        path: String,
    },
    /// What a hook read and wrote is too large for the trace.
    #[error(
        "hook \"{hook}\" ({source_of_hook}): what it read and wrote ({bytes} bytes) was cut in \
         the trace, which may take {max_bytes} bytes (hooksConfig.trace.maxBytes)"
    )]
    Cut {
        /// The hook's label.
        hook: String,
        /// Where it is configured.
        source_of_hook: Source,
        /// How large it was, in bytes.
        bytes: u64,
        /// How large the trace may grow, in bytes.
        max_bytes: u64,
    },
    /// The bound is so low that a run was deleted as soon as it was written.
    #[error(
        "hook runs are missing from the trace: it may take {max_bytes} bytes \
         (hooksConfig.trace.maxBytes), too little to keep a run"
    )]
    CapTooSmall {
        /// How large the trace may grow, in bytes.
        max_bytes: u64,
    },
}
