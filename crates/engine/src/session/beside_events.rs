//! What a host can ask and state besides firing events.

use std::sync::Arc;
use std::time::Duration;

use hookloop_events::{AfterTool, BeforeTool, Event, EventName, HookContext, ToolCall};
use hookloop_hook::{HookDeclaration, Withholds};

use super::SessionHooks;
use crate::late::Patience;
use crate::lifecycle::Notice;

impl SessionHooks {
    /// Sets how much the agent may do without asking (`default`, `auto_edit`, `yolo`, `plan`).
    /// Hooks of other agents read it in their own terms (FD-10).
    pub fn set_approval_mode(&self, mode: &str) {
        self.turn.set_mode(mode);
    }

    /// Sets how long the tool of a call ran, before hooks judge its result. Hooks of agents that
    /// report this duration read it (FD-10).
    pub fn set_tool_duration(&self, call: &ToolCall, duration: Duration) {
        self.turn.set_duration(&call.id, duration);
    }

    /// Returns the id of the sub-agent that a call begins. Hooks of other agents that were asked
    /// about the call have read it (FD-10).
    #[must_use]
    pub fn begin_agent(&self, call: &str) -> String {
        self.turn.take_agent_id(call)
    }

    /// Sets the model in use. Hooks of agents that report the model read it (FD-10).
    pub fn set_model(&self, name: &str) {
        self.turn.set_model(name);
    }

    /// Waits until a hook that nobody waits for starts a turn, and returns the prompt of that turn,
    /// which is what the hook said (FD-22). Returns `None` if no hook does so within the host's
    /// patience.
    ///
    /// The text is reported nowhere else, so the host must start the turn with it, as a prompt
    /// [of a hook](crate::PromptOrigin::Hook).
    pub async fn next_turn_of_hook(&self, patience: Patience) -> Option<HookContext> {
        self.late.next_turn(patience).await
    }

    /// Waits, at most for the given time, for the hooks that were let go. Returns what they said to
    /// the model, and reports for the user about those that still run (FD-22). The observer
    /// receives all other reports.
    pub async fn late_replies(&self, wait: Duration) -> (Vec<Notice>, Vec<Notice>) {
        let left = self.late.end_within(wait).await;
        (self.late.take_messages(), left)
    }

    /// Returns the hooks of an event and subject that nobody waits for. Their conditions aren't
    /// evaluated (FD-22).
    pub fn async_hooks(&self, event: EventName, subject: &str) -> Vec<Arc<HookDeclaration>> {
        let snapshot = self.inner.snapshot();
        let planned = snapshot.plans.peek(&snapshot.registry, event, subject);
        let hooks = planned.hooks.iter();
        hooks.filter(|it| it.asynchronous).cloned().collect()
    }

    /// Returns whether an `AfterTool` hook for a tool keeps its live output off the screen until
    /// the hook has answered (AT-1).
    pub fn withholds_screen(&self, tool: &str) -> bool {
        if self.inner.is_idle::<AfterTool>() {
            return false;
        }
        let withholds = |hook: &HookDeclaration| hook.withholds == Some(Withholds::Screen);
        let snapshot = self.inner.snapshot();
        let mut hooks = snapshot.registry.hooks_for(AfterTool::NAME).iter();
        // Planning looks at each hook, and every tool is asked about before the first prompt.
        if !hooks.any(|it| withholds(&it.hook)) {
            return false;
        }
        let planned = snapshot
            .plans
            .peek(&snapshot.registry, AfterTool::NAME, tool);
        planned.hooks.iter().any(|it| withholds(it))
    }

    /// Returns whether a tool has hooks whose consent makes a confirmation unnecessary (FD-21).
    pub fn may_skip_confirmation(&self, tool: &str) -> bool {
        if self.inner.is_idle::<BeforeTool>() {
            return false;
        }
        let snapshot = self.inner.snapshot();
        let mut hooks = snapshot.registry.hooks_for(BeforeTool::NAME).iter();
        // Planning looks at each hook, and every tool is asked about before the first prompt.
        if !hooks.any(|it| it.hook.skips_confirmation) {
            return false;
        }
        let planned = snapshot
            .plans
            .peek(&snapshot.registry, BeforeTool::NAME, tool);
        planned.hooks.iter().any(|hook| hook.skips_confirmation)
    }
}
