//! What another program sends to a session, and what it can offer for it.

use hookloop_tools::Media;

/// A prompt that comes from another program.
#[derive(Debug, Default)]
pub struct HostedPrompt {
    /// All of it, as hooks read it.
    pub text: String,
    /// The part in which `@path` refers to a file.
    pub typed: String,
    /// Images and documents that came with it.
    pub sent: Vec<Media>,
    /// What of it was left out, each with the reason.
    pub left_out: Vec<String>,
}

/// A command that a person can write, as `/name` with what follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostedCommand {
    /// Its name, without the slash.
    pub name: String,
    /// What it does, and whose it is where it isn't the user's.
    pub description: String,
    /// What may be written behind the name.
    pub hint: Option<String>,
}
