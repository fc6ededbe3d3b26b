//! The options of a session (AG-CLI-2).

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use hookloop_agent::ApprovalMode;
use hookloop_model::Matching;
use hookloop_session::{Answers, ConfigEdits, Detail, Options, OutputFormat};
use hookloop_settings::Strictness;

use super::misplaced_command;

/// Contains the options and the prompt of a session (AG-CLI-1, AG-CLI-2).
#[derive(Debug, Clone, Default, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(super) struct SessionArguments {
    /// The prompt; several words are joined by spaces
    #[arg(value_name = "PROMPT")]
    words: Vec<String>,
    /// Answer this prompt without a terminal session
    #[arg(
        short,
        long,
        value_name = "PROMPT",
        conflicts_with = "prompt_interactive"
    )]
    prompt: Option<String>,
    /// Start the terminal session with this prompt
    #[arg(short = 'i', long, value_name = "PROMPT")]
    prompt_interactive: Option<String>,
    /// Print line by line without repainting, for screen readers
    #[arg(long)]
    screen_reader: bool,
    /// The model
    #[arg(short, long)]
    model: Option<String>,
    /// Which actions need your confirmation
    #[arg(long, value_enum, value_name = "MODE")]
    approval_mode: Option<Approval>,
    /// Ask for no confirmation; the same as --approval-mode yolo
    #[arg(short, long, conflicts_with = "approval_mode", overrides_with = "yolo")]
    yolo: bool,
    /// The output format without a terminal session
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value = "text")]
    output_format: Form,
    /// Resume a session: "latest", its number in the list, or its id
    #[arg(short, long, value_name = "SESSION", num_args = 0..=1, default_missing_value = "latest")]
    resume: Option<String>,
    /// The id of the new session
    #[arg(long, value_name = "ID", conflicts_with = "resume")]
    session_id: Option<String>,
    /// Let an editor drive sessions (Agent Client Protocol)
    #[cfg(feature = "acp")]
    #[arg(
        long,
        alias = "experimental-acp",
        conflicts_with_all = [
            "words", "prompt", "prompt_interactive", "output_format", "resume", "session_id",
            "list_sessions", "delete_session", "list_extensions",
        ]
    )]
    pub(super) acp: bool,
    /// List the sessions of this project
    #[arg(long)]
    list_sessions: bool,
    /// Delete a session: its number in the list, or its id
    #[arg(long, value_name = "SESSION")]
    delete_session: Option<String>,
    /// List the extensions
    #[arg(long)]
    pub(super) list_extensions: bool,
    /// Connect only these MCP servers
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    allowed_mcp_server_names: Vec<String>,
    /// Further folders of the workspace
    #[arg(long, value_name = "DIR", value_delimiter = ',')]
    include_directories: Vec<PathBuf>,
    /// Policy files
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    policy: Vec<PathBuf>,
    /// Tools that need no confirmation
    #[arg(long, value_name = "TOOL", value_delimiter = ',')]
    allowed_tools: Vec<String>,
    /// Don't start where `hooks check` finds an error
    #[arg(long)]
    strict: bool,
    /// Let tool calls change settings, hooks and other files that guards depend on
    #[arg(long)]
    allow_config_edits: bool,
    /// Report more about what happens
    #[arg(short, long)]
    debug: bool,
    /// Take the model's answers from a file
    #[arg(long, value_name = "FILE")]
    fake_responses: Option<PathBuf>,
    /// Take the model's answers from a file; on a mismatch, answer with an error and continue
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    #[expect(
        clippy::option_option,
        reason = "not given, given alone, given with a file"
    )]
    fake_responses_non_strict: Option<Option<PathBuf>>,
    /// Write the model's answers to a file
    #[arg(long, value_name = "FILE")]
    record_responses: Option<PathBuf>,
}

/// What needs confirmation before it is done (TO-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Approval {
    /// Writes, commands, web and MCP.
    Default,
    /// The same, except edits.
    #[value(name = "auto_edit")]
    AutoEdit,
    /// None.
    Yolo,
    /// Only reading is allowed.
    Plan,
}

/// The format of the output (AG-CLI-5).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    /// The model's text.
    #[default]
    Text,
    /// One object.
    Json,
    /// One event per line.
    StreamJson,
}

impl SessionArguments {
    /// Returns the command that was meant, if the words of the prompt are one (CM-9).
    pub(super) fn misplaced_command(&self) -> Option<String> {
        let is_asked = self.prompt.is_some() || self.prompt_interactive.is_some();
        if is_asked {
            return None;
        }
        misplaced_command::command(&self.words)
    }
}

impl From<SessionArguments> for Options {
    fn from(arguments: SessionArguments) -> Self {
        let mode = arguments.approval_mode.map(ApprovalMode::from);
        let (matching, file) = match arguments.fake_responses_non_strict {
            None => (Matching::Strict, arguments.fake_responses),
            Some(file) => (Matching::ByMethod, file.or(arguments.fake_responses)),
        };
        let detail = if arguments.debug {
            Detail::Streams
        } else {
            Detail::Outcomes
        };
        Self {
            words: arguments.words,
            prompt: arguments.prompt,
            prompt_interactive: arguments.prompt_interactive,
            screen_reader: arguments.screen_reader,
            model: arguments.model,
            approval_mode: mode.or(arguments.yolo.then_some(ApprovalMode::Yolo)),
            output_format: arguments.output_format.into(),
            resume: arguments.resume,
            list_sessions: arguments.list_sessions,
            delete_session: arguments.delete_session,
            include_directories: arguments.include_directories,
            policy: arguments.policy,
            allowed_tools: arguments.allowed_tools,
            config_edits: if arguments.allow_config_edits {
                ConfigEdits::Allowed
            } else {
                ConfigEdits::Asked
            },
            detail,
            session_id: arguments.session_id,
            allowed_mcp_servers: arguments.allowed_mcp_server_names,
            answers: file.map(|file| Answers { file, matching }),
            record_responses: arguments.record_responses,
            strictness: if arguments.strict {
                Strictness::Strict
            } else {
                Strictness::AsConfigured
            },
        }
    }
}

impl From<Approval> for ApprovalMode {
    fn from(approval: Approval) -> Self {
        match approval {
            Approval::Default => Self::Default,
            Approval::AutoEdit => Self::AutoEdit,
            Approval::Yolo => Self::Yolo,
            Approval::Plan => Self::Plan,
        }
    }
}

impl From<Form> for OutputFormat {
    fn from(form: Form) -> Self {
        match form {
            Form::Text => Self::Text,
            Form::Json => Self::Json,
            Form::StreamJson => Self::StreamJson,
        }
    }
}
