//! A change that a tool made to a file, for those who want more of it than a text to show.

use std::path::PathBuf;

use serde_json::{Value, json};

/// A change that a tool made to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The file, absolute and without links.
    pub file_path: PathBuf,
    /// The text before; `None` if the tool created the file.
    pub original: Option<String>,
    /// The text after.
    pub new: String,
    /// The change as a unified diff.
    pub diff: String,
    /// How many lines came in.
    pub added_lines: usize,
    /// How many lines went out.
    pub removed_lines: usize,
}

impl FileChange {
    /// Returns the change as hooks read it in `returnDisplay` (`hooks.md` §6, `AfterTool`). The
    /// fields are those that hooks know from Gemini CLI.
    pub fn to_display(&self) -> Value {
        let name = self.file_path.file_name().unwrap_or_default();
        json!({
            "fileDiff": self.diff,
            "fileName": name.to_string_lossy(),
            "filePath": self.file_path.to_string_lossy(),
            "originalContent": self.original.as_deref().unwrap_or_default(),
            "newContent": self.new,
            "diffStat": {
                "model_added_lines": self.added_lines,
                "model_removed_lines": self.removed_lines,
            },
            "isNewFile": self.original.is_none(),
        })
    }
}
