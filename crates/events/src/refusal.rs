//! Finds a refusal in a hook's output, however it is written and however the hook ended (IO-14,
//! IO-22…24). Exit codes, timeouts, signals, malformed replies and cut output share this one
//! reader, so that a "no" is the same "no" everywhere.

mod followed;
mod strings;
mod unfollowed;
mod words;

use serde_json::Value;

use crate::reply::{Decision, Reply};
use followed::Reader;
use hookloop_hook::EventName;

pub use words::{REFUSAL_KEYS, REFUSAL_WORDS, refusal_list, squashed};

/// What a hook's output says that counts also where the rest of it can't be used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Readable {
    /// The refusal, stop or question in it.
    pub refusal: Option<Refusal>,
    /// Whether it asks to be kept out of records (OUT-2).
    pub suppress_output: Option<bool>,
}

/// A refusal, stop or question that can be read in an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Whether the agent loop ends.
    stops: bool,
    /// A refusal or a question.
    decision: Option<Decision>,
    reason: Option<String>,
    stop_reason: Option<String>,
    /// The field that says most, as it is written.
    field: String,
    spelling: Spelling,
}

/// In whose words something is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// In those of the reply protocol (OUT-3, OUT-4, OUT-7).
    Own,
    /// In others that can only be meant so (IO-23).
    Other,
}

/// What a key and its value say together. The order is that of AG-1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Force {
    /// The user is to be asked.
    Ask,
    /// Refused.
    Deny,
    /// The agent loop ends.
    Stop,
}

/// Says what a key and its value refuse, by the list of IO-23 and in any of its spellings; nothing
/// where they refuse nothing.
pub fn force_of(key: &str, value: &Value) -> Option<Force> {
    let key = squashed(key);
    match value {
        Value::String(word) => words::force(&key, word),
        Value::Bool(truth) => words::force(&key, if *truth { "true" } else { "false" }),
        _ => None,
    }
}

/// Where a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the top of the reply.
    Top,
    /// In `hookSpecificOutput`.
    Own,
    /// In an object that stands for the word of a decision: `"decision": {"behavior": "deny"}`.
    Decided,
    /// Where the nesting can't be followed any more (IO-24).
    Anywhere,
}

impl Readable {
    /// Reads the output of a hook of an event: an object or a text that contains one (IO-12), valid
    /// or broken. A list, and other text, holds nothing that counts (IO-11, IO-12).
    pub fn of(event: EventName, output: &str) -> Self {
        let mut found = Found::new(event);
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
        found.readable()
    }

    /// Reads what a text would have refused from its first brace on. It has no effect where it
    /// is, and the user is told so (IO-11).
    pub fn hidden_in(event: EventName, text: &str) -> Option<Refusal> {
        let mut found = Found::new(event);
        let start = text.find('{')?;
        Reader::new(&text[start..], &mut found).read();
        found.readable().refusal
    }
}

impl Refusal {
    /// Returns it as reply: nothing of the output but the refusal, and why.
    pub fn reply(&self) -> Reply {
        Reply {
            goes_on: self.stops.then_some(false),
            stop_reason: self.stop_reason.clone(),
            decision: self.decision,
            reason: self.reason.clone(),
            ..Reply::default()
        }
    }

    /// Returns the field that says it, as the hook wrote it.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Tells in whose words it is said.
    pub const fn spelling(&self) -> Spelling {
        self.spelling
    }

    /// Returns whether it ends the agent loop.
    pub const fn stops(&self) -> bool {
        self.stops
    }

    /// Returns the refusal or question beside a stop.
    pub const fn decision(&self) -> Option<Decision> {
        self.decision
    }

    /// Returns whether a reply says less than this: then something of the output was not understood.
    pub fn exceeds(&self, reply: &Reply) -> bool {
        (self.stops && !reply.stops()) || (!reply.stops() && self.decision > reply.decision)
    }
}

/// What was found so far.
struct Found {
    event: EventName,
    strongest: Option<(Force, Spelling, String)>,
    decision: Option<Decision>,
    stops: bool,
    /// The texts that can be a reason, the best first.
    reasons: [Option<String>; words::REASONS.len()],
    stop_reason: Option<String>,
    suppress_output: Option<bool>,
}

impl Found {
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

    /// Takes note of a key and its value, which is a text, a number or a word.
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

    fn readable(self) -> Readable {
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

/// Takes a JSON string apart, also one that is cut or followed by something.
fn unquoted(text: &str) -> String {
    if let Ok(Value::String(inner)) = serde_json::from_str(text) {
        return inner;
    }
    let end = strings::end_of_string(text, 0, '"').unwrap_or(text.len());
    strings::unescaped(text.get(1..end).unwrap_or_default())
}

#[cfg(test)]
mod tests;
