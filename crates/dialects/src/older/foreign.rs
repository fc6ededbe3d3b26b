//! Replies in the format of Claude Code and the agents that adopted it.

use hookloop_events::EventName;
use serde_json::{Map, Value};

use super::{SPECIFIC, move_in};
use crate::vocabulary::claude_event;

/// Replaces their fields by ours.
pub(super) fn translate(event: EventName, reply: &mut Map<String, Value>) {
    if let Some(Value::Object(specific)) = reply.get_mut(SPECIFIC) {
        rename_event(event, specific);
    }
    if event != EventName::BeforeTool {
        return;
    }
    let decision = take(reply, "permissionDecision");
    let reason = take(reply, "permissionDecisionReason");
    if let Some(decision) = decision
        && weight(Some(&decision)) > weight(reply.get("decision"))
    {
        reply.insert("decision".to_owned(), decision);
        // The existing reason belongs to the weaker decision.
        if let Some(reason) = reason {
            reply.insert("reason".to_owned(), reason);
        }
    }
    if let Some(input) = take(reply, "updatedInput") {
        move_in(reply, "tool_input", input);
    }
}

/// Replaces their name of the event by ours; that of another event stays, and is reported (OUT-6).
fn rename_event(event: EventName, specific: &mut Map<String, Value>) {
    if let Some(Value::String(name)) = specific.get_mut("hookEventName")
        && claude_event(name) == Some(event)
    {
        event.as_str().clone_into(name);
    }
}

/// Takes a field from where it is: in `hookSpecificOutput`, or beside it.
fn take(reply: &mut Map<String, Value>, name: &str) -> Option<Value> {
    let beside = reply.remove(name);
    let within = match reply.get_mut(SPECIFIC) {
        Some(Value::Object(specific)) => specific.remove(name),
        _ => None,
    };
    within.or(beside)
}

/// Weighs decisions if both spellings are present: a refusal is never outweighed. A word that isn't
/// a decision weighs most, so that reading it reports it.
fn weight(decision: Option<&Value>) -> u8 {
    let Some(decision) = decision else { return 0 };
    let word = decision.as_str().map(str::to_ascii_lowercase);
    match word.as_deref() {
        Some("allow" | "approve") => 1,
        Some("ask") => 2,
        Some("deny" | "block") => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ours(event: EventName, reply: &Value) -> Value {
        let mut reply = reply.as_object().expect("an object").clone();
        translate(event, &mut reply);
        Value::Object(reply)
    }

    /// OUT-7: a refusal in the words of Claude Code is one, wherever it is.
    #[test]
    fn their_refusal_refuses() {
        let within = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse",
            "permissionDecision": "deny", "permissionDecisionReason": "no"}});
        let expected = json!({"hookSpecificOutput": {"hookEventName": "BeforeTool"},
            "decision": "deny", "reason": "no"});
        assert_eq!(ours(EventName::BeforeTool, &within), expected);
        let beside = json!({"permissionDecision": "ask"});
        assert_eq!(
            ours(EventName::BeforeTool, &beside),
            json!({"decision": "ask"})
        );
    }

    /// OUT-7, AG-1: if both spellings are present, the refusal counts.
    #[test]
    fn a_refusal_outweighs_in_either_spelling() {
        for (theirs, own, counts) in [
            ("deny", "allow", "deny"),
            ("allow", "deny", "deny"),
            ("ask", "approve", "ask"),
            ("ask", "block", "block"),
        ] {
            let both = json!({"decision": own, "permissionDecision": theirs});
            let decision = ours(EventName::BeforeTool, &both)["decision"].clone();
            assert_eq!(decision, counts, "{theirs} {own}");
        }
        let both = json!({"decision": "allow", "reason": "fine",
            "permissionDecision": "deny", "permissionDecisionReason": "no"});
        assert_eq!(ours(EventName::BeforeTool, &both)["reason"], "no");
    }

    /// OUT-6, OUT-7: the name of another event stays, and fields of other events do.
    #[test]
    fn what_is_not_theirs_stays() {
        let other = json!({"hookSpecificOutput": {"hookEventName": "PostToolUse"}});
        assert_eq!(ours(EventName::BeforeTool, &other), other);
        let elsewhere = json!({"permissionDecision": "deny", "updatedInput": {}});
        assert_eq!(ours(EventName::BeforeModel, &elsewhere), elsewhere);
    }

    /// BT-3, OUT-7: a rewrite in their words is one; ours counts before it.
    #[test]
    fn their_rewrite_rewrites() {
        let theirs = json!({"hookSpecificOutput": {"updatedInput": {"a": 1}}});
        let expected = json!({"hookSpecificOutput": {"tool_input": {"a": 1}}});
        assert_eq!(ours(EventName::BeforeTool, &theirs), expected);
        let both = json!({"hookSpecificOutput":
            {"tool_input": {"a": 2}, "updatedInput": {"a": 1}}});
        let expected = json!({"hookSpecificOutput": {"tool_input": {"a": 2}}});
        assert_eq!(ours(EventName::BeforeTool, &both), expected);
    }
}
