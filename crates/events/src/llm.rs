//! The hooks' view of a model request and of its response: a stable format, without the parts that
//! hooks can't read (`hooks.md` §6, `BeforeModel`, `AfterModel`).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::reply::Malformed;

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The user, or a tool's result.
    User,
    /// The model.
    Model,
    /// The system instruction.
    System,
}

/// The text of one message. Parts that aren't text are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmMessage {
    /// The author.
    pub role: Role,
    /// The text of all text parts, in order.
    pub content: String,
}

/// How the model may use tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ToolMode {
    /// The model decides.
    Auto,
    /// The model must call a tool.
    Any,
    /// No tool may be called.
    None,
}

/// Which tools the model may call, and whether it must (TS-1).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolConfig {
    /// The mode, if one is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ToolMode>,
    /// The only tools that may be called; `None` for no restriction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_function_names: Option<Vec<String>>,
}

/// A request to the model as hooks see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LlmRequest {
    /// The model's name.
    pub model: String,
    /// The texts of the conversation, oldest first.
    #[serde(default)]
    pub messages: Vec<LlmMessage>,
    /// Generation parameters: `temperature`, `maxOutputTokens`, `topP`, `topK`,
    /// `stopSequences`, …
    #[serde(default)]
    pub config: Map<String, Value>,
    /// How tools may be used, if that is restricted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_config: Option<ToolConfig>,
}

/// A hook's changes to a request. Fields that it doesn't set stay (BM-1).
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LlmRequestPatch {
    /// Another model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// All messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<LlmMessage>>,
    /// Single parameters.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub config: Map<String, Value>,
    /// Another tool configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_config: Option<ToolConfig>,
}

impl LlmRequestPatch {
    /// Returns whether nothing is changed.
    pub fn is_empty(&self) -> bool {
        self == &Self::default()
    }

    /// Merges a later patch into this one, field by field (AG-6), and returns the fields that both
    /// set to different values.
    pub fn merge(&mut self, later: Self) -> Vec<String> {
        let mut conflicts = Vec::new();
        merge_field(&mut self.model, later.model, "model", &mut conflicts);
        merge_field(
            &mut self.messages,
            later.messages,
            "messages",
            &mut conflicts,
        );
        merge_field(
            &mut self.tool_config,
            later.tool_config,
            "toolConfig",
            &mut conflicts,
        );
        for (key, value) in later.config {
            if self
                .config
                .get(&key)
                .is_some_and(|earlier| *earlier != value)
            {
                conflicts.push(format!("config.{key}"));
            }
            self.config.insert(key, value);
        }
        conflicts
    }

    /// Applies the patch to a request.
    pub fn apply_to(&self, request: &mut LlmRequest) {
        if let Some(model) = &self.model {
            request.model.clone_from(model);
        }
        if let Some(messages) = &self.messages {
            request.messages.clone_from(messages);
        }
        for (key, value) in &self.config {
            request.config.insert(key.clone(), value.clone());
        }
        if let Some(tool_config) = &self.tool_config {
            request.tool_config = Some(tool_config.clone());
        }
    }

    /// Reads a patch from a reply's `llm_request`.
    pub(crate) fn read(value: &Value) -> Result<Self, Malformed> {
        const FIELD: &str = "hookSpecificOutput.llm_request";
        let Value::Object(fields) = value else {
            return Err(Malformed::wrong_type(FIELD, "an object", value));
        };
        let mut patch = Self::default();
        for (key, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
            let field = format!("{FIELD}.{key}");
            match key.as_str() {
                "model" => patch.model = Some(typed(&field, "a string", value)?),
                "messages" => patch.messages = Some(read_messages(&field, value)?),
                "config" => patch.config = typed(&field, "an object", value)?,
                "toolConfig" => patch.tool_config = Some(ToolConfig::read(&field, value)?),
                _ => {}
            }
        }
        Ok(patch)
    }
}

impl ToolConfig {
    /// Reads a tool configuration from the reply's field of that name.
    pub(crate) fn read(field: &str, value: &Value) -> Result<Self, Malformed> {
        typed(
            field,
            "an object with mode \"AUTO\", \"ANY\" or \"NONE\" and a list allowedFunctionNames",
            value,
        )
    }
}

/// A response of the model, or one chunk of it, as hooks see it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LlmResponse {
    /// The text of the first candidate.
    pub text: String,
    /// The candidates; in practice one.
    pub candidates: Vec<LlmCandidate>,
    /// Token counts as the model reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage_metadata: Option<Value>,
}

/// One candidate of a response.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LlmCandidate {
    /// The content's text parts.
    pub content: LlmContent,
    /// Why the response ended, in its last chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// The candidate's index, from 0.
    pub index: u32,
    /// Safety ratings as the model reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safety_ratings: Option<Value>,
}

/// The text parts of a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LlmContent {
    /// Always the model.
    pub role: Role,
    /// The texts, in order.
    pub parts: Vec<String>,
}

impl Default for LlmContent {
    fn default() -> Self {
        Self {
            role: Role::Model,
            parts: Vec::new(),
        }
    }
}

