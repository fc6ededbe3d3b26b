//! What hooks read: IO-1, IO-3.

use std::path::PathBuf;

use hookloop_events::{
    AfterAgent, AfterModel, AfterTool, AgentIdentity, BeforeAgent, BeforeAgentInput, BeforeModel,
    BeforeTool, BeforeToolInput, BeforeToolSelection, CompressTrigger, EndReason, Event, EventName,
    McpContext, Notification, NotificationInput, NotificationType, PreCompress, PreCompressInput,
    SessionEnd, SessionEndInput, SessionIdentity, SessionSource, SessionStart, SessionStartInput,
    payload,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::support::{
    after_agent, after_model, after_tool, before_agent, before_model, before_tool,
    before_tool_selection, call,
};

const COMMON: [&str; 5] = [
    "session_id",
    "transcript_path",
    "cwd",
    "hook_event_name",
    "timestamp",
];

fn session() -> SessionIdentity {
    SessionIdentity {
        session_id: "6f8e8a3c-5b0e-4d38-9b6e-0a2a6f5d9a11".to_owned(),
        transcript_path: PathBuf::from("/t/\"quoted\".json"),
        cwd: PathBuf::from("/project"),
        agent: None,
    }
}

fn read<E: Event>(session: &SessionIdentity, input: &E::Input) -> Map<String, Value> {
    let payload = payload::<E>(session, "2026-01-02T03:04:05.678Z", input);
    let fields = serde_json::from_str(&payload.text()).expect("a payload is one JSON object");
    assert_eq!(
        payload.to_fields_from(input).as_ref(),
        Some(&fields),
        "FD-10"
    );
    fields
}

/// Checks the common fields of an event, and returns the names of its own ones.
fn own_fields<E: Event>(input: &E::Input) -> Vec<String> {
    let mut fields = read::<E>(&session(), input);
    assert_eq!(fields["session_id"], session().session_id);
    assert_eq!(fields["transcript_path"], "/t/\"quoted\".json");
    assert_eq!(fields["cwd"], "/project");
    assert_eq!(fields["hook_event_name"], E::NAME.as_str());
    assert_eq!(fields["timestamp"], "2026-01-02T03:04:05.678Z");
    let subject = E::NAME
        .subject_field()
        .map(|field| fields[field].as_str().unwrap().to_owned());
    assert_eq!(
        subject.as_deref(),
        E::subject(input),
        "matchers see what hooks read"
    );
    for common in COMMON {
        fields.shift_remove(common);
    }
    let typed: E::Input = serde_json::from_value(Value::Object(fields.clone())).unwrap();
    assert_eq!(
        serde_json::to_value(typed).unwrap(),
        Value::Object(fields.clone())
    );
    fields.keys().cloned().collect()
}

/// IO-1: every event has the common fields and its own, and what is written can be read back.
#[test]
fn every_event_has_its_fields() {
    let source = SessionSource::Startup;
    assert_eq!(
        own_fields::<SessionStart>(&SessionStartInput { source }),
        ["source"]
    );
    let reason = EndReason::PromptInputExit;
    assert_eq!(
        own_fields::<SessionEnd>(&SessionEndInput { reason }),
        ["reason"]
    );
    let trigger = CompressTrigger::Auto;
    assert_eq!(
        own_fields::<PreCompress>(&PreCompressInput { trigger }),
        ["trigger"]
    );
    assert_eq!(own_fields::<BeforeAgent>(&before_agent()), ["prompt"]);
    assert_eq!(
        own_fields::<AfterAgent>(&after_agent()),
        ["prompt", "prompt_response", "stop_hook_active"]
    );
    assert_eq!(own_fields::<BeforeModel>(&before_model()), ["llm_request"]);
    assert_eq!(
        own_fields::<BeforeToolSelection>(&before_tool_selection()),
        ["llm_request"]
    );
    assert_eq!(
        own_fields::<AfterModel>(&after_model()),
        ["llm_request", "llm_response", "content", "full_content"]
    );
    assert_eq!(
        own_fields::<BeforeTool>(&before_tool()),
        ["tool_name", "tool_input", "tool_call_id"]
    );
    assert_eq!(
        own_fields::<AfterTool>(&after_tool()),
        ["tool_name", "tool_input", "tool_response", "tool_call_id"]
    );
    let alert = NotificationInput {
        notification_type: NotificationType::ToolPermission,
        message: "m".to_owned(),
        details: json!({"tool": "glob"}),
    };
    assert_eq!(
        own_fields::<Notification>(&alert),
        ["notification_type", "message", "details"]
    );
}

/// IO-1: requests and responses have the documented shape.
#[test]
fn requests_and_responses_have_their_shape() {
    let read = read::<AfterModel>(&session(), &after_model());
    let request = json!({"model": "large", "messages": [{"role": "user", "content": "hello"}],
        "config": {"temperature": 1.0, "topK": 40}});
    assert_eq!(read["llm_request"], request);
    let response = json!({"text": "world", "candidates": [
        {"content": {"role": "model", "parts": ["world"]}, "index": 0}]});
    assert_eq!(read["llm_response"], response);
}

/// IO-1: where an MCP tool comes from, and which tool was called first, is included if it applies.
#[test]
fn tool_calls_say_where_they_come_from() {
    let mut tail_call = call();
    tail_call.original_request_name = Some("read_file".to_owned());
    tail_call.mcp = Some(McpContext {
        server_name: "git".to_owned(),
        tool_name: "log".to_owned(),
        url: Some("https://example.org".to_owned()),
        ..McpContext::default()
    });
    let read = read::<BeforeTool>(&session(), &BeforeToolInput::from(&tail_call));
    let context = json!({"server_name": "git", "tool_name": "log", "url": "https://example.org"});
    assert_eq!(read["mcp_context"], context);
    assert_eq!(read["original_request_name"], "read_file");
}

/// IO-3: a sub-agent's fields are added, and change no documented field.
#[test]
fn a_sub_agent_adds_fields() {
    let agent = SessionIdentity {
        agent: Some(AgentIdentity {
            agent_id: "1".to_owned(),
            agent_name: "reviewer".to_owned(),
        }),
        ..session()
    };
    let mut with = read::<BeforeAgent>(&agent, &before_agent());
    assert_eq!(with.shift_remove("agent_id"), Some(json!("1")));
    assert_eq!(with.shift_remove("agent_name"), Some(json!("reviewer")));
    assert_eq!(with, read::<BeforeAgent>(&session(), &before_agent()));
}

/// EV-3: names of events are read exactly, and written as they are read.
#[test]
fn names_of_events_are_exact() {
    for event in EventName::ALL {
        assert_eq!(event.as_str().parse(), Ok(event));
        assert_eq!(EventName::ALL[event.index()], event);
        assert!(event.as_str().to_lowercase().parse::<EventName>().is_err());
        let has_words = !event.subject_words().is_empty();
        let kind = event.subject_kind();
        assert_eq!(
            has_words,
            kind == hookloop_events::SubjectKind::Word,
            "{event}"
        );
    }
}

proptest! {
    /// IO-1: whatever the texts, the payload is one object that contains them.
    #[test]
    fn any_text_is_carried(prompt in ".{0,60}", cwd in "[^\0]{0,20}", id in ".{0,20}") {
        let identity = SessionIdentity { session_id: id.clone(), cwd: cwd.clone().into(), ..session() };
        let read = read::<BeforeAgent>(&identity, &BeforeAgentInput { prompt: prompt.clone() });
        prop_assert_eq!(&read["prompt"], &json!(prompt));
        prop_assert_eq!(&read["cwd"], &json!(cwd));
        prop_assert_eq!(&read["session_id"], &json!(id));
        prop_assert_eq!(read.len(), COMMON.len() + 1);
    }
}
