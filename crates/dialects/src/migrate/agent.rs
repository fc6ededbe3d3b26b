//! The agents whose hooks are known (FD-2, FD-4).

use hookloop_events::EventName;
use hookloop_hook::Dialect;

use super::matcher::WordMode;
use crate::vocabulary::{EventRule, Target, ToolName, events_of, tools_named_by};

/// An agent whose hooks can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Agent {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
    /// Cursor.
    Cursor,
    /// Copilot.
    Copilot,
    /// Qwen Code.
    Qwen,
}

impl Agent {
    /// All agents, in the order of the specification.
    pub const ALL: [Self; 5] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Cursor,
        Self::Copilot,
        Self::Qwen,
    ];

    /// Returns its display name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::Copilot => "Copilot",
            Self::Qwen => "Qwen Code",
        }
    }

    /// Returns the dialect of its hooks.
    pub const fn dialect(self) -> Dialect {
        match self {
            Self::ClaudeCode => Dialect::ClaudeCode,
            Self::Codex => Dialect::Codex,
            Self::Cursor => Dialect::Cursor,
            Self::Copilot => Dialect::Copilot,
            Self::Qwen => Dialect::Qwen,
        }
    }

    /// Returns the agent with this name in settings and commands. It is the name of its dialect.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|agent| agent.dialect().as_str() == word)
    }

    /// Returns the project files from which it reads hooks, in the order of FD-2. A path that ends
    /// in `/*.json` means all such files of a folder.
    pub const fn project_files(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &[".claude/settings.json", ".claude/settings.local.json"],
            Self::Codex => &[".codex/hooks.json", ".codex/config.toml"],
            Self::Cursor => &[".cursor/hooks.json"],
            Self::Copilot => &[".github/hooks/*.json"],
            Self::Qwen => &[".qwen/settings.json"],
        }
    }

    /// Returns the files in the home folder from which it reads hooks.
    pub const fn user_files(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &[".claude/settings.json"],
            Self::Codex => &[".codex/hooks.json", ".codex/config.toml"],
            Self::Cursor => &[".cursor/hooks.json"],
            Self::Copilot => &[".copilot/hooks/*.json"],
            Self::Qwen => &[".qwen/settings.json"],
        }
    }

    /// Returns the folder below the home folder in which the user's hooks run, if that isn't the
    /// session's folder (FD-14).
    pub const fn runs_user_hooks_in(self) -> Option<&'static str> {
        match self {
            Self::Cursor => Some(".cursor"),
            _ => None,
        }
    }

    /// Returns the variable that names the folder in which a project's hooks run, if that isn't the
    /// session's folder (FD-14).
    pub const fn runs_project_hooks_in(self) -> Option<&'static str> {
        match self {
            Self::Cursor => Some("$CURSOR_PROJECT_DIR"),
            _ => None,
        }
    }

    /// Returns the names of its tools, as used in its matchers.
    pub fn tool_names(self) -> impl Iterator<Item = &'static str> {
        self.tools().iter().map(|(name, _)| *name)
    }

    pub(super) const fn tools(self) -> &'static [ToolName] {
        tools_named_by(self.dialect())
    }

    pub(super) const fn word_mode(self) -> WordMode {
        match self {
            Self::ClaudeCode => WordMode::ListWithCommas,
            Self::Codex => WordMode::List,
            Self::Copilot => WordMode::Anchored,
            Self::Cursor | Self::Qwen => WordMode::Pattern,
        }
    }

    pub(super) fn event(self, name: &str) -> Option<&'static EventRule> {
        let mut rules = events_of(self.dialect()).iter().copied().flatten();
        rules.find(|rule| rule.name == name)
    }

    /// Returns the event of the agent that a misspelt name probably means, with our event for it.
    /// `is_like` decides what is similar. Returns `None` if there is no such event here (IO-21).
    pub fn event_like(self, is_like: impl Fn(&str) -> bool) -> Option<(&'static str, EventName)> {
        let mut rules = events_of(self.dialect()).iter().copied().flatten();
        rules.find_map(|rule| match rule.target {
            Target::Same(event) | Target::Nearly(event, _) if is_like(rule.name) => {
                Some((rule.name, event))
            }
            _ => None,
        })
    }

    /// Returns how many of its units of time are a second, for hooks that are commands.
    pub(super) const fn units_per_second(self) -> f64 {
        match self {
            Self::Qwen => 1000.0,
            _ => 1.0,
        }
    }
}
