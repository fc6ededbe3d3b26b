//! Older and foreign spellings in replies, which have the same meaning (OUT-7).

mod foreign;

use hookloop_events::EventName;
use serde_json::{Map, Value};

const SPECIFIC: &str = "hookSpecificOutput";

/// Rewrites older spellings in a reply. If both are present, the newer one wins (OUT-7).
///
/// The fields of Claude Code and the agents that adopted them are also accepted, so that a script
/// that was written for them still refuses: `permissionDecision` and its reason, `updatedInput`,
/// and their names for the event.
///
/// A value of the wrong type is moved unchanged, so that parsing reports its place.
pub fn modernise(event: EventName, mut reply: Map<String, Value>) -> Map<String, Value> {
    for (older, newer) in moved_fields(event) {
        if let Some(value) = reply.remove(*older) {
            move_in(&mut reply, newer, value);
        }
    }
    if event == EventName::AfterModel
        && let Some(text) = reply.remove("content")
        && !text.is_null()
    {
        move_in(
            &mut reply,
            "llm_response",
            serde_json::json!({ "text": text }),
        );
    }
    if let Some(Value::Object(specific)) = reply.get_mut(SPECIFIC) {
        modernise_specific(specific);
    }
    foreign::translate(event, &mut reply);
    reply
}

/// Names the top-level fields that moved into `hookSpecificOutput`, with their new names. Of two
/// older spellings of the same the first one counts.
fn moved_fields(event: EventName) -> &'static [(&'static str, &'static str)] {
    match event {
        EventName::SessionStart | EventName::BeforeAgent => {
            &[("additionalContext", "additionalContext")]
        }
        EventName::BeforeModel => &[
            ("llm_request", "llm_request"),
            ("modifiedRequest", "llm_request"),
            ("llm_response", "llm_response"),
            ("syntheticResponse", "llm_response"),
        ],
        EventName::AfterModel => &[
            ("llm_response", "llm_response"),
            ("modifiedResponse", "llm_response"),
        ],
        EventName::BeforeToolSelection => &[("toolConfig", "toolConfig")],
        EventName::AfterAgent => &[("clearContext", "clearContext")],
        EventName::BeforeTool => &[("tool_input", "tool_input")],
        EventName::AfterTool => &[
            ("additionalContext", "additionalContext"),
            ("tailToolCallRequest", "tailToolCallRequest"),
        ],
        EventName::SessionEnd | EventName::PreCompress | EventName::Notification => &[],
    }
}

/// Puts a value into `hookSpecificOutput`, unless the newer spelling is there already.
fn move_in(reply: &mut Map<String, Value>, name: &str, value: Value) {
    let specific = reply.entry(SPECIFIC).or_insert(Value::Null);
    if specific.is_null() {
        *specific = Value::Object(Map::new());
    }
    if let Value::Object(specific) = specific {
        specific.entry(name).or_insert(value);
    }
}

fn modernise_specific(specific: &mut Map<String, Value>) {
    if let Some(config) = specific.get_mut("toolConfig") {
        flatten_tool_config(config);
    }
    if let Some(Value::Object(request)) = specific.get_mut("llm_request")
        && let Some(config) = request.get_mut("toolConfig")
    {
        flatten_tool_config(config);
    }
    if let Some(Value::Object(response)) = specific.get_mut("llm_response")
        && let Some(candidate) = response.remove("candidate")
    {
        response
            .entry("candidates")
            .or_insert_with(|| Value::Array(vec![candidate]));
    }
}

