//! The tools of Codex and their arguments. Edits go by three names there.

use crate::foreign::ToolRule;
use crate::foreign::tools::{renamed, same, tool};

pub(super) const TOOLS: &[ToolRule] = &[
    tool("run_shell_command", &["Bash"], &[same("command")]),
    tool("write_file", &["apply_patch", "Write", "Edit"], &[]),
    tool("replace", &["apply_patch", "Edit", "Write"], &[]),
    tool(
        "delegate_to_agent",
        &["spawn_agent", "Agent"],
        &[renamed("objective", "message")],
    ),
    tool("write_todos", &["update_plan"], &[renamed("todos", "plan")]),
];
