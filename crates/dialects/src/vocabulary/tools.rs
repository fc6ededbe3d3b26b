//! The names of tools: theirs and ours (dialects.md, 3.2).

use hookloop_hook::Dialect;

/// A tool of theirs with ours; none if there is no counterpart.
pub(crate) type ToolName = (&'static str, &'static [&'static str]);

/// The tools of Claude Code.
const CLAUDE_TOOLS: &[ToolName] = &[
    ("Bash", &["run_shell_command"]),
    ("Edit", &["replace"]),
    ("MultiEdit", &["replace"]),
    ("Read", &["read_file", "read_many_files"]),
    ("Write", &["write_file"]),
    ("Glob", &["glob"]),
    ("Grep", &["search_file_content"]),
    ("LS", &["list_directory"]),
    ("WebFetch", &["web_fetch"]),
    ("WebSearch", &["google_web_search"]),
    ("TodoWrite", &["write_todos"]),
    ("Task", &["delegate_to_agent"]),
    ("Agent", &["delegate_to_agent"]),
    ("AskUserQuestion", &["ask_user"]),
    ("Skill", &["activate_skill"]),
    ("NotebookEdit", &[]),
    ("NotebookRead", &[]),
    ("BashOutput", &[]),
    ("KillShell", &[]),
    ("KillBash", &[]),
    ("PowerShell", &[]),
    ("Monitor", &[]),
    ("TaskCreate", &[]),
    ("TaskUpdate", &[]),
    ("TaskOutput", &[]),
    ("TaskStop", &[]),
    ("EnterPlanMode", &["enter_plan_mode"]),
    ("ExitPlanMode", &["exit_plan_mode"]),
    ("SlashCommand", &[]),
    ("ListMcpResourcesTool", &["list_mcp_resources"]),
    ("ReadMcpResourceTool", &["read_mcp_resource"]),
];

/// The tools of Codex; edits go by three names there.
const CODEX_TOOLS: &[ToolName] = &[
    ("Bash", &["run_shell_command"]),
    ("apply_patch", &["write_file", "replace"]),
    ("Edit", &["write_file", "replace"]),
    ("Write", &["write_file", "replace"]),
    ("Agent", &["delegate_to_agent"]),
    ("spawn_agent", &["delegate_to_agent"]),
    ("update_plan", &["write_todos"]),
];

/// The tools of Copilot, in its own words and in those of Claude Code.
const COPILOT_TOOLS: &[ToolName] = &[
    ("bash", &["run_shell_command"]),
    ("Bash", &["run_shell_command"]),
    ("powershell", &[]),
    ("view", &["read_file", "read_many_files", "list_directory"]),
    ("Read", &["read_file", "read_many_files", "list_directory"]),
    ("create", &["write_file"]),
    ("Write", &["write_file"]),
    ("edit", &["replace"]),
    ("str_replace_editor", &["replace"]),
    ("apply_patch", &["replace"]),
    ("Edit", &["replace"]),
    ("glob", &["glob"]),
    ("Glob", &["glob"]),
    ("grep", &["search_file_content"]),
    ("rg", &["search_file_content"]),
    ("Grep", &["search_file_content"]),
    ("web_fetch", &["web_fetch"]),
    ("WebFetch", &["web_fetch"]),
    ("web_search", &["google_web_search"]),
    ("WebSearch", &["google_web_search"]),
    ("task", &["delegate_to_agent"]),
    ("Agent", &["delegate_to_agent"]),
    ("Task", &["delegate_to_agent"]),
    ("ask_user", &["ask_user"]),
    ("AskUserQuestion", &["ask_user"]),
    ("update_todo", &["write_todos"]),
    ("TodoWrite", &["write_todos"]),
];

/// The tools of Copilot in requests for permission: whatever writes a file is an `edit` there.
pub(crate) const COPILOT_ASKING_TOOLS: &[ToolName] = &[
    ("bash", &["run_shell_command"]),
    ("Bash", &["run_shell_command"]),
    ("powershell", &[]),
    ("view", &["read_file", "read_many_files", "list_directory"]),
    ("Read", &["read_file", "read_many_files", "list_directory"]),
    ("edit", &["write_file", "replace"]),
    ("Edit", &["write_file", "replace"]),
    ("create", &["write_file"]),
    ("Write", &["write_file"]),
    ("web_fetch", &["web_fetch"]),
    ("WebFetch", &["web_fetch"]),
    ("web_search", &["google_web_search"]),
    ("WebSearch", &["google_web_search"]),
    ("task", &["delegate_to_agent"]),
    ("Agent", &["delegate_to_agent"]),
    ("Task", &["delegate_to_agent"]),
];

/// The tools of Qwen Code; it also accepts the names of Claude Code.
const QWEN_TOOLS: &[ToolName] = &[
    ("run_shell_command", &["run_shell_command"]),
    ("Shell", &["run_shell_command"]),
    ("ReadFile", &["read_file"]),
    ("ReadManyFiles", &["read_many_files"]),
    ("WriteFile", &["write_file"]),
    ("Bash", &["run_shell_command"]),
    ("read_file", &["read_file"]),
    ("Read", &["read_file", "read_many_files"]),
    ("read_many_files", &["read_many_files"]),
    ("write_file", &["write_file"]),
    ("Write", &["write_file"]),
    ("edit", &["replace"]),
    ("replace", &["replace"]),
    ("Edit", &["replace"]),
    ("glob", &["glob"]),
    ("Glob", &["glob"]),
    ("grep_search", &["search_file_content"]),
    ("search_file_content", &["search_file_content"]),
    ("Grep", &["search_file_content"]),
    ("list_directory", &["list_directory"]),
    ("LS", &["list_directory"]),
    ("web_fetch", &["web_fetch"]),
    ("WebFetch", &["web_fetch"]),
    ("web_search", &["google_web_search"]),
    ("WebSearch", &["google_web_search"]),
    ("agent", &["delegate_to_agent"]),
    ("task", &["delegate_to_agent"]),
    ("Task", &["delegate_to_agent"]),
    ("Agent", &["delegate_to_agent"]),
    ("todo_write", &["write_todos"]),
    ("TodoWrite", &["write_todos"]),
    ("ask_user_question", &["ask_user"]),
    ("AskUserQuestion", &["ask_user"]),
    ("skill", &["activate_skill"]),
    ("Skill", &["activate_skill"]),
    ("enter_plan_mode", &["enter_plan_mode"]),
    ("exit_plan_mode", &["exit_plan_mode"]),
    ("ExitPlanMode", &["exit_plan_mode"]),
    ("save_memory", &["save_memory"]),
];

/// The tools of Cursor.
const CURSOR_TOOLS: &[ToolName] = &[
    ("Shell", &["run_shell_command"]),
    ("Read", &["read_file", "read_many_files", "list_directory"]),
    ("Write", &["write_file", "replace"]),
    ("Edit", &["replace"]),
    ("Grep", &["search_file_content", "glob"]),
    ("Task", &["delegate_to_agent"]),
    ("Delete", &[]),
];

/// Returns the tools of a dialect by their names there; none for ours, and for Gemini CLI, whose
/// names are ours.
pub(crate) const fn tools_named_by(dialect: Dialect) -> &'static [ToolName] {
    match dialect {
        Dialect::Hookloop | Dialect::GeminiCli => &[],
        Dialect::ClaudeCode => CLAUDE_TOOLS,
        Dialect::Codex => CODEX_TOOLS,
        Dialect::Cursor => CURSOR_TOOLS,
        Dialect::Copilot => COPILOT_TOOLS,
        Dialect::Qwen => QWEN_TOOLS,
    }
}

/// Returns what is known about a tool of theirs.
pub(crate) fn our_names(tools: &[ToolName], name: &str) -> Option<&'static [&'static str]> {
    let found = tools.iter().find(|(theirs, _)| *theirs == name);
    found.map(|(_, ours)| *ours)
}
