//! A hook's reply as text, before an event converts it to an answer (`hooks.md` §3).

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::reason::{Cause, Reason};
use crate::verdict::Ruling;
use hookloop_hook::EventName;

/// The decision of a hook, in one word (OUT-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// No objection.
    Allow,
    /// Ask the user.
    Ask,
    /// Refuse.
    Deny,
}

impl Decision {
    /// Parses a decision in any case, including its aliases. Surrounding space is ignored (OUT-4).
    pub fn read(word: &str) -> Option<Self> {
        match word.trim().to_ascii_lowercase().as_str() {
            "allow" | "approve" => Some(Self::Allow),
            "deny" | "block" => Some(Self::Deny),
            "ask" => Some(Self::Ask),
            _ => None,
        }
    }
}

/// A reply in the current spelling, with the fields that every event knows (`hooks.md` §3).
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reply {
    /// `false` ends the agent loop (OUT-3).
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    pub goes_on: Option<bool>,
    /// The reason for a stop, which the user sees (OUT-3).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Keeps the hook's data out of records (OUT-2).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppress_output: Option<bool>,
    /// A message that the user sees at once (OUT-1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_message: Option<String>,
    /// The decision (OUT-4).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// The reason for the decision (OUT-5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The event's own fields (OUT-6).
    #[serde(rename = "hookSpecificOutput", skip_serializing_if = "Map::is_empty")]
    pub specific: Map<String, Value>,
}

/// A reply that can't be parsed, with the place of the error (IO-22).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed(String);

impl Malformed {
    /// Creates the error. The text continues after "malformed reply: ".
    pub fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }

    /// Creates the problem that a response contains no text that `does` what it was given for
    /// (IO-26).
    pub(crate) fn says_nothing(does: &str) -> Self {
        Self(format!(
            "nothing in `hookSpecificOutput.llm_response` {does}; write its text as a list of \
             strings in `candidates[0].content.parts`, or in `text`"
        ))
    }

    /// Creates the problem that a field contains a value of the wrong type.
    pub(crate) fn wrong_type(field: &str, expected: &str, value: &Value) -> Self {
        let found = match value {
            Value::Null => "nothing".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Number(value) => format!("the number {value}"),
            Value::String(text) => format!("the text \"{}\"", shortened(text)),
            Value::Array(_) => "a list".to_owned(),
            Value::Object(_) => "an object with other fields".to_owned(),
        };
        Self(format!("`{field}` should be {expected}, but is {found}"))
    }
}

