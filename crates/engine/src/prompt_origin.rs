//! Who a prompt is from.

/// Who a prompt is from.
///
/// Agents whose event of prompts is about a person's words alone don't fire it for the others, so
/// hooks in their dialects judge those neither here (FD-11). It is said with each prompt, and nobody
/// keeps it: what became of an earlier turn can't make a hook's prompt of a person's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PromptOrigin {
    /// A person, or whoever else isn't a hook of this session: every hook judges it.
    #[default]
    Person,
    /// A hook that sent the turn back to work at its end (AA-1).
    Retry,
    /// A hook that nobody waited for, and that begins a turn (FD-22).
    Hook,
}

impl PromptOrigin {
    /// Tells whether a hook wrote the prompt.
    pub(crate) const fn is_hook(self) -> bool {
        matches!(self, Self::Retry | Self::Hook)
    }
}
