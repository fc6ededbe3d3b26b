//! The prompts that another program sends to a session, and the commands that it can offer.

use hookloop_tools::Media;

/// A prompt from another program.
#[derive(Debug, Default)]
pub struct HostedPrompt {
    /// The whole text, as hooks read it.
    pub text: String,
    /// The part in which `@path` refers to files.
    pub typed: String,
    /// Images and documents that were sent with it.
    pub sent: Vec<Media>,
    /// What was left out, each with the reason.
    pub left_out: Vec<String>,
}

/// A command that a person can type, as `/name` with arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostedCommand {
    /// Its name, without the slash.
    pub name: String,
    /// What it does, and its origin if it isn't the user's.
    pub description: String,
    /// The expected arguments.
    pub hint: Option<String>,
}
