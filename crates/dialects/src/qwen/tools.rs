//! The tools of Qwen Code and their arguments. Its matchers also accept Claude Code's names.

use crate::foreign::tools::{argument, renamed, same, tool};
use crate::foreign::{Argument, Kind, ToolRule};

const FILE: Argument = argument("file_path", "file_path", Kind::Path);
const FOLDER: Argument = argument("dir_path", "path", Kind::Path);

pub(super) const TOOLS: &[ToolRule] = &[
    tool(
        "run_shell_command",
        &["run_shell_command", "Bash", "Shell"],
        &[
            same("command"),
            same("description"),
            same("is_background"),
            argument("dir_path", "directory", Kind::Path),
        ],
    ),
    tool(
        "read_file",
        &["read_file", "Read", "ReadFile"],
        &[
            FILE,
            same("offset"),
            same("limit"),
            same("start_line"),
            same("end_line"),
        ],
    ),
    tool(
        "read_many_files",
        &["read_many_files", "Read", "ReadManyFiles"],
        &[],
    ),
    tool(
        "write_file",
        &["write_file", "Write", "WriteFile"],
        &[FILE, same("content")],
    ),
    tool(
        "replace",
        &["edit", "Edit"],
        &[
            FILE,
            same("old_string"),
            same("new_string"),
            renamed("allow_multiple", "replace_all"),
        ],
    ),
    tool("glob", &["glob", "Glob"], &[same("pattern"), FOLDER]),
    tool(
        "search_file_content",
        &["grep_search", "Grep"],
        &[same("pattern"), FOLDER, renamed("include", "glob")],
    ),
    tool("list_directory", &["list_directory", "LS"], &[FOLDER]),
    tool("web_fetch", &["web_fetch", "WebFetch"], &[same("prompt")]),
    tool(
        "google_web_search",
        &["web_search", "WebSearch"],
        &[same("query")],
    ),
    tool(
        "write_todos",
        &["todo_write", "TodoWrite"],
        &[argument("todos", "todos", Kind::Todos)],
    ),
    tool(
        "delegate_to_agent",
        &["agent", "task", "Agent", "Task"],
        &[
            renamed("agent_name", "subagent_type"),
            renamed("objective", "prompt"),
        ],
    ),
    tool(
        "ask_user",
        &["ask_user_question", "AskUserQuestion"],
        &[same("questions")],
    ),
    tool(
        "activate_skill",
        &["skill", "Skill"],
        &[renamed("name", "skill")],
    ),
    tool("enter_plan_mode", &["enter_plan_mode"], &[]),
    tool("exit_plan_mode", &["exit_plan_mode", "ExitPlanMode"], &[]),
];