impl LlmResponse {
    /// Creates the view of a chunk that contains only text.
    pub fn of_text(text: impl Into<String>) -> Self {
        let text = text.into();
        let content = LlmContent {
            role: Role::Model,
            parts: vec![text.clone()],
        };
        let candidates = vec![LlmCandidate {
            content,
            ..LlmCandidate::default()
        }];
        Self {
            text,
            candidates,
            usage_metadata: None,
        }
    }
}

/// A function call in a response from a hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SyntheticCall {
    /// The tool's name.
    pub name: String,
    /// The arguments.
    #[serde(default)]
    pub args: Map<String, Value>,
}

/// A response from a hook: instead of the model's (BM-3), or for a chunk of it (AM-2).
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GivenResponse {
    /// The text; `None` if the hook gave none.
    pub text: Option<String>,
    /// Why the response ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// Calls of tools (BM-3 only; the calls of a chunk stay as they are).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub function_calls: Vec<SyntheticCall>,
}

impl GivenResponse {
    /// Reads a response from a reply's `llm_response`: its first candidate, else its `text`
    /// and `functionCalls`.
    pub(crate) fn read(value: &Value) -> Result<Self, Malformed> {
        const FIELD: &str = "hookSpecificOutput.llm_response";
        let Value::Object(fields) = value else {
            return Err(Malformed::wrong_type(FIELD, "an object", value));
        };
        let mut given = Self::default();
        if let Some(text) = present(fields, "text") {
            given.text = Some(typed(&format!("{FIELD}.text"), "a string", text)?);
        }
        if let Some(calls) = present(fields, "functionCalls") {
            given.function_calls =
                typed(&format!("{FIELD}.functionCalls"), "a list of calls", calls)?;
        }
        if let Some(candidates) = present(fields, "candidates") {
            let field = format!("{FIELD}.candidates");
            let Value::Array(candidates) = candidates else {
                return Err(Malformed::wrong_type(&field, "a list", candidates));
            };
            if let Some(candidate) = candidates.first() {
                given.read_candidate(&format!("{field}[0]"), candidate)?;
            }
        }
        Ok(given)
    }

    fn read_candidate(&mut self, field: &str, value: &Value) -> Result<(), Malformed> {
        let Value::Object(candidate) = value else {
            return Err(Malformed::wrong_type(field, "an object", value));
        };
        if let Some(reason) = present(candidate, "finishReason") {
            self.finish_reason = Some(typed(&format!("{field}.finishReason"), "a string", reason)?);
        }
        let Some(content) = present(candidate, "content") else {
            return Ok(());
        };
        let field = format!("{field}.content");
        let Value::Object(content) = content else {
            return Err(Malformed::wrong_type(&field, "an object", content));
        };
        let Some(parts) = present(content, "parts") else {
            return Ok(());
        };
        let field = format!("{field}.parts");
        let Value::Array(parts) = parts else {
            return Err(Malformed::wrong_type(&field, "a list of strings", parts));
        };
        let mut text = String::new();
        for part in parts {
            self.read_part(&field, part, &mut text)?;
        }
        self.text = Some(text);
        Ok(())
    }

    fn read_part(&mut self, field: &str, part: &Value, text: &mut String) -> Result<(), Malformed> {
        match part {
            Value::String(part) => text.push_str(part),
            Value::Object(part) => {
                if let Some(Value::String(part)) = part.get("text") {
                    text.push_str(part);
                }
                if let Some(call) = part.get("functionCall") {
                    self.function_calls.push(typed(
                        &format!("{field}.functionCall"),
                        "a call with a name",
                        call,
                    )?);
                }
            }
            other => return Err(Malformed::wrong_type(field, "a list of strings", other)),
        }
        Ok(())
    }
}

fn merge_field<T: PartialEq>(
    earlier: &mut Option<T>,
    later: Option<T>,
    name: &str,
    conflicts: &mut Vec<String>,
) {
    let Some(later) = later else { return };
    if earlier.as_ref().is_some_and(|earlier| *earlier != later) {
        conflicts.push(name.to_owned());
    }
    *earlier = Some(later);
}

/// Reads messages: `content` is a text, or a list of parts whose texts are joined.
fn read_messages(field: &str, value: &Value) -> Result<Vec<LlmMessage>, Malformed> {
    const EXPECTED: &str =
        "a list of messages with a role \"user\", \"model\" or \"system\" and a content string";
    let Value::Array(messages) = value else {
        return Err(Malformed::wrong_type(field, EXPECTED, value));
    };
    messages
        .iter()
        .map(|message| {
            let role = typed(field, EXPECTED, message.get("role").unwrap_or(&Value::Null))?;
            let content = match message.get("content") {
                Some(Value::String(text)) => text.clone(),
                Some(Value::Array(parts)) => parts.iter().filter_map(part_text).collect(),
                _ => return Err(Malformed::wrong_type(field, EXPECTED, message)),
            };
            Ok(LlmMessage { role, content })
        })
        .collect()
}

fn part_text(part: &Value) -> Option<&str> {
    part.as_str().or_else(|| part.get("text")?.as_str())
}

fn present<'a>(fields: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    fields.get(key).filter(|value| !value.is_null())
}

/// Reads a value of a type, or says which field is wrong and what it should be.
pub(crate) fn typed<'a, T: Deserialize<'a>>(
    field: &str,
    expected: &str,
    value: &'a Value,
) -> Result<T, Malformed> {
    T::deserialize(value).map_err(|_| Malformed::wrong_type(field, expected, value))
}
