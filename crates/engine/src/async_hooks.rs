//! What becomes of hooks that nobody waits for, where a host fires an event by itself (FD-22).

/// What becomes of the hooks that nobody waits for when a host fires an event with a payload (FD-22).
///
/// Whatever it is, they decide nothing, and what they say stands in
/// [`Concluded::late`](crate::Concluded::late).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AsyncHooks {
    /// They run beside the others, and the host waits for all: it has nothing else to do.
    #[default]
    WaitedFor,
    /// They don't run: the host starts them apart, and answers without them.
    LeftOut,
    /// Nothing else runs: the others have answered. What they decided is said, since no record may
    /// show again what they took back (AT-1).
    Alone(TakenBack),
}

/// Whether the hooks of an event took back what others read of it (AT-1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TakenBack {
    /// They did not.
    #[default]
    Nothing,
    /// They did, or nobody knows.
    Content,
}
