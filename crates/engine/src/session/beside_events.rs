//! What a host asks beside the events.

use hookloop_events::{BeforeTool, Event, HookContext};

use super::SessionHooks;
use crate::late::Patience;

impl SessionHooks {
    /// Waits until a hook that nobody waits for begins a turn, and returns what it said: the prompt of
    /// that turn (FD-22). Nothing where no hook does, as far as the host's patience goes.
    ///
    /// What is returned is told nowhere else, so the host begins the turn with it, after
    /// [`begin_turn_of_hook`](Self::begin_turn_of_hook).
    pub async fn next_turn_of_hook(&self, patience: Patience) -> Option<HookContext> {
        self.late.next_turn(patience).await
    }

    /// Says that the next prompt is a hook's and no person's.
    pub fn begin_turn_of_hook(&self) {
        self.turn.is_asked_for_by_hook();
    }

    /// Tells whether there are hooks for calls of a tool whose consent makes a confirmation needless
    /// (FD-21).
    pub fn may_skip_confirmation(&self, tool: &str) -> bool {
        if self.inner.is_idle::<BeforeTool>() {
            return false;
        }
        let snapshot = self.inner.snapshot();
        let planned = snapshot
            .plans
            .peek(&snapshot.registry, BeforeTool::NAME, tool);
        planned.hooks.iter().any(|hook| hook.skips_confirmation)
    }
}
