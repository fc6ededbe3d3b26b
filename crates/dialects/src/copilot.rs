//! Copilot, measured on its build 1.0.102. The spelling of an event determines the format of its
//! payload: Copilot's own (`preToolUse`, `toolArgs`), or that of Claude Code (`PreToolUse`,
//! `tool_input`).

mod camel;
mod pascal;
mod shapes;
mod tools;

use hookloop_events::EventName;
use hookloop_events::refusal::Readable;
use serde_json::{Map, Value, json};

use crate::foreign::answer::{self, AfterTool, AtEnd, ReplyRules, replace_result};
use crate::foreign::call::Call;
use crate::foreign::strict;
use crate::foreign::{
    DialectTables, ExitTwo, ForeignValue, ForeignVariable, HookOutput, McpName, Obeys,
    OutgoingPayload, SPECIFIC, TranslatedOutput, Words, variable,
};

/// The dialect's parts.
pub(crate) const TABLES: DialectTables = DialectTables {
    tools: tools::TOOLS,
    mcp: McpName::Dashed,
    words: Words::Anchored,
    payload,
    reply,
    environment: ENVIRONMENT,
    obeys,
};

/// What it obeys, as measured; a request for permission has answers of its own.
fn obeys(event: Option<&str>, ours: EventName) -> Option<Obeys> {
    let is_prompt = ours == EventName::BeforeAgent;
    let is_pascal = event.is_some_and(|it| it.starts_with(|it: char| it.is_ascii_uppercase()));
    let asks = event.is_some_and(|it| it.eq_ignore_ascii_case("permissionRequest"));
    // How it handles a stop at the start of a session hasn't been observed.
    let is_known = ours != EventName::SessionStart;
    (is_known && !asks).then_some(Obeys {
        agent: "Copilot",
        decisions: if is_prompt { &["block"] } else { &[] },
        at_the_top: !is_prompt,
        among_its_own: (is_pascal && !is_prompt).then_some(&[]),
        asks: true,
        stops: false,
        beside_failure: true,
        exit_2: if is_prompt {
            ExitTwo::Nothing
        } else {
            ExitTwo::Refuses
        },
    })
}

const ENVIRONMENT: &[ForeignVariable] = &[
    variable("COPILOT_CLI", ForeignValue::Text("1")),
    variable("COPILOT_HOOK_DIR", ForeignValue::HookFolder),
    variable("COPILOT_PROJECT_DIR", ForeignValue::ProjectRoot),
    variable("CLAUDE_PROJECT_DIR", ForeignValue::ProjectRoot),
];

const REPLY_RULES: ReplyRules = ReplyRules {
    tools: tools::TOOLS,
    after_tool: AfterTool::Instead,
    text_is_context: &[],
    at_end: AtEnd::Nothing,
    prepare,
};

/// Returns the text of a result as its model reads it: after what a command printed, how it ended.
fn result_text(call: &Call<'_>) -> String {
    let mut output = call.output();
    if let Some(code) = call.exit_code() {
        output.truncate(output.trim_end_matches('\n').len());
        output.extend([
            "\n<shellId: 0 completed with exit code ",
            &code.to_string(),
            ">",
        ]);
    }
    output
}

/// Events whose payload is the same however they are spelled, but for what it says of a sub-agent.
const SPELLED_ALIKE: [(&str, &str); 2] = [
    ("PermissionRequest", "permissionRequest"),
    ("SubagentStart", "subagentStart"),
];

/// What such a payload says of a sub-agent, in Copilot's own spelling and in that of Claude Code.
const SPELLED_APART: [(&str, &str); 3] = [
    ("agentId", "agent_id"),
    ("agentType", "agent_type"),
    ("parentAgentId", "parent_agent_id"),
];

fn payload(asked: &OutgoingPayload<'_>) -> Map<String, Value> {
    let is_theirs = asked.event.starts_with(|it: char| it.is_ascii_lowercase());
    if is_theirs {
        camel::payload(asked)
    } else if let Some((_, event)) = SPELLED_ALIKE.iter().find(|(it, _)| *it == asked.event) {
        let ours = asked.ours;
        let mut theirs = camel::payload(&OutgoingPayload { ours, event });
        for (camel, pascal) in SPELLED_APART {
            let value = theirs.remove(camel);
            theirs.extend(value.map(|value| (pascal.to_owned(), value)));
        }
        theirs
    } else {
        pascal::payload(asked)
    }
}

fn reply(hook_output: &HookOutput<'_>) -> Option<TranslatedOutput> {
    if hook_output.exit == Some(0) {
        return answer::translate_output(hook_output, &REPLY_RULES);
    }
    match hook_output.event {
        EventName::BeforeTool if hook_output.exit != Some(2) => {
            let how = match hook_output.exit {
                Some(code) => format!("exit code {code}"),
                None => "a signal".to_owned(),
            };
            Some(TranslatedOutput::refusal(
                hook_output,
                format!("it ended by {how}: in Copilot, any failure before a tool is a refusal"),
            ))
        }
        EventName::AfterTool if hook_output.exit == Some(2) => after_tool(hook_output),
        _ => None,
    }
}

/// Reads exit code 2 after a tool ran: text is context at most, and only on standard error.
fn after_tool(hook_output: &HookOutput<'_>) -> Option<TranslatedOutput> {
    let says_nothing = hook_output.stderr.trim().is_empty()
        && strict::object_in(hook_output.stdout).is_none_or(|read| read.fields.is_empty())
        && Readable::hidden_in(hook_output.event, hook_output.stdout).is_none();
    if says_nothing {
        return Some(TranslatedOutput::reply(&json!({})));
    }
    answer::beside_result(hook_output, |fields| {
        answer::translate(hook_output, &REPLY_RULES, fields)
    })
}

/// Returns new arguments: an object, or a text that contains one, as the arguments of a call are a
/// text there.
fn arguments(value: Value) -> Value {
    match value {
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(fields)) => Value::Object(fields),
            _ => Value::String(text),
        },
        other => other,
    }
}

/// Adds Copilot's own fields to those of Claude Code.
fn prepare(hook_output: &HookOutput<'_>, fields: &mut Map<String, Value>) {
    let behaviour = fields.remove("behavior");
    let mut own = match fields.remove(SPECIFIC) {
        Some(Value::Object(own)) => own,
        None | Some(Value::Null) => Map::new(),
        Some(other) => {
            fields.insert(SPECIFIC.to_owned(), other);
            return;
        }
    };
    if let Some(behaviour) = behaviour {
        let mut answer = Map::from_iter([("behavior".to_owned(), behaviour)]);
        for name in ["message", "interrupt"] {
            if let Some(value) = fields.remove(name) {
                answer.insert(name.to_owned(), value);
            }
        }
        own.insert("decision".to_owned(), Value::Object(answer));
    }
    for (theirs, claude) in [
        ("modifiedArgs", "updatedInput"),
        ("updatedInput", "updatedInput"),
        ("additionalContext", "additionalContext"),
    ] {
        if let Some(value) = fields.remove(theirs) {
            own.entry(claude).or_insert(value);
        }
    }
    if let Some(input) = own.remove("updatedInput") {
        own.insert("updatedInput".to_owned(), arguments(input));
    }
    if hook_output.event == EventName::AfterTool
        && let Some(result) = fields.remove("modifiedResult").filter(|it| !it.is_null())
    {
        replace_result(fields, &result);
    }
    if !own.is_empty() {
        fields.insert(SPECIFIC.to_owned(), Value::Object(own));
    }
}
