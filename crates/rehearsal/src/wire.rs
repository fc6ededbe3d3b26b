//! The protocols: which one a request speaks, and a turn in its format.

mod anthropic;
mod chat;
mod gemini;
mod responses;

use serde_json::{Value, json};

use crate::Turn;
use crate::http::Response;

/// The response to requests on the side, such as those for a title.
const ON_THE_SIDE: &str = "Scripted";

/// The protocols of model services.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Anthropic Messages.
    Anthropic,
    /// `OpenAI` chat completions.
    Chat,
    /// `OpenAI` responses.
    Responses,
    /// Gemini's `generateContent`.
    Gemini,
}

/// Whether a response is sent piece by piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delivery {
    Streamed,
    Whole,
}

/// The content of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestKind {
    /// The next turn.
    Turn(Protocol, Delivery),
    /// Something that isn't a turn of the agent.
    Side(Protocol, Delivery),
    /// How many tokens a request has.
    Count(Protocol),
    /// Which models there are.
    Models,
    /// An unknown request.
    Unknown,
}

impl RequestKind {
    pub(crate) const fn protocol(self) -> Option<Protocol> {
        match self {
            Self::Turn(protocol, _) | Self::Side(protocol, _) | Self::Count(protocol) => {
                Some(protocol)
            }
            Self::Models | Self::Unknown => None,
        }
    }
}

/// Interprets a request by its method, target and body.
pub(crate) fn classify(method: &str, target: &str, body: &Value) -> RequestKind {
    let path = target.split('?').next().unwrap_or_default();
    if method == "GET" && path.trim_end_matches('/').ends_with("/models") {
        return RequestKind::Models;
    }
    if method != "POST" {
        return RequestKind::Unknown;
    }
    let is_streamed = body.get("stream") == Some(&Value::Bool(true));
    let (protocol, is_streamed) = if path.ends_with("/messages/count_tokens") {
        return RequestKind::Count(Protocol::Anthropic);
    } else if path.ends_with(":countTokens") {
        return RequestKind::Count(Protocol::Gemini);
    } else if path.ends_with("/messages") {
        (Protocol::Anthropic, is_streamed)
    } else if path.ends_with("/chat/completions") {
        (Protocol::Chat, is_streamed)
    } else if path.ends_with("/responses") {
        (Protocol::Responses, is_streamed)
    } else if path.ends_with(":streamGenerateContent") {
        (Protocol::Gemini, true)
    } else if path.ends_with(":generateContent") {
        (Protocol::Gemini, false)
    } else {
        return RequestKind::Unknown;
    };
    let delivery = if is_streamed {
        Delivery::Streamed
    } else {
        Delivery::Whole
    };
    if offered_tools(body).is_empty() {
        RequestKind::Side(protocol, delivery)
    } else {
        RequestKind::Turn(protocol, delivery)
    }
}

/// Returns the names of the tools that a request offers, in whichever protocol.
pub(crate) fn offered_tools(body: &Value) -> Vec<String> {
    let mut names = Vec::new();
    for tool in entries(body.get("tools")) {
        // Anthropic and responses name the tool itself, chat its function, Gemini a list of them;
        // responses puts some into namespaces.
        let nested = ["functionDeclarations", "function_declarations", "tools"]
            .into_iter()
            .flat_map(|field| entries(tool.get(field)));
        for named in [tool, tool.get("function").unwrap_or(&Value::Null)]
            .into_iter()
            .chain(nested)
        {
            if let Some(name) = named.get("name").and_then(Value::as_str) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

fn entries(list: Option<&Value>) -> &[Value] {
    list.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Writes a response in the protocol's format. The number makes ids different.
pub(crate) fn response(
    asked: RequestKind,
    body: &Value,
    number: usize,
    turn: Option<&Turn>,
) -> Response {
    let model = body
        .get("model")
        .and_then(Value::as_str)
        .unwrap_or("scripted");
    let side = Turn::Say(ON_THE_SIDE.to_owned());
    match asked {
        RequestKind::Turn(protocol, delivery) | RequestKind::Side(protocol, delivery) => {
            let reply = ScriptedReply {
                turn: turn.unwrap_or(&side),
                model,
                number,
            };
            reply.in_words_of(protocol, delivery)
        }
        RequestKind::Count(Protocol::Gemini) => whole(&json!({"totalTokens": 10})),
        RequestKind::Count(_) => whole(&json!({"input_tokens": 10})),
        // Each client reads the list that it knows.
        RequestKind::Models => whole(&json!({
            "object": "list",
            "data": [{"id": "scripted", "object": "model", "created": 0, "owned_by": "scripted"}],
            "models": [],
        })),
        RequestKind::Unknown => Response {
            status: "404 Not Found",
            content_type: "application/json",
            body:
                json!({"error": {"type": "not_found", "message": "the script has no such service"}})
                    .to_string(),
        },
    }
}

/// A turn, and what is needed to send it.
pub(crate) struct ScriptedReply<'a> {
    pub(crate) turn: &'a Turn,
    pub(crate) model: &'a str,
    pub(crate) number: usize,
}

impl ScriptedReply<'_> {
    fn in_words_of(&self, protocol: Protocol, delivery: Delivery) -> Response {
        match (protocol, delivery) {
            (Protocol::Anthropic, Delivery::Streamed) => {
                stream(&anthropic::events(self), Naming::ByType)
            }
            (Protocol::Anthropic, Delivery::Whole) => whole(&anthropic::message(self)),
            (Protocol::Chat, Delivery::Streamed) => {
                let mut response = stream(&chat::chunks(self), Naming::Unnamed);
                response.body.push_str("data: [DONE]\n\n");
                response
            }
            (Protocol::Chat, Delivery::Whole) => whole(&chat::completion(self)),
            (Protocol::Responses, Delivery::Streamed) => {
                stream(&responses::events(self), Naming::ByType)
            }
            (Protocol::Responses, Delivery::Whole) => whole(&responses::response(self)),
            (Protocol::Gemini, Delivery::Streamed) => {
                stream(&[gemini::content(self)], Naming::Unnamed)
            }
            (Protocol::Gemini, Delivery::Whole) => whole(&gemini::content(self)),
        }
    }

    /// Returns an id that no other response of the script has.
    pub(crate) fn id(&self, kind: &str) -> String {
        format!("{kind}_scripted{:04}", self.number)
    }
}

/// Whether the events of a stream have their type as their name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    ByType,
    Unnamed,
}

fn stream(events: &[Value], naming: Naming) -> Response {
    let mut body = String::new();
    for event in events {
        let name = event.get("type").and_then(Value::as_str);
        if let (Naming::ByType, Some(name)) = (naming, name) {
            body.push_str("event: ");
            body.push_str(name);
            body.push('\n');
        }
        body.push_str("data: ");
        body.push_str(&event.to_string());
        body.push_str("\n\n");
    }
    Response {
        status: "200 OK",
        content_type: "text/event-stream",
        body,
    }
}

fn whole(value: &Value) -> Response {
    Response {
        status: "200 OK",
        content_type: "application/json",
        body: value.to_string(),
    }
}
