//! The names that the model calls MCP tools by.

use hookloop_events::tool_name::{MCP_PREFIX, sendable};

/// Returns the name of a tool, `mcp__<server>__<tool>`, in characters that every model service
/// accepts (TO-3). Different tools may get the same name.
pub(crate) fn full_name(server: &str, tool: &str) -> String {
    sendable(&format!("{MCP_PREFIX}{server}__{tool}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// TO-3: tools are named `mcp__<server>__<tool>`.
    #[test]
    fn names_hold_server_and_tool() {
        assert_eq!(full_name("git", "log"), "mcp__git__log");
        assert_eq!(
            full_name("my.server", "read file"),
            "mcp__my_server__read_file"
        );
    }

    proptest! {
        /// TO-3: every name can be sent to a model.
        #[test]
        fn names_can_be_sent(server in ".{0,80}", tool in ".{0,80}") {
            let name = full_name(&server, &tool);
            prop_assert!(name.len() <= 64 && name.starts_with(MCP_PREFIX));
            prop_assert!(name.chars().all(|it| it.is_ascii_alphanumeric() || "_-".contains(it)));
        }
    }
}
