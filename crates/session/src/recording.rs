//! Records what hooks do, and answers questions about the record (CM-1, CM-3, CM-6). A build
//! without the feature `trace` has the same functions, which record nothing.

#[cfg(not(feature = "trace"))]
mod absent;
#[cfg(feature = "trace")]
mod trace_store;

use std::collections::HashMap;

use hookloop_engine::RunResult;
use hookloop_hook::{EventName, HookId};
use serde::Serialize;

#[cfg(not(feature = "trace"))]
pub use absent::{Recorder, for_session, ignored_fields, in_shadow, lose, statistics};
#[cfg(feature = "trace")]
pub use trace_store::{Recorder, for_session, ignored_fields, in_shadow, lose, open, statistics};

/// What hooks wanted in a session of another agent, but that agent can't do (BR-21).
#[derive(Debug, Clone, Copy)]
pub struct Lost<'a> {
    /// The agent, as the bridge names it.
    pub agent: &'a str,
    /// The session, in the agent's words.
    pub session_id: &'a str,
    /// The event at which it was noticed.
    pub event: EventName,
    /// What, each in a sentence.
    pub texts: &'a [String],
}

/// Something read from the trace, and the warnings of reading it.
pub struct Known<T> {
    /// What is known.
    pub value: T,
    /// Why it isn't all.
    pub warnings: Vec<String>,
}

/// The statistics of hooks that ran.
pub type StatisticsOfHooks = HashMap<HookId, Statistics>;

/// What the trace knows about a hook (CM-6).
#[derive(Debug, Clone, Default, Serialize)]
pub struct Statistics {
    /// How many runs the trace contains.
    pub runs: u64,
    /// When the last one started.
    pub last_run_at: Option<String>,
    /// Its result.
    pub last_result: Option<RunResult>,
    /// What it wrote to standard output.
    pub last_output: Option<String>,
    /// What went wrong the last time.
    pub last_error: Option<String>,
    /// How long the run in the middle took.
    pub p50_ms: Option<f64>,
    /// How long 95 of 100 runs took at most.
    pub p95_ms: Option<f64>,
}

/// What a hook in shadow would have done (HT-2).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ShadowCount {
    /// How often it ran.
    pub runs: u64,
    /// How often it would have refused or stopped.
    pub refused: u64,
    /// How often it would have asked.
    pub asked: u64,
    /// How often it failed.
    pub failed: u64,
}

/// What hooks in shadow would have done.
pub type ShadowsOfHooks = HashMap<HookId, ShadowCount>;

impl ShadowCount {
    #[cfg_attr(
        not(feature = "trace"),
        expect(dead_code, reason = "nothing that could be counted is recorded")
    )]
    pub(crate) const fn count(&mut self, result: RunResult) {
        self.runs += 1;
        match result {
            RunResult::Refused | RunResult::Stopped => self.refused += 1,
            RunResult::Ask => self.asked += 1,
            RunResult::Failed => self.failed += 1,
            RunResult::Proceed => {}
        }
    }

    /// Formats the counts.
    #[cfg_attr(
        not(feature = "terminal"),
        expect(dead_code, reason = "only the panel shows them")
    )]
    pub(crate) fn words(self) -> String {
        format!(
            "in {} runs it would have refused {} and asked {}; {} failed",
            self.runs, self.refused, self.asked, self.failed
        )
    }
}
