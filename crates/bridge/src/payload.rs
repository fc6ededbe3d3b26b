//! Translates an agent's payload to our events (BR-10, BR-11).

use std::path::{Path, PathBuf};

use hookloop_events::EventName;
use serde_json::{Map, Value, json};

use crate::agent::Agent;
use crate::calls::{TheirCall, mcp_context};
use crate::moment::Moment;
use crate::planned::PlannedCall;
use crate::results;

/// A call from an agent: which of its events, and what it wrote to standard input.
#[derive(Debug, Clone)]
pub struct AgentPayload<'a> {
    /// The calling agent.
    pub agent: Agent,
    /// Its event, as the agent names it.
    pub event: &'a str,
    /// The payload that it wrote.
    pub payload: Map<String, Value>,
}

/// The context of a payload.
#[derive(Debug, Clone, Copy)]
pub struct CallContext<'a> {
    /// The working directory of the call, absolute.
    pub cwd: &'a Path,
    /// What is stored about the session.
    pub memory: &'a Memory,
    /// Whether hooks also read the payload as the agent wrote it (`--raw`).
    pub raw: bool,
}

/// What a call must know about earlier calls in its session (BR-14).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Memory {
    /// The turn's prompt.
    pub prompt: Option<String>,
    /// How many times the turn continued because of a hook.
    pub retries: u32,
    /// How many sub-agents are running, for an agent that doesn't say which one an event belongs
    /// to.
    pub sub_agents: u32,
}

/// A payload, translated.
#[derive(Debug, Clone, PartialEq)]
pub struct TranslatedPayload {
    /// The moment that it represents.
    pub moment: Moment,
    /// The session's id.
    pub session_id: String,
    /// The session's transcript, if the agent named one.
    pub transcript: Option<PathBuf>,
    /// The working directory, absolute.
    pub cwd: PathBuf,
    /// The sub-agent that acts: its id and its type.
    pub sub_agent: Option<(String, String)>,
    /// What the bridge must do.
    pub action: PayloadAction,
    /// The payload in the usual shape, for the answer.
    pub(crate) usual: Map<String, Value>,
    pub(crate) call: Option<TheirCall>,
}

/// What the bridge must do about a payload.
#[derive(Debug, Clone, PartialEq)]
pub enum PayloadAction {
    /// Fire these events, in this order; one refusal refuses everything.
    Fires(Vec<Firing>),
    /// Nothing, because it isn't an event of ours, for this reason.
    Nothing(&'static str),
    /// A settings file of the agent changed (BR-24).
    ConfigChange {
        /// The file.
        file: Option<PathBuf>,
    },
}

/// An event to fire.
#[derive(Debug, Clone, PartialEq)]
pub struct Firing {
    /// The event.
    pub event: EventName,
    /// The fields that its hooks read in addition to the common ones.
    pub fields: Map<String, Value>,
}

/// Why a payload can't be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PayloadError {
    /// What is wrong, as a sentence without its full stop.
    pub message: String,
}

impl PayloadError {
    fn of(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }
}

impl TranslatedPayload {
    /// Returns the arguments of the call in the agent's format, with changes. Returns `None` if its
    /// call can't express them.
    pub fn rewritten(
        &self,
        agent: Agent,
        changes: &Map<String, Value>,
    ) -> Option<Map<String, Value>> {
        self.call
            .as_ref()?
            .rewrite_arguments(agent, changes, &self.cwd)
    }

    /// Returns the payload in the usual form, for the answer.
    pub const fn payload(&self) -> &Map<String, Value> {
        &self.usual
    }

    /// Returns whether a prompt may be the agent's own notification that a background agent ended.
    /// Anybody can write a prompt that looks like it, so hooks judge it; but it doesn't start a
    /// turn (BR-11).
    pub fn is_perhaps_notification(&self) -> bool {
        let prompt = self.usual.get("prompt").map(prompt_text);
        let looks_so = |text: String| text.trim_start().starts_with("<task-notification>");
        self.moment == Moment::Prompt && prompt.is_some_and(looks_so)
    }

    /// Returns the tool calls in the payload, in our format.
    pub fn calls(&self) -> &[PlannedCall] {
        self.call.as_ref().map_or(&[], |call| &call.calls)
    }

    /// If the call does more than [`calls`](Self::calls), returns the reason: a hook that must
    /// judge all of it can't (BR-10).
    pub fn rest(&self) -> Option<&str> {
        self.call.as_ref()?.rest.as_deref()
    }
}

