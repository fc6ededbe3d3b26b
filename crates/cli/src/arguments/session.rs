//! The options of a session (AG-CLI-2).

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Holds the options and the prompt of a session (AG-CLI-1, AG-CLI-2).
#[derive(Debug, Clone, Default, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(crate) struct SessionOptions {
    /// The prompt; several words are joined by spaces
    #[arg(value_name = "PROMPT")]
    pub(crate) words: Vec<String>,
    /// Answer this prompt without a terminal session
    #[arg(
        short,
        long,
        value_name = "PROMPT",
        conflicts_with = "prompt_interactive"
    )]
    pub(crate) prompt: Option<String>,
    /// Start the terminal session with this prompt
    #[arg(short = 'i', long, value_name = "PROMPT")]
    pub(crate) prompt_interactive: Option<String>,
    /// The model
    #[arg(short, long)]
    pub(crate) model: Option<String>,
    /// What is asked before it is done
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) approval_mode: Option<ApprovalMode>,
    /// Ask for nothing; the same as --approval-mode yolo
    #[arg(short, long, conflicts_with = "approval_mode")]
    pub(crate) yolo: bool,
    /// The form of the output without a terminal session
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) output_format: OutputFormat,
    /// Resume a session: "latest", its number in the list, or its id
    #[arg(short, long, value_name = "SESSION", num_args = 0..=1, default_missing_value = "latest")]
    pub(crate) resume: Option<String>,
    /// List the sessions of this project
    #[arg(long)]
    pub(crate) list_sessions: bool,
    /// Delete a session: its number in the list, or its id
    #[arg(long, value_name = "SESSION")]
    pub(crate) delete_session: Option<String>,
    /// Further folders of the workspace
    #[arg(long, value_name = "DIR", value_delimiter = ',')]
    pub(crate) include_directories: Vec<PathBuf>,
    /// Policy files
    #[arg(long, value_name = "FILE", value_delimiter = ',')]
    pub(crate) policy: Vec<PathBuf>,
    /// Tools that need no confirmation
    #[arg(long, value_name = "TOOL", value_delimiter = ',')]
    pub(crate) allowed_tools: Vec<String>,
    /// Say more about what happens
    #[arg(short, long)]
    pub(crate) debug: bool,
    /// Take the model's answers from a file
    #[arg(long, value_name = "FILE")]
    pub(crate) fake_responses: Option<PathBuf>,
    /// Answer with an error where the file of answers does not fit, and go on
    #[arg(long, requires = "fake_responses")]
    pub(crate) fake_responses_non_strict: bool,
    /// Write the model's answers to a file
    #[arg(long, value_name = "FILE")]
    pub(crate) record_responses: Option<PathBuf>,
}

/// Says what is asked before it is done (TO-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ApprovalMode {
    /// Writes, commands, web and MCP.
    Default,
    /// The same without edits.
    #[value(name = "auto_edit")]
    AutoEdit,
    /// Nothing.
    Yolo,
    /// Nothing but reading is allowed.
    Plan,
}

/// Says which form the output has (AG-CLI-5).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// The model's text.
    #[default]
    Text,
    /// One object.
    Json,
    /// One event a line.
    StreamJson,
}
