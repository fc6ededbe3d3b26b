//! Gemini CLI as it ships, where that differs from its documents: names of tools in payloads, exit
//! codes, and JSON that counts at every one of them.

use hookloop_events::EventName;
use serde_json::{Map, Value};

use crate::foreign::tools::tool;
use crate::foreign::{Asked, Heard, McpName, Said, Speech, ToolRule, Words};

/// The dialect's parts.
pub(crate) const SPEECH: Speech = Speech {
    tools: TOOLS,
    mcp: McpName::Single,
    words: Words::Anywhere,
    payload,
    reply,
    environment: &[],
    obeys: |_, _| None,
};

const TOOLS: &[ToolRule] = &[
    tool("search_file_content", &["grep_search"], &[]),
    tool("delegate_to_agent", &["invoke_agent"], &[]),
];

fn payload(asked: &Asked<'_>) -> Map<String, Value> {
    let mut theirs = asked.ours.clone();
    if let Some(Value::String(name)) = theirs.get_mut("tool_name") {
        let rule = TOOLS.iter().find(|rule| rule.ours == name.as_str());
        let known = rule.and_then(|rule| rule.theirs.first());
        if let Some(known) = known {
            (*known).clone_into(name);
        } else if let Some(flat) = McpName::Single.of(name) {
            *name = flat;
        }
    }
    theirs
}

fn reply(said: &Said<'_>) -> Option<Heard> {
    let exit = said.exit?;
    if matches!(exit, 0 | 2) {
        return None;
    }
    let holds_object = [said.stdout, said.stderr]
        .map(str::trim)
        .into_iter()
        .find(|text| serde_json::from_str::<Map<String, Value>>(text).is_ok());
    if let Some(text) = holds_object {
        return Some(Heard {
            consents: false,
            exit: 0,
            stdout: text.to_owned(),
            removed: Vec::new(),
            environment: Vec::new(),
            remarks: Vec::new(),
        });
    }
    let refuses = exit != 1 && said.event != EventName::SessionStart;
    refuses.then(|| {
        Heard::refusal(
            said,
            format!("it ended by exit code {exit}: in Gemini CLI every one but 0 and 1 refuses"),
        )
    })
}