/// Translates a payload to our events.
///
/// # Errors
/// The agent has no such event, or the payload doesn't belong to it. Before a tool or a prompt,
/// this is a refusal (BR-22).
pub fn translate_payload(
    call: AgentPayload<'_>,
    context: CallContext<'_>,
) -> Result<TranslatedPayload, PayloadError> {
    let AgentPayload {
        agent,
        event,
        payload,
    } = call;
    let Some(moment) = agent.moment(event) else {
        return Err(PayloadError::of(format!(
            "{} has no known event `{event}`",
            agent.name()
        )));
    };
    let raw = context.raw.then(|| Value::Object(payload.clone()));
    let usual = (agent.profile().usual)(event, payload);
    let text = |name: &str| {
        let value = usual.get(name).and_then(Value::as_str);
        value.filter(|text| !text.is_empty())
    };
    let cwd = text("cwd").map_or_else(|| context.cwd.to_path_buf(), |cwd| context.cwd.join(cwd));
    let sub_agent = text("agent_id").map(|id| {
        let kind = text("agent_type").unwrap_or_default();
        (id.to_owned(), kind.to_owned())
    });
    let mut translated = TranslatedPayload {
        moment,
        session_id: text("session_id").unwrap_or("unknown").to_owned(),
        transcript: text("transcript_path").map(PathBuf::from),
        cwd,
        sub_agent,
        action: PayloadAction::Nothing("there is no event for this moment"),
        usual: Map::new(),
        call: None,
    };
    let extras = extras(agent, event, &usual, raw);
    translated.usual = usual;
    translated.action = action_of(agent, &mut translated, context.memory)?;
    let abilities = &agent.profile().abilities;
    if let Some(call) = translated
        .call
        .as_mut()
        .filter(|_| abilities.no_rewrite_at.contains(&event))
    {
        call.is_fixed = true;
    }
    if let PayloadAction::Fires(firings) = &mut translated.action {
        for firing in firings {
            firing
                .fields
                .insert("bridge".to_owned(), Value::Object(extras.clone()));
        }
    }
    Ok(translated)
}

/// Collects what the payload contains in addition to ours.
fn extras(
    agent: Agent,
    event: &str,
    usual: &Map<String, Value>,
    raw: Option<Value>,
) -> Map<String, Value> {
    let mut extras = Map::from_iter([
        ("agent".to_owned(), Value::from(agent.word())),
        ("event".to_owned(), Value::from(event)),
    ]);
    for (name, from) in [
        ("agent_id", &["agent_id"][..]),
        ("agent_type", &["agent_type"]),
        ("turn_id", &["turn_id", "prompt_id"]),
        ("permission_mode", &["permission_mode"]),
        ("tool_name", &["tool_name"]),
        ("source", &["source"]),
    ] {
        let found = from.iter().find_map(|it| usual.get(*it));
        if let Some(value) = found.filter(|it| !it.is_null()) {
            extras.insert(name.to_owned(), value.clone());
        }
    }
    extras.extend(raw.map(|raw| ("raw".to_owned(), raw)));
    extras
}

fn action_of(
    agent: Agent,
    translated: &mut TranslatedPayload,
    memory: &Memory,
) -> Result<PayloadAction, PayloadError> {
    let usual = &translated.usual;
    let text = |name: &str| usual.get(name).and_then(Value::as_str);
    let fires = |event: EventName, fields: Value| {
        let fields = match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        Ok(PayloadAction::Fires(vec![Firing { event, fields }]))
    };
    match translated.moment {
        Moment::SessionStart => fires(
            EventName::SessionStart,
            json!({"source": source(text("source"))}),
        ),
        Moment::SessionEnd => fires(
            EventName::SessionEnd,
            json!({"reason": end_reason(text("reason"))}),
        ),
        Moment::Prompt => prompt(agent, translated),
        Moment::BeforeTool | Moment::AfterTool => tool(agent, translated),
        Moment::End => {
            if translated.sub_agent.is_some() || memory.sub_agents > 0 {
                return Ok(PayloadAction::Nothing("a sub-agent ends, not the turn"));
            }
            let is_active = usual.get("stop_hook_active") == Some(&Value::Bool(true));
            fires(
                EventName::AfterAgent,
                json!({
                    "prompt": memory.prompt.clone().unwrap_or_default(),
                    "prompt_response": text("last_assistant_message").unwrap_or_default(),
                    "stop_hook_active": is_active || memory.retries > 0,
                }),
            )
        }
        Moment::Compress => {
            let trigger = if text("trigger") == Some("manual") {
                "manual"
            } else {
                "auto"
            };
            fires(EventName::PreCompress, json!({ "trigger": trigger }))
        }
        Moment::Alert => Ok(alert(agent, translated)),
        Moment::ConfigChange => Ok(PayloadAction::ConfigChange {
            file: text("file_path").map(PathBuf::from),
        }),
        Moment::SubAgentBegins | Moment::SubAgentEnds => Ok(PayloadAction::Nothing(
            "sub-agents start and end as calls of a tool",
        )),
        Moment::Nothing => Ok(PayloadAction::Nothing("there is no event for this moment")),
    }
}

/// Returns how a session begins: what is neither resumed nor cleared is a new start.
fn source(theirs: Option<&str>) -> &'static str {
    match theirs {
        Some("resume") => "resume",
        Some("clear") => "clear",
        _ => "startup",
    }
}

fn end_reason(theirs: Option<&str>) -> &'static str {
    match theirs {
        Some("clear") => "clear",
        Some("logout") => "logout",
        Some("prompt_input_exit") => "prompt_input_exit",
        Some("complete" | "exit" | "user_exit") => "exit",
        _ => "other",
    }
}

