//! Answers in the format of Claude Code, which Codex, Qwen Code and Copilot adopted (FD-20). Each
//! function changes a reply in place. What is left is then parsed as one of our replies, or
//! reported as unknown to the event (FD-23).

use hookloop_events::EventName;
use hookloop_events::refusal::Readable;
use hookloop_hook::{Dialect, Refusing};
use serde_json::{Map, Value, json};

use super::call::addresses_in;
use super::strict::{self, Read, stricter};
use super::tools::{ToolRule, to_our_arguments};
use super::{HookOutput, SPECIFIC, TranslatedOutput};
use crate::vocabulary::claude_event;

/// What a refusal after a tool ran does in an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterTool {
    /// Its reason is beside the result.
    Beside,
    /// Its reason is in the result's place.
    Instead,
}

/// What context from a hook at the end of a turn does in an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtEnd {
    /// The turn continues with it.
    GoesOn,
    /// It continues with it, unless the turn already did so.
    GoesOnOnce,
    /// Nothing, which is reported (FD-23).
    Nothing,
}

/// How an agent of the family reads answers.
pub(crate) struct ReplyRules {
    pub(crate) tools: &'static [ToolRule],
    pub(crate) after_tool: AfterTool,
    /// Events of ours on which text that isn't JSON is context for the model.
    pub(crate) text_is_context: &'static [EventName],
    /// What context at the end of a turn does.
    pub(crate) at_end: AtEnd,
    /// Adds further fields of the agent to those of the family.
    pub(crate) prepare: fn(&HookOutput<'_>, &mut Map<String, Value>),
}

/// Translates an answer into our words; nothing if it has to be read as it is.
pub(crate) fn translate_output(
    hook_output: &HookOutput<'_>,
    hearing: &ReplyRules,
) -> Option<TranslatedOutput> {
    match hook_output.exit? {
        2 if hook_output.event == EventName::AfterTool
            && hearing.after_tool == AfterTool::Beside =>
        {
            beside_result(hook_output, |fields| {
                translate(hook_output, hearing, fields)
            })
        }
        2 => None,
        // With any other exit code, a reply counts.
        exit => {
            if let Some(read) = strict::object_in(hook_output.stdout)
                && (exit == 0 || !read.fields.is_empty())
            {
                return Some(TranslatedOutput::of(read, |fields| {
                    translate(hook_output, hearing, fields)
                }));
            }
            (exit == 0).then(|| plain(hook_output, hearing)).flatten()
        }
    }
}

/// Reads exit code 2 after a tool ran, if it refuses nothing: the action is over, and what the hook
/// says can only go to the model, beside the result. A reply on standard output means the same as
/// with exit code 0 (FD-20, FD-21). Returns `None` if the hook said nothing.
pub(crate) fn beside_result(
    hook_output: &HookOutput<'_>,
    translated: impl FnOnce(Map<String, Value>) -> Map<String, Value>,
) -> Option<TranslatedOutput> {
    let read = strict::object_in(hook_output.stdout).filter(|read| !read.fields.is_empty());
    let stdout = if read.is_some() {
        ""
    } else {
        hook_output.stdout
    };
    if Readable::hidden_in(hook_output.event, stdout).is_some() {
        // Broken, or among other text: the reader finds the refusal in it.
        return None;
    }
    let text = first_text([hook_output.stderr, stdout]);
    let read = match (read, text) {
        (Some(read), _) => read,
        (None, Some(_)) => Read::default(),
        (None, None) => return None,
    };
    Some(TranslatedOutput::of(read, |fields| {
        let mut fields = translated(fields);
        let own = fields
            .entry(SPECIFIC)
            .or_insert_with(|| Value::Object(Map::new()));
        // A value that isn't an object stays as it is: the reader reports what is wrong with it.
        if let (Value::Object(own), Some(text)) = (own, text) {
            add_context(own, text.into());
        }
        fields
    }))
}

/// Adds to what the model reads, among an event's own fields. What isn't a text is left to the
/// reader, which reports it.
pub(crate) fn add_context(own: &mut Map<String, Value>, added: Value) {
    const NAME: &str = "additionalContext";
    let both = match (own.get(NAME).and_then(Value::as_str), &added) {
        (Some(known), Value::String(added)) => Value::from(format!("{added}\n{known}")),
        _ => added,
    };
    own.insert(NAME.to_owned(), both);
}

/// Text is context when a prompt or a session begins, and means nothing elsewhere. What begins like
/// an object isn't text, even if it is broken: the reader reports what is wrong with it.
fn plain(hook_output: &HookOutput<'_>, hearing: &ReplyRules) -> Option<TranslatedOutput> {
    let text = hook_output.stdout.trim();
    let is_object = text.starts_with('{') && !text.starts_with("{{");
    let may_refuse = hook_output.event.refusing(Dialect::ClaudeCode) == Refusing::Always;
    let refuses = || may_refuse && Readable::hidden_in(hook_output.event, text).is_some();
    if text.is_empty() || is_object || refuses() {
        return None;
    }
    Some(if hearing.text_is_context.contains(&hook_output.event) {
        TranslatedOutput::reply(&json!({ SPECIFIC: {"additionalContext": text} }))
    } else {
        TranslatedOutput::reply(&json!({}))
    })
}

/// Returns the first text that isn't blank.
fn first_text(texts: [&str; 2]) -> Option<&str> {
    texts
        .into_iter()
        .map(str::trim)
        .find(|text| !text.is_empty())
}

/// Replaces their fields by ours.
pub(crate) fn translate(
    hook_output: &HookOutput<'_>,
    hearing: &ReplyRules,
    mut fields: Map<String, Value>,
) -> Map<String, Value> {
    (hearing.prepare)(hook_output, &mut fields);
    let mut own = match fields.remove(SPECIFIC) {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(own)) => own,
        Some(other) => {
            // The reader reports what is wrong with it.
            fields.insert(SPECIFIC.to_owned(), other);
            return fields;
        }
    };
    let names_event = |name: &str| {
        claude_event(name) == Some(hook_output.event)
            || (hook_output.event == EventName::BeforeTool && name == "PermissionRequest")
    };
    if own
        .get("hookEventName")
        .and_then(Value::as_str)
        .is_some_and(names_event)
    {
        own.remove("hookEventName");
    }
    match hook_output.event {
        EventName::BeforeTool => before_tool(hook_output, hearing.tools, &mut fields, &mut own),
        EventName::AfterTool => after_tool(hearing.after_tool, &mut fields, &mut own),
        EventName::AfterAgent if goes_on(hook_output, hearing.at_end) => {
            after_agent(&mut fields, &mut own);
        }
        _ => {}
    }
    if !own.is_empty() {
        fields.insert(SPECIFIC.to_owned(), Value::Object(own));
    }
    fields
}

