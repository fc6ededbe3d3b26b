//! The agent that obeys hooks. A turn is a state machine, and `apply/` is the only code that
//! applies the hooks' decisions.
//!
//! Everything that acts goes through a port that accepts only cleared values: `tool_run` runs
//! tools, and `exchange` calls the model, each with a [`Cleared`](hookloop_engine::Cleared) value
//! that can't be created without the hooks. Each step receives a `Scope`: its hooks, its
//! cancellation token, and what it works with.
//!
//! A program with its own model, tools and screen needs this crate without the rest of `hookloop`.
//! Here, a hook refuses what the model wants to do:
//!
//! ```
//! use std::path::Path;
//! use std::sync::{Arc, Mutex};
//!
//! use hookloop_agent::{
//!     Audience, CompressionThreshold, Confirmation, Consent, Frontend, Limits, LiveOutput, Parts,
//!     Policy, Session, SessionEvent, StartContext, Telemetry, Transcript, TurnEnd,
//! };
//! use hookloop_engine::events::{BeforeTool, Ruling, SessionIdentity, ToolCall};
//! use hookloop_engine::{BoxFuture, Hooks};
//! use hookloop_model::{Matching, Script, ScriptedClient};
//! use hookloop_tools::{ShellSettings, Toolbox, Workspace};
//! use tokio_util::sync::CancellationToken;
//!
//! #[derive(Default)]
//! struct Screen(Mutex<String>);
//!
//! impl Frontend for Screen {
//!     fn show(&self, event: &SessionEvent<'_>) {
//!         if let (SessionEvent::ModelText(text), Ok(mut shown)) = (event, self.0.lock()) {
//!             shown.push_str(text);
//!         }
//!     }
//!
//!     fn confirm<'a>(&'a self, _: Confirmation<'a>) -> BoxFuture<'a, Consent> {
//!         Box::pin(std::future::ready(Consent::Nobody))
//!     }
//!
//!     fn typed_by_person(&self, _: &ToolCall) {}
//!
//!     fn audience(&self) -> Audience {
//!         Audience::Absent
//!     }
//! }
//!
//! # const SCRIPT: &str = concat!(
//! #     r#"{"method":"generateContentStream","response":[{"candidates":[{"content":"#,
//! #     r#"{"role":"model","parts":[{"functionCall":{"name":"read_file","#,
//! #     r#""args":{"file_path":"notes.txt"}}}]},"finishReason":"STOP"}]}]}"#,
//! #     "\n",
//! #     r#"{"method":"generateContentStream","response":[{"candidates":[{"content":"#,
//! #     r#"{"role":"model","parts":[{"text":"I can't read it."}]},"finishReason":"STOP"}]}]}"#,
//! # );
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let root: &Path = folder.path();
//! # std::fs::write(root.join("notes.txt"), "secret")?;
//! let hooks = Hooks::builder()
//!     .on::<BeforeTool>("no-notes")
//!     .matching("read_file")
//!     .answer(async |_| Ruling::deny("nobody reads notes"))
//!     .build();
//! let workspace = Arc::new(Workspace::open(root, &[])?);
//! // The model calls `read_file`, then says that it can't.
//! let script = Script::parse(Path::new("script.jsonl"), SCRIPT, Matching::Strict)?;
//! let screen = Arc::new(Screen::default());
//! let parts = Parts {
//!     hooks: hooks.session(SessionIdentity {
//!         session_id: "6f8e8a3c-5b0e-4d38-9b6e-0a2a6f5d9a11".to_owned(),
//!         transcript_path: root.join("transcript.jsonl"),
//!         cwd: root.to_owned(),
//!         agent: None,
//!     }),
//!     model: Arc::new(ScriptedClient::new(script)),
//!     model_name: "gemini-2.5-pro".to_owned(),
//!     models: Arc::default(),
//!     system_instruction: None,
//!     toolbox: Toolbox::built_in(&workspace, ShellSettings::default()),
//!     policy: Policy::default(),
//!     frontend: Arc::clone(&screen) as Arc<dyn Frontend>,
//!     telemetry: Arc::new(Telemetry::default()),
//!     transcript: Transcript::open(root.join("transcript.jsonl"))?,
//!     limits: Limits::default(),
//!     compression: CompressionThreshold::default(),
//!     live_output: LiveOutput::Shown,
//!     start_context: StartContext::BeforePrompt,
//! };
//! let mut session = Session::start(parts, root).await;
//! let end = session.prompt("What do my notes say?", CancellationToken::new()).await;
//! assert_eq!(end, TurnEnd::Completed);
//! let refusal = &session.history()[2];
//! assert!(format!("{refusal:?}").contains("nobody reads notes"));
//! assert!(!format!("{:?}", session.history()).contains("secret"));
//! # Ok(())
//! # }
//! ```

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
mod half;
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
pub use half::{Half, KeptAnswer};
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
