//! Fields of a reply that its event doesn't know (IO-23).

use hookloop_events::parts::{Fate, UnknownPart, unknown_parts};
use hookloop_events::refusal::squashed;
use hookloop_events::{EventName, OtherFields, Reply};
use serde_json::{Map, Value};

use crate::change_words::expected_word;
use crate::vocabulary::Vocabulary;

/// The object that contains the event's own fields.
pub(crate) const SPECIFIC: &str = "hookSpecificOutput";

/// A field that has no effect, and the one that was probably meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnknownField {
    /// The field as the hook wrote it.
    pub(crate) field: String,
    /// What to write instead, in words.
    pub(crate) meant: Option<String>,
}

/// Returns the fields of a reply in the current spelling that its event doesn't know.
pub(crate) fn unknown_fields(words: Vocabulary, fields: &Map<String, Value>) -> Vec<UnknownField> {
    let top = fields
        .iter()
        .filter(|(key, value)| !Reply::FIELDS.contains(&key.as_str()) && !value.is_null())
        .map(|(key, _)| unknown_field(words, key, key.clone()));
    let own = match fields.get(SPECIFIC) {
        Some(Value::Object(own)) => Some(own),
        _ => None,
    };
    let parts = own.map(|own| unknown_parts(words.event, own));
    let own = own
        .into_iter()
        .flatten()
        .filter(|(key, value)| {
            *key != "hookEventName" && !words.own_fields.contains(&key.as_str()) && !value.is_null()
        })
        .filter(|(key, _)| words.other_fields == OtherFields::Unknown || is_misplaced(words, key))
        .map(|(key, _)| unknown_field(words, key, format!("{SPECIFIC}.{key}")));
    let parts = parts.iter().flatten().filter_map(from_part);
    top.chain(own).chain(parts).collect()
}

/// Returns whether a key of an object that is kept as data (AT-5) was meant to have an effect: it
/// is a misspelling of the event's own field, belongs to the top of a reply, or is another word for
/// a change.
fn is_misplaced(words: Vocabulary, key: &str) -> bool {
    /// What is also read there, as the words and the reason of a refusal (IO-23).
    const READ: [&str; 2] = ["decision", "reason"];
    let word = squashed(key);
    let mut top = Reply::FIELDS.into_iter().filter(|it| !READ.contains(it));
    expected_word(words.event, key).is_some()
        || top.any(|name| squashed(name) == word)
        || hookloop_settings::nearest(key, words.own_fields.iter().copied()).is_some()
}

/// Returns what an unread part of one of the event's own fields is. One that a model service may
/// know counts as unknown only if it looks like a known key.
pub(crate) fn from_part(part: &UnknownPart) -> Option<UnknownField> {
    /// The shortest name that is compared with others letter by letter.
    const MIN_LENGTH: usize = 6;
    let near = || hookloop_settings::nearest(&part.key, part.known.iter().copied());
    let name = match part.fate {
        Fate::Unread => part.meant.or_else(near),
        Fate::PassedOn => Some(part.meant.or_else(|| {
            let is_long = part.key.len() >= MIN_LENGTH;
            near().filter(|_| is_long)
        })?),
    };
    Some(UnknownField {
        field: format!("{SPECIFIC}.{}.{}", part.place, part.key),
        meant: Some(match name {
            Some(name) => format!("`{SPECIFIC}.{}.{name}`", part.place),
            None => format!("one of `{}`", part.known.join("`, `")),
        }),
    })
}

fn unknown_field(words: Vocabulary, key: &str, field: String) -> UnknownField {
    UnknownField {
        meant: nearest_field(words.event, words.own_fields, key)
            .filter(|meant| *meant != format!("`{field}`")),
        field,
    }
}