fn prompt(agent: Agent, translated: &TranslatedPayload) -> Result<PayloadAction, PayloadError> {
    if translated.sub_agent.is_some() {
        return Ok(PayloadAction::Nothing("it is a sub-agent's prompt"));
    }
    if let Some(why) = (agent.profile().no_prompt)(&translated.usual) {
        return Ok(PayloadAction::Nothing(why));
    }
    let Some(prompt) = translated.usual.get("prompt") else {
        return Err(PayloadError::of("the payload has no prompt"));
    };
    let fields = Map::from_iter([("prompt".to_owned(), Value::from(prompt_text(prompt)))]);
    Ok(PayloadAction::Fires(vec![Firing {
        event: EventName::BeforeAgent,
        fields,
    }]))
}

/// Returns the text of a prompt, which some agents write in parts.
fn prompt_text(prompt: &Value) -> String {
    match prompt {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().map(|part| match part.get("text") {
                Some(Value::String(text)) => text.clone(),
                _ => prompt_text(part),
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

fn tool(agent: Agent, translated: &mut TranslatedPayload) -> Result<PayloadAction, PayloadError> {
    let usual = &translated.usual;
    let name = usual.get("tool_name").and_then(Value::as_str);
    let Some(name) = name.filter(|it| !it.trim().is_empty()) else {
        return Err(PayloadError::of("the payload names no tool"));
    };
    let input = match usual.get("tool_input") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(input)) => input.clone(),
        // Arguments encoded as JSON text, or a plain patch.
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(input) => input,
            Err(_) if name.to_lowercase().replace('_', "") == "applypatch" => {
                Map::from_iter([("input".to_owned(), Value::from(text.as_str()))])
            }
            Err(_) => {
                return Err(PayloadError::of(
                    "the arguments of the tool aren't an object",
                ));
            }
        },
        Some(_) => {
            return Err(PayloadError::of(
                "the arguments of the tool aren't an object",
            ));
        }
    };
    let call = TheirCall::read(agent, name, input, &translated.cwd).map_err(PayloadError::of)?;
    let id = usual
        .get("tool_use_id")
        .and_then(Value::as_str)
        .unwrap_or(name);
    let response = (translated.moment == Moment::AfterTool).then(|| {
        match usual.get("error").filter(|it| !it.is_null()) {
            Some(error) => results::from_error(error),
            None => results::from_theirs(usual.get("tool_response").unwrap_or(&Value::Null)),
        }
    });
    let event = match translated.moment {
        Moment::AfterTool => EventName::AfterTool,
        _ => EventName::BeforeTool,
    };
    let several = call.calls.len() > 1;
    let firings = call.calls.iter().enumerate().map(|(index, planned)| {
        let id = if several {
            format!("{id}-{}", index + 1)
        } else {
            id.to_owned()
        };
        let mut fields = Map::from_iter([
            ("tool_name".to_owned(), Value::from(planned.tool.as_str())),
            (
                "tool_input".to_owned(),
                Value::Object(planned.arguments.clone()),
            ),
            ("tool_call_id".to_owned(), Value::from(id)),
        ]);
        let mcp = usual.get("mcp_context").cloned();
        let mcp = mcp.or_else(|| mcp_context(agent, name));
        fields.extend(mcp.map(|mcp| ("mcp_context".to_owned(), mcp)));
        fields.extend(
            response
                .clone()
                .map(|response| ("tool_response".to_owned(), response)),
        );
        Firing { event, fields }
    });
    let firings = firings.collect();
    translated.call = Some(call);
    Ok(PayloadAction::Fires(firings))
}

/// Turns a question for a permission into an alert; other notifications aren't ours.
fn alert(agent: Agent, translated: &TranslatedPayload) -> PayloadAction {
    let usual = &translated.usual;
    let text = |name: &str| usual.get(name).and_then(Value::as_str);
    let tool = text("tool_name");
    let kind = text("notification_type");
    let is_permission =
        tool.is_some() || matches!(kind, Some("permission_prompt" | "ToolPermission"));
    if !is_permission {
        return PayloadAction::Nothing("it isn't a request for permission to use a tool");
    }
    let mut details = Map::new();
    if let Some(name) = tool {
        let input = usual.get("tool_input").and_then(Value::as_object);
        let input = input.cloned().unwrap_or_default();
        let call = TheirCall::read(agent, name, input, &translated.cwd);
        if let Some(first) = call.ok().and_then(|call| call.calls.into_iter().next()) {
            details.insert("tool_name".to_owned(), Value::from(first.tool));
            details.insert("tool_input".to_owned(), Value::Object(first.arguments));
        }
    }
    let message = match (text("message"), tool) {
        (Some(message), _) => message.to_owned(),
        (None, Some(tool)) => format!("{} asks whether `{tool}` may run", agent.name()),
        (None, None) => format!("{} asks for permission", agent.name()),
    };
    let fields = Map::from_iter([
        (
            "notification_type".to_owned(),
            Value::from("ToolPermission"),
        ),
        ("message".to_owned(), Value::from(message)),
        ("details".to_owned(), Value::Object(details)),
    ]);
    PayloadAction::Fires(vec![Firing {
        event: EventName::Notification,
        fields,
    }])
}
