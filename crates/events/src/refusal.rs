//! Finds a refusal in a hook's output, in every spelling, and however the hook ended (IO-14,
//! IO-22…24). Exit codes, timeouts, signals, malformed replies and cut output all share this
//! parser, so that a "no" is the same "no" everywhere.

mod followed;
mod strings;
mod unfollowed;
mod words;

use serde_json::Value;

use crate::reply::{Decision, Reply};
use followed::Reader;
use hookloop_hook::EventName;

pub use words::{REFUSAL_KEYS, REFUSAL_WORDS, refusal_list, squashed};

/// The parts of a hook's output that count even if the rest can't be used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Readable {
    /// The refusal, stop or question.
    pub refusal: Option<Refusal>,
    /// Whether the hook keeps its output out of records (OUT-2).
    pub suppress_output: Option<bool>,
}

/// A refusal, stop or question found in an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Whether the agent loop ends.
    stops: bool,
    /// A refusal or a question.
    decision: Option<Decision>,
    reason: Option<String>,
    stop_reason: Option<String>,
    /// The most informative field, as it is written.
    field: String,
    spelling: Spelling,
}

/// The spelling of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// That of the reply protocol (OUT-3, OUT-4, OUT-7).
    Own,
    /// Another one, which can't mean anything else (IO-23).
    Other,
}

/// The meaning of a key with its value, in the order of AG-1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Force {
    /// Ask the user.
    Ask,
    /// Refuse.
    Deny,
    /// End the agent loop.
    Stop,
}

/// Returns what a key with its value refuses, according to the list of IO-23 in any spelling, or
/// `None` if it refuses nothing.
pub fn force_of(key: &str, value: &Value) -> Option<Force> {
    let key = squashed(key);
    match value {
        Value::String(word) => words::force(&key, word),
        Value::Bool(truth) => words::force(&key, if *truth { "true" } else { "false" }),
        _ => None,
    }
}

/// Returns the keys that may refuse, according to the list of IO-23, as they are usually written.
///
/// ```
/// use hookloop_events::refusal::refusal_keys;
///
/// assert!(refusal_keys().any(|it| it == "decision"));
/// ```
pub fn refusal_keys() -> impl Iterator<Item = &'static str> {
    words::keys()
}

/// Where a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the top of the reply.
    Top,
    /// In `hookSpecificOutput`.
    Own,
    /// In an object that replaces the word of a decision: `"decision": {"behavior": "deny"}`.
    Decided,
    /// Where the nesting can't be followed any more (IO-24).
    Anywhere,
}

impl Readable {
    /// Parses the output of a hook of an event: an object, or a text that contains one (IO-12),
    /// valid or broken. Lists and other text contain nothing that counts (IO-11, IO-12).
    pub fn of(event: EventName, output: &str) -> Self {
        let mut found = Reading::new(event);
        let text = output.trim();
        match text.as_bytes().first() {
            Some(b'{') => Reader::new(text, &mut found).read(),
            Some(b'"') => {
                let inner = unquoted(text);
                let inner = inner.trim();
                if inner.starts_with('{') {
                    Reader::new(inner, &mut found).read();
                }
            }
            _ => {}
        }
        found.into_readable()
    }

    /// Returns what a text would have refused, starting at its first brace. It has no effect there,
    /// and the user gets a report about it (IO-11).
    pub fn hidden_in(event: EventName, text: &str) -> Option<Refusal> {
        let mut found = Reading::new(event);
        let start = text.find('{')?;
        Reader::new(&text[start..], &mut found).read();
        found.into_readable().refusal
    }
}

impl Refusal {
    /// Returns a reply that contains only the refusal and its reason.
    pub fn reply(&self) -> Reply {
        Reply {
            goes_on: self.stops.then_some(false),
            stop_reason: self.stop_reason.clone(),
            decision: self.decision,
            reason: self.reason.clone(),
            ..Reply::default()
        }
    }

