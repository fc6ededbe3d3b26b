//! Rules: conditions with verdicts (HT-25, HT-26).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The rules of a rule hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rules {
    /// They are in the entry.
    Inline(Vec<Rule>),
    /// They are in a file, named as configured (HT-26).
    File(String),
}

impl Rules {
    pub(crate) fn summary(&self) -> &str {
        match self {
            Self::File(file) => file,
            Self::Inline(rules) => match rules.first() {
                Some(rule) => rule.name.as_deref().unwrap_or(&rule.when),
                None => "",
            },
        }
    }
}

/// A condition and its verdict (HT-25). Files of rules contain the same objects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Its name in reasons and listings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The condition, in CEL.
    pub when: String,
    /// The verdict if the condition is true.
    pub then: RuleVerdict,
    /// The reason of a verdict, with `${expression}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The arguments that a rewrite replaces, with `${expression}` in texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<Map<String, Value>>,
    /// Text for the model, with `${expression}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Text for the person, with `${expression}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The verdict of a rule whose condition is true (HT-25).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleVerdict {
    /// The action is refused.
    Deny,
    /// A person is asked.
    Ask,
    /// No objection.
    Allow,
    /// The agent's loop ends.
    Stop,
    /// The model gets additional context.
    Context,
    /// The arguments are changed.
    Rewrite,
    /// The person gets a message.
    Message,
}

impl RuleVerdict {
    /// Returns whether the verdict stops an action. If the condition of such a rule can't be
    /// evaluated, it counts as true (HT-25).
    pub const fn stops_action(self) -> bool {
        matches!(self, Self::Deny | Self::Ask | Self::Stop)
    }
}

impl Rule {
    /// Returns the rule if it has the fields that its verdict requires, or else what is missing.
    ///
    /// ```
    /// use hookloop_hook::Rule;
    ///
    /// let rule: Rule = serde_json::from_str(r#"{"when": "true", "then": "message"}"#)?;
    /// // A rule that tells something has to say what.
    /// assert!(rule.checked().is_err());
    /// # Ok::<_, serde_json::Error>(())
    /// ```
    pub fn checked(self) -> Result<Self, String> {
        let missing = match self.then {
            RuleVerdict::Rewrite if self.set.is_none() => "set",
            RuleVerdict::Context if self.context.is_none() => "context",
            RuleVerdict::Message if self.message.is_none() => "message",
            _ => return Ok(self),
        };
        Err(format!("such a rule needs \"{missing}\""))
    }
}
