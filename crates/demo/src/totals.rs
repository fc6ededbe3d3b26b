//! The totals of the demo.

use hookloop_engine::RunResult;
use serde::Serialize;

use crate::timeline::{FiredEvent, HookRun};

/// The totals.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Totals {
    /// Events that had hooks.
    pub(crate) events: usize,
    /// Runs of hooks.
    pub(crate) hook_runs: usize,
    /// Runs that refused.
    pub(crate) refusals: usize,
    /// Runs that changed something.
    pub(crate) rewrites: usize,
    /// Runs that failed.
    pub(crate) failures: usize,
    /// Time in all runs, in milliseconds.
    pub(crate) hooks_ms: f64,
    /// The same for each hook, in the order in which they first ran.
    pub(crate) by_hook: Vec<HookTotals>,
}

/// The totals of one hook.
#[derive(Debug, Default, Serialize)]
pub(crate) struct HookTotals {
    /// The hook.
    pub(crate) label: String,
    /// Its runs.
    pub(crate) runs: usize,
    /// Runs that refused.
    pub(crate) refusals: usize,
    /// Runs that changed something.
    pub(crate) rewrites: usize,
    /// Runs that failed.
    pub(crate) failures: usize,
    /// Time in its runs, in milliseconds.
    pub(crate) total_ms: f64,
}

impl Totals {
    /// Computes the totals of events.
    pub(crate) fn of<'a>(events: impl Iterator<Item = &'a FiredEvent>) -> Self {
        let mut totals = Self::default();
        for event in events {
            totals.events += 1;
            event.hooks.iter().for_each(|run| totals.add(run));
        }
        totals.hooks_ms = round_to_microseconds(totals.hooks_ms);
        totals
            .by_hook
            .iter_mut()
            .for_each(|hook| hook.total_ms = round_to_microseconds(hook.total_ms));
        totals
    }

    fn add(&mut self, run: &HookRun) {
        let refused = usize::from(run.result == RunResult::Refused);
        let rewrote = usize::from(run.rewrote());
        let failed = usize::from(run.failure.is_some());
        self.hook_runs += 1;
        self.refusals += refused;
        self.rewrites += rewrote;
        self.failures += failed;
        self.hooks_ms += run.duration_ms;
        let place = self.by_hook.iter().position(|hook| hook.label == run.label);
        let place = place.unwrap_or_else(|| {
            self.by_hook.push(HookTotals {
                label: run.label.clone(),
                ..HookTotals::default()
            });
            self.by_hook.len() - 1
        });
        if let Some(hook) = self.by_hook.get_mut(place) {
            hook.runs += 1;
            hook.refusals += refused;
            hook.rewrites += rewrote;
            hook.failures += failed;
            hook.total_ms += run.duration_ms;
        }
    }
}

/// Rounds to microseconds.
fn round_to_microseconds(milliseconds: f64) -> f64 {
    (milliseconds * 1000.0).round() / 1000.0
}
