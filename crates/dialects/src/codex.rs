//! Codex, measured on its build 0.169.0. Its payloads and answers resemble Claude Code's; edits are
//! patches, and it ignores a reply that contains an unknown field.

pub(crate) mod patch;
mod tools;

use hookloop_events::EventName;
use hookloop_events::refusal::Readable;
use hookloop_hook::{Dialect, Refusing};
use serde_json::{Map, Value, json};

use crate::foreign::answer::{self, AfterTool, AtEnd, ReplyRules};
use crate::foreign::call::Call;
use crate::foreign::family::{self, Style};
use crate::foreign::{
    DialectTables, ExitTwo, HookOutput, McpName, Obeys, OutgoingPayload, SPECIFIC,
    TranslatedOutput, Words,
};
use crate::vocabulary::NOTIFY;

/// The dialect's parts.
pub(crate) const TABLES: DialectTables = DialectTables {
    tools: tools::TOOLS,
    mcp: McpName::Double,
    words: Words::List,
    payload,
    reply,
    environment: &[],
    obeys,
};

/// What it obeys, as measured; a request for permission has answers of its own.
fn obeys(event: Option<&str>, ours: EventName) -> Option<Obeys> {
    let is_prompt = ours == EventName::BeforeAgent;
    (event != Some("PermissionRequest")).then_some(Obeys {
        agent: "Codex",
        decisions: &["block"],
        at_the_top: false,
        among_its_own: (!is_prompt).then_some(&["hookEventName", "permissionDecisionReason"]),
        asks: false,
        stops: is_prompt || ours == EventName::SessionStart,
        beside_failure: false,
        exit_2: ExitTwo::RefusesWithText,
    })
}

const STYLE: Style = Style {
    mode: family::claude_mode,
    tools: tools::TOOLS,
    tool_name: |call| call.name().to_owned(),
    result,
    same: &[],
    finish,
};

const REPLY_RULES: ReplyRules = ReplyRules {
    tools: tools::TOOLS,
    after_tool: AfterTool::Instead,
    text_is_context: &[EventName::BeforeAgent, EventName::SessionStart],
    at_end: AtEnd::Nothing,
    prepare,
};

/// The fields that Codex knows at the top of a reply; any other one voids it there.
const KNOWN_FIELDS: [&str; 6] = [
    "continue",
    "decision",
    "reason",
    "stopReason",
    "systemMessage",
    SPECIFIC,
];

fn payload(asked: &OutgoingPayload<'_>) -> Map<String, Value> {
    if asked.event == NOTIFY {
        return notification(asked);
    }
    family::payload(asked, &STYLE)
}

/// How long the longest text of a notification may be, in bytes of its JSON: the program gets one
/// argument, which can be 128 KiB long on Linux, and doesn't start with a longer one.
const MAX_TEXT_BYTES: usize = 56 * 1024;

/// The mark that a text continues.
const CUT: &str = " […]";

/// Cuts a text that, with everything beside it, is too long for an argument.
fn truncate(text: Value) -> Value {
    let Value::String(text) = text else {
        return text;
    };
    let mut length = 0;
    let end = text.char_indices().find_map(|(at, character)| {
        length += match character {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            '\0'..='\u{1f}' => 6,
            other => other.len_utf8(),
        };
        (length > MAX_TEXT_BYTES).then_some(at)
    });
    Value::from(match end {
        Some(end) => [&text[..end], CUT].concat(),
        None => text,
    })
}

/// What its `notify` program gets: only the beginning of texts that are too long for an argument.
fn notification(asked: &OutgoingPayload<'_>) -> Map<String, Value> {
    let ours = |name: &str| asked.ours.get(name).cloned();
    let mut theirs = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        theirs.extend(value.map(|value| (name.to_owned(), value)));
    };
    put("type", Some(Value::from("agent-turn-complete")));
    put("thread-id", ours("session_id"));
    put("turn-id", ours("turn_id"));
    put("cwd", ours("cwd"));
    put(
        "input-messages",
        ours("prompt").map(|it| json!([truncate(it)])),
    );
    put(
        "last-assistant-message",
        ours("prompt_response").map(truncate),
    );
    theirs
}

fn result(call: &Call<'_>) -> (&'static str, Value) {
    let text = match patched(call) {
        Some(text) => text,
        None => call.output(),
    };
    let result = if call.name().starts_with("mcp__") {
        json!({"content": [{"type": "text", "text": text}]})
    } else {
        Value::from(text)
    };
    ("tool_response", result)
}

/// Returns the file that a patch added or changed, as its tool reports it; nothing for other calls,
/// and for edits of which that isn't known.
fn patched(call: &Call<'_>) -> Option<String> {
    if !matches!(call.tool, "write_file" | "replace") {
        return None;
    }
    let mark = if call.shown("isNewFile")?.as_bool()? {
        'A'
    } else {
        'M'
    };
    let path = call.input.get("file_path")?.as_str()?;
    Some(format!(
        "Success. Updated the following files:\n{mark} {path}\n"
    ))
}

