//! Qwen Code, measured on its build 0.24.4. Events and answers are those of Claude Code; tools and
//! results are those of Gemini CLI.

mod tools;

use hookloop_events::EventName;
use serde_json::{Map, Value, json};

use crate::foreign::answer::{self, AfterTool, AtEnd, ReplyRules};
use crate::foreign::call::{Call, text_of};
use crate::foreign::family::{self, Style};
use crate::foreign::{
    DialectTables, ExitTwo, ForeignValue, ForeignVariable, HookOutput, McpName, Obeys,
    OutgoingPayload, TranslatedOutput, Words, variable,
};

/// The dialect's parts.
pub(crate) const TABLES: DialectTables = DialectTables {
    tools: tools::TOOLS,
    mcp: McpName::Double,
    words: Words::Anywhere,
    payload,
    reply,
    environment: ENVIRONMENT,
    obeys,
};

/// What it obeys, as measured; a request for permission has answers of its own.
fn obeys(event: Option<&str>, ours: EventName) -> Option<Obeys> {
    let is_prompt = ours == EventName::BeforeAgent;
    // How it handles a stop at the start of a session hasn't been observed.
    let is_known = ours != EventName::SessionStart;
    (is_known && event != Some("PermissionRequest")).then_some(Obeys {
        agent: "Qwen Code",
        decisions: &["block", "deny"],
        at_the_top: false,
        among_its_own: (!is_prompt).then_some(&[]),
        asks: true,
        stops: true,
        beside_failure: true,
        exit_2: ExitTwo::RefusesWithText,
    })
}

const ENVIRONMENT: &[ForeignVariable] = &[
    variable("QWEN_CODE_AGENT_ID", ForeignValue::AgentId),
    variable("QWEN_CODE_CLI", ForeignValue::Text("1")),
    variable("QWEN_CODE_SESSION_ID", ForeignValue::SessionId),
    variable("QWEN_PROJECT_DIR", ForeignValue::ProjectRoot),
    variable("GEMINI_PROJECT_DIR", ForeignValue::ProjectRoot),
    variable("CLAUDE_PROJECT_DIR", ForeignValue::ProjectRoot),
];

const STYLE: Style = Style {
    mode: |mode| mode,
    tools: tools::TOOLS,
    tool_name: |call| call.name().to_owned(),
    result,
    same: &["timestamp"],
    finish,
};

const REPLY_RULES: ReplyRules = ReplyRules {
    tools: tools::TOOLS,
    after_tool: AfterTool::Beside,
    text_is_context: &[EventName::BeforeAgent, EventName::SessionStart],
    at_end: AtEnd::GoesOnOnce,
    prepare: |_, _| {},
};

fn payload(asked: &OutgoingPayload<'_>) -> Map<String, Value> {
    family::payload(asked, &STYLE)
}

fn result(call: &Call<'_>) -> (&'static str, Value) {
    let mut response = call.response().cloned().unwrap_or_default();
    // What a server's tool returned is in parts there.
    if call.mcp().is_some()
        && let Some(content) = response.get_mut("llmContent").filter(|it| it.is_string())
    {
        *content = json!([{"text": content.take()}]);
    }
    ("tool_response", response)
}

fn finish(asked: &OutgoingPayload<'_>, theirs: &mut Map<String, Value>) {
    theirs.remove("mcp_server");
    match asked.event {
        "SessionStart" => family::put_model(asked, theirs),
        "Stop" | "SubagentStop" => {
            // No prompts are scheduled here.
            theirs.insert("crons".to_owned(), json!([]));
        }
        _ => {}
    }
    family::put_duration(asked, theirs);
    // Qwen Code, too, counts a command as failed if its exit code says so.
    if asked.event == "PostToolUseFailure" && !theirs.contains_key("error") {
        let content = asked.ours.get("tool_response");
        let content = content.and_then(|it| it.get("llmContent"));
        let report = text_of(content.unwrap_or(&Value::Null));
        theirs.remove("tool_response");
        theirs.insert("error".to_owned(), Value::from(report));
        theirs.insert("is_interrupt".to_owned(), Value::Bool(false));
    }
    if !asked.event.starts_with("Session")
        && let Some(turn) = asked.ours.get("turn_id")
    {
        theirs.insert("prompt_id".to_owned(), turn.clone());
    }
    if let Some(id) = theirs.get("tool_use_id").cloned() {
        theirs.insert("tool_call_id".to_owned(), id);
    }
    if asked.event == "UserPromptSubmit"
        && let Some(prompt) = theirs.get("prompt").cloned()
    {
        theirs.insert("submitted_prompt".to_owned(), prompt);
    }
}

fn reply(hook_output: &HookOutput<'_>) -> Option<TranslatedOutput> {
    answer::translate_output(hook_output, &REPLY_RULES)
}
