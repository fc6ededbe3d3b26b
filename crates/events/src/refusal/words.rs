//! The closed list of words that refuse (IO-23), in addition to those of the reply protocol.

use super::{Force, Place, Spelling};
use crate::reply::Decision;
use hookloop_hook::EventName;

/// The keys that refuse if their value is one of [`REFUSAL_WORDS`] (IO-23).
pub const REFUSAL_KEYS: [&str; 7] = [
    "decision",
    "permissionDecision",
    "permission",
    "behavior",
    "action",
    "verdict",
    "result",
];

/// The values that refuse if their key is one of [`REFUSAL_KEYS`] (IO-23).
pub const REFUSAL_WORDS: [&str; 14] = [
    "deny",
    "denied",
    "block",
    "blocked",
    "reject",
    "rejected",
    "refuse",
    "refused",
    "forbid",
    "forbidden",
    "disallow",
    "disallowed",
    "prevent",
    "prevented",
];

/// The keys that refuse with `true` (IO-23).
const TRUE_KEYS: [&str; 4] = ["block", "blocked", "deny", "denied"];

/// The keys that refuse with `false` (IO-23); of these `continue` stops.
const FALSE_KEYS: [&str; 5] = ["continue", "allow", "allowed", "approve", "approved"];

/// The keys with which `hookSpecificOutput` of `AfterTool`, which is data, refuses.
pub(super) const DECISIONS: [&str; 2] = ["decision", "permissiondecision"];

/// The keys that may ask the user a question.
const ASKING: [&str; 3] = ["decision", "permissiondecision", "permission"];

/// The keys under which a reason may appear, the best first.
pub(super) const REASONS: [&str; 5] = [
    "reason",
    "permissiondecisionreason",
    "message",
    "agentmessage",
    "usermessage",
];

/// The keys whose values quote others: nothing in them is read (IO-24).
pub(super) const UNREAD: [&str; 7] = [
    "toolinput",
    "llmrequest",
    "llmresponse",
    "args",
    "systemmessage",
    "reason",
    "additionalcontext",
];

/// Describes the fields that refuse, for people (IO-23).
pub fn refusal_list() -> String {
    let quoted = |words: &[&str]| words.join("`, `");
    format!(
        "`{}` with `{}`; `{}` with true; `{}` with false; in any case, with or without `_` and `-`",
        quoted(&REFUSAL_KEYS),
        quoted(&REFUSAL_WORDS),
        quoted(&TRUE_KEYS),
        quoted(&FALSE_KEYS),
    )
}

/// Normalises a word: removes surrounding space, `_` and `-`, and converts it to lower case.
pub fn squashed(word: &str) -> String {
    /// No word in the lists is longer; a text isn't one of them.
    const MAX_LENGTH: usize = 64;
    let word = word.trim();
    if word.len() > MAX_LENGTH {
        return String::new();
    }
    word.chars()
        .filter(|letter| !matches!(letter, '_' | '-'))
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}

/// Returns the keys that may refuse (IO-23).
pub(super) fn keys() -> impl Iterator<Item = &'static str> {
    let by_word = REFUSAL_KEYS.iter().chain(&TRUE_KEYS).chain(&FALSE_KEYS);
    by_word.copied()
}

/// Returns the meaning of a squashed key with its value.
pub(super) fn force(key: &str, value: &str) -> Option<Force> {
    let value = squashed(value);
    let is_key = |keys: &[&str]| keys.iter().any(|it| it.eq_ignore_ascii_case(key));
    if is_key(&REFUSAL_KEYS) {
        if REFUSAL_WORDS.contains(&value.as_str()) {
            return Some(Force::Deny);
        }
        return (value == "ask" && ASKING.contains(&key)).then_some(Force::Ask);
    }
    match value.as_str() {
        "true" if is_key(&TRUE_KEYS) => Some(Force::Deny),
        "false" if key == "continue" => Some(Force::Stop),
        "false" if is_key(&FALSE_KEYS) => Some(Force::Deny),
        _ => None,
    }
}

/// Returns whether a refusing field is one of the reply protocol, in the right place. A `false` in
/// quotes isn't; the reply is malformed by its type then, whatever is reported here.
pub(super) fn spelling(event: EventName, place: Place, key: &str, value: &str) -> Spelling {
    let decides = Decision::read(value).is_some();
    let is_own = match (place, key) {
        (Place::Top | Place::Anywhere, "decision") => decides,
        (Place::Top | Place::Anywhere, "continue") => true,
        (_, "permissionDecision") => decides && event == EventName::BeforeTool,
        _ => false,
    };
    if is_own {
        Spelling::Own
    } else {
        Spelling::Other
    }
}
