//! What the hooks of a plan did.

use std::sync::Arc;

use hookloop_events::Event;
use hookloop_hook::HookDeclaration;

use crate::ran::Ran;

/// What the hooks of a plan did, in its order; what ran again comes last.
pub(crate) struct Runs<E: Event> {
    pub(crate) ran: Vec<Ran<E>>,
    /// Those that the host didn't wait for.
    pub(crate) left: Vec<LeftBehind>,
}

/// A hook that the host left behind (SE-2).
pub(crate) struct LeftBehind {
    pub(crate) hook: Arc<HookDeclaration>,
    pub(crate) progress: Progress,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It continues by itself.
    Running,
    /// Its turn in a sequence didn't come.
    NotStarted,
}

impl<E: Event> Runs<E> {
    pub(crate) fn with_capacity(hooks: usize) -> Self {
        Self {
            ran: Vec::with_capacity(hooks),
            left: Vec::new(),
        }
    }

    pub(crate) fn take(&mut self, hook: &Arc<HookDeclaration>, ran: Option<Ran<E>>) {
        match ran {
            Some(ran) => self.ran.push(ran),
            None => self.leave(hook, Progress::Running),
        }
    }

    pub(crate) fn leave(&mut self, hook: &Arc<HookDeclaration>, progress: Progress) {
        self.left.push(LeftBehind {
            hook: Arc::clone(hook),
            progress,
        });
    }
}
