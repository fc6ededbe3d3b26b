//! What a session has to do, and the options that apply only to it (AG-CLI-1, AG-CLI-2).

use hookloop_settings::Strictness;
use std::path::{Path, PathBuf};

use hookloop_agent::ApprovalMode;
use hookloop_model::Matching;

/// What sessions and the commands for hooks get for one run.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Whether the workspace is trusted for this run (TR-3).
    pub skip_trust: bool,
    /// Whether no hooks run.
    pub no_hooks: bool,
    /// The only extensions that are used; all that are enabled without any.
    pub extensions: Vec<String>,
    /// Whether an agent calls its hooks, and what decides was noted when they were installed
    /// (BR-25): the parent processes then say nothing about it.
    pub is_noted: bool,
}

/// The prompt of a session, and how it is shown.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The prompt in words, which are joined by spaces.
    pub words: Vec<String>,
    /// A prompt that is answered without a terminal session.
    pub prompt: Option<String>,
    /// A prompt that a terminal session starts with.
    pub prompt_interactive: Option<String>,
    /// Whether a terminal session prints lines and paints nothing (TU-5).
    pub screen_reader: bool,
    /// The model.
    pub model: Option<String>,
    /// What is asked before it is done.
    pub approval_mode: Option<ApprovalMode>,
    /// The form of the output without a terminal session.
    pub output_format: OutputFormat,
    /// The session that is resumed: `latest`, its number in the list, or its id.
    pub resume: Option<String>,
    /// The id of the new session; without it, one is generated.
    pub session_id: Option<String>,
    /// The only MCP servers that are connected; all that are configured without any.
    pub allowed_mcp_servers: Vec<String>,
    /// Whether the sessions of the project are listed, and nothing else is done.
    pub list_sessions: bool,
    /// The session that is deleted, and nothing else is done.
    pub delete_session: Option<String>,
    /// Further folders of the workspace.
    pub include_directories: Vec<PathBuf>,
    /// Policy files.
    pub policy: Vec<PathBuf>,
    /// Tools that need no confirmation.
    pub allowed_tools: Vec<String>,
    /// Whether tool calls may change files that guards depend on (TR-8).
    pub config_edits: ConfigEdits,
    /// How much is reported about the run of a hook.
    pub detail: Detail,
    /// Answers that replace a model's.
    pub answers: Option<Answers>,
    /// A file that the model's answers are written to.
    pub record_responses: Option<PathBuf>,
    /// Whether any error that `hooks check` finds keeps the session from starting (ST-11).
    pub strictness: Strictness,
}

impl Options {
    /// Returns the options with every file and folder that they name from a folder.
    #[must_use]
    pub fn rooted(&self, folder: &Path) -> Self {
        let rooted = |paths: &[PathBuf]| paths.iter().map(|it| folder.join(it)).collect();
        Self {
            include_directories: rooted(&self.include_directories),
            policy: rooted(&self.policy),
            answers: self.answers.clone().map(|it| Answers {
                file: folder.join(it.file),
                ..it
            }),
            record_responses: self.record_responses.as_ref().map(|it| folder.join(it)),
            ..self.clone()
        }
    }
}

/// Answers that replace a model's.
#[derive(Debug, Clone)]
pub struct Answers {
    /// The file.
    pub file: PathBuf,
    /// How they are matched with requests.
    pub matching: Matching,
}

/// The form of the output (AG-CLI-5).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OutputFormat {
    /// The model's text.
    #[default]
    Text,
    /// One object.
    Json,
    /// One event a line.
    StreamJson,
}

/// Whether tool calls may change settings, hooks and what else guards depend on (TR-8).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ConfigEdits {
    /// Each needs a person's yes.
    #[default]
    Asked,
    /// They may: who started the run said so.
    Allowed,
}

/// How much is reported about the run of a hook.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Detail {
    /// Its result.
    #[default]
    Outcomes,
    /// Also what it wrote (`--debug`, IO-15).
    Streams,
}