/// Returns what was probably meant by a field.
pub(crate) fn nearest_field(event: EventName, own_fields: &[&str], key: &str) -> Option<String> {
    let word = squashed(key);
    let own = |name: &str| format!("`{SPECIFIC}.{name}`");
    let on_top = |name: &str| format!("`{name}`");
    let decides = || {
        event
            .can_refuse()
            .then(|| "`\"decision\": \"deny\"` with a `reason`, at the top of the reply".to_owned())
    };
    let same = |name: &&str| squashed(name) == word;
    if let Some(name) = own_fields.iter().copied().find(same) {
        return Some(own(name));
    }
    if let Some(name) = Reply::FIELDS.into_iter().find(same) {
        return Some(on_top(name));
    }
    if let Some(meant) = expected_word(event, key) {
        return Some(meant.to_owned());
    }
    match word.as_str() {
        "block" | "blocked" | "deny" | "denied" | "allow" | "allowed" | "approve" | "approved"
        | "permission" | "permissiondecision" | "behavior" | "action" | "verdict" | "result"
        | "status" | "ok" | "success" | "valid" | "safe" | "error" | "errormessage"
        | "exitcode" | "cancel" | "proceed" | "shouldblock" | "abort" | "reject" => decides(),
        "permissiondecisionreason" | "agentmessage" | "blockreason" | "denyreason" => {
            event.can_refuse().then(|| on_top("reason"))
        }
        "context" | "addedcontext" | "additionalcontexts"
            if own_fields.contains(&"additionalContext") =>
        {
            Some(own("additionalContext"))
        }
        "message" | "usermessage" | "msg" => Some(on_top("systemMessage")),
        "updatedinput" | "toolargs" | "args" | "arguments" | "input"
            if own_fields.contains(&"tool_input") =>
        {
            Some(own("tool_input"))
        }
        _ => {
            let names = own_fields.iter().copied().chain(Reply::FIELDS);
            let near = hookloop_settings::nearest(key, names)?;
            Some(if own_fields.contains(&near) {
                own(near)
            } else {
                on_top(near)
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use hookloop_events::{AfterTool, BeforeAgent, BeforeTool, Event, SessionStart};
    use serde_json::json;

    use super::*;

    fn unknown_in<E: Event>(reply: &Value) -> Vec<(String, Option<String>)> {
        unknown_fields(Vocabulary::of::<E>(), reply.as_object().unwrap())
            .into_iter()
            .map(|it| (it.field, it.meant))
            .collect()
    }

    /// IO-23: what an event doesn't know is named, with what was meant.
    #[test]
    fn what_was_meant_is_named() {
        let decision = "`\"decision\": \"deny\"` with a `reason`, at the top of the reply";
        for (reply, field, meant) in [
            (json!({"block": false}), "block", Some(decision)),
            (
                json!({"system_message": "m"}),
                "system_message",
                Some("`systemMessage`"),
            ),
            (json!({"message": "m"}), "message", Some("`systemMessage`")),
            (
                json!({"descision": "deny"}),
                "descision",
                Some("`decision`"),
            ),
            (
                json!({"hookSpecificOutput": {"toolInput": {}}}),
                "hookSpecificOutput.toolInput",
                Some("`hookSpecificOutput.tool_input`"),
            ),
            (
                json!({"hookSpecificOutput": {"reason": "r"}}),
                "hookSpecificOutput.reason",
                Some("`reason`"),
            ),
            (json!({"xyzzy": 1}), "xyzzy", None),
        ] {
            let expected = [(field.to_owned(), meant.map(str::to_owned))];
            assert_eq!(unknown_in::<BeforeTool>(&reply), expected, "{reply}");
        }
        let context = json!({"additional_context": "c"});
        assert_eq!(
            unknown_in::<BeforeAgent>(&context)[0].1.as_deref(),
            Some("`hookSpecificOutput.additionalContext`")
        );
        assert_eq!(
            unknown_in::<SessionStart>(&json!({"block": true}))[0].1,
            None
        );
    }

    /// IO-23, AT-5: what the event knows isn't named, nor is what it keeps as data, nor `null`.
    #[test]
    fn known_fields_are_not_named() {
        let known = json!({"decision": "allow", "reason": "r", "continue": true, "stopReason": "s",
            "systemMessage": "m", "suppressOutput": true, "x": null,
            "hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": {}}});
        assert!(unknown_in::<BeforeTool>(&known).is_empty());
        let data = json!({"hookSpecificOutput": {"score": 7}});
        assert!(unknown_in::<AfterTool>(&data).is_empty());
    }
}