fn before_tool(
    hook_output: &HookOutput<'_>,
    tools: &'static [ToolRule],
    fields: &mut Map<String, Value>,
    own: &mut Map<String, Value>,
) {
    let defers = |value: &Value| {
        value
            .as_str()
            .is_some_and(|it| it.eq_ignore_ascii_case("defer"))
    };
    for place in [&mut *fields, &mut *own] {
        if let Some(decision) = place.get_mut("permissionDecision").filter(|it| defers(it)) {
            // Here, decisions can't be deferred, so the person is asked now.
            *decision = Value::from("ask");
        }
    }
    if let Some(answer @ Value::Object(_)) = fields.get("decision").cloned() {
        // It is one level too high.
        fields.remove("decision");
        let counts = match own.remove("decision") {
            Some(known) => stricter("decision", known, answer),
            None => answer,
        };
        own.insert("decision".to_owned(), counts);
    }
    permission_answer(fields, own);
    rewrite(hook_output, tools, own.remove("updatedInput"), own);
}

/// Puts new arguments into an event's own fields, in our words. If they aren't an object, they stay
/// as they are, and the reader reports it (IO-22).
pub(crate) fn rewrite(
    hook_output: &HookOutput<'_>,
    tools: &'static [ToolRule],
    input: Option<Value>,
    own: &mut Map<String, Value>,
) {
    let input = match input {
        None | Some(Value::Null) => return,
        Some(Value::Object(input)) => {
            Value::Object(translate_arguments(hook_output, tools, &input))
        }
        Some(other) => other,
    };
    own.entry("tool_input").or_insert(input);
}

/// Returns new arguments in our words.
fn translate_arguments(
    hook_output: &HookOutput<'_>,
    tools: &'static [ToolRule],
    input: &Map<String, Value>,
) -> Map<String, Value> {
    let tool = hook_output.payload.get("tool_name").and_then(Value::as_str);
    let rule = tool.and_then(|tool| tools.iter().find(|rule| rule.ours == tool));
    let mut ours = to_our_arguments(rule, input);
    if rule.is_some() && tool == Some("web_fetch") {
        with_address(hook_output, &mut ours);
    }
    ours
}