/// Adjusts what differs from Claude Code.
fn finish(asked: &OutgoingPayload<'_>, theirs: &mut Map<String, Value>) {
    for absent in ["is_interrupt", "custom_instructions", "mcp_server"] {
        theirs.remove(absent);
    }
    if asked.event == "SessionEnd" {
        theirs.remove("permission_mode");
        theirs.insert("reason".to_owned(), Value::from("other"));
    } else {
        family::put_model(asked, theirs);
    }
    // Codex has one event for all results.
    if let Some(error) = theirs.remove("error") {
        theirs.insert("tool_response".to_owned(), error);
    }
    if !asked.event.starts_with("Session")
        && let Some(turn) = asked.ours.get("turn_id")
    {
        theirs.insert("turn_id".to_owned(), turn.clone());
    }
    let ours = asked.ours.get("tool_input").and_then(Value::as_object);
    let tool = asked.ours.get("tool_name").and_then(Value::as_str);
    let patch = tool
        .zip(ours)
        .and_then(|(tool, ours)| patch::to_text(tool, ours));
    if let Some(patch) = patch {
        theirs.insert("tool_input".to_owned(), json!({ "command": patch }));
    } else if let (true, Some(Value::Object(input))) =
        (edits(asked.ours), theirs.get_mut("tool_input"))
    {
        // The value is the translated patch, which only we write.
        input.remove("command");
    }
}

fn reply(hook_output: &HookOutput<'_>) -> Option<TranslatedOutput> {
    if hook_output.exit == Some(2) && hook_output.event != EventName::AfterTool {
        let refuses = hook_output.event.refusing(Dialect::Codex) == Refusing::Always;
        let is_silent = hook_output.stderr.trim().is_empty();
        return (refuses && is_silent).then(|| {
            TranslatedOutput::refusal(
                hook_output,
                "Codex lets an action run if exit code 2 comes without text on standard error; \
                 here it is a refusal",
            )
        });
    }
    let mut translation = answer::translate_output(hook_output, &REPLY_RULES)?;
    if let Some(field) = voiding(hook_output.stdout)
        && Readable::of(hook_output.event, hook_output.stdout)
            .refusal
            .is_some()
    {
        translation.remarks.push(format!(
            "Codex drops a whole reply with a field that it doesn't know (`{field}`), and would \
             let the action run; here the refusal counts"
        ));
    }
    Some(translation)
}

/// Returns the field for which Codex would drop a reply.
fn voiding(stdout: &str) -> Option<String> {
    let fields: Map<String, Value> = serde_json::from_str(stdout.trim()).ok()?;
    let mut names = fields.into_iter().map(|(name, _)| name);
    names.find(|name| !KNOWN_FIELDS.contains(&name.as_str()))
}

/// Returns whether a payload is about a call that edits, which Codex does by patches.
fn edits(ours: &Map<String, Value>) -> bool {
    let tool = ours.get("tool_name").and_then(Value::as_str);
    matches!(tool, Some("write_file" | "replace"))
}

/// Parses a rewritten patch again. One that isn't for exactly one file can't be run by the one call
/// that it belongs to, and what the hook removed from it must not run after all.
fn prepare(hook_output: &HookOutput<'_>, fields: &mut Map<String, Value>) {
    let Some(Value::Object(own)) = fields
        .get_mut(SPECIFIC)
        .filter(|_| edits(hook_output.payload))
    else {
        return;
    };
    if let Some(Value::Object(answer)) = own.get_mut("decision")
        && let Some(input) = answer.remove("updatedInput").filter(|it| !it.is_null())
    {
        own.insert("updatedInput".to_owned(), input);
    }
    let tool = hook_output.payload.get("tool_name").and_then(Value::as_str);
    let command = own
        .get("updatedInput")
        .and_then(|it| it.get("command"))
        .and_then(Value::as_str);
    let Some((tool, command)) = tool.zip(command) else {
        return;
    };
    let asked = hook_output
        .payload
        .get("tool_input")
        .and_then(Value::as_object);
    let is_the_same = asked
        .and_then(|asked| patch::to_text(tool, asked))
        .as_deref()
        == Some(command);
    if is_the_same {
        own.remove("updatedInput");
    } else if let Some(ours) = patch::arguments(tool, command) {
        own.insert("updatedInput".to_owned(), Value::Object(ours));
    } else {
        own.remove("updatedInput");
        let reason = "the hook's new patch doesn't write or change exactly the one file of the \
                      call, so it wasn't applied";
        let decision = own.remove("permissionDecision");
        if decision.as_ref().and_then(Value::as_str) != Some("deny") {
            own.insert("permissionDecisionReason".to_owned(), Value::from(reason));
        }
        own.insert("permissionDecision".to_owned(), Value::from("deny"));
    }
}
