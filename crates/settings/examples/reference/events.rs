//! What the types say about events.

use std::io;

use hookloop_events::{
    AfterAgentInput, AfterModelInput, AfterToolInput, BeforeAgentInput, BeforeModelInput,
    BeforeToolInput, BeforeToolSelectionInput, CompressTrigger, EndReason, EventName, McpContext,
    NotificationInput, NotificationType, PreCompressInput, SessionEndInput, SessionSource,
    SessionStartInput, SubjectKind, ToolArguments, ToolResponse,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::row;

/// Returns the table of events: when they fire, what matchers see, whether they can be refused.
pub(crate) fn table() -> String {
    let schema = hookloop_settings::json_schema();
    let mut text = String::from(
        "| event | fires, and what its hooks may do | matcher is compared with | can be refused |\n\
         |---|---|---|---|\n",
    );
    for event in EventName::ALL {
        let described = &schema["definitions"]["Hooks"]["properties"][event.as_str()];
        let described = described["description"].as_str().unwrap_or_default();
        let refused = if event.can_refuse() { "yes" } else { "no" };
        let subject = subject(event);
        let fires = without_matcher(described);
        text += &row(&[&format!("`{event}`"), &fires, &subject, refused]);
    }
    text
}

/// Leaves out the sentence about matchers, which has its own column.
fn without_matcher(described: &str) -> String {
    let sentences = described.split_inclusive(". ");
    sentences
        .filter(|sentence| !sentence.starts_with("The matcher"))
        .collect::<String>()
        .trim()
        .to_owned()
}

fn subject(event: EventName) -> String {
    let field = event.subject_field().unwrap_or_default();
    match event.subject_kind() {
        SubjectKind::Tool => format!("`{field}`, as a regular expression"),
        SubjectKind::Word => {
            let words = event.subject_words().iter();
            let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
            format!("`{field}`: {}", words.join(" "))
        }
        SubjectKind::None => "nothing; it is ignored".to_owned(),
    }
}

/// Returns the table of the fields that hooks of each event read.
pub(crate) fn inputs() -> io::Result<String> {
    let mut text = String::from("| event | own fields |\n|---|---|\n");
    for event in EventName::ALL {
        let all = sample(event, Extent::All)?;
        let least = sample(event, Extent::Least)?;
        let names: Vec<String> = all
            .keys()
            .map(|name| {
                let sometimes = if least.contains_key(name) { "" } else { "?" };
                format!("`{name}`{sometimes}")
            })
            .collect();
        text += &row(&[&format!("`{event}`"), &names.join(", ")]);
    }
    Ok(text)
}

/// Whether a sample has the fields that aren't always there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    All,
    Least,
}

/// Builds the fields that a hook reads beside the common ones.
fn sample(event: EventName, extent: Extent) -> io::Result<Map<String, Value>> {
    let request = json!({ "model": "", "messages": [], "config": {} });
    let response = json!({ "text": "", "candidates": [] });
    match event {
        EventName::SessionStart => fields(&SessionStartInput {
            source: SessionSource::Startup,
        }),
        EventName::SessionEnd => fields(&SessionEndInput {
            reason: EndReason::Exit,
        }),
        EventName::BeforeAgent => fields(&BeforeAgentInput {
            prompt: String::new(),
        }),
        EventName::AfterAgent => fields(&AfterAgentInput {
            prompt: String::new(),
            prompt_response: String::new(),
            stop_hook_active: false,
        }),
        EventName::BeforeModel => fields(&BeforeModelInput {
            llm_request: serde_json::from_value(request)?,
        }),
        EventName::BeforeToolSelection => fields(&BeforeToolSelectionInput {
            llm_request: serde_json::from_value(request)?,
        }),
        EventName::AfterModel => fields(&AfterModelInput {
            llm_request: serde_json::from_value(request)?,
            llm_response: serde_json::from_value(response)?,
            content: String::new(),
            full_content: String::new(),
        }),
        EventName::BeforeTool => fields(&before_tool(extent)),
        EventName::AfterTool => fields(&after_tool(extent)),
        EventName::PreCompress => fields(&PreCompressInput {
            trigger: CompressTrigger::Auto,
        }),
        EventName::Notification => fields(&NotificationInput {
            notification_type: NotificationType::ToolPermission,
            message: String::new(),
            details: Value::Null,
        }),
    }
}

fn before_tool(extent: Extent) -> BeforeToolInput {
    BeforeToolInput {
        tool_name: String::new(),
        tool_input: ToolArguments::new().into(),
        mcp_context: (extent == Extent::All).then(McpContext::default),
        original_request_name: (extent == Extent::All).then(String::new),
        tool_call_id: String::new(),
    }
}

fn after_tool(extent: Extent) -> AfterToolInput {
    let call = before_tool(extent);
    AfterToolInput {
        tool_name: call.tool_name,
        tool_input: call.tool_input,
        tool_response: ToolResponse::default(),
        mcp_context: call.mcp_context,
        original_request_name: call.original_request_name,
        tool_call_id: call.tool_call_id,
    }
}

fn fields(input: &impl Serialize) -> io::Result<Map<String, Value>> {
    match serde_json::to_value(input)? {
        Value::Object(fields) => Ok(fields),
        _ => Err(io::Error::other("an input is an object")),
    }
}
