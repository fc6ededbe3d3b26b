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
            .map(|name| self.placed(scope, folder, moved, name))
            .collect()
    }

    /// Returns the further files of a scope from which the agent takes hooks, or may take copies of ours that somebody
    /// made: `*` in a name is anything between two separators. `folder` and `moved` are the same as for
    /// [`Agent::files`].
    pub fn further_files(
        self,
        scope: InstallScope,
        folder: &Path,
        moved: Option<&Path>,
    ) -> Vec<PathBuf> {
        let names = further(self, scope).iter();
        names
            .map(|name| self.placed(scope, folder, moved, name))
            .collect()
    }
}

const fn further(agent: Agent, scope: InstallScope) -> &'static [&'static str] {
    match (agent, scope) {
        (Agent::Codex, InstallScope::User) => &[".codex/*.config.toml"],
        (Agent::Copilot, InstallScope::User) => &[".copilot/hooks/*.json"],
        (Agent::Copilot, InstallScope::Project) => &[".github/hooks/*.json"],
        (Agent::Qwen, InstallScope::User) => &[".qwen/extensions/*/hooks/hooks.json"],
        (Agent::Goose, _) => &[".agents/plugins/*/hooks/hooks.json"],
        (Agent::Opencode, InstallScope::User) => &[
            ".config/opencode/plugin/*.js",
            ".config/opencode/plugin/*.ts",
            ".config/opencode/plugins/*.js",
            ".config/opencode/plugins/*.ts",
        ],
        (Agent::Opencode, InstallScope::Project) => &[
            ".opencode/plugin/*.js",
            ".opencode/plugin/*.ts",
            ".opencode/plugins/*.js",
            ".opencode/plugins/*.ts",
        ],
        (Agent::Cline, InstallScope::User) => &[".cline/hooks/*"],
        (Agent::Cline, InstallScope::Project) => &[".clinerules/hooks/*"],
        (Agent::GeminiCli, InstallScope::User) => &[".gemini/extensions/*/hooks/hooks.json"],
        (Agent::Codex | Agent::Qwen | Agent::GeminiCli, InstallScope::Project)
        | (Agent::ClaudeCode | Agent::Kimi | Agent::Droid | Agent::Cursor, _) => &[],
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
