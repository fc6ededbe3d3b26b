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
pub use payload::Payload;
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