/// Puts an address from a hook into the prompt: in their agent it is beside the prompt, here it is
/// in it.
fn with_address(hook_output: &HookOutput<'_>, ours: &mut Map<String, Value>) {
    let Some(Value::String(new)) = ours.remove("url") else {
        return;
    };
    let old = hook_output
        .payload
        .get("tool_input")
        .and_then(|it| it.get("prompt"));
    let old = old.and_then(Value::as_str).unwrap_or_default();
    let prompt = ours.get("prompt").and_then(Value::as_str).unwrap_or(old);
    if new.lines().all(|address| prompt.contains(address)) {
        return;
    }
    let prompt = match addresses_in(old) {
        Some(addresses) if prompt.contains(&addresses) => prompt.replace(&addresses, &new),
        _ => format!("{new} {prompt}"),
    };
    ours.insert("prompt".to_owned(), Value::from(prompt));
}

/// Reads the answer to a request for permission: `decision: {behavior, message}`.
fn permission_answer(fields: &mut Map<String, Value>, own: &mut Map<String, Value>) {
    let Some(Value::Object(answer)) = own.get("decision") else {
        return;
    };
    let behaviour = answer.get("behavior").and_then(Value::as_str);
    let decision = match behaviour {
        Some(word) if word.eq_ignore_ascii_case("allow") => "allow",
        // Anything else isn't consent.
        _ => "deny",
    };
    let message = answer.get("message").cloned();
    if answer.get("interrupt") == Some(&Value::Bool(true)) && decision == "deny" {
        fields.insert("continue".to_owned(), Value::Bool(false));
    }
    if let Some(input) = answer
        .get("updatedInput")
        .filter(|it| !it.is_null())
        .cloned()
    {
        own.insert("updatedInput".to_owned(), input);
    }
    own.remove("decision");
    let name = "permissionDecision";
    let known = own.remove(name).filter(|it| !it.is_null());
    // Both forms may be present; the stricter one counts.
    let counts = match known.clone() {
        Some(known) => stricter(name, known, Value::from(decision)),
        None => Value::from(decision),
    };
    let is_other = known.is_some_and(|known| known == counts && counts != decision);
    own.insert(name.to_owned(), counts);
    if let Some(message) = message.filter(|_| !is_other) {
        own.insert("permissionDecisionReason".to_owned(), message);
    }
}

/// After a tool ran, a refusal is beside the result, or replaces it. A new output always replaces
/// it: what a hook removed must not be read after all.
fn after_tool(mode: AfterTool, fields: &mut Map<String, Value>, own: &mut Map<String, Value>) {
    let word = fields.get("decision").and_then(Value::as_str);
    let blocks =
        word.is_some_and(|it| matches!(it.to_ascii_lowercase().as_str(), "block" | "deny"));
    if blocks && mode == AfterTool::Beside {
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
        replace_result(fields, &output);
    }
}

/// Replaces a result by a new output.
pub(crate) fn replace_result(fields: &mut Map<String, Value>, output: &Value) {
    let text = match output {
        Value::String(text) => text.clone(),
        Value::Object(shape) => [
            "stdout",
            "content",
            "text",
            "textResultForLlm",
            "text_result_for_llm",
        ]
        .into_iter()
        .find_map(|name| shape.get(name).and_then(Value::as_str))
        .map_or_else(|| output.to_string(), str::to_owned),
        other => other.to_string(),
    };
    fields.insert("decision".to_owned(), Value::from("deny"));
    fields.insert("reason".to_owned(), Value::from(text));
}

/// Returns whether context makes a finished turn continue.
fn goes_on(hook_output: &HookOutput<'_>, at_end: AtEnd) -> bool {
    let went_on = hook_output.payload.get("stop_hook_active") == Some(&Value::Bool(true));
    match at_end {
        AtEnd::GoesOn => true,
        AtEnd::GoesOnOnce => !went_on,
        AtEnd::Nothing => false,
    }
}

/// Context at the end of a turn makes it continue, as a refusal does.
fn after_agent(fields: &mut Map<String, Value>, own: &mut Map<String, Value>) {
    if fields.contains_key("decision") {
        return;
    }
    if let Some(context) = own.remove("additionalContext") {
        fields.insert("decision".to_owned(), Value::from("deny"));
        fields.insert("reason".to_owned(), context);
    }
}
