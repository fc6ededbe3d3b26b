//! Plans, runs and combines hooks; the facade to embed.
//!
//! Data flows one way: a [`Registry`] of configured hooks, each with its origin and standing,
//! is the ground on which every event is planned; the plan's hooks run behind the [`Executor`]
//! port; what they said is combined by the event's law into an outcome, which the host applies.
//! Everything that happens is told to one [`Observer`], in order.

mod builder;
mod cause;
mod cleared;
mod clock;
mod conclude;
mod failure;
mod hooks;
mod in_process;
mod inspect;
mod lifecycle;
mod mask;
mod matcher;
mod plan;
mod port;
mod ran;
mod reading;
mod record;
mod registry;
mod request;
mod run;
mod session;
mod stop;
mod streams;

/// The vocabulary of hooks, for hosts that embed the engine.
pub use hookloop_events as events;

pub use builder::Builder;
pub use cause::SkipCause;
pub use cleared::{Cleared, Pending, UserConsent};
pub use clock::{Clock, SystemClock};
pub use failure::Failure;
pub use hooks::{Conclusion, Hooks};
pub use inspect::{Explanation, HookStatus};
pub use lifecycle::{Concluded, Lifecycle, Notice, Observer, SystemMessage};
pub use plan::{Mode, Subject};
pub use port::{
    BoxFuture, Captured, Completion, Ending, Executor, Invocation, Leak, Lifetime, Signal,
};
pub use record::{RunContent, RunEnding, RunRecord, RunResult, Suppression, Truncation};
pub use registry::{Registry, RunSwitch};
pub use request::ModelRequest;
pub use session::{ArrivedChunk, SessionHooks, ToolConclusion};
pub use stop::{StopCause, StopSignal};
