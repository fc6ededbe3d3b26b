//! What all sessions of an engine share.

use std::sync::{Arc, PoisonError, RwLock};

use hookloop_events::Event;

use crate::host::Clock;
use crate::in_process::Closures;
use crate::lifecycle::Observer;
use crate::plan::PlanCache;
use crate::port::Executor;
use crate::registry::Registry;
use crate::reported::Reported;
use crate::span::Span;

/// The parts of an engine.
pub(crate) struct Inner {
    pub(crate) snapshot: RwLock<Arc<Snapshot>>,
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) closures: Closures,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) max_output_bytes: usize,
    pub(crate) reported: Reported,
    /// Where traces begin, if there is tracing.
    pub(crate) trace: Option<Arc<dyn Span>>,
}

/// The registry of a moment with the plans made from it.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    pub(crate) registry: Registry,
    pub(crate) plans: PlanCache,
}

impl Snapshot {
    pub(crate) fn new(registry: Registry) -> Self {
        Self {
            registry,
            plans: PlanCache::default(),
        }
    }
}

impl Inner {
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns whether an event has no hooks at all: then nothing needs to be prepared (EV-2).
    pub(crate) fn is_idle<E: Event>(&self) -> bool {
        let snapshot = self.snapshot.read().unwrap_or_else(PoisonError::into_inner);
        snapshot.registry.hooks_for(E::NAME).is_empty()
    }
}
