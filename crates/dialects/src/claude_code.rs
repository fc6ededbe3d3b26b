//! Claude Code: by far the most hooks are written for it. Measured on its build 2.1.330.

mod result;
mod tools;

use hookloop_events::EventName;
use serde_json::{Map, Value};

use crate::foreign::answer::{self, AfterTool, Hearing};
use crate::foreign::call::Call;
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
    tools: tools::TOOLS,
    tool_name: |call| call.name().to_owned(),
    result: |call: &Call<'_>| ("tool_response", result::of(call)),
    same: &[],
    finish: family::as_it_is,
};

const HEARING: Hearing = Hearing {
    tools: tools::TOOLS,
    after_tool: AfterTool::Beside,
    text_is_context: &[EventName::BeforeAgent, EventName::SessionStart],
    prepare: |_, _| {},
};

fn payload(asked: &Asked<'_>) -> Map<String, Value> {
    family::payload(asked, &STYLE)
}

fn reply(said: &Said<'_>) -> Option<Heard> {
    answer::heard(said, &HEARING)
}
