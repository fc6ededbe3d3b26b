//! The preview of a call, shown before it runs.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use crate::{FileChange, ToolError};

/// The preview of a call, before anybody has agreed to it (NO-1, TO-6).
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// A line that names the action.
    pub title: String,
    /// The requested action.
    pub subject: Subject,
    /// What somebody has to know before they agree, besides the subject: a sentence.
    pub caution: Option<String>,
    /// Why the call would fail, if that is already known.
    pub problem: Option<ToolError>,
}

/// The requested action, with the data for its kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    /// A file is changed.
    Edit {
        /// The file, absolute.
        file_path: PathBuf,
        /// The change as a unified diff; empty if it can't be known.
        diff: String,
        /// The change with both texts; `None` if it can't be known.
        change: Option<Box<FileChange>>,
    },
    /// A command is run.
    Exec {
        /// The whole command.
        command: String,
        /// The programs that it begins with, separated by commas.
        root_command: String,
        /// The folder that it runs in, absolute.
        directory: PathBuf,
    },
    /// Something is read or looked up.
    Info {
        /// What is asked, in words.
        prompt: String,
        /// The addresses that are reached.
        urls: Vec<String>,
    },
    /// A plan has to be carried out.
    Plan {
        /// The plan, in Markdown.
        plan: String,
    },
    /// A tool of an MCP server is called.
    Mcp {
        /// The server's name.
        server_name: String,
        /// The tool's name on that server.
        tool_name: String,
    },
}

impl Preview {
    /// Creates a preview without a problem.
    pub fn new(title: impl Into<String>, subject: Subject) -> Self {
        Self {
            title: title.into(),
            subject,
            caution: None,
            problem: None,
        }
    }

    /// Creates the preview of a call that only reads.
    pub fn info(title: impl Into<String>) -> Self {
        let title = title.into();
        let prompt = title.clone();
        Self::new(
            title,
            Subject::Info {
                prompt,
                urls: Vec::new(),
            },
        )
    }

    /// Returns the kind: `edit`, `exec`, `info` or `mcp`.
    pub const fn kind(&self) -> &'static str {
        match self.subject {
            Subject::Edit { .. } => "edit",
            Subject::Exec { .. } => "exec",
            Subject::Info { .. } | Subject::Plan { .. } => "info",
            Subject::Mcp { .. } => "mcp",
        }
    }

    /// Returns the preview as the `details` of a `Notification` (NO-1).
    pub fn details(&self) -> Map<String, Value> {
        let own = match &self.subject {
            Subject::Edit {
                file_path, diff, ..
            } => json!({
                "fileName": file_path.file_name().map(|name| name.to_string_lossy()),
                "filePath": file_path.to_string_lossy(),
                "fileDiff": diff,
            }),
            Subject::Exec {
                command,
                root_command,
                directory,
            } => json!({
                "command": command,
                "rootCommand": root_command,
                "directory": directory.to_string_lossy(),
            }),
            Subject::Info { prompt, urls } => json!({ "prompt": prompt, "urls": urls }),
            Subject::Plan { plan } => json!({ "prompt": plan, "urls": [] }),
            Subject::Mcp {
                server_name,
                tool_name,
            } => json!({ "serverName": server_name, "toolName": tool_name }),
        };
        let mut details = Map::new();
        details.insert("type".to_owned(), json!(self.kind()));
        details.insert("title".to_owned(), json!(self.title));
        if let Value::Object(fields) = own {
            details.extend(fields);
        }
        details
    }
}
