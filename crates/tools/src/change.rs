//! A file change by a tool, for frontends that show more than a text.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::diff;

/// A file change by a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The file's real path, absolute.
    pub file_path: PathBuf,
    /// The text before; `None` if the tool created the file.
    pub original: Option<String>,
    /// The text after.
    pub new: String,
    /// The change as a unified diff.
    pub diff: String,
    /// The number of added lines.
    pub added_lines: usize,
    /// The number of removed lines.
    pub removed_lines: usize,
}

impl FileChange {
    /// Computes the change from the previous text, if there was one, to a new one.
    pub fn compute(file_path: &Path, original: Option<&str>, new: &str) -> Self {
        let difference = diff::difference(file_path, original.unwrap_or_default(), new);
        Self {
            file_path: file_path.to_owned(),
            original: original.map(str::to_owned),
            new: new.to_owned(),
            diff: difference.text,
            added_lines: difference.added_lines,
            removed_lines: difference.removed_lines,
        }
    }

    /// Returns the change in the form in which hooks read it in `returnDisplay` (`hooks.md` §6,
    /// `AfterTool`). The fields are those of Gemini CLI.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// AG-CLI-5: only lines that differ are counted, and a new file is distinguished from an empty
    /// one.
    #[test]
    fn lines_are_counted() {
        let path = Path::new("/project/a.txt");
        let counted = |original: Option<&str>, new: &str| {
            let change = FileChange::compute(path, original, new);
            (change.added_lines, change.removed_lines)
        };
        assert_eq!(counted(Some("a\nb\nc\n"), "a\nB\nx\nc\n"), (2, 1));
        assert_eq!(counted(Some("a\n"), "a\n"), (0, 0));
        assert_eq!(counted(None, "a\nb"), (2, 0));
        let created = FileChange::compute(path, None, "").to_display();
        let emptied = FileChange::compute(path, Some(""), "").to_display();
        assert_eq!(
            (&created["isNewFile"], &emptied["isNewFile"]),
            (&json!(true), &json!(false))
        );
        assert_eq!(created["fileName"], "a.txt");
    }
}
