//! A tool of an MCP server.

use std::sync::Arc;

use hookloop_events::McpContext;
use hookloop_tools::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, Output, Preview, RunContext, Subject,
    Tool, ToolError,
};

use crate::catalogue::OfferedTool;
use crate::configuration::Trust;
use crate::naming::full_name;
use crate::server::Server;

/// A tool of an MCP server (TO-3).
pub(crate) struct McpTool {
    declaration: Declaration,
    context: McpContext,
    server: Arc<Server>,
}

impl McpTool {
    pub(crate) fn new(server: &Arc<Server>, offered: &OfferedTool) -> Self {
        let configuration = &server.configuration;
        Self {
            declaration: Declaration {
                name: full_name(&configuration.name, &offered.name),
                description: offered.description.clone(),
                parameters: offered.parameters.clone(),
                access: match configuration.trust {
                    Trust::Asked => Access::Mcp,
                    Trust::Trusted => Access::TrustedMcp,
                },
            },
            context: McpContext {
                tool_name: offered.name.clone(),
                ..configuration.context.clone()
            },
            server: Arc::clone(server),
        }
    }
}

impl Tool for McpTool {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        Some(&self.context)
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        self.declaration().check(arguments)
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, _arguments: &Arguments) -> Preview {
        Preview::new(
            "Confirm MCP Tool",
            Subject::Mcp {
                server_name: self.context.server_name.clone(),
                tool_name: self.context.tool_name.clone(),
            },
        )
    }

    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        Box::pin(async move {
            let name = &self.context.tool_name;
            // The agent keeps its own copy for the records of the call.
            let arguments = Arc::unwrap_or_clone(arguments);
            self.server.call(name, arguments, &context.cancel).await
        })
    }
}
