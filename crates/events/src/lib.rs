//! The eleven events: each in one file, with its hooks' input and answers, what the host must do,
//! and the law that combines answers.
//!
//! Everything here is pure and synchronous: no clock, no files, no processes. `hooks.md` specifies
//! the behaviour; ids such as `BT-3` refer to it.
//!
//! Each event is a type with an [`Event::Input`], an [`Event::Answer`] and an [`Event::Outcome`]. A
//! hook's reply is decoded to an answer, and the answers of all hooks are combined to one outcome:
//!
//! ```
//! use hookloop_events::{BeforeTool, BeforeToolAnswer, Decision, Event, Reply, Ruling};
//!
//! let reply = Reply {
//!     decision: Some(Decision::Deny),
//!     reason: Some("not on a Friday".to_owned()),
//!     ..Reply::default()
//! };
//! let answer = BeforeTool::decode(&reply, "guard").expect("its fields have the right types");
//! assert_eq!(answer, BeforeToolAnswer::from(Ruling::deny("not on a Friday")));
//!
//! // The strictest of all answers counts (AG-1).
//! let rulings = [Ruling::allow(), answer.ruling, Ruling::Silent];
//! assert_eq!(Ruling::combine(rulings), Ruling::deny("not on a Friday"));
//! ```
//!
//! # A hook program
//!
//! A program that is run as a hook of type `command` needs only this crate and `serde_json`: it
//! reads its event's input from standard input, and writes a [`Reply`] to standard output. If it
//! can't decide, it must exit with 2: any other code is a failure, which by default doesn't refuse.
//! So don't return an error from `main`, which exits with 1.
//!
//! ```no_run
//! use std::io;
//! use std::process::ExitCode;
//!
//! use hookloop_events::{BeforeToolInput, Decision, Reply};
//!
//! fn main() -> ExitCode {
//!     let stdin = io::read_to_string(io::stdin()).unwrap_or_default();
//!     match serde_json::from_str(&stdin) {
//!         Ok(input) => {
//!             // `to_writer` fails if nobody reads the answer any more.
//!             let written = serde_json::to_writer(io::stdout(), &judge(&input));
//!             written.map_or(ExitCode::from(2), |()| ExitCode::SUCCESS)
//!         }
//!         Err(error) => {
//!             eprintln!("the call can't be read: {error}");
//!             ExitCode::from(2)
//!         }
//!     }
//! }
//!
//! fn judge(input: &BeforeToolInput) -> Reply {
//!     match input.tool_input.get("command").and_then(|it| it.as_str()) {
//!         Some(command) if command.starts_with("git push") => Reply {
//!             decision: Some(Decision::Ask),
//!             reason: Some("this leaves your machine".to_owned()),
//!             ..Reply::default()
//!         },
//!         // `{}`: no opinion.
//!         _ => Reply::default(),
//!     }
//! }
//! ```

mod advisory;
mod after_agent;
mod after_model;
mod after_tool;
mod before_agent;
mod before_model;
mod before_tool;
mod before_tool_selection;
mod context;
mod envelope;
mod event;
pub mod llm;
mod members;
mod notification;
mod own_fields;
pub mod parts;
mod payload;
mod pre_compress;
mod reason;
pub mod refusal;
mod reply;
mod session_end;
mod session_start;
mod shared_request;
mod tool;
pub mod tool_name;
mod verdict;

pub use advisory::Advice;
pub use after_agent::{
    AfterAgent, AfterAgentAnswer, AfterAgentInput, AfterAgentOutcome, Memory, Rejection,
};
pub use after_model::{AfterModel, AfterModelAnswer, AfterModelInput, AfterModelOutcome};
pub use after_tool::{AfterTool, AfterToolAnswer, AfterToolInput, AfterToolOutcome, merged_data};
pub use before_agent::{BeforeAgent, BeforeAgentAnswer, BeforeAgentInput, BeforeAgentOutcome};
pub use before_model::{BeforeModel, BeforeModelAnswer, BeforeModelInput, BeforeModelOutcome};
pub use before_tool::{BeforeTool, BeforeToolAnswer, BeforeToolInput, BeforeToolOutcome};
pub use before_tool_selection::{
    BeforeToolSelection, BeforeToolSelectionAnswer, BeforeToolSelectionInput, ToolChoice,
};
pub use context::HookContext;
pub use envelope::{AgentIdentity, SessionIdentity, payload};
pub use event::{
    Attributed, Author, Cancelled, Conflict, Event, Merged, OtherFields, Summary, Verdict,
};
pub use hookloop_hook::{EventName, SubjectKind, UnknownEvent};
pub use members::Members;
pub use notification::{Notification, NotificationInput, NotificationType};
pub use own_fields::own_fields;
pub use payload::{Payload, PayloadMark};
pub use pre_compress::{
    CompressTrigger, PreCompress, PreCompressAnswer, PreCompressInput, PreCompressOutcome,
};
pub use reason::{Cause, Reason};
pub use reply::{Decision, Malformed, Reply};
pub use session_end::{EndReason, SessionEnd, SessionEndInput};
pub use session_start::{
    SessionSource, SessionStart, SessionStartAnswer, SessionStartInput, SessionStartOutcome,
};
pub use shared_request::SharedRequest;
pub use tool::{McpContext, TailCall, ToolArguments, ToolCall, ToolResponse, telling_argument};
pub use verdict::Ruling;
