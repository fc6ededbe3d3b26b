//! What a host asks and reports apart from events.

use std::sync::Arc;
use std::time::Duration;

use hookloop_events::{AfterTool, BeforeTool, Event, EventName, HookContext, ToolCall};
use hookloop_hook::{HookDeclaration, Withholds};

use super::SessionHooks;
use crate::late::Patience;
use crate::lifecycle::Notice;

impl SessionHooks {
    /// Says how much the agent may do without asking (`default`, `auto_edit`, `yolo`, `plan`): hooks
    /// of other agents read it in their words (FD-10).
    pub fn say_approval_mode(&self, mode: &str) {
        self.turn.set_mode(mode);
    }

    /// Says how long the tool of a call ran, before hooks judge its result: hooks of agents that report
    /// this duration read it (FD-10).
    pub fn say_duration(&self, call: &ToolCall, duration: Duration) {
        self.turn.set_duration(&call.id, duration);
    }

    /// Says which model is asked: hooks of agents that report the model read it (FD-10).
    pub fn say_model(&self, name: &str) {
        self.turn.set_model(name);
    }

    /// Waits until a hook that nobody waits for begins a turn, and returns what it said: the prompt of
    /// that turn (FD-22). Returns nothing if no hook does so within the host's patience.
    ///
    /// The text is reported nowhere else, so the host must begin the turn with it, as a prompt
    /// [of a hook](crate::PromptOrigin::Hook).
    pub async fn next_turn_of_hook(&self, patience: Patience) -> Option<HookContext> {
        self.late.next_turn(patience).await
    }

    /// Waits for the hooks that were let go, no longer than this, and returns what they said for the model and
    /// what the person is to be told of those that still run (FD-22). What else is told of them the observer
    /// has.
    pub async fn late_words(&self, wait: Duration) -> (Vec<Notice>, Vec<Notice>) {
        let left = self.late.end_within(wait).await;
        (self.late.words(), left)
    }

    /// Returns the hooks of an event and subject that nobody waits for, but for their conditions
    /// (FD-22).
    pub fn async_hooks(&self, event: EventName, subject: &str) -> Vec<Arc<HookDeclaration>> {
        let snapshot = self.inner.snapshot();
        let planned = snapshot.plans.peek(&snapshot.registry, event, subject);
        let hooks = planned.hooks.iter();
        hooks.filter(|it| it.asynchronous).cloned().collect()
    }

    /// Returns whether an `AfterTool` hook for a tool holds its live output off the person's screen
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

    /// Returns whether there are hooks for calls of a tool whose consent makes a confirmation needless
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
