//! What this build can carry out. What it can't is a hook that could not start (IO-21).

use hookloop_dialects::spoken_dialects;
use hookloop_hook::{Dialect, HookType};

/// The types of hooks that have an executor.
pub(crate) const TYPES: &[HookType] = &[
    HookType::Command,
    HookType::Worker,
    HookType::Http,
    HookType::Rule,
    HookType::McpTool,
    HookType::Prompt,
];

/// Tells whether payloads and replies are translated for a dialect.
pub(crate) fn speaks(dialect: Dialect) -> bool {
    spoken_dialects().any(|it| it == dialect)
}
