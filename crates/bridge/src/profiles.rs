//! Looks up the properties of each agent.

use hookloop_dialects::tools::ToolRule;
use hookloop_events::EventName;
use serde_json::Value;

use crate::agent::Agent;
use crate::agents;
use crate::answer::{Answer, AnswerRequest};
use crate::moment::Moment;
use crate::profile::{Capability, Profile};

/// Writes what hooks decided so that the agent obeys.
pub fn answer(asked: &AnswerRequest<'_>) -> Answer {
    (asked.agent.profile().write_answer)(asked)
}

impl Agent {
    /// Returns the moment of one of its events, or `None` if it has no event with this name.
    pub fn moment(self, event: &str) -> Option<Moment> {
        let mut events = self.profile().events.iter();
        events
            .find(|(name, _)| *name == event)
            .map(|(_, moment)| *moment)
    }

    /// Returns its events, as the agent names them, with their moments.
    pub const fn events(self) -> &'static [(&'static str, Moment)] {
        self.profile().events
    }

    /// Returns whether one of the events at which it calls corresponds to this event of ours
    /// (BR-21).
    pub fn fires(self, event: EventName) -> bool {
        let registered = self.profile().installing.registered.iter();
        registered
            .filter_map(|it| self.moment(it)?.event())
            .any(|it| it == event)
    }

    /// Returns its known tools.
    pub fn tools(self) -> &'static [ToolRule] {
        (self.profile().tools)()
    }

    /// Returns the agent's own variables that our hooks don't receive, including those that the
    /// person set (BR-23).
    pub const fn withheld_variables(self) -> &'static [&'static str] {
        self.profile().withheld
    }

    /// Returns the variables that contain the agent's project folder.
    pub const fn project_variables(self) -> &'static [&'static str] {
        self.profile().project_variables
    }

    /// Returns whether it shows a reply's message to people, even if nobody is watching the
    /// terminal (BR-13).
    pub fn shows_messages(self) -> bool {
        self.profile().abilities.has(Capability::ShowMessages)
    }

    /// Returns whether it drops a refused prompt. If it runs the prompt anyway, every tool of that
    /// turn is refused instead (BR-21).
    pub fn drops_prompts(self) -> bool {
        self.profile().abilities.has(Capability::RefusePrompt)
    }

    /// Returns whether it would interpret a program's exit code and output before a tool as a
    /// refusal.
    pub fn is_refused_by(self, exit: Option<i32>, stdout: &str) -> bool {
        let said: Value = serde_json::from_str(stdout).unwrap_or_default();
        match self {
            // Cline ignores exit codes.
            Self::Cline => said.get("cancel") == Some(&Value::Bool(true)),
            Self::Qwen => said.get("continue") == Some(&Value::Bool(false)),
            _ => exit == Some(2),
        }
    }

    /// Returns whether it can ask a person whether a tool may run.
    pub fn asks(self) -> bool {
        self.profile().abilities.has(Capability::Ask)
    }

    /// Returns whether text for the model reaches the model at a moment.
    pub fn tells_model(self, moment: Moment) -> bool {
        let abilities = &self.profile().abilities;
        let is_told = moment != Moment::Prompt || abilities.has(Capability::TellPrompts);
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
