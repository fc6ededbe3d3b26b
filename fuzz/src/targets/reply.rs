//! A hook's reply: from bytes on standard output to the answers of all events.

use hookloop_dialects::modernise;
use hookloop_events::{
    AfterAgent, AfterModel, AfterTool, BeforeAgent, BeforeModel, BeforeTool, BeforeToolSelection,
    Event, EventName, Notification, PreCompress, Reply, Ruling, SessionEnd, SessionStart,
};
use serde_json::{Map, Value};

/// Words of the reply protocol.
pub const WORDS: &[&str] = &[
    "ANY",
    "AUTO",
    "AfterModel",
    "BeforeTool",
    "NONE",
    "additionalContext",
    "allow",
    "allowedFunctionNames",
    "args",
    "ask",
    "block",
    "candidate",
    "candidates",
    "clearContext",
    "content",
    "continue",
    "decision",
    "deny",
    "functionCallingConfig",
    "functionCalls",
    "hookEventName",
    "hookSpecificOutput",
    "llm_request",
    "llm_response",
    "messages",
    "mode",
    "modifiedRequest",
    "modifiedResponse",
    "name",
    "parts",
    "reason",
    "role",
    "stopReason",
    "suppressOutput",
    "syntheticResponse",
    "systemMessage",
    "tailToolCallRequest",
    "text",
    "toolConfig",
    "tool_input",
    "false",
    "null",
    "true",
];

const HOOK: &str = "sample";

/// Reads the bytes as every event would.
///
/// # Panics
/// When a readable refusal gets lost (IO-14, IO-22), also between older spellings (OUT-7), or when a
/// reply that was read is not the same after it was written and read again.
pub fn run(data: &[u8]) {
    let Ok(Value::Object(fields)) = serde_json::from_slice(data) else {
        return;
    };
    for event in EventName::ALL {
        read_as(event, &fields);
    }
}

fn read_as(event: EventName, fields: &Map<String, Value>) {
    let refusal = Reply::read_refusal(fields);
    let modern = modernise(event, fields.clone());
    assert_eq!(
        Reply::read_refusal(&modern),
        refusal,
        "an older spelling hides a refusal"
    );
    if let Some(refusal) = &refusal {
        assert!(refuses(refusal), "a refusal that was read doesn't refuse");
    }
    let Ok(reply) = Reply::read(event, modern) else {
        return;
    };
    assert_eq!(
        refuses(&reply),
        refusal.is_some(),
        "two readers see different decisions"
    );
    decode(event, &reply);
    if let Ok(Value::Object(written)) = serde_json::to_value(&reply) {
        assert_eq!(
            Reply::read(event, written).as_ref(),
            Ok(&reply),
            "a reply can't be kept"
        );
    }
}

fn refuses(reply: &Reply) -> bool {
    matches!(reply.ruling(HOOK), Ruling::Deny(..) | Ruling::Stop(_))
}

fn decode(event: EventName, reply: &Reply) {
    match event {
        EventName::SessionStart => decode_as::<SessionStart>(reply),
        EventName::SessionEnd => decode_as::<SessionEnd>(reply),
        EventName::BeforeAgent => decode_as::<BeforeAgent>(reply),
        EventName::AfterAgent => decode_as::<AfterAgent>(reply),
        EventName::BeforeModel => decode_as::<BeforeModel>(reply),
        EventName::BeforeToolSelection => decode_as::<BeforeToolSelection>(reply),
        EventName::AfterModel => decode_as::<AfterModel>(reply),
        EventName::BeforeTool => decode_as::<BeforeTool>(reply),
        EventName::AfterTool => decode_as::<AfterTool>(reply),
        EventName::PreCompress => decode_as::<PreCompress>(reply),
        EventName::Notification => decode_as::<Notification>(reply),
    }
}

fn decode_as<E: Event>(reply: &Reply) {
    // Malformed is an answer too; only a panic isn't.
    let _ = E::decode(reply, HOOK);
}
