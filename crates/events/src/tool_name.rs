//! The names of built-in tools, and the other names they are known under (PL-5).

/// Lists each built-in tool's own name with its other known names.
const KNOWN: &[(&str, &[&str])] = &[
    ("read_file", &["ReadFileTool"]),
    ("read_many_files", &["ReadManyFilesTool"]),
    ("write_file", &["WriteFileTool"]),
    ("replace", &["EditTool", "edit"]),
    ("list_directory", &["LSTool"]),
    ("glob", &["GlobTool"]),
    ("search_file_content", &["grep_search", "GrepTool"]),
    ("run_shell_command", &["ShellTool"]),
    ("web_fetch", &["WebFetchTool"]),
    ("google_web_search", &["WebSearchTool"]),
    ("write_todos", &["WriteTodosTool"]),
    ("save_memory", &["MemoryTool"]),
    (
        "delegate_to_agent",
        &["DelegateToAgentTool", "invoke_agent"],
    ),
    ("activate_skill", &["ActivateSkillTool"]),
    ("ask_user", &["AskUserTool"]),
    ("enter_plan_mode", &["EnterPlanModeTool"]),
    ("exit_plan_mode", &["ExitPlanModeTool"]),
];

/// The prefix of every MCP tool's name: `mcp__<server>__<tool>`. Where an agent joins the names of
/// server and tool by a sign that both may hold, so that nobody can tell them apart, it is
/// `mcp__<both>` (BR-10).
pub const MCP_PREFIX: &str = "mcp__";

/// Returns the own names of all built-in tools.
pub fn built_in() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|(name, _)| *name)
}

/// Returns the own name of the built-in tool that `name` stands for, if it is one.
pub fn canonical(name: &str) -> Option<&'static str> {
    KNOWN
        .iter()
        .find(|(own, others)| *own == name || others.contains(&name))
        .map(|(own, _)| *own)
}

/// Returns the other names of a tool: those of a built-in one, or for an MCP tool the
/// spelling with single underscores (PL-5). Where nobody can tell where a server's name ends, they
/// are those of every server that it may be, and what the agent calls the tool (BR-10).
pub fn other_names(name: &str) -> Vec<String> {
    if let Some((_, others)) = KNOWN.iter().find(|(own, _)| *own == name) {
        return others.iter().map(|&other| other.to_owned()).collect();
    }
    let Some(rest) = name.strip_prefix(MCP_PREFIX) else {
        return Vec::new();
    };
    match rest.split_once("__") {
        Some((server, tool)) => vec![format!("mcp_{server}_{tool}")],
        None => readings(rest),
    }
}

/// Returns the names that a tool of a server may have whose name is joined with its server's.
fn readings(joined: &str) -> Vec<String> {
    let mut names = vec![joined.to_owned(), format!("mcp_{joined}")];
    for (place, sign) in joined.match_indices(['-', '_']) {
        let (server, tool) = (&joined[..place], &joined[place + sign.len()..]);
        if server.is_empty() || tool.is_empty() {
            continue;
        }
        for name in [
            format!("{MCP_PREFIX}{server}__{tool}"),
            format!("mcp_{server}_{tool}"),
        ] {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PL-5: built-in tools and MCP tools have the other names that hooks know them under.
    #[test]
    fn tools_have_their_other_names() {
        assert_eq!(other_names("replace"), ["EditTool", "edit"]);
        assert_eq!(other_names("mcp__git__log"), ["mcp_git_log"]);
        assert!(other_names("unheard_of").is_empty());
        let joined = other_names("mcp__my-srv-say_hi");
        for name in [
            "my-srv-say_hi",
            "mcp__my-srv__say_hi",
            "mcp_my-srv_say_hi",
            "mcp__my__srv-say_hi",
        ] {
            assert!(joined.contains(&name.to_owned()), "{name} of {joined:?}");
        }
        assert_eq!(canonical("grep_search"), Some("search_file_content"));
    }
}
