//! The tools of Cursor and their arguments.

use crate::foreign::tools::{argument, renamed, same, tool};
use crate::foreign::{Argument, Kind, ToolRule};

const FILE: Argument = argument("file_path", "file_path", Kind::Path);
const FOLDER: Argument = argument("dir_path", "path", Kind::Path);

pub(super) const TOOLS: &[ToolRule] = &[
    tool(
        "run_shell_command",
        &["Shell"],
        &[
            same("command"),
            argument("dir_path", "working_directory", Kind::Path),
        ],
    ),
    tool("read_file", &["Read"], &[FILE]),
    tool(
        "read_many_files",
        &["Read"],
        &[argument("include", "file_path", Kind::Paths)],
    ),
    tool("write_file", &["Write"], &[FILE, same("content")]),
    tool(
        "replace",
        &["Write", "Edit"],
        &[FILE, same("old_string"), same("new_string")],
    ),
    tool("glob", &["Grep"], &[same("pattern"), FOLDER]),
    tool("search_file_content", &["Grep"], &[same("pattern"), FOLDER]),
    tool("list_directory", &["Read"], &[FOLDER]),
    tool(
        "delegate_to_agent",
        &["Task"],
        &[
            renamed("agent_name", "subagent_type"),
            renamed("objective", "task"),
        ],
    ),
];
