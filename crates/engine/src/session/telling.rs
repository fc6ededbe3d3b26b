//! What a host says of its session that only hooks of other agents read (FD-10).

use std::time::Duration;

use hookloop_events::ToolCall;

use super::SessionHooks;

impl SessionHooks {
    /// Says how much the agent may do without asking (`default`, `auto_edit`, `yolo`, `plan`): hooks
    /// of other agents read it in their words (FD-10).
    pub fn say_approval_mode(&self, mode: &str) {
        self.turn.set_mode(mode);
    }

    /// Says how long the tool of a call ran, before hooks judge its result: those of other agents read it
    /// where theirs says so (FD-10).
    pub fn say_duration(&self, call: &ToolCall, duration: Duration) {
        self.turn.set_duration(&call.id, duration);
    }

    /// Says which model is asked: hooks of other agents read it where theirs says so (FD-10).
    pub fn say_model(&self, name: &str) {
        self.turn.set_model(name);
    }
}
