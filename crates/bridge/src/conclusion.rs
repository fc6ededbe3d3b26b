//! What hooks decided, in a form that can be reported to an agent.

use serde_json::{Map, Value};

/// What hooks decided.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conclusion {
    /// Whether the action continues.
    pub ruling: Ruling,
    /// Other arguments for a tool.
    pub rewrite: Option<Rewrite>,
    /// Text for the model.
    pub context: Option<String>,
    /// Text for the person.
    pub messages: Vec<String>,
    /// What hooks requested and no other agent can do, each as a sentence.
    pub impossible: Vec<String>,
}

/// Whether an action continues.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Ruling {
    /// No hook objects.
    #[default]
    Silent,
    /// The person is asked.
    Ask(String),
    /// The action doesn't happen.
    Refuse(String),
    /// The action doesn't happen, and the run ends.
    Stop(String),
}

impl Ruling {
    /// Returns the stricter of two rulings. If they are equally strict, the result contains both
    /// reasons.
    #[must_use]
    pub fn or_stricter(self, other: Self) -> Self {
        let joined = |one: String, two: String| {
            if one == two {
                one
            } else {
                format!("{one}\n{two}")
            }
        };
        match (self, other) {
            (Self::Stop(one), Self::Stop(two)) => Self::Stop(joined(one, two)),
            (Self::Refuse(one), Self::Refuse(two)) => Self::Refuse(joined(one, two)),
            (Self::Ask(one), Self::Ask(two)) => Self::Ask(joined(one, two)),
            (one, two) if one.weight() >= two.weight() => one,
            (_, two) => two,
        }
    }

    const fn weight(&self) -> u8 {
        match self {
            Self::Silent => 0,
            Self::Ask(_) => 1,
            Self::Refuse(_) => 2,
            Self::Stop(_) => 3,
        }
    }

    /// Returns whether the action is refused.
    pub const fn is_refusal(&self) -> bool {
        matches!(self, Self::Refuse(_) | Self::Stop(_))
    }
}

/// Other arguments for a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Rewrite {
    /// All arguments in the agent's format; `None` if its call can't express them.
    pub theirs: Option<Map<String, Value>>,
    /// The changed arguments in our format.
    pub ours: Map<String, Value>,
}
