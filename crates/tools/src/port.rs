//! The port for tools.

use std::path::PathBuf;
use std::sync::Arc;

use hookloop_events::McpContext;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{Arguments, BoxFuture, FileChange, Media, Preview, Services, ToolError, schema};

/// The kind of a tool, which approval modes depend on (TO-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// It only reads inside the workspace.
    Read,
    /// It changes files.
    Edit,
    /// It runs commands.
    Execute,
    /// It accesses the network.
    Web,
    /// It delegates to another agent, whose own calls are cleared one by one (TO-4).
    Delegate,
    /// It ends plan mode. Only a person can agree to a plan (TO-6).
    Plan,
    /// It is a tool of an MCP server. What it does isn't known.
    Mcp,
    /// It is a tool of an MCP server with `trust`: its calls need no confirmation (TO-3, TO-6).
    TrustedMcp,
}

impl Access {
    /// Returns whether calls may run in parallel (LO-2).
    pub const fn is_read_only(self) -> bool {
        matches!(self, Self::Read)
    }
}

/// The description of a tool for the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// The name that the model calls it by.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its arguments: an object schema.
    pub parameters: Value,
    /// Its kind.
    pub access: Access,
}

impl Declaration {
    /// Validates the arguments of a call.
    ///
    /// # Errors
    /// They violate the schema. The error names the place and the expected value.
    pub fn check(&self, arguments: &Arguments) -> Result<(), ToolError> {
        schema::check(&self.parameters, arguments)
    }
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// The text for the model.
    pub llm_content: String,
    /// Images and documents for the model (TO-1).
    pub media: Vec<Media>,
    /// The text for the user.
    pub display: String,
    /// Why the call failed, if it did (LO-3).
    pub error: Option<ToolError>,
    /// The file that the call changed, if it did.
    pub change: Option<Box<FileChange>>,
}

impl Output {
    /// Creates the output of a successful call.
    pub fn new(llm_content: impl Into<String>, display: impl Into<String>) -> Self {
        Self {
            llm_content: llm_content.into(),
            media: Vec::new(),
            display: display.into(),
            error: None,
            change: None,
        }
    }

    /// Creates the output of a failed call: model and user read the error's message (LO-3).
    pub fn failed(error: ToolError) -> Self {
        Self {
            llm_content: format!("Error: {}", error.message),
            media: Vec::new(),
            display: format!("Error: {}", error.message),
            error: Some(error),
            change: None,
        }
    }

    /// Adds the change of a file that the call made.
    #[must_use]
    pub(crate) fn with_change(self, change: FileChange) -> Self {
        Self {
            change: Some(Box::new(change)),
            ..self
        }
    }

    /// Returns the part for the model, as hooks read it: a text, or a list of parts if there are
    /// images or documents.
    pub fn llm_content_value(&self) -> Value {
        if self.media.is_empty() {
            return Value::from(self.llm_content.as_str());
        }
        let text = json!({ "text": self.llm_content });
        let media = self.media.iter().map(Media::to_part);
        std::iter::once(text).chain(media).collect()
    }

    /// Returns the part for the user, as hooks read it: for a file change, its parts.
    pub fn return_display(&self) -> Value {
        match &self.change {
            Some(change) => change.to_display(),
            None => Value::from(self.display.as_str()),
        }
    }

    /// Returns the output as hooks read it in `tool_response` (`hooks.md` §6, `AfterTool`).
    pub fn to_response(&self) -> Value {
        let mut response = json!({
            "llmContent": self.llm_content_value(),
            "returnDisplay": self.return_display(),
        });
        if let (Some(error), Some(fields)) = (&self.error, response.as_object_mut()) {
            fields.insert(
                "error".to_owned(),
                json!({ "message": error.message, "type": error.kind.as_str() }),
            );
        }
        response
    }
}

/// The context of a running call.
#[derive(Clone)]
pub struct RunContext<'a> {
    /// Ends the call when cancelled (LO-4).
    pub cancel: CancellationToken,
    /// Receives output in pieces while the call runs (TO-2).
    pub progress: &'a (dyn Fn(&str) + Send + Sync),
    /// Provides what requires the running session.
    pub services: &'a dyn Services,
}

/// A tool that only writes one file per call.
pub trait EditsFile: Send + Sync {
    /// Returns the file that a call writes, absolute and without links.
    ///
    /// # Errors
    /// The call can't run: the arguments name no file that the agent may change (TO-1).
    fn target(&self, arguments: &Arguments) -> Result<PathBuf, ToolError>;
}

/// A tool, built-in or from elsewhere.
///
/// All methods are required: if a wrapper forgot to forward one, its default would answer for the
/// wrapped tool, and a call that needs a person might no longer need one.
pub trait Tool: Send + Sync {
    /// Returns how the tool is described to the model.
    fn declaration(&self) -> &Declaration;

    /// Returns where an MCP tool comes from, for hooks (`hooks.md` §6, `BeforeTool`); `None` for
    /// all others.
    fn mcp_context(&self) -> Option<&McpContext>;

    /// Checks arguments against the schema ([`Declaration::check`]), and for what the schema can't
    /// say.
    ///
    /// It is called before the hooks, and again on arguments that a hook made (BT-3).
    ///
    /// # Errors
    /// The tool can't be called with them: why.
    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError>;

    /// Returns what determines the file that a call writes; `None` for a tool that doesn't write
    /// the one file that its arguments name.
    fn edits(&self) -> Option<&dyn EditsFile>;

    /// Returns whether a call needs a person's consent in every approval mode, whatever was allowed
    /// before.
    fn needs_person(&self, arguments: &Arguments) -> bool;

    /// Shows what the call would do, for the confirmation and for `Notification` hooks (NO-1).
    fn preview(&self, arguments: &Arguments) -> Preview;

    /// Runs the call; dropping the future ends everything that it started.
    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        context: RunContext<'a>,
    ) -> BoxFuture<'a, Output>;
}