fn shortened(text: &str) -> String {
    const LIMIT: usize = 40;
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Malformed {}

impl Reply {
    /// Parses a reply from its JSON object, in the current spelling (older spellings are translated
    /// before, OUT-7). Unknown fields are ignored, and `null` counts as absent; a wrong type in one
    /// field makes the whole reply malformed (IO-22).
    pub fn read(event: EventName, mut fields: Map<String, Value>) -> Result<Self, Malformed> {
        let specific = match fields.remove("hookSpecificOutput") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(specific)) => read_specific(event, specific)?,
            Some(other) => {
                return Err(Malformed::wrong_type(
                    "hookSpecificOutput",
                    "an object",
                    &other,
                ));
            }
        };
        Ok(Self {
            goes_on: truth(&fields, "continue")?,
            stop_reason: text(&fields, "stopReason")?,
            suppress_output: truth(&fields, "suppressOutput")?,
            system_message: text(&fields, "systemMessage")?,
            decision: decision(&fields)?,
            reason: text(&fields, "reason")?,
            specific,
        })
    }

    /// The top-level fields that a reply to any event may have.
    pub const FIELDS: [&'static str; 7] = [
        "decision",
        "reason",
        "continue",
        "stopReason",
        "systemMessage",
        "suppressOutput",
        "hookSpecificOutput",
    ];

    /// Creates the reply for plain text on standard output (IO-11).
    pub fn of_plain_text(text: &str) -> Self {
        Self {
            decision: Some(Decision::Allow),
            system_message: Some(text.to_owned()),
            ..Self::default()
        }
    }

    /// Returns whether the hook ends the agent loop (OUT-3).
    pub fn stops(&self) -> bool {
        self.goes_on == Some(false)
    }

    /// Returns the hook's ruling on the event's action, with default sentences for missing reasons
    /// (OUT-3, OUT-5).
    pub fn ruling(&self, hook: &str) -> Ruling {
        let reason = self.reason.as_deref();
        if self.stops() {
            return Ruling::Stop(Reason::of_stop([self.stop_reason.as_deref(), reason], hook));
        }
        match self.decision {
            None => Ruling::Silent,
            Some(Decision::Allow) => Ruling::Allow(reason.and_then(Reason::new)),
            Some(Decision::Ask) => {
                let message = self.system_message.as_deref();
                Ruling::Ask(Reason::of_question([reason, message], hook))
            }
            Some(Decision::Deny) => Ruling::Deny(Reason::of_refusal([reason], hook), Cause::Policy),
        }
    }

    /// Returns the hook's ruling for an event that can't ask the user. A question is a refusal
    /// there, because nobody can answer it.
    pub fn ruling_without_ask(&self, hook: &str) -> Ruling {
        self.ruling(hook).without_question()
    }

    /// Returns an own field of the event as text.
    pub(crate) fn specific_text(&self, key: &str) -> Result<Option<String>, Malformed> {
        specific_field(&self.specific, key, "a string", |value| {
            value.as_str().map(str::to_owned)
        })
    }

    /// Returns an own field of the event as boolean.
    pub(crate) fn specific_truth(&self, key: &str) -> Result<Option<bool>, Malformed> {
        specific_field(&self.specific, key, "true or false", Value::as_bool)
    }

    /// Returns an own field of the event as object.
    pub(crate) fn specific_object(
        &self,
        key: &str,
    ) -> Result<Option<Map<String, Value>>, Malformed> {
        specific_field(&self.specific, key, "an object", |value| {
            value.as_object().cloned()
        })
    }

    /// Returns an own field of the event, if it is there and not `null`.
    pub(crate) fn specific(&self, key: &str) -> Option<&Value> {
        self.specific.get(key).filter(|value| !value.is_null())
    }
}

fn specific_field<T>(
    fields: &Map<String, Value>,
    key: &str,
    expected: &str,
    read: impl FnOnce(&Value) -> Option<T>,
) -> Result<Option<T>, Malformed> {
    match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => read(value).map(Some).ok_or_else(|| {
            Malformed::wrong_type(&format!("hookSpecificOutput.{key}"), expected, value)
        }),
    }
}

/// Takes the event's own fields; those that name another event are malformed (OUT-6).
fn read_specific(
    event: EventName,
    mut specific: Map<String, Value>,
) -> Result<Map<String, Value>, Malformed> {
    match specific.remove("hookEventName") {
        None | Some(Value::Null) => Ok(specific),
        Some(Value::String(name)) if name == event.as_str() => Ok(specific),
        Some(other) => Err(Malformed::wrong_type(
            "hookSpecificOutput.hookEventName",
            &format!("\"{event}\""),
            &other,
        )),
    }
}

fn decision(fields: &Map<String, Value>) -> Result<Option<Decision>, Malformed> {
    let Some(word) = text(fields, "decision")? else {
        return Ok(None);
    };
    Decision::read(&word).map(Some).ok_or_else(|| {
        Malformed::wrong_type(
            "decision",
            "\"allow\", \"deny\" or \"ask\"",
            &Value::String(word),
        )
    })
}

fn text(fields: &Map<String, Value>, key: &str) -> Result<Option<String>, Malformed> {
    match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(Malformed::wrong_type(key, "a string", other)),
    }
}

fn truth(fields: &Map<String, Value>, key: &str) -> Result<Option<bool>, Malformed> {
    match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(truth)) => Ok(Some(*truth)),
        Some(other) => Err(Malformed::wrong_type(key, "true or false", other)),
    }
}
