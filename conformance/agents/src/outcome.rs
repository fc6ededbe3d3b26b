//! What is claimed of an agent, and what can be seen of a claim.

use serde::{Deserialize, Serialize};

/// What is proven of an agent (BR-41), in the order of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Claim {
    /// A command that no hook minds runs.
    Silence,
    /// A refused command doesn't run, and the model reads why.
    Refusal,
    /// The rewritten command is what runs.
    Rewrite,
    /// Context reaches the model with a tool's result.
    ToolContext,
    /// Context reaches the model with the prompt.
    PromptContext,
    /// A rejected answer is made again, with the reason.
    Retry,
    /// Rejecting every answer ends at some point.
    RetryEnds,
    /// A refused prompt isn't sent.
    Prompt,
    /// A program that is gone refuses.
    MissingProgram,
    /// A hook program that is killed refuses.
    KilledHook,
    /// A hook that is too late refuses.
    LateHook,
    /// A patch inside a shell command is guarded as the write that it is.
    Patch,
    /// Doctor finds what was installed to be in force.
    Doctor,
    /// Doctor's turn of the agent, offline, shows that a refusal is obeyed.
    LiveDoctor,
    /// Installing twice changes nothing more, and uninstalling restores the files.
    Files,
}

/// What was seen of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Seen {
    /// It holds.
    Holds,
    /// The action is refused, because the agent can't do what was asked.
    Refused,
    /// The action is kept from happening, and the model isn't told why.
    Untold,
    /// It doesn't hold.
    Fails,
}

impl Claim {
    /// All claims.
    pub(crate) const ALL: [Self; 15] = [
        Self::Silence,
        Self::Refusal,
        Self::Rewrite,
        Self::ToolContext,
        Self::PromptContext,
        Self::Retry,
        Self::RetryEnds,
        Self::Prompt,
        Self::MissingProgram,
        Self::KilledHook,
        Self::LateHook,
        Self::Patch,
        Self::Doctor,
        Self::LiveDoctor,
        Self::Files,
    ];

    /// Returns the claim in words.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Silence => "a command that no hook objects to runs",
            Self::Refusal => "a refused command doesn't run, and the model learns why",
            Self::Rewrite => "the rewritten command is what runs",
            Self::ToolContext => "context from a hook reaches the model after a tool",
            Self::PromptContext => "context from a hook reaches the model with the prompt",
            Self::Retry => "after a rejected answer the model tries again, knowing the reason",
            Self::RetryEnds => "if every answer is rejected, the turn still ends",
            Self::Prompt => "a refused prompt isn't sent",
            Self::MissingProgram => "a missing hook program refuses",
            Self::KilledHook => "a killed hook refuses",
            Self::LateHook => "a hook that exceeds its timeout refuses",
            Self::Patch => "a patch inside a shell command is guarded like a write",
            Self::Doctor => "`bridge doctor` finds the guard in force",
            Self::LiveDoctor => "a live turn of `bridge doctor` shows that a refusal is obeyed",
            Self::Files => "uninstalling restores the files",
        }
    }
}

impl Seen {
    /// Returns what was seen in words.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Refused => "refused instead",
            Self::Untold => "refused, reason not shown",
            Self::Fails => "not proven",
        }
    }
}
