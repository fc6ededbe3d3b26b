//! How much a model may think. Gemini's API bounds it in tokens, and each other service in its own
//! words.

use serde_json::{Map, Value};

/// The parameter, as settings and hooks name it.
pub(crate) const THINKING: &str = "thinkingConfig";

/// How hard a model thinks at most with so many tokens, as Google's own translation has it.
const EFFORTS: [(u64, &str); 3] = [(0, "none"), (1_024, "low"), (8_192, "medium")];

/// How hard it thinks with more.
const MOST: &str = "high";

/// How much a model may think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Thinking<'c> {
    /// As it sees fit.
    Free,
    /// So many tokens.
    Tokens(u64),
    /// In a word of newer models: `low`, `high`.
    Level(&'c str),
}

impl<'c> Thinking<'c> {
    /// Reads how much is asked for, if anything is that one can make out.
    pub(crate) fn of(config: &'c Map<String, Value>) -> Option<Self> {
        let thinking = config.get(THINKING)?;
        let budget = &thinking["thinkingBudget"];
        match (budget.as_u64(), budget.as_i64()) {
            (Some(tokens), _) => Some(Self::Tokens(tokens)),
            (None, Some(-1)) => Some(Self::Free),
            _ => thinking["thinkingLevel"].as_str().map(Self::Level),
        }
    }

    /// Returns how hard the model shall think, as `OpenAI`'s APIs say it; nothing if it decides
    /// itself.
    pub(crate) fn effort(self) -> Option<String> {
        match self {
            Self::Free => None,
            Self::Level(word) => Some(word.to_ascii_lowercase()),
            Self::Tokens(tokens) => {
                let effort = EFFORTS.iter().find(|(most, _)| tokens <= *most);
                Some(effort.map_or(MOST, |(_, word)| word).to_owned())
            }
        }
    }
}
