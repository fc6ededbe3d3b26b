//! What is wrong with the files of sub-agents.

use std::path::PathBuf;

/// Says what is wrong with an agent's file, and whether the agent was left out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {message}", .file.display(), .line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct AgentProblem {
    /// The file or folder.
    pub file: PathBuf,
    /// The line, from 1, if one is meant.
    pub line: Option<u32>,
    /// What is wrong.
    pub message: String,
}
