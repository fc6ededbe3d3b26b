//! What the agent shows, and the one thing it asks: the port to the screen.

use hookloop_engine::{BoxFuture, SystemMessage};
use hookloop_events::{AgentIdentity, Reason, ToolArguments, ToolCall};
use hookloop_tools::{FileChange, Preview, ToolError};

use crate::grants::SessionGrant;

/// Shows what happens in a session, and asks the user.
///
/// Each says all of it: what is around a frontend hands on what it doesn't answer itself.
pub trait Frontend: Send + Sync {
    /// Shows something.
    fn show(&self, event: &SessionEvent<'_>);

    /// Asks the user whether a tool may run (TO-6, BT-5).
    fn confirm<'a>(&'a self, request: Confirmation<'a>) -> BoxFuture<'a, Consent>;

    /// Notes that a call which ends now is one that a person typed: what it changed is that
    /// person's own doing, and no yes is missing (TU-5).
    fn typed_by_person(&self, call: &ToolCall);

    /// Says whether anybody is there to answer: where nobody is, tools that would need an answer
    /// are not declared to the model (TO-6).
    fn audience(&self) -> Audience;
}

/// Whether anybody is there to answer a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Somebody is.
    Present,
    /// Nobody is: a headless session.
    Absent,
}

/// Something that the user may want to see.
#[derive(Debug, Clone, Copy)]
pub enum SessionEvent<'a> {
    /// Text of the model, as hooks left it (AM-1).
    ModelText(&'a str),
    /// The model's response is complete.
    ResponseEnded,
    /// The answer that was shown last doesn't count, and the model is asked again (LO-3).
    AnswerDropped {
        /// What was shown of it.
        text: &'a str,
        /// Why it doesn't count, as a whole sentence.
        why: &'a str,
    },
    /// The model asks for a tool.
    ToolRequested(&'a ToolCall),
    /// A running tool has output.
    ToolProgress {
        /// The call's id.
        call_id: &'a str,
        /// The piece of output.
        text: &'a str,
    },
    /// A running tool has output that is held until its hooks have spoken (AT-1).
    ToolProgressHeld {
        /// The call's id.
        call_id: &'a str,
        /// How many lines there are so far.
        lines: usize,
    },
    /// A tool call is over.
    ToolFinished(ToolEnd<'a>),
    /// The turn was refused (BA-2, BM-4, AM-3).
    Blocked(&'a Reason),
    /// The agent loop was ended (OUT-3).
    Stopped(&'a Reason),
    /// The response was rejected, and the agent tries again with this prompt (AA-1).
    Retrying(&'a Reason),
    /// The history was compressed; sizes in tokens, estimated.
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
    /// Something that happens while a sub-agent works; what it says is the progress of the call
    /// that it works for (TO-4).
    SubAgent {
        /// The sub-agent.
        identity: &'a AgentIdentity,
        /// What happens: nothing that ends or restarts the turn of the session's own agent.
        event: &'a SessionEvent<'a>,
    },
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy)]
pub struct ToolEnd<'a> {
    /// The call, as it ran.
    pub call: &'a ToolCall,
    /// What the user sees of the result.
    pub display: &'a str,
    /// What went wrong.
    pub error: Option<&'a ToolError>,
    /// What happens to the output that was shown while it ran.
    pub live: LiveFate,
    /// The change of a file that the call made, where the user may see the result.
    pub change: Option<&'a FileChange>,
}

/// What happens to the output of a call that was shown while it ran (AT-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveFate {
    /// It stays where it is.
    Stands,
    /// It is to be taken off the screen: a hook withheld the result, or could not judge it.
    TakenBack,
}

/// What the user is asked.
#[derive(Debug, Clone, Copy)]
pub struct Confirmation<'a> {
    /// The sub-agent that the call is of, if it is not of the session's own agent (TO-4).
    pub agent: Option<&'a AgentIdentity>,
    /// The call, on what the tool will really receive (BT-9).
    pub call: &'a ToolCall,
    /// What it would do.
    pub preview: &'a Preview,
    /// Why a hook wants the user to be asked (BT-5).
    pub reason: Option<&'a Reason>,
    /// The labels of the hooks that want the user to be asked (BT-5).
    pub asking: &'a [String],
    /// What hooks tell the user beside it (BT-5, NO-2).
    pub messages: &'a [SystemMessage],
    /// What [`Consent::GivenForSession`] would allow; nothing where that may not be said (AG-CLI-9).
    pub for_session: Option<&'a SessionGrant>,
}

/// What the user says.
#[derive(Debug, Clone, PartialEq)]
pub enum Consent {
    /// The tool may run.
    Given,
    /// It may run, and calls like it need not be asked about in this session (TO-6).
    GivenForSession,
    /// It may not.
    Declined,
    /// It may run with other arguments, which go through the hooks again (BT-8).
    Edited(ToolArguments),
    /// Nobody is there to answer.
    Nobody,
}
