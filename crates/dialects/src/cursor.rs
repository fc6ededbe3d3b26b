//! Cursor, according to its documentation of July 2026 and tests of its builds. For one call, it
//! has a general event and another one for the type of tool.

mod payload;
mod tools;

use hookloop_events::{Decision, EventName};
use hookloop_hook::{Dialect, Refusing};
use serde_json::{Map, Value};

use crate::foreign::answer::{add_context, beside_result, replace_result, rewrite};
use crate::foreign::strict::{self, stricter};
use crate::foreign::{
    DialectTables, ForeignValue, ForeignVariable, HookOutput, McpName, SPECIFIC, TranslatedOutput,
    Words, variable,
};

/// The dialect's parts.
pub(crate) const TABLES: DialectTables = DialectTables {
    tools: tools::TOOLS,
    mcp: McpName::ToolAlone,
    words: Words::Anywhere,
    payload: payload::of,
    reply,
    environment: ENVIRONMENT,
    obeys: |_, _| None,
};

const ENVIRONMENT: &[ForeignVariable] = &[
    variable("CURSOR_PROJECT_DIR", ForeignValue::ProjectRoot),
    variable("CURSOR_TRANSCRIPT_PATH", ForeignValue::Transcript),
    variable("CLAUDE_PROJECT_DIR", ForeignValue::ProjectRoot),
];

fn reply(hook_output: &HookOutput<'_>) -> Option<TranslatedOutput> {
    match hook_output.exit? {
        0 => {}
        2 if hook_output.event == EventName::AfterTool => {
            return beside_result(hook_output, |fields| translate(hook_output, fields));
        }
        2 if may_refuse(hook_output.event) && hook_output.event != EventName::AfterAgent => {
            return refused(hook_output);
        }
        _ => return None,
    }
    let text = hook_output.stdout.trim();
    if text.is_empty() {
        return None;
    }
    match strict::object_in(text) {
        Some(mut read) => {
            let environment = environment(hook_output, &mut read.fields);
            let past_limit = past_limit(hook_output, &mut read.fields);
            let mut translation =
                TranslatedOutput::of(read, |fields| translate(hook_output, fields));
            translation.environment = environment;
            translation.remarks.extend(past_limit);
            Some(translation)
        }
        // Cursor ignores other text; broken JSON is searched for a refusal.
        _ if text.contains('{') => None,
        _ => Some(TranslatedOutput::reply(&Value::Object(Map::new()))),
    }
}

/// Returns whether exit code 2 keeps something from happening.
fn may_refuse(event: EventName) -> bool {
    event.refusing(Dialect::Cursor) == Refusing::Always
}

/// Reads a refusal by exit code with an object beside it: its message for the person goes to the
/// person, and the one for the model to the model. Without an object, standard error contains the
/// reason, as everywhere.
fn refused(hook_output: &HookOutput<'_>) -> Option<TranslatedOutput> {
    let read = strict::object_in(hook_output.stdout).filter(|read| !read.fields.is_empty())?;
    Some(TranslatedOutput::of(read, |mut fields| {
        fields.insert("permission".to_owned(), Value::from("deny"));
        let mut ours = translate(hook_output, fields);
        ours.insert("decision".to_owned(), Value::from("deny"));
        let text = hook_output.stderr.trim();
        if !text.is_empty() {
            ours.entry("reason").or_insert_with(|| Value::from(text));
        }
        ours
    }))
}

/// How often a follow-up makes a turn continue if a hook sets no limit of its own.
const LOOP_LIMIT: u32 = 5;

/// Removes a follow-up that comes after so many others that it has no effect any more, and returns
/// a note about that (FD-20).
fn past_limit(hook_output: &HookOutput<'_>, fields: &mut Map<String, Value>) -> Option<String> {
    const NAME: &str = "followup_message";
    if hook_output.event != EventName::AfterAgent || !fields.get(NAME).is_some_and(Value::is_string)
    {
        return None;
    }
    let limit = hook_output.loop_limit.unwrap_or(LOOP_LIMIT);
    let retries = hook_output
        .payload
        .get("turn_retries")
        .and_then(Value::as_u64);
    if retries.unwrap_or_default() < u64::from(limit) {
        return None;
    }
    fields.remove(NAME);
    Some(format!(
        "its `{NAME}` no longer has an effect: the turn has already continued {limit} times, which \
         is the limit (`loop_limit`)"
    ))
}

