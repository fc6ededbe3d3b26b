//! The tool `google_web_search`.

use std::sync::Arc;

use serde_json::json;

use super::grounding::{Grounding, GroundingKind, answer};
use crate::arguments::{required_text, text};
use crate::{
    Access, Arguments, BoxFuture, Declaration, Output, Preview, RunContext, Subject, Tool,
    ToolError, schema,
};

/// Searches the web (`agent.md` §4).
pub struct GoogleWebSearch {
    declaration: Declaration,
    grounding: Option<Arc<dyn Grounding>>,
}

impl GoogleWebSearch {
    /// Makes the tool; without grounding the model learns that it can't search.
    pub fn new(grounding: Option<Arc<dyn Grounding>>) -> Self {
        Self {
            declaration: Declaration {
                name: "google_web_search".to_owned(),
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
            grounding,
        }
    }
}

impl Tool for GoogleWebSearch {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        schema::check(&self.declaration.parameters, arguments)?;
        if required_text(arguments, "query")?.trim().is_empty() {
            return Err(ToolError::invalid("params/query must hold words"));
        }
        Ok(())
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

    fn run<'a>(&'a self, arguments: Arguments, context: RunContext<'a>) -> BoxFuture<'a, Output> {
        Box::pin(async move {
            let query = text(&arguments, "query").unwrap_or_default();
            answer(
                self.grounding.as_ref(),
                GroundingKind::Search,
                query,
                context,
            )
            .await
        })
    }
}
