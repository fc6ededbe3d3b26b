//! The names of hosts that a component may look up.

use std::sync::Arc;

/// The names that were granted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names(pub(crate) Arc<[String]>);
