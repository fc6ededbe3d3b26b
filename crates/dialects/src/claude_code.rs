//! Claude Code: by far the most hooks are written for it. Measured on its build 2.1.330.

mod result;
mod tools;

use hookloop_events::EventName;
use serde_json::{Map, Value};

use crate::foreign::answer::{self, AfterTool, Hearing};
use crate::foreign::call::{Call, exit_code_of};
use crate::foreign::family::{self, Style};
use crate::foreign::{
    Asked, ForeignValue, ForeignVariable, Heard, McpName, Said, Speech, Words, variable,
};

/// The dialect's parts.
pub(crate) const SPEECH: Speech = Speech {
    tools: tools::TOOLS,
    mcp: McpName::Double,
    words: Words::ListWithCommas,
    payload,
    reply,
    environment: ENVIRONMENT,
};

const ENVIRONMENT: &[ForeignVariable] = &[
    variable("CLAUDECODE", ForeignValue::Text("1")),
    variable("CLAUDE_CODE_ENTRYPOINT", ForeignValue::Text("cli")),
    variable("CLAUDE_CODE_SESSION_ID", ForeignValue::SessionId),
    variable("CLAUDE_PROJECT_DIR", ForeignValue::ProjectRoot),
];

const STYLE: Style = Style {
    mode: family::claude_mode,
    tools: tools::TOOLS,
    tool_name: |call| call.name().to_owned(),
    result: |call: &Call<'_>| ("tool_response", result::of(call)),
    same: &[],
    finish,
};

const HEARING: Hearing = Hearing {
    tools: tools::TOOLS,
    after_tool: AfterTool::Beside,
    text_is_context: &[EventName::BeforeAgent, EventName::SessionStart],
    prepare: |_, _| {},
};

/// Puts right what only Claude Code has.
fn finish(asked: &Asked<'_>, theirs: &mut Map<String, Value>) {
    if let Some(turn) = asked.ours.get("turn_id") {
        theirs.insert("prompt_id".to_owned(), turn.clone());
    }
    // To it a command has failed whose exit code says so.
    if asked.event == "PostToolUseFailure"
        && !theirs.contains_key("error")
        && let Some(code) = exit_code_of(asked.ours)
    {
        theirs.remove("tool_response");
        let output = Call::of(asked.ours, tools::TOOLS).output();
        let error = format!("Exit code {code}\n{output}");
        theirs.insert("error".to_owned(), Value::from(error.trim_end()));
        theirs.insert("is_interrupt".to_owned(), Value::Bool(false));
    }
}

fn payload(asked: &Asked<'_>) -> Map<String, Value> {
    family::payload(asked, &STYLE)
}

fn reply(said: &Said<'_>) -> Option<Heard> {
    match without_announcement(said.stdout) {
        Some(stdout) => answer::heard(&Said { stdout, ..*said }, &HEARING),
        None => answer::heard(said, &HEARING),
    }
}

/// Returns what a hook wrote after it announced in its first line that nobody need wait for it. Here
/// it was waited for: whatever it refuses counts (FD-22).
fn without_announcement(stdout: &str) -> Option<&str> {
    let (first, rest) = stdout.trim_start().split_once('\n').unwrap_or((stdout, ""));
    let fields: Map<String, Value> = serde_json::from_str(first.trim()).ok()?;
    let is_announcement = fields.get("async") == Some(&Value::Bool(true))
        && fields
            .keys()
            .all(|it| matches!(it.as_str(), "async" | "asyncTimeout"));
    is_announcement.then_some(rest)
}
