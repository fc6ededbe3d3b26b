//! `AfterTool`: fires after a tool ran, even if it returned an error (AT-1…5).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::HookContext;
use crate::event::{
    Attributed, Cancelled, Event, Merged, OtherFields, Summary, combined_ruling, joined_context,
    last_wins, sealed::Sealed,
};
use crate::llm::typed;
use crate::reason::{Cause, Reason};
use crate::reply::{Malformed, Reply};
use crate::tool::{McpContext, TailCall, ToolArguments, ToolCall, ToolResponse, text_bytes};
use crate::verdict::Ruling;
use hookloop_hook::EventName;

/// A tool ran.
#[derive(Debug, Clone, Copy)]
pub struct AfterTool;

/// What an `AfterTool` hook reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AfterToolInput {
    /// The tool's own name.
    pub tool_name: String,
    /// The arguments that it ran with.
    pub tool_input: Arc<ToolArguments>,
    /// Its result.
    pub tool_response: ToolResponse,
    /// The origin of an MCP tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_context: Option<McpContext>,
    /// In a tail call, the tool that was called first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_request_name: Option<String>,
    /// The id of the call.
    pub tool_call_id: String,
}

impl AfterToolInput {
    /// Combines a call with its result.
    pub fn new(call: &ToolCall, tool_response: ToolResponse) -> Self {
        Self {
            tool_name: call.name.clone(),
            tool_input: Arc::clone(&call.arguments),
            tool_response,
            mcp_context: call.mcp.clone(),
            original_request_name: call.original_request_name.clone(),
            tool_call_id: call.id.clone(),
        }
    }
}

/// The answer of an `AfterTool` hook.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AfterToolAnswer {
    /// Whether the model may see the result.
    pub ruling: Ruling,
    /// Text to append to the result (AT-2).
    pub context: Option<HookContext>,
    /// The tool that runs next (AT-3).
    pub tail_call: Option<TailCall>,
    /// Fields for the record, which have no meaning for the agent (AT-5).
    pub data: Map<String, Value>,
}

impl From<Ruling> for AfterToolAnswer {
    fn from(ruling: Ruling) -> Self {
        Self {
            ruling,
            ..Self::default()
        }
    }
}

/// What the host must do with the result.
#[derive(Debug, Clone, PartialEq)]
pub enum AfterToolOutcome {
    /// The model gets the result, and the context (AT-2).
    Keep(Option<HookContext>),
    /// Another tool runs, and its result replaces this one (AT-3).
    Chain(TailCall, Option<HookContext>),
    /// The model gets the reason instead of the result (AT-1), and the context.
    Withhold(Reason, Cause, Option<HookContext>),
    /// The loop ends (AT-4).
    Stop(Reason),
}

impl Sealed for AfterTool {}

