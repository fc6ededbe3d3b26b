//! Counts the spans that ended and those that arrived, so that every loss is reported.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Reports that something doesn't reach its collector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undelivered {
    /// The collector's address, without anything secret.
    pub server: String,
    /// The reason.
    pub cause: String,
    /// How many have been lost so far.
    pub lost: usize,
    /// What was lost: `spans`, or the name of another kind of data.
    pub what: String,
}

impl fmt::Display for Undelivered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} can't be sent to the collector {}: {} (lost so far: {})",
            self.what, self.server, self.cause, self.lost
        )
    }
}

/// Counts spans, and reports once that some are lost.
pub(crate) struct Delivery {
    server: String,
    ended: AtomicUsize,
    arrived: AtomicUsize,
    has_lost: AtomicBool,
    /// Taken when a loss is reported.
    reporter: Mutex<Option<Reporter>>,
}

type Reporter = Box<dyn Fn(&Undelivered) + Send + Sync>;

impl Delivery {
    pub(crate) fn new(
        server: String,
        report: impl Fn(&Undelivered) + Send + Sync + 'static,
    ) -> Self {
        Self {
            server,
            ended: AtomicUsize::new(0),
            arrived: AtomicUsize::new(0),
            has_lost: AtomicBool::new(false),
            reporter: Mutex::new(Some(Box::new(report))),
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

    /// Reports that spans didn't arrive, unless that was reported before.
    pub(crate) fn note_loss(&self, lost: usize, cause: String) {
        self.has_lost.store(true, Ordering::Relaxed);
        self.note_other_loss("spans", lost, cause);
    }

    /// Returns whether spans have been lost.
    pub(crate) fn has_lost(&self) -> bool {
        self.has_lost.load(Ordering::Relaxed)
    }

    /// Reports that something else didn't arrive, unless anything was reported before.
    pub(crate) fn note_other_loss(&self, what: &str, lost: usize, cause: String) {
        // The value is taken in one step, so a poisoned lock guards nothing broken.
        let reporter = self
            .reporter
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(report) = reporter {
            report(&Undelivered {
                server: self.server.clone(),
                cause,
                lost,
                what: what.to_owned(),
            });
        }
    }

    /// Reports what never arrived, once nothing more will be sent.
    pub(crate) fn conclude(&self, waited: Duration) {
        let ended = self.ended.load(Ordering::Relaxed);
        let lost = ended.saturating_sub(self.arrived.load(Ordering::Relaxed));
        if lost > 0 {
            let cause = format!(
                "they weren't accepted within {} s, or there were too many at once",
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
