//! A request in the format of Gemini's API.

use std::borrow::Cow;

use hookloop_events::llm::Role;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::function::FunctionDeclaration;
use crate::http::signature::is_marked;
use crate::http::turns::{Turn, turns};
use crate::part::{Part, PartData};
use crate::request::Request;

/// Fields that are beside the generation parameters in the API, and among them here.
const BESIDE: [&str; 3] = ["safetySettings", "cachedContent", "labels"];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'r> {
    contents: Vec<WireContent<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_instruction: Option<WireContent<'r>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tools<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_config: Option<WireToolConfig>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    generation_config: Map<String, Value>,
    #[serde(flatten)]
    beside: Map<String, Value>,
}

/// A content has no other fields in the API.
#[derive(Serialize)]
struct WireContent<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<Role>,
    parts: Vec<Cow<'r, Part>>,
}

/// Tools of one kind.
#[derive(Serialize)]
#[serde(untagged)]
enum Tools<'r> {
    #[serde(rename_all = "camelCase")]
    Declared {
        function_declarations: Vec<&'r FunctionDeclaration>,
    },
    /// An object whose only field names the tool.
    Native(Map<String, Value>),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WireToolConfig {
    function_calling_config: Value,
}

/// Writes a request (MO-1).
pub(crate) fn of(request: &Request) -> Vec<u8> {
    let (beside, generation_config) = request
        .config
        .clone()
        .into_iter()
        .partition(|(key, _)| BESIDE.contains(&key.as_str()));
    let contents = turns(&request.contents);
    let instruction = request.system_instruction.iter();
    let instruction: Vec<_> = instruction
        .flat_map(|content| &content.parts)
        .map(Cow::Borrowed)
        .collect();
    let body = Body {
        contents: contents
            .into_iter()
            .map(WireContent::from)
            .filter(|content| !content.parts.is_empty())
            .collect(),
        system_instruction: (!instruction.is_empty()).then_some(WireContent {
            role: None,
            parts: instruction,
        }),
        tools: tools(request),
        tool_config: request
            .function_calling_config()
            .map(|function_calling_config| WireToolConfig {
                function_calling_config,
            }),
        generation_config,
        beside,
    };
    // Serialising fails only for a part with two fields of the same name, which can't occur.
    serde_json::to_vec(&body).unwrap_or_default()
}

/// Lists the tools: the declared ones together, each native one on its own.
fn tools(request: &Request) -> Vec<Tools<'_>> {
    let function_declarations: Vec<_> = request.tools.iter().map(AsRef::as_ref).collect();
    let declared = (!function_declarations.is_empty()).then_some(Tools::Declared {
        function_declarations,
    });
    let native = request.native_tools.iter().map(|tool| {
        let options = Value::Object(Map::new());
        Tools::Native(Map::from_iter([(tool.field().to_owned(), options)]))
    });
    declared.into_iter().chain(native).collect()
}

impl<'r> From<Turn<'r>> for WireContent<'r> {
    fn from(turn: Turn<'r>) -> Self {
        Self {
            role: Some(turn.role),
            parts: turn
                .parts
                .into_iter()
                .filter(|part| !is_marked(part))
                .map(known_to_the_api)
                .collect(),
        }
    }
}

/// Removes what is kept for our own records: the API refuses fields that it doesn't know.
fn known_to_the_api(part: &Part) -> Cow<'_, Part> {
    let unreadable = part
        .function_call()
        .and_then(|call| call.unreadable_args.as_ref());
    if unreadable.is_none() {
        return Cow::Borrowed(part);
    }
    let mut part = part.clone();
    if let PartData::FunctionCall(call) = &mut part.data {
        call.unreadable_args = None;
    }
    Cow::Owned(part)
}