impl Event for AfterTool {
    const NAME: EventName = EventName::AfterTool;
    const OWN_FIELDS: &'static [&'static str] = &["additionalContext", "tailToolCallRequest"];
    const OTHER_FIELDS: OtherFields = OtherFields::Data;
    type Input = AfterToolInput;
    type Answer = AfterToolAnswer;
    type Outcome = AfterToolOutcome;

    fn text_bytes(input: &Self::Input) -> usize {
        let response = &input.tool_response;
        let shown = [&response.llm_content, &response.return_display];
        let arguments = input.tool_input.values();
        arguments.chain(shown).map(text_bytes).sum()
    }

    fn subject(input: &Self::Input) -> Option<&str> {
        Some(&input.tool_name)
    }

    fn own_name(input: &Self::Input) -> Option<String> {
        input.mcp_context.as_ref()?.own_name(&input.tool_name)
    }

    fn decode(reply: &Reply, hook: &str) -> Result<Self::Answer, Malformed> {
        let mut data = reply.specific.clone();
        data.retain(|key, _| key != "additionalContext" && key != "tailToolCallRequest");
        Ok(AfterToolAnswer {
            ruling: reply.ruling_without_ask(hook),
            context: reply
                .specific_text("additionalContext")?
                .as_deref()
                .and_then(HookContext::new),
            tail_call: read_tail_call(reply)?,
            data,
        })
    }

    fn refusal(reason: Reason, cause: Cause) -> Option<Self::Answer> {
        Some(AfterToolAnswer {
            ruling: Ruling::Deny(reason, cause),
            context: None,
            tail_call: None,
            data: Map::new(),
        })
    }

    fn withheld_fields(end: Result<&Self::Outcome, Cancelled>) -> &'static [&'static str] {
        match end {
            // A stop outweighs a refusal, and a result that one hook withholds stays withheld. A
            // result that wasn't judged isn't kept anywhere.
            Ok(AfterToolOutcome::Withhold(..) | AfterToolOutcome::Stop(_)) | Err(Cancelled) => {
                &["tool_response"]
            }
            Ok(AfterToolOutcome::Keep(_) | AfterToolOutcome::Chain(..)) => &[],
        }
    }

    fn merge(input: &Self::Input, answers: Vec<Attributed<Self::Answer>>) -> Merged<Self::Outcome> {
        let mut conflicts = Vec::new();
        let ruling = combined_ruling::<Self>(&answers, |answer| &answer.ruling);
        let context = joined_context(&answers, |answer| answer.context.as_ref());
        let tail_call = last_wins(&answers, "tailToolCallRequest", &mut conflicts, |answer| {
            answer.tail_call.as_ref()
        });
        let summary = Summary::of_ruling(&ruling, action(&ruling, &input.tool_name, tail_call))
            .with_context(context.as_ref())
            .with_change("tailToolCallRequest", tail_call.map(tail_call_value));
        let outcome = match (ruling, tail_call) {
            (Ruling::Stop(reason), _) => AfterToolOutcome::Stop(reason),
            (Ruling::Deny(reason, cause), _) => AfterToolOutcome::Withhold(reason, cause, context),
            (_, Some(call)) => AfterToolOutcome::Chain(call.clone(), context),
            (_, None) => AfterToolOutcome::Keep(context),
        };
        Merged {
            outcome,
            summary,
            conflicts,
        }
    }
}

/// Merges the record fields of all hooks. Later hooks override earlier ones (AT-5).
pub fn merged_data(answers: &[Attributed<AfterToolAnswer>]) -> Map<String, Value> {
    let fields = answers
        .iter()
        .flat_map(|attributed| &attributed.answer.data);
    fields
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

fn read_tail_call(reply: &Reply) -> Result<Option<TailCall>, Malformed> {
    const FIELD: &str = "hookSpecificOutput.tailToolCallRequest";
    let Some(value) = reply.specific("tailToolCallRequest") else {
        return Ok(None);
    };
    let Value::Object(fields) = value else {
        return Err(Malformed::wrong_type(
            FIELD,
            "an object with name and args",
            value,
        ));
    };
    let name = fields.get("name").unwrap_or(&Value::Null);
    let args = match fields.get("args") {
        None | Some(Value::Null) => ToolArguments::new(),
        Some(args) => typed(&format!("{FIELD}.args"), "an object", args)?,
    };
    Ok(Some(TailCall {
        name: typed(&format!("{FIELD}.name"), "a string", name)?,
        args,
    }))
}

fn tail_call_value(call: &TailCall) -> Value {
    serde_json::json!({"name": call.name, "args": call.args})
}

fn action(ruling: &Ruling, tool: &str, tail_call: Option<&TailCall>) -> String {
    match (ruling, tail_call) {
        (Ruling::Stop(_), _) => "the agent loop ends".to_owned(),
        (Ruling::Deny(..), _) => {
            format!("the model gets the reason instead of the result of `{tool}`")
        }
        (_, Some(call)) => {
            format!(
                "`{}` runs next, and its result replaces that of `{tool}`",
                call.name
            )
        }
        (_, None) => format!("the model gets the result of `{tool}`"),
    }
}
