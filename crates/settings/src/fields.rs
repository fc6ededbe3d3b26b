//! The keys of groups and hooks (ST-3).

use std::sync::LazyLock;

use hookloop_hook::HookType;

/// What is in the file where a group belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// A group with a list of hooks.
    AsGroup,
    /// The hook itself, together with fields of its group.
    AsHook,
}

/// The keys of a group of hooks.
pub(crate) const GROUP_FIELDS: &[&str] = &["matcher", "sequential", "dialect", "agents", "hooks"];

/// The keys of `hooksConfig`.
pub(crate) const CONFIG_FIELDS: &[&str] = &[
    "enabled",
    "disabled",
    "notifications",
    "onFailure",
    "maxOutputBytes",
    "maxRetries",
    "trace",
    "locked",
    "strict",
    "dialect",
    "adopt",
    "http",
    "bridge",
    "allowSkipsConfirmation",
    "liveOutput",
];

/// Keys of `hooks` that are older spellings of `hooksConfig` (ST-6, ST-7).
pub(crate) const OLDER_KEYS: [&str; 3] = ["enabled", "disabled", "notifications"];

/// The fields of every hook.
pub(crate) const COMMON_FIELDS: [&str; 22] = [
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
];

/// All fields that a hook of some type has.
pub(crate) static HOOK_FIELDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let own = HookType::ALL.iter().flat_map(|it| own_fields(*it));
    // What most hooks have comes first where all are listed.
    let mut fields = vec!["type", "command"];
    for field in COMMON_FIELDS.iter().chain(own) {
        if !fields.contains(field) {
            fields.push(*field);
        }
    }
    fields
});

/// Returns the fields that a type has beside the common ones.
pub(crate) const fn own_fields(hook_type: HookType) -> &'static [&'static str] {
    match hook_type {
        HookType::Command => &["command", "args", "shell", "sandbox"],
        HookType::Worker => &["command", "args", "idle", "sandbox"],
        HookType::Http => &["url", "headers", "allowedEnv"],
        HookType::Plugin => &["plugin", "grants", "live"],
        HookType::Rule => &[
            "rules", "when", "then", "reason", "set", "context", "message",
        ],
        HookType::McpTool => &["server", "tool", "input"],
        HookType::Prompt => &["prompt", "model"],
    }
}
