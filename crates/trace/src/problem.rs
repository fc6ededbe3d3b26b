//! Problems of recording.

use std::io;

use hookloop_hook::Source;

use crate::fault::{OpenError, WriteError};

/// Something is missing from the trace, or was cut. An observer reports each kind once, and a cut
/// once for each hook.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceProblem {
    /// The database can't be opened; nothing is recorded.
    #[error("hook runs aren't recorded: failed to {0}")]
    NotOpened(#[source] OpenError),
    /// No thread could be started; nothing is recorded.
    #[error("hook runs aren't recorded: no thread can be started: {0}")]
    NoThread(#[source] io::Error),
    /// Runs weren't written. Later ones are still attempted.
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
    /// A hook's input and output are too large for the trace.
    #[error(
        "hook \"{hook}\" ({source_of_hook}): what it read and wrote ({bytes} bytes) was cut in \
         the trace, whose limit is {max_bytes} bytes (hooksConfig.trace.maxBytes)"
    )]
    Cut {
        /// The hook's label.
        hook: String,
        /// Where it is configured.
        source_of_hook: Source,
        /// Their size, in bytes.
        bytes: u64,
        /// The maximum size of the trace, in bytes.
        max_bytes: u64,
    },
    /// The limit is so low that a run was deleted as soon as it was written.
    #[error(
        "hook runs are missing from the trace: its limit of {max_bytes} bytes \
         (hooksConfig.trace.maxBytes) is too small for a run"
    )]
    CapTooSmall {
        /// The maximum size of the trace, in bytes.
        max_bytes: u64,
    },
}
