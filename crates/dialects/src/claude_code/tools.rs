//! The tools of Claude Code and their arguments.

use crate::foreign::tools::{argument, renamed, same, tool};
use crate::foreign::{Argument, Kind, ToolRule};

const FILE: Argument = argument("file_path", "file_path", Kind::Path);
const FOLDER: Argument = argument("dir_path", "path", Kind::Path);

pub(super) const TOOLS: &[ToolRule] = &[
    tool(
        "run_shell_command",
        &["Bash"],
        &[
            same("command"),
            same("description"),
            renamed("is_background", "run_in_background"),
        ],
    ),
    tool(
        "read_file",
        &["Read"],
        &[
            FILE,
            argument("offset", "offset", Kind::Line),
            renamed("start_line", "offset"),
            same("limit"),
            argument("end_line", "limit", Kind::LastLine),
        ],
    ),
    tool(
        "read_many_files",
        &["Read"],
        &[argument("include", "file_path", Kind::Paths)],
    ),
    tool("write_file", &["Write"], &[FILE, same("content")]),
    tool(
        "replace",
        &["Edit", "MultiEdit"],
        &[
            FILE,
            same("old_string"),
            same("new_string"),
            argument("allow_multiple", "replace_all", Kind::Switch),
        ],
    ),
    tool("glob", &["Glob"], &[same("pattern"), FOLDER]),
    tool(
        "search_file_content",
        &["Grep"],
        &[same("pattern"), FOLDER, renamed("include", "glob")],
    ),
    tool("list_directory", &["LS"], &[FOLDER]),
    tool("web_fetch", &["WebFetch"], &[same("prompt")]),
    tool("google_web_search", &["WebSearch"], &[same("query")]),
    tool(
        "write_todos",
        &["TodoWrite"],
        &[argument("todos", "todos", Kind::Todos)],
    ),
    tool(
        "delegate_to_agent",
        &["Agent", "Task"],
        &[
            renamed("agent_name", "subagent_type"),
            renamed("objective", "prompt"),
        ],
    ),
    tool("ask_user", &["AskUserQuestion"], &[same("questions")]),
    tool("activate_skill", &["Skill"], &[renamed("name", "skill")]),
    tool("enter_plan_mode", &["EnterPlanMode"], &[]),
    tool("exit_plan_mode", &["ExitPlanMode"], &[]),
    tool("list_mcp_resources", &["ListMcpResourcesTool"], &[]),
    tool("read_mcp_resource", &["ReadMcpResourceTool"], &[]),
];
