//! Calls of tools that a model could make in this project, and their results.

use hookloop_events::tool_name::{MCP_PREFIX, canonical};
use hookloop_tools::FileChange;
use serde_json::{Map, Value, json};

use super::scene::Scene;

/// Returns arguments of a tool.
pub(super) fn arguments(scene: &Scene<'_>) -> Value {
    let file = scene.file.path_text();
    let folder = scene.project_root.to_string_lossy();
    let line = scene.file.line();
    match canonical(scene.tool) {
        Some("read_file") => json!({ "file_path": file }),
        Some("read_many_files") => json!({ "include": ["*.md"] }),
        Some("write_file") => json!({ "file_path": file, "content": scene.file.excerpt }),
        Some("replace") => json!({
            "file_path": file,
            "old_string": line,
            "new_string": format!("{line} "),
            "instruction": "Add a space at the end of the line.",
        }),
        Some("list_directory") => json!({ "dir_path": folder }),
        Some("glob") => json!({ "pattern": "**/*.md" }),
        Some("search_file_content") => json!({ "pattern": "TODO" }),
        Some("run_shell_command") => json!({
            "command": "git status --short",
            "description": "Show what has changed.",
        }),
        Some("web_fetch") => json!({ "prompt": "Summarise https://example.com/" }),
        Some("google_web_search") => json!({ "query": scene.prompt }),
        Some("write_todos") => json!({
            "todos": [{ "description": "Read the project", "status": "in_progress" }],
        }),
        Some("save_memory") => json!({ "fact": "The user likes short answers." }),
        Some("delegate_to_agent") => {
            json!({ "agent_name": "codebase_investigator", "objective": scene.prompt })
        }
        Some("activate_skill") => json!({ "name": "review" }),
        Some("ask_user") => json!({ "questions": [{ "question": "Shall I continue?" }] }),
        _ => json!({}),
    }
}

/// Returns a result of a tool.
pub(super) fn response(scene: &Scene<'_>) -> Value {
    let name = scene
        .file
        .path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let file = scene.file.path_text();
    let (content, display) = match canonical(scene.tool) {
        Some("read_file") => (scene.file.excerpt.clone(), format!("Read {name}").into()),
        Some("write_file") => (
            format!("Successfully overwrote file: {file}."),
            change(scene, &scene.file.excerpt),
        ),
        Some("replace") => (
            format!("Successfully modified file: {file} (1 replacements)."),
            change(scene, &with_a_space(scene)),
        ),
        Some("run_shell_command") => (
            "Command: git status --short\nDirectory: (root)\nOutput: (empty)\nError: (none)\n\
             Exit Code: 0\nSignal: 0"
                .to_owned(),
            Value::from(""),
        ),
        _ => ("Done.".to_owned(), Value::from("Done.")),
    };
    json!({ "llmContent": content, "returnDisplay": display })
}

/// Returns the sample file's text as `replace` leaves it.
fn with_a_space(scene: &Scene<'_>) -> String {
    let line = scene.file.line();
    scene.file.excerpt.replacen(line, &format!("{line} "), 1)
}

/// Returns the diff of the sample file to a new text.
fn change(scene: &Scene<'_>, new: &str) -> Value {
    FileChange::compute(&scene.file.path, Some(&scene.file.excerpt), new).to_display()
}

/// Returns the context of an MCP tool, with its server's configuration.
pub(super) fn mcp_context(scene: &Scene<'_>) -> Option<Value> {
    let (server, tool) = scene.tool.strip_prefix(MCP_PREFIX)?.split_once("__")?;
    let mut context = Map::new();
    context.insert("server_name".to_owned(), server.into());
    context.insert("tool_name".to_owned(), tool.into());
    let configured = scene.mcp_servers.iter().find(|it| it.name == server);
    let said = |key: &str| configured?.configuration.get(key).cloned();
    for key in ["command", "args", "cwd", "tcp"] {
        context.extend(said(key).map(|value| (key.to_owned(), value)));
    }
    let url = said("httpUrl").or_else(|| said("url"));
    context.extend(url.map(|value| ("url".to_owned(), value)));
    Some(Value::Object(context))
}