/// Lifts `functionCallingConfig.{mode,allowedFunctionNames}` out of their wrapper.
fn flatten_tool_config(config: &mut Value) {
    let Value::Object(config) = config else {
        return;
    };
    match config.remove("functionCallingConfig") {
        Some(Value::Object(inner)) => {
            for (key, value) in inner {
                config.entry(key).or_insert(value);
            }
        }
        None | Some(Value::Null) => {}
        // No mode has this form, either, so reading the reply fails with a report.
        Some(other) => {
            config.entry("mode").or_insert(Value::Array(vec![other]));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn modern(event: EventName, reply: Value) -> Value {
        let Value::Object(reply) = reply else {
            panic!("a reply is an object")
        };
        Value::Object(modernise(event, reply))
    }

    /// OUT-7: the older spellings mean the same as the current ones.
    #[test]
    fn older_spellings_become_todays() {
        let cases = [
            (
                EventName::BeforeModel,
                json!({"modifiedRequest": {"model": "m"}}),
                json!({"hookSpecificOutput": {"llm_request": {"model": "m"}}}),
            ),
            (
                EventName::BeforeModel,
                json!({"syntheticResponse": {"text": "hi", "functionCalls": []}}),
                json!({"hookSpecificOutput": {"llm_response": {"text": "hi", "functionCalls": []}}}),
            ),
            (
                EventName::AfterModel,
                json!({"modifiedResponse": {"candidate": {"content": {"parts": ["x"]}}}}),
                json!({"hookSpecificOutput": {"llm_response":
                    {"candidates": [{"content": {"parts": ["x"]}}]}}}),
            ),
            (
                EventName::AfterModel,
                json!({"content": "redacted"}),
                json!({"hookSpecificOutput": {"llm_response": {"text": "redacted"}}}),
            ),
            (
                EventName::BeforeTool,
                json!({"tool_input": {"a": 1}}),
                json!({"hookSpecificOutput": {"tool_input": {"a": 1}}}),
            ),
            (
                EventName::AfterTool,
                json!({"additionalContext": "c", "tailToolCallRequest": {"name": "glob"}}),
                json!({"hookSpecificOutput": {"additionalContext": "c",
                    "tailToolCallRequest": {"name": "glob"}}}),
            ),
            (
                EventName::SessionStart,
                json!({"additionalContext": "c"}),
                json!({"hookSpecificOutput": {"additionalContext": "c"}}),
            ),
            (
                EventName::BeforeModel,
                json!({"llm_request": {"model": "m"}, "modifiedRequest": {"model": "old"},
                    "llm_response": {"text": "t"}}),
                json!({"hookSpecificOutput": {"llm_request": {"model": "m"},
                    "llm_response": {"text": "t"}}}),
            ),
            (
                EventName::BeforeToolSelection,
                json!({"toolConfig": {"functionCallingConfig": {"mode": "ANY",
                    "allowedFunctionNames": ["glob"]}}}),
                json!({"hookSpecificOutput": {"toolConfig": {"mode": "ANY",
                    "allowedFunctionNames": ["glob"]}}}),
            ),
        ];
        for (event, older, newer) in cases {
            assert_eq!(modern(event, older), newer, "{event}");
        }
    }

    /// OUT-7: a value of a wrong type isn't dropped in silence: it is moved, and reading the reply
    /// finds it there.
    #[test]
    fn a_wrong_type_is_moved_too() {
        let cases = [
            (
                EventName::AfterModel,
                json!({"content": ["redacted"]}),
                json!({"hookSpecificOutput": {"llm_response": {"text": ["redacted"]}}}),
            ),
            (EventName::AfterModel, json!({"content": null}), json!({})),
            (
                EventName::BeforeToolSelection,
                json!({"toolConfig": {"functionCallingConfig": "NONE"}}),
                json!({"hookSpecificOutput": {"toolConfig": {"mode": ["NONE"]}}}),
            ),
        ];
        for (event, older, newer) in cases {
            assert_eq!(modern(event, older), newer, "{event}");
        }
    }

    /// OUT-7: if both spellings are present, the newer one wins.
    #[test]
    fn the_newer_spelling_wins() {
        let both = json!({
            "toolConfig": {"mode": "NONE"},
            "hookSpecificOutput": {"toolConfig": {"mode": "ANY",
                "functionCallingConfig": {"mode": "AUTO"}}},
        });
        assert_eq!(
            modern(EventName::BeforeToolSelection, both),
            json!({"hookSpecificOutput": {"toolConfig": {"mode": "ANY"}}})
        );
        let both = json!({"content": "old",
            "hookSpecificOutput": {"llm_response": {"text": "new"}}});
        assert_eq!(
            modern(EventName::AfterModel, both),
            json!({"hookSpecificOutput": {"llm_response": {"text": "new"}}})
        );
    }

    /// OUT-7: fields of the same name at other events are left alone.
    #[test]
    fn other_events_keep_their_fields() {
        let reply = json!({"content": "x", "toolConfig": 1, "additionalContext": "c"});
        assert_eq!(modern(EventName::BeforeTool, reply.clone()), reply);
    }
}
