//! What the answer of a hook of Claude Code means (FD-20).

use hookloop_events::EventName;
use hookloop_events::refusal::Readable;
use serde_json::{Map, Value, json};

use super::tools::rule;
use crate::foreign::{Heard, Said, ours_of};
use crate::migrate::claude_event;

const SPECIFIC: &str = "hookSpecificOutput";

/// Says it in our words; nothing where it is to be read as it stands.
pub(super) fn heard(said: &Said<'_>) -> Option<Heard> {
    match said.exit {
        0 => heard_after_success(said),
        // After the tool ran, what it says stands beside the result, not instead of it.
        2 if said.event == EventName::AfterTool => {
            let reason = first_text([said.stderr, said.stdout])?;
            Some(reply(&json!({ SPECIFIC: {"additionalContext": reason} })))
        }
        _ => None,
    }
}

fn heard_after_success(said: &Said<'_>) -> Option<Heard> {
    let text = said.stdout.trim();
    if text.is_empty() {
        return None;
    }
    if let Ok(Value::Object(fields)) = serde_json::from_str(text) {
        return Some(reply(&Value::Object(translated(said, fields))));
    }
    if text.starts_with(['{', '[', '"']) || Readable::hidden_in(said.event, text).is_some() {
        return None;
    }
    // Text is context where a prompt or a session begins, and nothing elsewhere.
    Some(match said.event {
        EventName::BeforeAgent | EventName::SessionStart => {
            reply(&json!({ SPECIFIC: {"additionalContext": text} }))
        }
        _ => reply(&json!({})),
    })
}

fn reply(fields: &Value) -> Heard {
    Heard {
        exit: 0,
        stdout: fields.to_string(),
    }
}

fn first_text(texts: [&str; 2]) -> Option<&str> {
    texts
        .into_iter()
        .map(str::trim)
        .find(|text| !text.is_empty())
}

/// Puts our fields in the place of theirs. What is left is understood by the reader of replies, or
/// reported as unknown to the event (FD-23).
fn translated(said: &Said<'_>, mut fields: Map<String, Value>) -> Map<String, Value> {
    let mut own = match fields.remove(SPECIFIC) {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(own)) => own,
        Some(other) => {
            // The reader says what is wrong with it.
            fields.insert(SPECIFIC.to_owned(), other);
            return fields;
        }
    };
    let names_event = |name: &str| {
        claude_event(name) == Some(said.event)
            || matches!(
                (said.event, name),
                (EventName::AfterTool, "PostToolUseFailure")
                    | (EventName::AfterAgent, "SubagentStop")
            )
    };
    if own
        .get("hookEventName")
        .and_then(Value::as_str)
        .is_some_and(names_event)
    {
        own.remove("hookEventName");
    }
    match said.event {
        EventName::BeforeTool => before_tool(said, &mut fields, &mut own),
        EventName::AfterTool => after_tool(&mut fields, &mut own),
        EventName::AfterAgent => after_agent(&mut fields, &mut own),
        _ => {}
    }
    if !own.is_empty() {
        fields.insert(SPECIFIC.to_owned(), Value::Object(own));
    }
    fields
}

fn before_tool(said: &Said<'_>, fields: &mut Map<String, Value>, own: &mut Map<String, Value>) {
    let defers = |value: &Value| {
        value
            .as_str()
            .is_some_and(|it| it.eq_ignore_ascii_case("defer"))
    };
    for place in [&mut *fields, &mut *own] {
        if let Some(decision) = place.get_mut("permissionDecision").filter(|it| defers(it)) {
            // Nobody takes the decision up later here: a person is asked now.
            *decision = Value::from("ask");
        }
    }
    let tool = said.payload.get("tool_name").and_then(Value::as_str);
    if let Some(Value::Object(input)) = own.remove("updatedInput") {
        let input = ours_of(tool.and_then(rule), &input);
        own.entry("tool_input").or_insert(Value::Object(input));
    }
}

/// After a tool ran a refusal stands beside the result. A new output takes the result's place: what
/// a hook took out of it must not be read all the same.
fn after_tool(fields: &mut Map<String, Value>, own: &mut Map<String, Value>) {
    let word = fields.get("decision").and_then(Value::as_str);
    let blocks =
        word.is_some_and(|it| matches!(it.to_ascii_lowercase().as_str(), "block" | "deny"));
    if blocks {
        fields.remove("decision");
        let reason = fields.remove("reason");
        let texts = [reason.as_ref(), own.get("additionalContext")];
        let texts: Vec<&str> = texts
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        own.insert(
            "additionalContext".to_owned(),
            Value::from(texts.join("\n")),
        );
    }
    let output = ["updatedToolOutput", "updatedMCPToolOutput"]
        .into_iter()
        .find_map(|name| own.remove(name))
        .filter(|output| !output.is_null());
    if let Some(output) = output {
        let text = match &output {
            Value::String(text) => text.clone(),
            Value::Object(shape) => ["stdout", "content", "text"]
                .into_iter()
                .find_map(|name| shape.get(name).and_then(Value::as_str))
                .map_or_else(|| output.to_string(), str::to_owned),
            other => other.to_string(),
        };
        fields.insert("decision".to_owned(), Value::from("deny"));
        fields.insert("reason".to_owned(), Value::from(text));
    }
}

/// Context at the end of a turn makes it go on, as a refusal does.
fn after_agent(fields: &mut Map<String, Value>, own: &mut Map<String, Value>) {
    if fields.contains_key("decision") {
        return;
    }
    if let Some(context) = own.remove("additionalContext") {
        fields.insert("decision".to_owned(), Value::from("deny"));
        fields.insert("reason".to_owned(), context);
    }
}
