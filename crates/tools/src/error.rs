//! Why a tool gave no proper result.

/// Names the kind of a tool's failure, for telemetry and for hooks (TE-2, LO-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The arguments do not fit the tool's schema or make no sense.
    InvalidParams,
    /// No tool has this name.
    UnknownTool,
    /// A path leads out of the workspace (TO-1).
    PathNotInWorkspace,
    /// A path is hidden from the agent by ignore files (TO-1).
    PathIgnored,
    /// There is no such file or folder.
    FileNotFound,
    /// A folder is where a file is needed.
    TargetIsDirectory,
    /// Something else is where a folder is needed.
    NotADirectory,
    /// The file is larger than tools read.
    FileTooLarge,
    /// The file isn't UTF-8 text.
    NotText,
    /// The operating system refused access.
    PermissionDenied,
    /// Reading failed for another cause.
    ReadFailed,
    /// Writing failed for another cause.
    WriteFailed,
    /// The text to replace is not in the file.
    EditNoOccurrence,
    /// The text to replace is there more or less often than expected.
    EditOccurrenceMismatch,
    /// The edit would change nothing.
    EditNoChange,
    /// A file that should be created exists.
    CreateExisting,
    /// The search could not be done.
    SearchFailed,
    /// A command could not be started or watched.
    ShellFailed,
    /// A tool of an MCP server failed, or its server did (TO-3).
    McpFailed,
    /// Nobody is there whom the tool could ask, or nothing that could answer it.
    Unavailable,
    /// The tool failed for another cause.
    ExecutionFailed,
    /// The user or the session ended the call.
    Cancelled,
    /// A policy, an approval mode or a hook refused the call.
    PolicyViolation,
    /// A hook ended the loop before the call.
    StopExecution,
}

impl ErrorKind {
    /// Returns the word that telemetry and hooks know the kind by (TE-2).
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidParams => "invalid_tool_params",
            Self::UnknownTool => "tool_not_registered",
            Self::PathNotInWorkspace => "path_not_in_workspace",
            Self::PathIgnored => "path_ignored",
            Self::FileNotFound => "file_not_found",
            Self::TargetIsDirectory => "target_is_directory",
            Self::NotADirectory => "path_is_not_a_directory",
            Self::FileTooLarge => "file_too_large",
            Self::NotText => "not_text",
            Self::PermissionDenied => "permission_denied",
            Self::ReadFailed => "read_content_failure",
            Self::WriteFailed => "file_write_failure",
            Self::EditNoOccurrence => "edit_no_occurrence_found",
            Self::EditOccurrenceMismatch => "edit_expected_occurrence_mismatch",
            Self::EditNoChange => "edit_no_change",
            Self::CreateExisting => "attempt_to_create_existing_file",
            Self::SearchFailed => "grep_execution_error",
            Self::ShellFailed => "shell_execute_error",
            Self::McpFailed => "mcp_tool_error",
            Self::Unavailable => "unavailable",
            Self::ExecutionFailed => "execution_failed",
            Self::Cancelled => "cancelled",
            Self::PolicyViolation => "policy_violation",
            Self::StopExecution => "stop_execution",
        }
    }
}

/// Says why a tool gave no proper result; the message is meant for model and user (LO-3).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// What kind of failure it is.
    pub kind: ErrorKind,
    /// What went wrong, where, and what would be right.
    pub message: String,
}

impl ToolError {
    /// Makes an error of `kind`.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// Makes the error of a call whose arguments are unusable.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidParams, message)
    }

    /// Makes the error of a call that was cancelled (LO-4).
    pub fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled, "the call was cancelled")
    }
}
