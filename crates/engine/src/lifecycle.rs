//! One ordered stream of everything that happens to hooks, for the screen, telemetry and the trace.

use std::sync::Arc;
use std::time::Duration;

use hookloop_events::{EventName, SessionIdentity, Summary};
use hookloop_hook::{HookDeclaration, Source};

use crate::cause::SkipCause;
use crate::record::{RunRecord, RunResult};

/// Receives everything that happens to hooks, in order. The engine waits for it, so work that takes
/// time should be done elsewhere.
pub trait Observer: Send + Sync {
    /// Receives something that happened.
    fn observe(&self, session: &SessionIdentity, lifecycle: &Lifecycle);
}

/// Something that happened to the hooks of an event. Whatever a person has to know is in
/// [`Lifecycle::Skipped`] and [`Lifecycle::Concluded`]. The others, and any that are added later,
/// report progress: an observer may ignore those that it doesn't know.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "it is passed by reference; a box would be one more allocation for each event"
)]
pub enum Lifecycle {
    /// An event fires, and these hooks will run, in this order.
    Planned {
        /// The event.
        event: EventName,
        /// Its hooks.
        hooks: Vec<Arc<HookDeclaration>>,
    },
    /// A hook of the event is configured and doesn't run although its matcher matches. Reported
    /// when an event and subject are planned for the first time.
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
    /// A hook has ended. What it said is in [`Lifecycle::Concluded`], because only then is it known
    /// which part of it may be recorded (AT-1).
    Finished {
        /// The event.
        event: EventName,
        /// The hook.
        hook: Arc<HookDeclaration>,
        /// How long it ran.
        duration: Duration,
        /// Its result.
        result: RunResult,
    },
    /// All hooks of the event have ended, and their answers are combined.
    Concluded(Concluded),
}

/// The conclusion of an event.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Concluded {
    /// The event.
    pub event: EventName,
    /// The runs, in plan order.
    pub runs: Vec<Arc<RunRecord>>,
    /// The hooks' messages to the user, in plan order (OUT-1).
    pub messages: Vec<SystemMessage>,
    /// What the user should know about the hooks: failures, answers without effect, and conflicts.
    pub notices: Vec<Notice>,
    /// What hooks that nobody waits for have said, if the host waited for them or runs them
    /// separately: the host passes it on itself. In a session it goes with the next turn, and this
    /// list is empty (FD-22).
    pub late: Vec<Notice>,
    /// The combined result, for display.
    pub summary: Summary,
}

impl Concluded {
    /// Creates the conclusion of an event without messages, for tests of an observer.
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

/// A hook's message to the user (OUT-1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemMessage {
    /// The hook's label.
    pub hook: String,
    /// The text.
    pub text: String,
}

/// Reports that part of a configured hook or of its answer had no effect: which hook, where, and
/// what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The hook's label.
    pub hook: String,
    /// Where it is configured.
    pub source: Source,
    /// What happened, and the consequence.
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
