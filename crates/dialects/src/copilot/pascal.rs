//! Payloads in the format of Claude Code, as Copilot writes them.

use serde_json::{Map, Value, json};

use super::tools;
use crate::foreign::call::Call;
use crate::foreign::family::{self, Style};
use crate::foreign::{AGENT_TRANSCRIPT, OutgoingPayload};

const STYLE: Style = Style {
    mode: family::claude_mode,
    tools: tools::TOOLS,
    tool_name,
    result,
    same: &["timestamp"],
    finish,
};

/// Writes a payload of ours.
pub(super) fn payload(asked: &OutgoingPayload<'_>) -> Map<String, Value> {
    family::payload(asked, &STYLE)
}

/// Its tools go by the names of Claude Code there.
fn tool_name(call: &Call<'_>) -> String {
    let alias = call.rule.and_then(|rule| {
        let mut names = rule.theirs.iter();
        names.find(|name| name.starts_with(|it: char| it.is_ascii_uppercase()))
    });
    match alias {
        Some(alias) => (*alias).to_owned(),
        None => super::TABLES
            .mcp
            .of(call.tool)
            .unwrap_or_else(|| call.name().to_owned()),
    }
}

fn result(call: &Call<'_>) -> (&'static str, Value) {
    let mut result = json!({"result_type": "success"});
    result["text_result_for_llm"] = Value::from(super::result_text(call));
    ("tool_result", result)
}

fn finish(asked: &OutgoingPayload<'_>, theirs: &mut Map<String, Value>) {
    for absent in [
        "tool_use_id",
        "permission_mode",
        "mcp_server",
        "is_interrupt",
        AGENT_TRANSCRIPT,
    ] {
        theirs.remove(absent);
    }
    super::camel::put_parent(asked, theirs, ["agent_id", "parent_agent_id"]);
    match asked.event {
        "Stop" | "SubagentStop" => {
            theirs.insert("stop_reason".to_owned(), Value::from("end_turn"));
            if let Some(name) = asked.ours.get("agent_name") {
                theirs.insert("agent_name".to_owned(), name.clone());
            }
        }
        "SessionEnd" => {
            theirs.insert("reason".to_owned(), Value::from("complete"));
        }
        "SessionStart" => super::camel::put_source(asked, theirs),
        _ => {}
    }
}
