//! The tool `google_web_search`.

use std::sync::Arc;

use hookloop_events::McpContext;
use serde_json::json;

use super::answer;
use crate::arguments::{required_text, text};
use crate::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, GroundingKind, Output, Preview,
    RunContext, Subject, Tool, ToolError, schema,
};

/// Searches the web (`agent.md` §4).
pub struct GoogleWebSearch {
    declaration: Declaration,
}

impl GoogleWebSearch {
    /// The name that the model calls the tool by.
    pub const NAME: &'static str = "google_web_search";
}

impl Default for GoogleWebSearch {
    fn default() -> Self {
        Self {
            declaration: Declaration {
                name: Self::NAME.to_owned(),
                description: "Searches the web with Google and returns an answer with its sources."
                    .to_owned(),
                parameters: json!({
                    "type": "object",
                    "properties": {
                        "query": {
                            "type": "string",
                            "minLength": 1,
                            "description": "What to search for.",
                        },
                    },
                    "required": ["query"],
                }),
                access: Access::Web,
            },
        }
    }
}

impl Tool for GoogleWebSearch {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        schema::check(&self.declaration.parameters, arguments)?;
        if required_text(arguments, "query")?.trim().is_empty() {
            return Err(ToolError::invalid("params/query must contain text"));
        }
        Ok(())
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, arguments: &Arguments) -> Preview {
        let query = text(arguments, "query").unwrap_or_default();
        Preview::new(
            "Confirm Web Search",
            Subject::Info {
                prompt: query.to_owned(),
                urls: Vec::new(),
            },
        )
    }

    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        Box::pin(async move {
            let query = text(&arguments, "query").unwrap_or_default();
            answer(GroundingKind::Search, query, context).await
        })
    }
}
