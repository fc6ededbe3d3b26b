//! Recording what hooks do, and what the record says of them (CM-1, CM-3, CM-6). A build without
//! the feature `trace` has the same functions, which record nothing.

#[cfg(not(feature = "trace"))]
mod absent;
#[cfg(feature = "trace")]
mod kept;

use std::collections::HashMap;

use hookloop_hook::HookId;

use crate::views::Statistics;

#[cfg(not(feature = "trace"))]
pub(crate) use absent::{Recorder, ignored_fields, of_session, statistics};
#[cfg(feature = "trace")]
pub(crate) use kept::{Recorder, ignored_fields, of_session, open, statistics};

/// Something read from the trace, and the warnings of reading it.
pub(crate) struct Known<T> {
    /// What is known.
    pub(crate) value: T,
    /// Why it is not all.
    pub(crate) warnings: Vec<String>,
}

/// The statistics of hooks that ran.
pub(crate) type StatisticsOfHooks = HashMap<HookId, Statistics>;
