//! Claude Code, for which most hooks are written. Measured on its build 2.1.330.

mod result;
mod tools;

use hookloop_events::EventName;
use serde_json::{Map, Value, json};

use crate::foreign::answer::{self, AfterTool, AtEnd, ReplyRules};
use crate::foreign::call::{Call, exit_code_of};
use crate::foreign::family::{self, Style};
use crate::foreign::strict;
use crate::foreign::{
    DialectTables, ExitTwo, ForeignValue, ForeignVariable, HookOutput, McpName, Obeys,
    OutgoingPayload, SPECIFIC, TranslatedOutput, Words, variable,
};

/// The dialect's parts.
pub(crate) const TABLES: DialectTables = DialectTables {
    tools: tools::TOOLS,
    mcp: McpName::Double,
    words: Words::ListWithCommas,
    payload,
    reply,
    environment: ENVIRONMENT,
    obeys,
};

/// What it obeys, as measured; a request for permission has answers of its own.
fn obeys(event: Option<&str>, ours: EventName) -> Option<Obeys> {
    let is_prompt = ours == EventName::BeforeAgent;
    (event != Some("PermissionRequest")).then_some(Obeys {
        agent: "Claude Code",
        decisions: &["block"],
        at_the_top: false,
        among_its_own: (!is_prompt).then_some(&["hookEventName"]),
        asks: true,
        stops: is_prompt,
        beside_failure: true,
        exit_2: ExitTwo::Refuses,
    })
}

const ENVIRONMENT: &[ForeignVariable] = &[
    variable("CLAUDECODE", ForeignValue::Text("1")),
    variable("CLAUDE_CODE_CHILD_SESSION", ForeignValue::Text("1")),
    variable("CLAUDE_CODE_ENTRYPOINT", ForeignValue::Text("cli")),
    variable("CLAUDE_CODE_SESSION_ID", ForeignValue::SessionId),
    variable("CLAUDE_PROJECT_DIR", ForeignValue::ProjectRoot),
    // Keeps Corepack from writing into the project's package.json.
    variable("COREPACK_ENABLE_AUTO_PIN", ForeignValue::Text("0")),
];

const STYLE: Style = Style {
    mode: family::claude_mode,
    tools: tools::TOOLS,
    tool_name: |call| call.name().to_owned(),
    result: |call: &Call<'_>| ("tool_response", result::of(call)),
    same: &[],
    finish,
};

const REPLY_RULES: ReplyRules = ReplyRules {
    tools: tools::TOOLS,
    after_tool: AfterTool::Beside,
    text_is_context: &[EventName::BeforeAgent, EventName::SessionStart],
    at_end: AtEnd::GoesOn,
    prepare: |_, _| {},
};

/// Adjusts what only Claude Code has.
fn finish(asked: &OutgoingPayload<'_>, theirs: &mut Map<String, Value>) {
    match asked.event {
        "SessionStart" => family::put_model(asked, theirs),
        "SessionEnd" | "PreCompact" | "SubagentStart" => {
            theirs.remove("permission_mode");
        }
        "Stop" | "SubagentStop" => {
            // No prompts are scheduled here.
            theirs.insert("session_crons".to_owned(), json!([]));
        }
        _ => {}
    }
    if asked.event != "SessionStart"
        && let Some(turn) = asked.ours.get("turn_id")
    {
        theirs.insert("prompt_id".to_owned(), turn.clone());
    }
    family::put_duration(asked, theirs);
    // Claude Code counts a command as failed if its exit code says so.
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

fn payload(asked: &OutgoingPayload<'_>) -> Map<String, Value> {
    family::payload(asked, &STYLE)
}

fn reply(hook_output: &HookOutput<'_>) -> Option<TranslatedOutput> {
    let Some(stdout) = without_announcement(hook_output.stdout) else {
        return after_announcement(hook_output);
    };
    let rest = HookOutput {
        stdout,
        ..*hook_output
    };
    // The announcing line isn't part of the reply, even if nothing else has to be translated.
    after_announcement(&rest).or_else(|| Some(TranslatedOutput::verbatim(&rest, rest.exit?)))
}

fn after_announcement(hook_output: &HookOutput<'_>) -> Option<TranslatedOutput> {
    let mut translation = answer::translate_output(hook_output, &REPLY_RULES)?;
    translation.consents = hook_output.event == EventName::BeforeTool
        && hook_output.exit == Some(0)
        && consents(hook_output.stdout);
    Some(translation)
}

/// Returns whether a reply allows a call in the words that make a confirmation unnecessary (FD-21).
fn consents(stdout: &str) -> bool {
    // Most replies don't, and needn't be parsed again.
    if !stdout.contains("allow") {
        return false;
    }
    let Some(read) = strict::object_in(stdout) else {
        return false;
    };
    let own = read.fields.get(SPECIFIC);
    let allows = |value: Option<&Value>| value.and_then(Value::as_str) == Some("allow");
    allows(own.and_then(|own| own.get("permissionDecision")))
        || allows(own.and_then(|own| own.get("decision")?.get("behavior")))
}

/// Returns what a hook wrote after it announced in its first line that nobody need wait for it. If
/// it was waited for, whatever it refuses counts (FD-22).
pub(crate) fn without_announcement(stdout: &str) -> Option<&str> {
    let (first, rest) = stdout.trim_start().split_once('\n').unwrap_or((stdout, ""));
    let fields: Map<String, Value> = serde_json::from_str(first.trim()).ok()?;
    let is_announcement = fields.get("async") == Some(&Value::Bool(true))
        && fields
            .keys()
            .all(|it| matches!(it.as_str(), "async" | "asyncTimeout"));
    is_announcement.then_some(rest)
}
