//! Other places where an agent finds hooks: files beside its settings that may contain copies of
//! our entries (BR-1).

use std::path::{Path, PathBuf};

use super::InstallScope;
use crate::agent::Agent;

/// Files below a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePattern {
    /// The folder, literally.
    pub folder: PathBuf,
    /// The files' paths in the folder, in which `*` is anything between two separators.
    pub names: &'static str,
}

impl Agent {
    /// Returns the other files of a scope from which the agent loads hooks, or may load copies of
    /// ours that somebody made. `folder` and `moved` are the same as for [`Agent::files`].
    pub fn further_files(
        self,
        scope: InstallScope,
        folder: &Path,
        moved: Option<&Path>,
    ) -> Vec<FilePattern> {
        let patterns = further(self, scope).iter();
        let placed = |(within, names): &(&str, &'static str)| FilePattern {
            folder: self.file_path(scope, folder, moved, within),
            names,
        };
        patterns.map(placed).collect()
    }
}

/// The folders, and the names in each.
const fn further(agent: Agent, scope: InstallScope) -> &'static [(&'static str, &'static str)] {
    match (agent, scope) {
        (Agent::Codex, InstallScope::User) => &[(".codex", "*.config.toml")],
        (Agent::Copilot, InstallScope::User) => &[(".copilot/hooks", "*.json")],
        (Agent::Copilot, InstallScope::Project) => &[(".github/hooks", "*.json")],
        (Agent::Qwen, InstallScope::User) => &[(".qwen/extensions", "*/hooks/hooks.json")],
        (Agent::Goose, _) => &[(".agents/plugins", "*/hooks/hooks.json")],
        (Agent::Opencode, InstallScope::User) => &[
            (".config/opencode/plugin", "*.js"),
            (".config/opencode/plugin", "*.ts"),
            (".config/opencode/plugins", "*.js"),
            (".config/opencode/plugins", "*.ts"),
        ],
        (Agent::Opencode, InstallScope::Project) => &[
            (".opencode/plugin", "*.js"),
            (".opencode/plugin", "*.ts"),
            (".opencode/plugins", "*.js"),
            (".opencode/plugins", "*.ts"),
        ],
        (Agent::Cline, InstallScope::User) => &[(".cline/hooks", "*")],
        (Agent::Cline, InstallScope::Project) => &[(".clinerules/hooks", "*")],
        (Agent::GeminiCli, InstallScope::User) => &[(".gemini/extensions", "*/hooks/hooks.json")],
        (Agent::Codex | Agent::Qwen | Agent::GeminiCli, InstallScope::Project)
        | (Agent::ClaudeCode | Agent::Kimi | Agent::Droid | Agent::Cursor, _) => &[],
    }
}
