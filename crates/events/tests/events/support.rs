//! Replies, answers and inputs of all events.

use hookloop_events::llm::{LlmMessage, LlmRequest, LlmResponse, Role};
use hookloop_events::{
    AfterAgentInput, AfterModelInput, AfterToolInput, Attributed, Author, BeforeAgentInput,
    BeforeModelInput, BeforeToolInput, BeforeToolSelectionInput, Event, Merged, Reply,
    SharedRequest, ToolCall, ToolResponse,
};
use hookloop_hook::{Authority, HookId};
use serde_json::{Map, Value, json};

pub(crate) fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => panic!("no object: {other}"),
    }
}

/// Reads a reply as JSON, as a hook of this event would give it.
pub(crate) fn answer<E: Event>(hook: &str, reply: &Value) -> Attributed<E::Answer> {
    let reply = Reply::read(E::NAME, fields(reply.clone())).expect("a sound reply");
    Attributed {
        hook: author(hook),
        answer: E::decode(&reply, hook).expect("a sound reply"),
    }
}

/// A hook of the user with this name.
pub(crate) fn author(hook: &str) -> Author {
    Author {
        id: HookId::from_text(hook),
        label: hook.to_owned(),
        weight: Authority::User,
    }
}

/// Combines replies of hooks with the names `a`, `b`, `c`, …
pub(crate) fn merged<E: Event>(input: &E::Input, replies: &[Value]) -> Merged<E::Outcome> {
    let answers = replies
        .iter()
        .zip('a'..='z')
        .map(|(reply, hook)| answer::<E>(&hook.to_string(), reply));
    E::merge(input, answers.collect())
}

pub(crate) fn call() -> ToolCall {
    ToolCall {
        id: "call-1".to_owned(),
        name: "write_file".to_owned(),
        arguments: fields(json!({"path": "a", "text": "b"})).into(),
        mcp: None,
        original_request_name: None,
        changed_arguments: Vec::new(),
    }
}

pub(crate) fn before_tool() -> BeforeToolInput {
    BeforeToolInput::from(&call())
}

pub(crate) fn after_tool() -> AfterToolInput {
    let response = ToolResponse {
        llm_content: json!("content"),
        return_display: json!("shown"),
        error: None,
    };
    AfterToolInput::new(&call(), response)
}

pub(crate) fn before_agent() -> BeforeAgentInput {
    BeforeAgentInput {
        prompt: "hello".to_owned(),
    }
}

pub(crate) fn after_agent() -> AfterAgentInput {
    AfterAgentInput {
        prompt: "hello".to_owned(),
        prompt_response: "hi".to_owned(),
        stop_hook_active: false,
    }
}

pub(crate) fn request() -> SharedRequest {
    SharedRequest::new(LlmRequest {
        model: "large".to_owned(),
        messages: vec![LlmMessage {
            role: Role::User,
            content: "hello".to_owned(),
        }],
        config: fields(json!({"temperature": 1.0, "topK": 40})),
        tool_config: None,
    })
}

pub(crate) fn before_model() -> BeforeModelInput {
    BeforeModelInput {
        llm_request: request(),
    }
}

pub(crate) fn before_tool_selection() -> BeforeToolSelectionInput {
    BeforeToolSelectionInput {
        llm_request: request(),
    }
}

pub(crate) fn after_model() -> AfterModelInput {
    AfterModelInput {
        llm_request: request(),
        llm_response: LlmResponse::of_text("world"),
        content: "world".to_owned(),
        full_content: "hello world".to_owned(),
    }
}
