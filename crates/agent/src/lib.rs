//! The agent that obeys hooks: a turn is a state machine, and `apply/` is the only code that
//! applies what hooks decided.
//!
//! Everything that acts goes through a port that takes cleared values only: a tool runs in
//! `tool_run`, the model is asked in `model_call` and `whole_answer`, each with a
//! [`Cleared`](hookloop_engine::Cleared) value that no path can make without its hooks.

mod apply;
mod approval;
mod approval_mode;
mod clearance;
mod command_line;
mod compression;
mod context_files;
mod frontend;
mod grants;
mod history;
mod model_call;
mod parting;
mod resume;
mod rules;
mod said;
mod services;
mod session;
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
mod whole_answer;

pub use approval::{Permission, Policy, Programs, ToolPattern};
pub use approval_mode::{ApprovalMode, UnknownApprovalMode};
pub use compression::CompressionThreshold;
pub use context_files::{
    CONTEXT_FILE_NAME, ContextFile, ContextFileProblem, context_instruction, context_paths,
    read_context_files, user_context_paths,
};
pub use frontend::{Confirmation, Consent, Frontend, SessionEvent, ToolEnd};
pub use grants::SessionGrant;
pub use resume::{StoredSession, read_transcript};
pub use rules::{PolicyFileError, Rule, RuleDecision, read_policy_file};
pub use said::{REFERENCES_HEADING, said_by_user};
pub use session::{Limits, Parts, Session, StartContext};
pub use stats::{CallStats, FileStats, ModelStats, RequestStats, Stats, TokenStats, ToolStats};
pub use telemetry::{Contents, Telemetry, TelemetryObserver};
pub use transcript::Transcript;
pub use turn_end::TurnEnd;
