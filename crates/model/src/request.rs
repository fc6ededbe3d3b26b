//! A request to a model, including everything that hooks can't see.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use hookloop_events::SharedRequest;
use hookloop_events::llm::ToolConfig;
use serde_json::{Map, Value};

use crate::content::{Content, Speaker};
use crate::function::FunctionDeclaration;
use crate::native_tool::NativeTool;

/// A request to a model. Cloning is cheap, and the request is immutable: to change it, take its
/// parts and create another request. So the part that hooks see is computed once, however many
/// events and chunks include it.
#[derive(Debug, Clone, Default)]
pub struct Request {
    parts: RequestParts,
    /// What hooks see of the parts, once it was needed.
    view: OnceLock<SharedRequest>,
}

/// The parts of a request. The history and the declarations are shared, so a rewrite affects only
/// one request (BM-6).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RequestParts {
    /// The model's name.
    pub model: String,
    /// The conversation, oldest first.
    pub contents: Vec<Arc<Content>>,
    /// The system instruction.
    pub system_instruction: Option<Arc<Content>>,
    /// Generation parameters: `temperature`, `maxOutputTokens`, `stopSequences`, …
    pub config: Map<String, Value>,
    /// The tools that are declared to the model.
    pub tools: Vec<Arc<FunctionDeclaration>>,
    /// The tools that the model's service runs itself. Only Gemini's API has any.
    pub native_tools: Vec<NativeTool>,
    /// How tools may be used, if that is restricted. Clients send the result of
    /// [`function_calling_config`](Self::function_calling_config).
    pub tool_config: Option<ToolConfig>,
}

impl Request {
    /// Creates a request without instruction, parameters and tools.
    pub fn new(model: impl Into<String>, contents: Vec<Arc<Content>>) -> Self {
        Self::from(RequestParts {
            model: model.into(),
            contents,
            ..RequestParts::default()
        })
    }

    /// Returns the parts, to create another request.
    pub fn into_parts(self) -> RequestParts {
        self.parts
    }

    /// Returns what hooks see, which is computed only the first time.
    pub(crate) fn view_once(
        &self,
        see: impl FnOnce(&RequestParts) -> SharedRequest,
    ) -> SharedRequest {
        self.view.get_or_init(|| see(&self.parts)).clone()
    }
}

impl From<RequestParts> for Request {
    fn from(parts: RequestParts) -> Self {
        Self {
            parts,
            view: OnceLock::new(),
        }
    }
}

impl Deref for Request {
    type Target = RequestParts;

    fn deref(&self) -> &RequestParts {
        &self.parts
    }
}

impl PartialEq for Request {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

impl RequestParts {
    /// Returns the user's last text, if the conversation contains any.
    pub fn last_user_text(&self) -> Option<String> {
        self.contents
            .iter()
            .rev()
            .filter(|content| content.role != Speaker::Model)
            .map(|content| content.visible_text())
            .find(|text| !text.is_empty())
    }
}
