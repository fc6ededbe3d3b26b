//! What is said about a call before it runs, and the port through which the policy asks whether a call would
//! take guards away (TO-6, TR-8).

use std::fmt::Debug;

use hookloop_events::ToolArguments;

/// What the policy says about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// It may run.
    Granted,
    /// The user is to be asked, whoever else has said yes.
    NeedsConfirmation,
    /// Nothing grants it and nothing asks for more: the user is asked, unless a hook consents that may
    /// speak for them (FD-21).
    Ungranted,
    /// It may not run; the text says why, for the model.
    Refused(String),
}

/// Knows what guards of the session are made of.
pub trait Protection: Debug + Send + Sync {
    /// Says what has to happen before a call may run that would change it, in every approval mode;
    /// nothing for all other calls.
    fn permission(&self, tool: &str, arguments: &ToolArguments) -> Option<Permission>;
}
