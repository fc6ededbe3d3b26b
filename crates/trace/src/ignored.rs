//! Fields of replies that had no effect (CM-3, IO-22, TS-3).

use hookloop_dialects::modernise;
use hookloop_engine::{RunEnding, RunRecord};
use hookloop_events::{Decision, EventName, own_fields};
use hookloop_hook::Dialect;
use serde_json::{Map, Value};

const SPECIFIC: &str = "hookSpecificOutput";

/// The fields that replies to every event may have.
const COMMON_FIELDS: [&str; 7] = [
    "continue",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "decision",
    "reason",
    SPECIFIC,
];

/// Returns the paths of the reply's fields that have no effect at the event: unknown ones, those of
/// other events, and decisions if there is nothing to decide (IO-22, TS-3, SS-2).
///
/// For a reply that counts as a failure, only unknown fields are returned, because other reports
/// cover the rest; for a suppressed reply, none (OUT-2).
pub fn ignored_fields(record: &RunRecord) -> Vec<String> {
    let read_whole = record.ending == RunEnding::Exited(0) && record.failure.is_none();
    let Some(content) = record.recordable_content() else {
        return Vec::new();
    };
    if !read_whole || record.hook.dialect != Dialect::Hookloop {
        // The reply wasn't read completely, or was translated before its event read it (FD-23).
        return record.unknown_fields.clone();
    }
    let Some(reply) = object_of(&content.stdout) else {
        return Vec::new();
    };
    let event = record.event;
    let reply = modernise(event, reply);
    let mut fields: Vec<String> = reply
        .iter()
        .filter(|(name, value)| !value.is_null() && !has_effect(event, name, value))
        .map(|(name, _)| name.clone())
        .collect();
    if let Some(specific) = reply.get(SPECIFIC).and_then(Value::as_object) {
        let ignored = specific
            .iter()
            .filter(|(name, value)| !value.is_null() && !is_specific(event, name))
            .map(|(name, _)| format!("{SPECIFIC}.{name}"));
        fields.extend(ignored);
    }
    fields
}

/// Parses the object on standard output, even inside a JSON string (IO-12).
fn object_of(stdout: &str) -> Option<Map<String, Value>> {
    match serde_json::from_str(stdout.trim()).ok()? {
        Value::Object(fields) => Some(fields),
        Value::String(inner) => serde_json::from_str(&inner).ok(),
        _ => None,
    }
}

fn has_effect(event: EventName, name: &str, value: &Value) -> bool {
    match name {
        "decision" if !event.can_refuse() => {
            let decision = value.as_str().and_then(Decision::read);
            decision == Some(Decision::Allow)
        }
        "continue" if !event.can_refuse() => value != &Value::Bool(false),
        "systemMessage" => event != EventName::BeforeToolSelection,
        _ => COMMON_FIELDS.contains(&name),
    }
}

fn is_specific(event: EventName, name: &str) -> bool {
    // Fields that `AfterTool` doesn't know are kept as the result's metadata (AT-5).
    event == EventName::AfterTool || name == "hookEventName" || own_fields(event).contains(&name)
}
