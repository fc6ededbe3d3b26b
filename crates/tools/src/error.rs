//! Why a tool call failed.

/// The kind of a tool's failure, for telemetry and hooks (TE-2, LO-3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The arguments violate the tool's schema, or make no sense.
    InvalidParams,
    /// No tool has this name.
    UnknownTool,
    /// A path leads out of the workspace (TO-1).
    PathNotInWorkspace,
    /// Ignore files hide a path from the agent (TO-1).
    PathIgnored,
    /// The file or folder doesn't exist.
    FileNotFound,
    /// The path is a folder, and a file is required.
    TargetIsDirectory,
    /// The path isn't a folder, and a folder is required.
    NotADirectory,
    /// The file exceeds the size limit of tools.
    FileTooLarge,
    /// The file isn't text in an encoding that is known.
    NotText,
    /// The operating system refused access.
    PermissionDenied,
    /// Reading failed for another reason.
    ReadFailed,
    /// Writing failed for another reason.
    WriteFailed,
    /// The text to replace isn't in the file.
    EditNoOccurrence,
    /// The text to replace occurs more or less often than expected.
    EditOccurrenceMismatch,
    /// The edit would change nothing.
    EditNoChange,
    /// The file to create exists.
    CreateExisting,
    /// The search couldn't be done.
    SearchFailed,
    /// A command couldn't be started or monitored.
    ShellFailed,
    /// A tool of an MCP server failed, or its server did (TO-3).
    McpFailed,
    /// Nobody can answer the tool's question, or nothing can do its work.
    Unavailable,
    /// The tool failed for another reason.
    ExecutionFailed,
    /// The user or the session ended the call.
    Cancelled,
    /// A policy, an approval mode or a hook refused the call.
    PolicyViolation,
    /// A hook ended the loop before the call.
    StopExecution,
}

impl ErrorKind {
    /// Returns the name of the kind in telemetry and for hooks (TE-2).
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

/// Why a tool call failed. The message is for the model and the user (LO-3).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ToolError {
    /// The kind of the failure.
    pub kind: ErrorKind,
    /// What went wrong, where, and the remedy.
    pub message: String,
}

impl ToolError {
    /// Creates an error of a kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// Creates the error for unusable arguments.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidParams, message)
    }

    /// Creates the error for a cancelled call (LO-4).
    pub fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled, "the call was cancelled")
    }
}
