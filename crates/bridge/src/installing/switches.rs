//! The files that can switch off an agent's hooks, or remove ours (TR-8).

use std::path::{Path, PathBuf};

use super::InstallScope;
use crate::agent::Agent;

impl Agent {
    /// Returns the files of a scope in which the agent's hooks can be switched off. `folder` and
    /// `moved` are the same as for [`Agent::files`].
    pub fn switching_files(
        self,
        scope: InstallScope,
        folder: &Path,
        moved: Option<&Path>,
    ) -> Vec<PathBuf> {
        let names = switching(self, scope).iter();
        names
            .map(|name| self.file_path(scope, folder, moved, name))
            .collect()
    }
}

const fn switching(agent: Agent, scope: InstallScope) -> &'static [&'static str] {
    match (agent, scope) {
        (Agent::ClaudeCode, _) => &[".claude/settings.json", ".claude/settings.local.json"],
        (Agent::Codex, _) => &[".codex/config.toml", ".codex/hooks.json"],
        (Agent::Qwen, _) => &[".qwen/settings.json", ".qwen/settings.local.json"],
        (Agent::Droid, _) => &[
            ".factory/settings.json",
            ".factory/settings.local.json",
            ".factory/hooks.json",
            ".factory/hooks/hooks.json",
        ],
        (Agent::GeminiCli, _) => &[".gemini/settings.json"],
        (Agent::Cursor, _) => &[".cursor/hooks.json"],
        (Agent::Copilot, InstallScope::User) => &[".copilot/config.json", ".copilot/settings.json"],
        (Agent::Copilot, InstallScope::Project) => &[
            ".github/copilot/settings.json",
            ".github/copilot/settings.local.json",
        ],
        (Agent::Kimi, InstallScope::User) => &[".kimi-code/config.toml"],
        (Agent::Goose, InstallScope::User) => {
            &[".config/goose/config.yaml", ".config/goose/settings.json"]
        }
        (Agent::Goose, InstallScope::Project) => &[
            ".config/goose/settings.json",
            ".config/goose/settings.local.json",
        ],
        (Agent::Cline, InstallScope::User) => &[".cline/data/globalState.json"],
        (Agent::Kimi | Agent::Cline, InstallScope::Project) | (Agent::Opencode, _) => &[],
    }
}
