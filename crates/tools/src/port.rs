//! The port that every tool stands behind.

use std::path::PathBuf;
use std::sync::Arc;

use hookloop_events::McpContext;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::{Arguments, BoxFuture, FileChange, Media, Preview, Services, ToolError, schema};

/// Says what a tool touches; approval modes decide by it (TO-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// It only reads inside the workspace.
    Read,
    /// It changes files.
    Edit,
    /// It runs commands.
    Execute,
    /// It reaches the network.
    Web,
    /// It lets another agent work, whose own calls are cleared one by one (TO-4).
    Delegate,
    /// It ends plan mode: only a person says yes to a plan (TO-6).
    Plan,
    /// It is a tool of an MCP server; what it does is unknown.
    Mcp,
    /// It is a tool of an MCP server whose `trust` is set: its calls need no question (TO-3, TO-6).
    TrustedMcp,
}

impl Access {
    /// Returns whether calls may run beside each other (LO-2).
    pub const fn is_read_only(self) -> bool {
        matches!(self, Self::Read)
    }
}

/// Describes a tool to the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// The name that the model calls it by.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its arguments: an object schema.
    pub parameters: Value,
    /// What it touches.
    pub access: Access,
}

impl Declaration {
    /// Checks the arguments of a call against the schema.
    ///
    /// # Errors
    /// They don't fit it: where, and what was expected.
    pub fn check(&self, arguments: &Arguments) -> Result<(), ToolError> {
        schema::check(&self.parameters, arguments)
    }
}

/// What a call resulted in.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// What the model reads.
    pub llm_content: String,
    /// Images and documents that the model gets beside that (TO-1).
    pub media: Vec<Media>,
    /// What the user sees.
    pub display: String,
    /// Why the call failed, if it did (LO-3).
    pub error: Option<ToolError>,
    /// The file that the call changed, if it did.
    pub change: Option<Box<FileChange>>,
}

impl Output {
    /// Makes the output of a call that went well.
    pub fn new(llm_content: impl Into<String>, display: impl Into<String>) -> Self {
        Self {
            llm_content: llm_content.into(),
            media: Vec::new(),
            display: display.into(),
            error: None,
            change: None,
        }
    }

    /// Makes the output of a call that failed: model and user read the error's message (LO-3).
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

    /// Returns what the model reads as hooks read it: a text, or with images and documents a list
    /// of parts.
    pub fn llm_content_value(&self) -> Value {
        if self.media.is_empty() {
            return Value::from(self.llm_content.as_str());
        }
        let text = json!({ "text": self.llm_content });
        let media = self.media.iter().map(Media::to_part);
        std::iter::once(text).chain(media).collect()
    }

    /// Returns what the user sees as hooks read it: of a change of a file its parts.
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

/// What a running call may use of its surroundings.
#[derive(Clone)]
pub struct RunContext<'a> {
    /// Ends the call when cancelled (LO-4).
    pub cancel: CancellationToken,
    /// Receives output while the call runs, piece by piece (TO-2).
    pub progress: &'a (dyn Fn(&str) + Send + Sync),
    /// Does what only the running session can do.
    pub services: &'a dyn Services,
}

/// A tool whose calls each write one file, and nothing else.
pub trait EditsFile: Send + Sync {
    /// Returns the file that a call writes, absolute and without links.
    ///
    /// # Errors
    /// The call can't run: the arguments name no file that the agent may change (TO-1).
    fn target(&self, arguments: &Arguments) -> Result<PathBuf, ToolError>;
}

/// One tool, built in or from elsewhere.
///
/// Each says all of it: what is around a tool and forgot to hand a question on would answer it
/// in the tool's place, and what needs a person wouldn't any more.
pub trait Tool: Send + Sync {
    /// Returns how the tool is described to the model.
    fn declaration(&self) -> &Declaration;

    /// Says where an MCP tool comes from, for hooks (`hooks.md` §6, `BeforeTool`); nothing for all others.
    fn mcp_context(&self) -> Option<&McpContext>;

    /// Checks arguments against the schema ([`Declaration::check`]), and for what the schema can't say.
    ///
    /// It is called before the hooks, and again on what a hook made of the arguments (BT-3).
    ///
    /// # Errors
    /// The tool can't be called with them: why.
    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError>;

    /// Returns what tells which file a call writes; nothing for a tool that doesn't write the one
    /// file that its arguments name.
    fn edits(&self) -> Option<&dyn EditsFile>;

    /// Returns whether a call needs a person's yes in every approval mode, whatever was allowed before.
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
