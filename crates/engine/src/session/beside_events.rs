//! What a host asks beside the events.

use std::sync::Arc;

use hookloop_events::{AfterTool, BeforeTool, Event, EventName, HookContext};
use hookloop_hook::{HookDeclaration, Withholds};

use super::SessionHooks;
use crate::late::Patience;

impl SessionHooks {
    /// Waits until a hook that nobody waits for begins a turn, and returns what it said: the prompt of
    /// that turn (FD-22). Nothing where no hook does, as far as the host's patience goes.
    ///
    /// What is returned is told nowhere else, so the host begins the turn with it, as a prompt
    /// [of a hook](crate::PromptOrigin::Hook).
    pub async fn next_turn_of_hook(&self, patience: Patience) -> Option<HookContext> {
        self.late.next_turn(patience).await
    }

    /// Returns the hooks of an event and subject that nobody waits for, but for their conditions
    /// (FD-22).
    pub fn async_hooks(&self, event: EventName, subject: &str) -> Vec<Arc<HookDeclaration>> {
        let snapshot = self.inner.snapshot();
        let planned = snapshot.plans.peek(&snapshot.registry, event, subject);
        let hooks = planned.hooks.iter();
        hooks.filter(|it| it.asynchronous).cloned().collect()
    }

    /// Tells whether an `AfterTool` hook for a tool holds its live output off the person's screen
    /// until it has answered (AT-1).
    pub fn withholds_screen(&self, tool: &str) -> bool {
        if self.inner.is_idle::<AfterTool>() {
            return false;
        }
        let snapshot = self.inner.snapshot();
        let planned = snapshot
            .plans
            .peek(&snapshot.registry, AfterTool::NAME, tool);
        planned
            .hooks
            .iter()
            .any(|hook| hook.withholds == Some(Withholds::Screen))
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
