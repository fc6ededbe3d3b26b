//! The tools of Copilot and their arguments: first its own names, then the names of Claude Code
//! that its matchers also accept.

use super::shapes;
use crate::foreign::tools::{argument, renamed, same, shaped, tool};
use crate::foreign::{Argument, Kind, ToolRule};

const FILE: Argument = argument("file_path", "path", Kind::Path);
const FOLDER: Argument = argument("dir_path", "path", Kind::Path);

pub(super) const TOOLS: &[ToolRule] = &[
    tool(
        "run_shell_command",
        &["bash", "Bash"],
        &[same("command"), same("description")],
    ),
    shaped("read_file", &["view", "Read"], &[FILE], &shapes::LINES),
    tool(
        "read_many_files",
        &["view", "Read"],
        &[argument("include", "path", Kind::Paths)],
    ),
    tool(
        "write_file",
        &["create", "Write"],
        &[FILE, renamed("content", "file_text")],
    ),
    tool(
        "replace",
        &["edit", "Edit", "str_replace_editor", "apply_patch"],
        &[
            FILE,
            renamed("old_string", "old_str"),
            renamed("new_string", "new_str"),
        ],
    ),
    tool("glob", &["glob", "Glob"], &[same("pattern"), FOLDER]),
    tool(
        "search_file_content",
        &["grep", "Grep", "rg"],
        &[same("pattern"), FOLDER],
    ),
    tool("list_directory", &["view", "Read"], &[FOLDER]),
    tool("web_fetch", &["web_fetch", "WebFetch"], &[same("prompt")]),
    tool(
        "google_web_search",
        &["web_search", "WebSearch"],
        &[same("query")],
    ),
    tool(
        "delegate_to_agent",
        &["task", "Agent", "Task"],
        &[
            renamed("agent_name", "agent_type"),
            renamed("objective", "prompt"),
        ],
    ),
    shaped(
        "ask_user",
        &["ask_user", "AskUserQuestion"],
        &[],
        &shapes::QUESTION,
    ),
    shaped(
        "write_todos",
        &["update_todo", "TodoWrite"],
        &[],
        &shapes::TASKS,
    ),
];
