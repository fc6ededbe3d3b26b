//! What is said about a call before it runs (TO-6, TR-8).

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