    /// Returns the field that contains it, as the hook wrote it.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Returns its spelling.
    pub const fn spelling(&self) -> Spelling {
        self.spelling
    }

    /// Returns whether it ends the agent loop.
    pub const fn stops(&self) -> bool {
        self.stops
    }

    /// Returns the refusal or question that is given in addition to a stop.
    pub const fn decision(&self) -> Option<Decision> {
        self.decision
    }

    /// Returns whether a parsed reply is weaker than this. If so, part of the output wasn't
    /// understood.
    pub fn exceeds(&self, reply: &Reply) -> bool {
        (self.stops && !reply.stops()) || (!reply.stops() && self.decision > reply.decision)
    }
}

/// What was found so far.
struct Reading {
    event: EventName,
    strongest: Option<(Force, Spelling, String)>,
    decision: Option<Decision>,
    stops: bool,
    /// The texts that can be a reason, the best first.
    reasons: [Option<String>; words::REASONS.len()],
    stop_reason: Option<String>,
    suppress_output: Option<bool>,
}

impl Reading {
    fn new(event: EventName) -> Self {
        Self {
            event,
            strongest: None,
            decision: None,
            stops: false,
            reasons: [const { None }; words::REASONS.len()],
            stop_reason: None,
            suppress_output: None,
        }
    }

    /// Records a key and its value, which is a text, a number or a word.
    fn note(&mut self, place: Place, key: &str, value: &str) {
        let squashed = squashed(key);
        if squashed == "suppressoutput"
            && words::squashed(value) == "true"
            && matches!(place, Place::Top | Place::Anywhere)
        {
            self.suppress_output = Some(true);
        }
        if let Some(rank) = words::REASONS.iter().position(|word| **word == *squashed) {
            self.reasons[rank].get_or_insert_with(|| value.to_owned());
        }
        if squashed == "stopreason" {
            self.stop_reason.get_or_insert_with(|| value.to_owned());
        }
        let Some(force) = words::force(&squashed, value) else {
            return;
        };
        if place == Place::Decided && squashed != "behavior" {
            return;
        }
        let is_data = self.event == EventName::AfterTool && place == Place::Own;
        if is_data && !words::DECISIONS.contains(&&*squashed) {
            return;
        }
        match force {
            Force::Stop => self.stops = true,
            Force::Deny => self.decision = self.decision.max(Some(Decision::Deny)),
            Force::Ask => self.decision = self.decision.max(Some(Decision::Ask)),
        }
        let spelling = words::spelling(self.event, place, key, value);
        let is_stronger = match &self.strongest {
            None => true,
            Some((known, Spelling::Other, _)) => {
                force > *known || (force == *known && spelling == Spelling::Own)
            }
            Some((known, Spelling::Own, _)) => force > *known,
        };
        if is_stronger {
            let field = match place {
                Place::Own => format!("hookSpecificOutput.{key}"),
                Place::Top | Place::Decided | Place::Anywhere => key.to_owned(),
            };
            self.strongest = Some((force, spelling, field));
        }
    }

    fn into_readable(self) -> Readable {
        let Self {
            strongest,
            decision,
            stops,
            reasons,
            stop_reason,
            suppress_output,
            ..
        } = self;
        let refusal = strongest.map(|(_, spelling, field)| Refusal {
            stops,
            decision,
            reason: reasons
                .into_iter()
                .flatten()
                .find(|text| !text.trim().is_empty()),
            stop_reason,
            field,
            spelling,
        });
        Readable {
            refusal,
            suppress_output,
        }
    }
}

/// Unquotes a JSON string, even if it is cut or followed by something.
fn unquoted(text: &str) -> String {
    if let Ok(Value::String(inner)) = serde_json::from_str(text) {
        return inner;
    }
    let end = strings::end_of_string(text, 0, '"').unwrap_or(text.len());
    strings::unescaped(text.get(1..end).unwrap_or_default())
}

#[cfg(test)]
mod tests;
