//! Plans and runs hooks and combines their answers; the facade for programs that embed the engine.
//!
//! Data flows one way. Each event is planned from a [`Registry`] of configured hooks, each with its
//! origin and standing. The planned hooks run behind the [`Executor`] port. The event's law
//! combines their answers into an outcome, which the host applies. Each [`Observer`] is notified of
//! everything that happens, in order.
//!
//! A host binds the engine to a session, fires events, and does what the outcomes say. A value
//! that has passed its hooks is [`Cleared`], and only the engine can create one:
//!
//! ```
//! use hookloop_engine::events::{
//!     BeforeTool, BeforeToolOutcome, Ruling, SessionIdentity, ToolArguments, ToolCall,
//! };
//! use std::convert::Infallible;
//! use hookloop_engine::{Cleared, Hooks, OnFailure, Unsettled};
//!
//! /// The host's own way to run a tool: it accepts only calls that have passed the hooks.
//! fn run(call: &Cleared<ToolCall>) -> String {
//!     format!("ran {}", call.name)
//! }
//!
//! /// The host's own check of arguments that hooks changed: this tool accepts any.
//! fn accepted(_call: &ToolCall) -> Result<(), Infallible> {
//!     Ok(())
//! }
//!
//! async fn ask_and_run(hooks: &Hooks) -> Result<String, Unsettled<Infallible>> {
//!     let session = hooks.session(SessionIdentity {
//!         session_id: "6f8e8a3c-5b0e-4d38-9b6e-0a2a6f5d9a11".to_owned(),
//!         transcript_path: "/tmp/transcript.json".into(),
//!         cwd: "/tmp".into(),
//!         agent: None,
//!     });
//!     let call = ToolCall::new("call-1", "run_shell_command", ToolArguments::new());
//!     // If the hooks were cancelled, they decided nothing, so nothing may happen: hence the `?`.
//!     Ok(match session.before_tool(call, accepted).await?.outcome {
//!         BeforeToolOutcome::Proceed(cleared) => run(&cleared),
//!         BeforeToolOutcome::Ask(_, reason) => format!("nobody can answer: {reason}"),
//!         BeforeToolOutcome::Deny(reason, _) => format!("denied: {reason}"),
//!         BeforeToolOutcome::Stop(reason) => format!("stopped: {reason}"),
//!     })
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Unsettled<Infallible>> {
//! // Without hooks, everything is cleared and nothing runs.
//! assert_eq!(ask_and_run(&Hooks::none()).await?, "ran run_shell_command");
//!
//! // A closure of the host is a hook like any other.
//! let hooks = Hooks::builder()
//!     .on::<BeforeTool>("no-shell")
//!     .matching("run_shell_command")
//!     .on_failure(OnFailure::Deny)
//!     .answer(async |_| Ruling::deny("no shell here"))
//!     .build();
//! assert_eq!(ask_and_run(&hooks).await?, "denied: no shell here");
//! # Ok(())
//! # }
//! ```

mod agent_turn;
mod builder;
mod call;
mod cause;
mod change_words;
mod cleared;
mod conclude;
mod conclusion;
mod dialect_boundary;
mod duplicates;
mod eligible;
mod executors;
mod failure;
mod fire;
mod fireable;
mod firing;
mod hooks;
mod host;
mod identity;
mod in_process;
mod inner;
mod inspect;
mod judged;
mod late;
mod layer;
mod lifecycle;
mod line_observer;
mod lint;
mod lost_change;
mod mask;
mod matcher;
mod one_run;
mod pattern;
mod plan;
mod port;
mod ran;
mod reading;
mod record;
mod registry;
mod released;
mod remark;
mod repeats;
mod reported;
mod response_flow;
mod run;
mod runs;
mod second_look;
mod session;
mod span;
mod stderr_line;
mod stop;
mod streams;
mod translation;
mod unknown;
mod vocabulary;

/// The vocabulary of hooks, for hosts that embed the engine.
pub use hookloop_events as events;

pub use agent_turn::PromptOrigin;
pub use builder::{Builder, OwnHook};
pub use cause::SkipCause;
pub use cleared::{Cleared, Pending, UserConsent};
pub use conclusion::{Conclusion, Consents};
pub use executors::Executors;
pub use failure::Failure;
pub use fire::BadPayload;
pub use hookloop_events::Cancelled;
pub use hookloop_hook::{HookDeclaration, HookId, HookType, OnFailure, Source};
pub use hookloop_trust::Standing;
pub use hooks::Hooks;
pub use host::{Clock, ModelRequest, SystemClock};
pub use inspect::{Explanation, HookStatus};
pub use judged::{ToolClearance, ToolConclusion, Unsettled};
pub use late::{AsyncHooks, Patience, WithheldContent};
pub use layer::ExecutorLayer;
pub use lifecycle::{Concluded, Lifecycle, Notice, Observer, SystemMessage};
pub use line_observer::LineObserver;
pub use lint::{lint, lint_patterns, meant_tool};
pub use plan::{Mode, Subject};
pub use port::{
    BoxFuture, Captured, Completion, ConditionAnswer, Ending, Executor, FinalReport, FirstLine,
    Invocation, Leak, Lifetime, Signal,
};
pub use record::{RunContent, RunEnding, RunRecord, RunResult, Suppression, Truncation};
pub use registry::{Registry, RunSwitch};
pub use response_flow::{FlowEnd, ResponseFlow};
pub use session::{ArrivedChunk, SessionHooks};
pub use span::{OpenSpan, Span, SpanAttribute, SpanEnd, SpanKind, SpanStart, SpanValue};
pub use stop::{StopCause, StopSignal};
pub use translation::Translation;
