//! The one ordered stream of what happens to hooks; screen, telemetry and trace subscribe.

use std::sync::Arc;
use std::time::Duration;

use hookloop_events::{EventName, SessionIdentity, Summary};
use hookloop_hook::{HookDeclaration, Source};

use crate::cause::SkipCause;
use crate::record::{RunRecord, RunResult};

/// Receives what happens to hooks, in order. The engine waits for it, so it should pass on work that
/// takes time.
pub trait Observer: Send + Sync {
    /// Takes note of what happened.
    fn observe(&self, session: &SessionIdentity, happening: &Lifecycle);
}

/// Something that happened to the hooks of an event. Whatever a person has to know is in
/// [`Lifecycle::Skipped`] and [`Lifecycle::Concluded`]. The others, and any that are added later, report
/// progress: an observer may ignore those that it doesn't know.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "it is told by reference; a box would be one more allocation for each event"
)]
pub enum Lifecycle {
    /// An event fires, and these hooks are going to run, in this order.
    Planned {
        /// The event.
        event: EventName,
        /// Its hooks.
        hooks: Vec<Arc<HookDeclaration>>,
    },
    /// A hook of the event is configured and does not run, although its matcher fits. Reported when an
    /// event and subject are planned for the first time.
    Skipped {
        /// The event.
        event: EventName,
        /// The hook.
        hook: Arc<HookDeclaration>,
        /// Why.
        causes: Vec<SkipCause>,
    },
    /// A hook starts.
    Started {
        /// The event.
        event: EventName,
        /// The hook.
        hook: Arc<HookDeclaration>,
        /// Its number in the plan, from 1.
        number: usize,
        /// How many hooks the plan has.
        of: usize,
    },
    /// A hook ended. What it said is in [`Lifecycle::Concluded`], because only then is it
    /// known what of it may be recorded (AT-1).
    Finished {
        /// The event.
        event: EventName,
        /// The hook.
        hook: Arc<HookDeclaration>,
        /// How long it ran.
        duration: Duration,
        /// What came of it.
        result: RunResult,
    },
    /// All hooks of the event ended, and their answers are combined.
    Concluded(Concluded),
}

/// The end of an event.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Concluded {
    /// The event.
    pub event: EventName,
    /// The runs, in the order of the plan.
    pub runs: Vec<Arc<RunRecord>>,
    /// What the hooks tell the user, in the order of the plan (OUT-1).
    pub messages: Vec<SystemMessage>,
    /// What the user should know about the hooks: failures, answers without effect,
    /// conflicts.
    pub notices: Vec<Notice>,
    /// What hooks said that nobody waits for, where the host waited for them or runs them apart: it
    /// hands that over by itself. In a session it goes with the next turn, and isn't here (FD-22).
    pub late: Vec<Notice>,
    /// What it means.
    pub summary: Summary,
}

impl Concluded {
    /// Concludes an event without messages, to test an observer with.
    pub fn new(event: EventName, runs: Vec<Arc<RunRecord>>) -> Self {
        Self {
            event,
            runs,
            messages: Vec::new(),
            notices: Vec::new(),
            late: Vec::new(),
            summary: Summary::default(),
        }
    }
}

/// A hook's message for the user (OUT-1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemMessage {
    /// The hook's label.
    pub hook: String,
    /// The text.
    pub text: String,
}

/// A hook was configured and something of it had no effect: which one, where, and what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The hook's label.
    pub hook: String,
    /// Where it is configured.
    pub source: Source,
    /// What happened, and what follows.
    pub text: String,
}

impl Notice {
    /// Tells the user something about a hook.
    pub(crate) fn of(hook: &HookDeclaration, text: String) -> Self {
        Self {
            hook: hook.label().to_owned(),
            source: hook.source.clone(),
            text,
        }
    }
}
