//! The agent that obeys hooks. A turn is a state machine, and `apply/` is the only code that
//! applies the hooks' decisions.
//!
//! Everything that acts goes through a port that accepts only cleared values: `tool_run` runs
//! tools, and `exchange` calls the model, each with a [`Cleared`](hookloop_engine::Cleared) value
//! that can't be created without the hooks. Each step receives a `Scope`: its hooks, its
//! cancellation token, and what it works with.

mod apply;
mod approval;
mod approval_mode;
mod arrived;
mod call_services;
mod clearance;
mod command_line;
mod compression;
mod context_files;
mod conversation;
mod exchange;
mod finished_call;
mod frontend;
mod grants;
mod history;
mod limits;
mod offer;
mod private;
mod referred;
mod resume;
mod rules;
mod said_by_user;
mod scope;
mod session;
mod shown_answer;
mod sources;
mod spans;
mod stats;
mod sub_agent;
mod succession;
mod telemetry;
mod tool_batch;
mod tool_call;
mod tool_run;
mod transcript;
mod turn;
mod turn_end;
mod typed_command;
mod unawaited_hooks;
mod unrun;
mod written_back;

pub use approval::{
    AllowAlways, Permission, PlanFolder, Policy, Programs, Protection, ToolPattern,
};
pub use approval_mode::{ApprovalMode, ModeHandle, UnknownApprovalMode};
pub use context_files::{
    CONTEXT_FILE_NAME, ContextFile, ContextFileProblem, ContextPath, context_instruction,
    context_paths, read_context_files, user_context_paths,
};
pub use frontend::{Audience, Confirmation, Consent, Frontend, LiveFate, SessionEvent, ToolEnd};
pub use grants::SessionGrant;
pub use limits::{CompressionThreshold, Limits, LiveOutput};
pub use resume::{StoredSession, read_transcript};
pub use rules::{
    DoubtfulRule, PolicyFile, PolicyFileError, Rule, RuleDecision, read_named_policy_file,
    read_policy_file,
};
pub use said_by_user::{REFERENCES_HEADING, said_by_user};
pub use session::{Parts, Session, StartContext};
pub use stats::{
    CallStats, DecisionStats, FileStats, ModelStats, RequestStats, Stats, TokenStats, ToolStats,
};
pub use telemetry::{
    About, BOUNDS, Contents, Latencies, Measured, Metric, Point, Telemetry, TelemetryObserver,
    TelemetrySink,
};
pub use transcript::Transcript;
pub use turn_end::TurnEnd;
pub use written_back::WriteBack;
