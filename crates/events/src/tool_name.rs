//! The names of built-in tools, and their aliases (PL-5).

/// Lists each built-in tool's own name with its other known names.
const KNOWN_TOOLS: &[(&str, &[&str])] = &[
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

/// Lists the arguments of each built-in tool, as it declares them to the model.
const ARGUMENTS: &[(&str, &[&str])] = &[
    (
        "read_file",
        &["file_path", "offset", "limit", "start_line", "end_line"],
    ),
    ("read_many_files", &["include", "exclude"]),
    ("write_file", &["file_path", "content"]),
    (
        "replace",
        &[
            "file_path",
            "instruction",
            "old_string",
            "new_string",
            "expected_replacements",
            "allow_multiple",
        ],
    ),
    ("list_directory", &["dir_path", "ignore"]),
    ("glob", &["pattern", "dir_path", "case_sensitive"]),
    (
        "search_file_content",
        &["pattern", "dir_path", "include", "case_sensitive"],
    ),
    (
        "run_shell_command",
        &[
            "command",
            "description",
            "dir_path",
            "is_background",
            "outside_sandbox",
        ],
    ),
    ("web_fetch", &["prompt"]),
    ("google_web_search", &["query"]),
    ("write_todos", &["todos"]),
    ("save_memory", &["fact"]),
    ("delegate_to_agent", &["agent_name", "objective"]),
    ("activate_skill", &["name"]),
    ("ask_user", &["questions"]),
    ("enter_plan_mode", &["reason"]),
    ("exit_plan_mode", &["plan_filename", "plan_path"]),
];

/// The prefix of every MCP tool's name: `mcp__<server>__<tool>`. If an agent joins the names of
/// server and tool by a character that both may contain, so that they can't be separated, it is
/// `mcp__<both>` (BR-10).
pub const MCP_PREFIX: &str = "mcp__";

/// The longest name that models' servers accept.
const MAX_LENGTH: usize = 64;

/// The replacement for the middle of a name that is too long.
const GAP: &str = "___";

/// Returns the name by which the model calls a tool: it contains only characters that every model's
/// server accepts, and is short enough for them (TO-3). Different names may have the same result.
pub fn sendable(name: &str) -> String {
    let name: String = name
        .chars()
        .map(|letter| if is_sendable(letter) { letter } else { '_' })
        .collect();
    if name.len() <= MAX_LENGTH {
        return name;
    }
    let head = (MAX_LENGTH - GAP.len()) / 2;
    let tail = MAX_LENGTH - GAP.len() - head;
    format!("{}{GAP}{}", &name[..head], &name[name.len() - tail..])
}

/// Returns whether a character may be part of a tool's name for the model.
pub const fn is_sendable(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

/// Returns the canonical names of all built-in tools.
pub fn built_in() -> impl Iterator<Item = &'static str> {
    KNOWN_TOOLS.iter().map(|(name, _)| *name)
}

/// Returns the names of a built-in tool's arguments, by the tool's canonical name.
pub fn arguments(name: &str) -> Option<&'static [&'static str]> {
    let known = ARGUMENTS.iter().find(|(own, _)| *own == name);
    known.map(|(_, arguments)| *arguments)
}

/// Returns the canonical name of the built-in tool with this name or alias, if there is one.
pub fn canonical(name: &str) -> Option<&'static str> {
    KNOWN_TOOLS
        .iter()
        .find(|(own, others)| *own == name || others.contains(&name))
        .map(|(own, _)| *own)
}

/// Returns whether a word with wildcards (`*` for any characters) may mean a tool, by any of its
/// names. Only what refuses or asks reads words this way (TO-6): such a word may mean more than was
/// intended.
pub fn may_mean(word: &str, tool: &str) -> bool {
    let fits = |name: &str| {
        let Some((first, rest)) = word.split_once('*') else {
            return false;
        };
        let Some(name) = name.strip_prefix(first) else {
            return false;
        };
        let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
        let Some(mut name) = name.strip_suffix(last) else {
            return false;
        };
        middle.split('*').all(|part| match name.split_once(part) {
            Some((_, behind)) => {
                name = behind;
                true
            }
            None => false,
        })
    };
    fits(tool) || other_names(tool).iter().any(|it| fits(it))
}

/// Returns the aliases of a tool: those of a built-in tool, or the spelling of an MCP tool with
/// single underscores (PL-5). If it isn't known where the server's name ends, they are the aliases
/// for every possible server, and the name that the agent uses (BR-10).
pub fn other_names(name: &str) -> Vec<String> {
    if let Some((_, others)) = KNOWN_TOOLS.iter().find(|(own, _)| *own == name) {
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

/// Returns the names that a server's tool may have if its name is joined with its server's.
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

    /// TO-6: a wildcard means any characters, in each spelling of a tool's name.
    #[test]
    fn wildcards_mean_tools() {
        for (word, tool, means) in [
            ("*", "glob", true),
            ("mcp_*", "mcp__git__push", true),
            ("mcp_*", "glob", false),
            ("mcp__git__*", "mcp__git__push", true),
            ("mcp_git_*", "mcp__git__push", true),
            ("mcp_git_*", "mcp__github__push", false),
            ("mcp__*__push", "mcp__git__push", true),
            ("mcp__*__pull", "mcp__git__push", false),
            ("*_file", "write_file", true),
            ("w*i*e*e", "write_file", true),
            ("w*z*e", "write_file", false),
            ("write_file*write_file", "write_file", false),
            ("write_file", "write_file", false),
        ] {
            assert_eq!(may_mean(word, tool), means, "{word} {tool}");
        }
    }

    /// PL-5: built-in tools and MCP tools have the other names by which hooks know them.
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
