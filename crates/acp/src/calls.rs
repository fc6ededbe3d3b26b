//! Tool calls as an editor shows them: kind, title, files, changes.

use std::path::{Path, PathBuf};

use agent_client_protocol::v1::schema::{
    Content, ContentBlock, Diff, Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus, TextContent,
    ToolCallContent, ToolCallLocation, ToolKind,
};
use hookloop_agent::ToolEnd;
use hookloop_events::{ToolArguments, ToolCall, telling_argument, tool_name};
use hookloop_text::visible_row;
use hookloop_tools::FileChange;
use serde_json::Value;

/// Returns the kind of a tool.
pub(crate) fn kind(tool: &str) -> ToolKind {
    match tool_name::canonical(tool).unwrap_or(tool) {
        "read_file" | "read_many_files" | "list_directory" => ToolKind::Read,
        "write_file" | "replace" | "save_memory" => ToolKind::Edit,
        "glob" | "search_file_content" | "grep_search" => ToolKind::Search,
        "run_shell_command" => ToolKind::Execute,
        "web_fetch" | "google_web_search" => ToolKind::Fetch,
        "write_todos" => ToolKind::Think,
        "enter_plan_mode" | "exit_plan_mode" => ToolKind::SwitchMode,
        _ => ToolKind::Other,
    }
}

/// Returns a description of a call in one line; `agent` is the sub-agent that makes it (TO-4).
pub(crate) fn title(call: &ToolCall, agent: Option<&str>) -> String {
    let telling = telling_argument(&call.arguments);
    let mut title = agent.map(|it| format!("{it}: ")).unwrap_or_default();
    title.push_str(&call.name);
    if let Some(telling) = telling {
        title.push_str(": ");
        title.push_str(telling.trim());
    }
    visible_row(&title)
}

/// Returns the file that a call is about.
pub(crate) fn locations(arguments: &ToolArguments, folder: &Path) -> Vec<ToolCallLocation> {
    let paths = ["file_path", "dir_path"].into_iter();
    let named = paths.filter_map(|name| arguments.get(name).and_then(Value::as_str));
    let line = arguments.get("offset").and_then(Value::as_u64);
    let line = line.and_then(|it| u32::try_from(it).ok());
    let located = named.map(|path| {
        let mut location = ToolCallLocation::new(folder.join(path));
        location.line = line;
        location
    });
    located.collect()
}

/// Returns text as content of a call; `None` for an empty one.
pub(crate) fn text(text: &str) -> Vec<ToolCallContent> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    let block = ContentBlock::Text(TextContent::new(text));
    vec![ToolCallContent::Content(Content::new(block))]
}

/// Returns a change of a file.
pub(crate) fn diff(change: &FileChange) -> ToolCallContent {
    let path: PathBuf = change.file_path.clone();
    let diff = Diff::new(path, change.new.clone()).old_text(change.original.clone());
    ToolCallContent::Diff(diff)
}

/// Returns the result of a finished call: its change of a file, or otherwise what the person may
/// see of its result. It replaces what was shown while the call ran (AT-1).
pub(crate) fn outcome(end: &ToolEnd<'_>) -> Vec<ToolCallContent> {
    match (end.error, end.change) {
        (Some(error), _) => text(&error.message),
        (None, Some(change)) => vec![diff(change)],
        (None, None) => text(end.display),
    }
}

/// Returns the list of tasks that a call wrote.
pub(crate) fn plan(call: &ToolCall) -> Option<Plan> {
    if call.name != "write_todos" {
        return None;
    }
    let todos = call.arguments.get("todos")?.as_array()?;
    let entry = |todo: &Value| {
        let status = match todo.get("status")?.as_str()? {
            "completed" => PlanEntryStatus::Completed,
            "in_progress" => PlanEntryStatus::InProgress,
            "pending" | "blocked" => PlanEntryStatus::Pending,
            // Cancelled items aren't part of the plan.
            _ => return None,
        };
        let what = todo.get("description")?.as_str()?;
        Some(PlanEntry::new(what, PlanEntryPriority::Medium, status))
    };
    Some(Plan::new(todos.iter().filter_map(entry).collect()))
}
