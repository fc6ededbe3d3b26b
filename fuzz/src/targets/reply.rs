//! A hook's reply: from bytes on standard output to the answers of all events.

use hookloop_dialects::modernise;
use hookloop_events::refusal::Readable;
use hookloop_events::{
    AfterAgent, AfterModel, AfterTool, BeforeAgent, BeforeModel, BeforeTool, BeforeToolSelection,
    Event, EventName, Notification, PreCompress, Reason, Reply, Ruling, SessionEnd, SessionStart,
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
    "approved",
    "blocked",
    "permission",
    "permissionDecision",
    "reject",
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

/// Reads the bytes as every event would: as what they are, and what can be read of a refusal in
/// them, whole and cut.
///
/// # Panics
/// When a readable refusal gets lost (IO-14, IO-22…24), also between older spellings (OUT-7), or
/// when a reply that was read isn't the same after it was written and read again.
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for event in EventName::ALL {
        let _ = Readable::of(event, &text);
        let _ = Readable::hidden_in(event, &text);
    }
    let Ok(Value::Object(fields)) = serde_json::from_slice(data) else {
        return;
    };
    for event in EventName::ALL {
        read_as(event, &fields);
    }
}

fn read_as(event: EventName, fields: &Map<String, Value>) {
    let text = Value::Object(fields.clone()).to_string();
    let readable = Readable::of(event, &text).refusal;
    let modern = modernise(event, fields.clone());
    if let Some(refusal) = &readable {
        assert!(
            objects(&refusal.reply()),
            "a refusal that was read doesn't refuse"
        );
        let broken = Readable::of(event, text.trim_end_matches('}')).refusal;
        assert!(broken.is_some(), "a missing brace takes a refusal away");
    }
    let Ok(reply) = Reply::read(event, modern) else {
        return;
    };
    if objects(&reply) {
        let read = readable.as_ref().map_or(0, |it| rank(&it.reply()));
        assert!(
            read >= rank(&reply),
            "what the reply refuses isn't read in its text"
        );
    }
    decode(event, &reply);
    if let Ok(Value::Object(written)) = serde_json::to_value(&reply) {
        assert_eq!(
            Reply::read(event, written).as_ref(),
            Ok(&reply),
            "a reply can't be kept"
        );
    }
}

/// Returns whether a reply refuses, stops or asks.
fn objects(reply: &Reply) -> bool {
    rank(reply) >= Ruling::Ask(Reason::of_question([], HOOK)).rank()
}

fn rank(reply: &Reply) -> u8 {
    reply.ruling(HOOK).rank()
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
