//! The agents that the bridge knows.

/// An agent that calls our hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Agent {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
    /// Copilot CLI.
    Copilot,
    /// Qwen Code.
    Qwen,
    /// goose.
    Goose,
    /// Kimi Code.
    Kimi,
    /// Factory Droid.
    Droid,
    /// opencode.
    Opencode,
    /// Cline.
    Cline,
    /// Gemini CLI.
    GeminiCli,
    /// Cursor, according to its documentation.
    Cursor,
}

impl Agent {
    /// All agents, in the order of the specification.
    pub const ALL: [Self; 11] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Copilot,
        Self::Qwen,
        Self::Goose,
        Self::Kimi,
        Self::Droid,
        Self::Opencode,
        Self::Cline,
        Self::GeminiCli,
        Self::Cursor,
    ];

    /// Returns the agent with this name in commands and settings.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.word() == word)
    }

    /// Returns its name in commands and settings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
            Self::Qwen => "qwen",
            Self::Goose => "goose",
            Self::Kimi => "kimi",
            Self::Droid => "droid",
            Self::Opencode => "opencode",
            Self::Cline => "cline",
            Self::GeminiCli => "gemini-cli",
            Self::Cursor => "cursor",
        }
    }

    /// Returns its display name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Copilot => "Copilot",
            Self::Qwen => "Qwen Code",
            Self::Goose => "goose",
            Self::Kimi => "Kimi Code",
            Self::Droid => "Droid",
            Self::Opencode => "opencode",
            Self::Cline => "Cline",
            Self::GeminiCli => "Gemini CLI",
            Self::Cursor => "Cursor",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BR-12: a hook can name every agent that the bridge knows, and no other but this one.
    #[test]
    fn hooks_can_name_every_agent() {
        let known: Vec<&str> = Agent::ALL.iter().map(|it| it.word()).collect();
        assert_eq!(hookloop_settings::AGENTS[0], "hookloop");
        assert_eq!(hookloop_settings::AGENTS[1..], known);
    }
}
