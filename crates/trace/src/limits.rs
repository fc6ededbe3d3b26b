//! The size limits of the trace.

use hookloop_settings::DEFAULT_TRACE_MAX_BYTES;

/// Limits the trace on disk (CM-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size, in bytes (`hooksConfig.trace.maxBytes`). The oldest runs are deleted
    /// first.
    pub max_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_bytes: DEFAULT_TRACE_MAX_BYTES,
        }
    }
}

impl Limits {
    /// Returns the maximum size of the database itself, in bytes; the rest is for its log.
    pub(crate) const fn database_bytes(self) -> u64 {
        self.max_bytes / 4 * 3
    }

    /// Returns the size to which the trace is reduced when it reaches the limit, in bytes: lower
    /// than the limit, so that not every write has to delete.
    pub(crate) const fn trimmed_bytes(self) -> u64 {
        self.database_bytes() / 10 * 9
    }

    /// Returns the maximum size of the write-ahead log after a write, in bytes.
    pub(crate) const fn log_bytes(self) -> u64 {
        self.max_bytes / 8
    }

    /// Returns the maximum size of the runs of one event, in bytes; beyond it, they are cut.
    pub(crate) const fn firing_bytes(self) -> u64 {
        self.max_bytes / 2
    }
}
