//! How large the trace may grow.

use hookloop_settings::DEFAULT_TRACE_MAX_BYTES;

/// Bounds the trace on disk (CM-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How large it may grow, in bytes, `hooksConfig.trace.maxBytes`; the oldest runs go first.
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
    /// Returns what the database itself may take, in bytes; the rest is for its log.
    pub(crate) const fn database_bytes(self) -> u64 {
        self.max_bytes / 4 * 3
    }

    /// Returns to what the oldest runs are deleted at the bound, in bytes: some room, so that
    /// not every write has to delete.
    pub(crate) const fn trimmed_bytes(self) -> u64 {
        self.database_bytes() / 10 * 9
    }

    /// Returns how large the write-ahead log may stay after a write, in bytes.
    pub(crate) const fn log_bytes(self) -> u64 {
        self.max_bytes / 8
    }

    /// Returns how much the runs of one event may bring along, in bytes; beyond it they are cut.
    pub(crate) const fn firing_bytes(self) -> u64 {
        self.max_bytes / 2
    }
}
