//! The keys of groups and hooks (ST-3).

use hookloop_hook::HookType;

/// The keys of a group of hooks.
pub(crate) const GROUP_FIELDS: &[&str] = &["matcher", "sequential", "dialect", "agents", "hooks"];

/// Keys of `hooks` that are older spellings of `hooksConfig` (ST-6, ST-7).
pub(crate) const OLDER_KEYS: [&str; 3] = ["enabled", "disabled", "notifications"];

/// The fields of every hook.
pub(crate) const COMMON_FIELDS: [&str; 23] = [
    "type",
    "name",
    "description",
    "timeout",
    "env",
    "onFailure",
    "if",
    "recheck",
    "data",
    "mode",
    "statusMessage",
    "async",
    "asyncRewake",
    "loopLimit",
    "once",
    "dialect",
    "dialectEvent",
    "agents",
    "holdBack",
    "chunks",
    "withholds",
    "from",
    "command",
];

/// All fields that a hook of some type has.
pub(crate) const HOOK_FIELDS: &[&str] = &[
    "type",
    "command",
    "name",
    "description",
    "timeout",
    "env",
    "onFailure",
    "if",
    "mode",
    "recheck",
    "data",
    "statusMessage",
    "async",
    "asyncRewake",
    "loopLimit",
    "once",
    "dialect",
    "dialectEvent",
    "agents",
    "holdBack",
    "chunks",
    "withholds",
    "from",
    "sandbox",
    "args",
    "shell",
    "idle",
    "url",
    "headers",
    "allowedEnv",
    "plugin",
    "grants",
    "live",
    "rules",
    "when",
    "then",
    "reason",
    "set",
    "context",
    "message",
    "server",
    "tool",
    "input",
    "prompt",
    "model",
];

/// Returns the fields that a type has beside the common ones.
pub(crate) const fn own_fields(hook_type: HookType) -> &'static [&'static str] {
    match hook_type {
        HookType::Command => &["args", "shell", "sandbox"],
        HookType::Worker => &["args", "idle", "sandbox"],
        HookType::Http => &["url", "headers", "allowedEnv"],
        HookType::Plugin => &["plugin", "grants", "live"],
        HookType::Rule => &[
            "rules", "when", "then", "reason", "set", "context", "message",
        ],
        HookType::McpTool => &["server", "tool", "input"],
        HookType::Prompt => &["prompt", "model"],
    }
}
