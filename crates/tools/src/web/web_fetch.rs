//! The tool `web_fetch`.

use std::sync::Arc;

use hookloop_events::McpContext;
use serde_json::json;

use super::addresses::{addresses, is_private};
use super::answer;
use crate::arguments::{required_text, text};
use crate::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, GroundingKind, Output, Preview,
    RunContext, Subject, Tool, ToolError, schema,
};

/// How many addresses a prompt may contain.
const MAX_ADDRESSES: usize = 20;

/// Reads web pages (`agent.md` §4).
pub struct WebFetch {
    declaration: Declaration,
}

impl Default for WebFetch {
    fn default() -> Self {
        Self {
            declaration: Declaration {
                name: "web_fetch".to_owned(),
                description:
                    "Reads the public web pages whose addresses are in the prompt (up to 20), \
                    and answers what the prompt asks about them."
                        .to_owned(),
                parameters: json!({
                    "type": "object",
                    "properties": {
                        "prompt": {
                            "type": "string",
                            "minLength": 1,
                            "description": "The addresses, which begin with http:// or https://, \
                                and what to do with the pages.",
                        },
                    },
                    "required": ["prompt"],
                }),
                access: Access::Web,
            },
        }
    }
}

impl Tool for WebFetch {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        schema::check(&self.declaration.parameters, arguments)?;
        let addresses = addresses(required_text(arguments, "prompt")?);
        if let Some(private) = addresses.iter().find(|address| is_private(address)) {
            // The model's service reads the pages, and it can access only the public web.
            return Err(ToolError::invalid(format!(
                "params/prompt must contain only public addresses: {private} leads to this machine \
                 or a private network"
            )));
        }
        match addresses.len() {
            0 => Err(ToolError::invalid(
                "params/prompt must contain at least one address that begins with http:// or \
                 https://",
            )),
            count if count > MAX_ADDRESSES => Err(ToolError::invalid(format!(
                "params/prompt must NOT contain more than {MAX_ADDRESSES} addresses"
            ))),
            _ => Ok(()),
        }
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, arguments: &Arguments) -> Preview {
        let prompt = text(arguments, "prompt").unwrap_or_default();
        Preview::new(
            "Confirm Web Fetch",
            Subject::Info {
                prompt: prompt.to_owned(),
                urls: addresses(prompt),
            },
        )
    }

    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        Box::pin(async move {
            let prompt = text(&arguments, "prompt").unwrap_or_default();
            answer(GroundingKind::Fetch, prompt, context).await
        })
    }
}
