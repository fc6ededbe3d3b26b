//! A plausible situation in this project in which an event fires.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use hookloop_engine::{Clock, SystemClock};
use hookloop_session::{Environment, Workspace, model_variable};
use hookloop_settings::McpServer;
use hookloop_settings::bounded::unwaiting_options;
use serde_json::{Value, json};
use tempfile::TempPath;

use super::project_file::ProjectFile;
use crate::failure::CommandFailure;

/// The prompt of a payload, unless one is given.
const PROMPT: &str = "Explain what this project does.";

/// The tool of a payload, unless one is given.
const TOOL: &str = "write_file";

/// The model of a payload, unless one is configured.
const MODEL: &str = "gemini-2.5-pro";

/// The values of which payloads are composed.
#[derive(Debug)]
pub(super) struct Scene<'a> {
    /// The id of a new session.
    pub(super) session_id: String,
    /// Its transcript.
    pub(super) transcript_path: &'a Path,
    /// The current folder.
    pub(super) cwd: &'a Path,
    /// The project's root.
    pub(super) project_root: PathBuf,
    /// The current time.
    pub(super) timestamp: String,
    /// The model.
    pub(super) model: String,
    /// What the user asked.
    pub(super) prompt: &'a str,
    /// The tool that the model calls.
    pub(super) tool: &'a str,
    /// The file that it is about.
    pub(super) file: ProjectFile,
    /// The MCP servers that are configured.
    pub(super) mcp_servers: Vec<McpServer>,
}

impl<'a> Scene<'a> {
    /// Creates the scene for a workspace.
    pub(super) fn new(
        environment: &'a Environment,
        workspace: &Workspace,
        transcript: &'a Transcript,
    ) -> Self {
        let agent = &workspace.settings.agent;
        let configured = agent.model_name.as_ref().map(|name| name.value.clone());
        // No model is called here; a session reports unreadable variables.
        let variables = environment.models().ok();
        let variable = variables.and_then(|models| model_variable(models, agent));
        let model = variable.or(configured);
        Self {
            session_id: uuid::Uuid::new_v4().to_string(),
            transcript_path: &transcript.path,
            cwd: &environment.current_dir,
            project_root: workspace.project_root.clone(),
            timestamp: SystemClock.now(),
            model: model.unwrap_or_else(|| MODEL.to_owned()),
            prompt: PROMPT,
            tool: TOOL,
            file: ProjectFile::find(&workspace.project_root),
            mcp_servers: agent.mcp_servers.clone(),
        }
    }

    /// Replaces the tool.
    #[must_use]
    pub(super) fn with_tool(self, tool: Option<&'a str>) -> Self {
        Self {
            tool: tool.unwrap_or(self.tool),
            ..self
        }
    }

    /// Replaces the prompt.
    #[must_use]
    pub(super) fn with_prompt(self, prompt: Option<&'a str>) -> Self {
        Self {
            prompt: prompt.unwrap_or(self.prompt),
            ..self
        }
    }
}

/// A transcript that hooks can read, as in a session. It is deleted when the value is dropped.
#[derive(Debug)]
pub(super) struct Transcript {
    path: TempPath,
}

impl Transcript {
    /// Creates an empty transcript in a folder for temporary files.
    pub(super) fn create(folder: &Path) -> Result<Self, CommandFailure> {
        let file = tempfile::Builder::new()
            .prefix("hookloop-fire-")
            .suffix(".jsonl")
            .tempfile_in(folder)
            .map_err(|error| failure(&error))?;
        Ok(Self {
            path: file.into_temp_path(),
        })
    }

    /// Writes what a session that began with the scene's prompt would have written.
    pub(super) fn write(&self, scene: &Scene<'_>) -> Result<(), CommandFailure> {
        let lines = [
            json!({
                "type": "session",
                "session_id": scene.session_id,
                "project_root": scene.project_root.to_string_lossy(),
                "timestamp": scene.timestamp,
            }),
            json!({
                "type": "message",
                "timestamp": scene.timestamp,
                "content": {"role": "user", "parts": [{"text": scene.prompt}]},
            }),
        ];
        let [session, message] = lines.map(|line: Value| line.to_string());
        let text = format!("{session}\n{message}\n");
        let mut options = unwaiting_options();
        options.write(true).create(true).truncate(true);
        let opened = options.open(&self.path);
        opened
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| failure(&error))
    }
}

fn failure(error: &io::Error) -> CommandFailure {
    CommandFailure::internal(format!("the transcript can't be written: {error}"))
}
