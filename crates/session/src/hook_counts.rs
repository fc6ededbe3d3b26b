//! What hooks did in this session, for `/stats` (TU-6).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hookloop_engine::{Lifecycle, Observer, RunRecord, RunResult};
use hookloop_events::SessionIdentity;

use crate::hook_words::short_label;

/// Counts the runs of hooks.
#[derive(Debug, Default)]
pub(crate) struct HookCounts(Mutex<BTreeMap<(String, String), HookCount>>);

/// What one hook did at one event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct HookCount {
    pub(crate) runs: u64,
    /// How often it refused or stopped.
    pub(crate) refused: u64,
    /// How often it wanted the user to be asked.
    pub(crate) asked: u64,
    /// How often it failed, whatever its failure meant.
    pub(crate) failed: u64,
    pub(crate) time: Duration,
}

impl HookCount {
    fn count(&mut self, run: &RunRecord) {
        self.runs += 1;
        self.time += run.duration;
        // A failure that refuses counts as both.
        if run.failure.is_some() || run.result == RunResult::Failed {
            self.failed += 1;
        }
        match run.result {
            RunResult::Refused | RunResult::Stopped => self.refused += 1,
            RunResult::Ask => self.asked += 1,
            RunResult::Proceed | RunResult::Failed => {}
        }
    }

    fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.refused += other.refused;
        self.asked += other.asked;
        self.failed += other.failed;
        self.time += other.time;
    }

    fn words(&self) -> String {
        let plural = if self.runs == 1 { "" } else { "s" };
        format!(
            "{} run{plural}, {} refused, {} asked, {} failed, {} ms",
            self.runs,
            self.refused,
            self.asked,
            self.failed,
            self.time.as_millis()
        )
    }
}

impl HookCounts {
    fn counts(&self) -> MutexGuard<'_, BTreeMap<(String, String), HookCount>> {
        // Numbers are never half changed, so a poisoned lock guards nothing broken.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts again: another session continues.
    #[cfg_attr(
        not(feature = "terminal"),
        expect(dead_code, reason = "only a terminal session shows them")
    )]
    pub(crate) fn begin(&self) {
        self.counts().clear();
    }

    /// Formats the counts, in total and by hook.
    #[cfg_attr(
        not(feature = "terminal"),
        expect(dead_code, reason = "only a terminal session shows them")
    )]
    pub(crate) fn text(&self) -> String {
        let counts = self.counts();
        if counts.is_empty() {
            return "Hooks: none ran".to_owned();
        }
        let mut all = HookCount::default();
        let mut lines = String::new();
        for ((label, event), count) in counts.iter() {
            all.add(count);
            let _ = write!(lines, "\n  {label} ({event}): {}", count.words());
        }
        format!("Hooks: {}{lines}", all.words())
    }
}

impl Observer for HookCounts {
    fn observe(&self, _session: &SessionIdentity, lifecycle: &Lifecycle) {
        if let Lifecycle::Concluded(concluded) = lifecycle {
            let mut counts = self.counts();
            for run in &concluded.runs {
                let key = (short_label(&run.hook), run.event.to_string());
                counts.entry(key).or_default().count(run);
            }
        }
    }
}
