//! The port to the screen: what the agent shows, and the one question that it asks.

use hookloop_engine::{BoxFuture, SystemMessage};
use hookloop_events::{AgentIdentity, Reason, ToolArguments, ToolCall};
use hookloop_tools::{FileChange, Preview, ToolError};

use crate::grants::SessionGrant;
use crate::half::Half;

/// Shows what happens in a session, and asks the user.
///
/// All methods are required, so that a wrapper around a frontend forwards whatever it doesn't
/// handle itself.
pub trait Frontend: Send + Sync {
    /// Shows something.
    fn show(&self, event: &SessionEvent<'_>);

    /// Asks the user whether a tool may run (TO-6, BT-5).
    fn confirm<'a>(&'a self, request: Confirmation<'a>) -> BoxFuture<'a, Consent>;

    /// Records that a call which ends now was typed by a person: what it changed is that person's
    /// own doing, and doesn't need consent (TU-5).
    fn typed_by_person(&self, call: &ToolCall);

    /// Returns whether anybody is there to answer: if nobody is, tools that would need an answer
    /// aren't declared to the model (TO-6).
    fn audience(&self) -> Audience;
}

/// Whether somebody can answer a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Somebody is.
    Present,
    /// Nobody is: a headless session.
    Absent,
}

/// An event that the user may want to see.
#[derive(Debug, Clone, Copy)]
pub enum SessionEvent<'a> {
    /// Text of the model, as hooks left it (AM-1).
    ModelText(&'a str),
    /// The model's response is complete.
    ResponseEnded,
    /// The last response that was shown doesn't count, and the model is called again (LO-3).
    AnswerDropped {
        /// What was shown of it.
        text: &'a str,
        /// Why it doesn't count, as a whole sentence.
        why: &'a str,
    },
    /// What was shown of the last response isn't all of it, and stays (LO-3).
    AnswerIncomplete(&'a Half),
    /// The model requested a tool call.
    ToolRequested(&'a ToolCall),
    /// A running tool produced output.
    ToolProgress {
        /// The call's id.
        call_id: &'a str,
        /// The piece of output.
        text: &'a str,
    },
    /// A running tool produced output that is held back until its hooks have answered (AT-1).
    ToolProgressHeld {
        /// The call's id.
        call_id: &'a str,
        /// How many lines there are so far.
        lines: usize,
    },
    /// A tool call has finished.
    ToolFinished(ToolEnd<'a>),
    /// The turn was refused (BA-2, BM-4, AM-3).
    Blocked(&'a Reason),
    /// The agent loop was ended (OUT-3).
    Stopped(&'a Reason),
    /// The response was rejected, and the agent tries again with this prompt (AA-1).
    Retrying(&'a Reason),
    /// The history was compressed. Sizes are in tokens, estimated.
    Compressed {
        /// Before.
        before: u64,
        /// After.
        after: u64,
    },
    /// The user cancelled the turn (LO-4).
    Cancelled,
    /// Something the user should know.
    Warning(&'a str),
    /// The turn failed.
    Failed(&'a str),
    /// An event of a sub-agent. What the sub-agent says is the progress of the call that it works
    /// for (TO-4).
    SubAgent {
        /// The sub-agent.
        identity: &'a AgentIdentity,
        /// What happens: nothing that ends or restarts the turn of the session's own agent.
        event: &'a SessionEvent<'a>,
    },
}

/// The result of a tool call.
#[derive(Debug, Clone, Copy)]
pub struct ToolEnd<'a> {
    /// The call, as it ran.
    pub call: &'a ToolCall,
    /// The part of the result that the user sees.
    pub display: &'a str,
    /// The error, if there was one.
    pub error: Option<&'a ToolError>,
    /// What happens to the output that was shown while the tool ran.
    pub live: LiveFate,
    /// The file change that the call made, if the user may see the result.
    pub change: Option<&'a FileChange>,
}

/// What happens to the output that was shown while a call ran (AT-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveFate {
    /// It stays where it is.
    Stands,
    /// It must be removed from the screen: a hook withheld the result, or couldn't judge it.
    WithheldContent,
}

/// A question to the user.
#[derive(Debug, Clone, Copy)]
pub struct Confirmation<'a> {
    /// The sub-agent that makes the call; `None` for the session's own agent (TO-4).
    pub agent: Option<&'a AgentIdentity>,
    /// The call, with the arguments that the tool will really receive (BT-9).
    pub call: &'a ToolCall,
    /// What it would do.
    pub preview: &'a Preview,
    /// Why a hook wants the user to be asked (BT-5).
    pub reason: Option<&'a Reason>,
    /// The labels of the hooks that want the user to be asked (BT-5).
    pub asking: &'a [String],
    /// The hooks' messages to the user (BT-5, NO-2).
    pub messages: &'a [SystemMessage],
    /// What [`Consent::GivenForSession`] would allow; `None` if that isn't an option (AG-CLI-9).
    pub for_session: Option<&'a SessionGrant>,
}

/// The user's answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Consent {
    /// The tool may run.
    Given,
    /// The tool may run, and similar calls need no confirmation in this session (TO-6).
    GivenForSession,
    /// The tool must not run.
    Declined,
    /// The tool may run with other arguments, which pass through the hooks again (BT-8).
    Edited(ToolArguments),
    /// Nobody is there to answer.
    Nobody,
}
