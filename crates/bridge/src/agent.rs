//! The agents that the bridge knows.

use hookloop_dialects::tools::ToolRule;

use crate::agents;
use crate::moment::Moment;
use crate::profile::{Power, Profile};

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
    /// Cursor, by its documents.
    Cursor,
}

impl Agent {
    /// All of them, in the order of the specification.
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

    /// Returns the agent that a word of commands and settings names.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.word() == word)
    }

    /// Returns the word for it in commands and settings.
    pub const fn word(self) -> &'static str {
        self.profile().word
    }

    /// Returns the name that people know.
    pub const fn name(self) -> &'static str {
        self.profile().name
    }

    /// Returns the moment that one of its events is; nothing if it has no event of this name.
    pub fn moment(self, event: &str) -> Option<Moment> {
        let mut events = self.profile().events.iter();
        events
            .find(|(name, _)| *name == event)
            .map(|(_, moment)| *moment)
    }

    /// Returns its events, in its own words, with what each is.
    pub const fn events(self) -> &'static [(&'static str, Moment)] {
        self.profile().events
    }

    /// Returns the tools of it that are known.
    pub fn tools(self) -> &'static [ToolRule] {
        (self.profile().tools)()
    }

    /// Returns the variables of its own that our hooks don't get, also those of the person (BR-23).
    pub const fn withheld_variables(self) -> &'static [&'static str] {
        self.profile().withheld
    }

    /// Returns the variables in which it tells where the project is.
    pub const fn project_variables(self) -> &'static [&'static str] {
        self.profile().project_variables
    }

    /// Tells whether it shows people what stands in a reply's message, also where nobody sits in
    /// front of it (BR-13).
    pub fn shows_messages(self) -> bool {
        self.profile().abilities.has(Power::ShowMessages)
    }

    /// Tells whether text for the model reaches it at a moment.
    pub fn tells_model(self, moment: Moment) -> bool {
        let abilities = &self.profile().abilities;
        let is_told = moment != Moment::Prompt || abilities.has(Power::TellPrompts);
        is_told && abilities.context.contains(&moment)
    }

    pub(crate) const fn profile(self) -> &'static Profile {
        match self {
            Self::ClaudeCode => &agents::claude_code::PROFILE,
            Self::Codex => &agents::codex::PROFILE,
            Self::Copilot => &agents::copilot::PROFILE,
            Self::Qwen => &agents::qwen::PROFILE,
            Self::Goose => &agents::goose::PROFILE,
            Self::Kimi => &agents::kimi::PROFILE,
            Self::Droid => &agents::droid::PROFILE,
            Self::Opencode => &agents::opencode::PROFILE,
            Self::Cline => &agents::cline::PROFILE,
            Self::GeminiCli => &agents::gemini_cli::PROFILE,
            Self::Cursor => &agents::cursor::PROFILE,
        }
    }
}
