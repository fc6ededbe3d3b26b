//! The port through which the policy asks whether a call would take guards away (TR-8).

use std::fmt::Debug;

use hookloop_events::ToolArguments;

use crate::permission::Permission;

/// Knows what guards of the session are made of.
pub trait Protection: Debug + Send + Sync {
    /// Says what has to happen before a call may run that would change it, in every approval mode;
    /// nothing for all other calls.
    fn permission(&self, tool: &str, arguments: &ToolArguments) -> Option<Permission>;
}
