//! What ended and what arrived: nothing is lost in silence.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Says that something does not reach its collector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undelivered {
    /// The collector's address, without anything secret.
    pub server: String,
    /// Why.
    pub cause: String,
    /// How many are lost so far.
    pub lost: usize,
    /// What they are: `spans`, or something else.
    pub what: String,
}

impl fmt::Display for Undelivered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} do not reach the collector {}: {} (lost so far: {})",
            self.what, self.server, self.cause, self.lost
        )
    }
}

/// Keeps count of spans, and tells once that some are lost.
pub(crate) struct Delivery {
    server: String,
    ended: AtomicUsize,
    arrived: AtomicUsize,
    has_lost: AtomicBool,
    /// Taken when it was told.
    tell: Mutex<Option<Tell>>,
}

type Tell = Box<dyn Fn(&Undelivered) + Send + Sync>;

impl Delivery {
    pub(crate) fn new(server: String, tell: impl Fn(&Undelivered) + Send + Sync + 'static) -> Self {
        Self {
            server,
            ended: AtomicUsize::new(0),
            arrived: AtomicUsize::new(0),
            has_lost: AtomicBool::new(false),
            tell: Mutex::new(Some(Box::new(tell))),
        }
    }

    /// Counts a span that ended.
    pub(crate) fn note_end(&self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts spans that arrived.
    pub(crate) fn note_arrival(&self, spans: usize) {
        self.arrived.fetch_add(spans, Ordering::Relaxed);
    }

    /// Reports that spans did not arrive, unless that was reported before.
    pub(crate) fn note_loss(&self, lost: usize, cause: String) {
        self.has_lost.store(true, Ordering::Relaxed);
        self.note_other_loss("spans", lost, cause);
    }

    /// Returns whether spans got lost.
    pub(crate) fn has_lost(&self) -> bool {
        self.has_lost.load(Ordering::Relaxed)
    }

    /// Reports that something else did not arrive, unless anything was reported before.
    pub(crate) fn note_other_loss(&self, what: &str, lost: usize, cause: String) {
        // Taking can't be half done, so a poisoned lock guards nothing broken.
        let tell = self
            .tell
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(tell) = tell {
            tell(&Undelivered {
                server: self.server.clone(),
                cause,
                lost,
                what: what.to_owned(),
            });
        }
    }

    /// Says what never arrived, when nothing is sent any more.
    pub(crate) fn conclude(&self, waited: Duration) {
        let ended = self.ended.load(Ordering::Relaxed);
        let lost = ended.saturating_sub(self.arrived.load(Ordering::Relaxed));
        if lost > 0 {
            let cause = format!(
                "they were not taken within {} s, or there were too many at once",
                waited.as_secs()
            );
            self.note_loss(lost, cause);
        }
    }
}

impl fmt::Debug for Delivery {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Delivery")
            .field("ended", &self.ended)
            .field("arrived", &self.arrived)
            .finish_non_exhaustive()
    }
}