/// Takes the variables that a session begins with (FD-14). One that isn't text is left, and
/// reported as unknown.
fn environment(
    hook_output: &HookOutput<'_>,
    fields: &mut Map<String, Value>,
) -> Vec<(String, String)> {
    let Some(Value::Object(variables)) = fields.get("env") else {
        return Vec::new();
    };
    let is_text = variables.values().all(Value::is_string);
    if hook_output.event != EventName::SessionStart || !is_text {
        return Vec::new();
    }
    let texts = variables.iter();
    let texts = texts.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    let texts = texts.collect();
    fields.remove("env");
    texts
}

/// Replaces their fields by ours. What is left is understood by the reader of replies, or reported
/// as unknown to the event (FD-23).
fn translate(hook_output: &HookOutput<'_>, mut fields: Map<String, Value>) -> Map<String, Value> {
    let user_message = take(&mut fields, ["user_message", "userMessage"]);
    let agent_message = take(&mut fields, ["agent_message", "agentMessage"]);
    let mut own = match fields.remove(SPECIFIC) {
        Some(Value::Object(own)) => own,
        None | Some(Value::Null) => Map::new(),
        Some(other) => {
            // The reader reports what is wrong with it, and reads a refusal beside it.
            fields.insert(SPECIFIC.to_owned(), other);
            return fields;
        }
    };
    if let Some(permission) = fields.remove("permission").filter(|it| !it.is_null()) {
        let counts = match fields.remove("decision").filter(|it| !it.is_null()) {
            Some(decision) if allows(&permission) => decision,
            Some(decision) if !allows(&decision) => stricter("decision", permission, decision),
            Some(_) | None => permission,
        };
        fields.insert("decision".to_owned(), counts);
    }
    if hook_output.event == EventName::BeforeAgent
        && fields.get("continue") == Some(&Value::Bool(false))
    {
        // In Cursor, this drops the prompt, and ends nothing else.
        fields.remove("continue");
        fields.insert("decision".to_owned(), Value::from("deny"));
    }
    if fields.contains_key("decision") {
        let reason = agent_message.clone().or_else(|| user_message.clone());
        if let Some(reason) = reason {
            fields.entry("reason").or_insert(reason);
        }
    } else if let Some(message) = agent_message {
        own.insert("additionalContext".to_owned(), message);
    }
    if let Some(message) = user_message {
        fields.entry("systemMessage").or_insert(message);
    }
    let context = take(&mut fields, ["additional_context", "additionalContext"]);
    if let Some(context) = context {
        add_context(&mut own, context);
    }
    match hook_output.event {
        EventName::BeforeTool => {
            let input = take(&mut fields, ["updated_input", "updatedInput"]);
            rewrite(hook_output, tools::TOOLS, input, &mut own);
        }
        EventName::AfterTool => {
            let output = take(
                &mut fields,
                ["updated_mcp_tool_output", "updatedToolOutput"],
            );
            let output = output.or_else(|| own.remove("updatedToolOutput"));
            if let Some(output) = output.filter(|it| !it.is_null()) {
                replace_result(&mut fields, &output);
            }
        }
        EventName::AfterAgent => {
            // A value that isn't a string is left, and reported as unknown.
            if let Some(Value::String(message)) = fields.get("followup_message") {
                let message = message.clone();
                fields.remove("followup_message");
                if !message.trim().is_empty() {
                    fields.insert("decision".to_owned(), Value::from("deny"));
                    fields.insert("reason".to_owned(), Value::from(message));
                }
            }
        }
        _ => {}
    }
    if !own.is_empty() {
        fields.insert(SPECIFIC.to_owned(), Value::Object(own));
    }
    fields
}

fn allows(value: &Value) -> bool {
    value.as_str().and_then(Decision::read) == Some(Decision::Allow)
}

/// Takes a field in either of two spellings.
fn take(fields: &mut Map<String, Value>, names: [&str; 2]) -> Option<Value> {
    let [one, other] = names.map(|name| fields.remove(name));
    one.or(other)
}
