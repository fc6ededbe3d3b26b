//! MCP tools that decide.

use hookloop_engine::{Executors, HookType};
use hookloop_exec::CommandExecutor;
use hookloop_mcp::{HookTools, ServerEnvironment};

/// The servers of hooks.
#[derive(Clone)]
pub(crate) struct Tools(HookTools);

impl Tools {
    /// Sets what calls tools; their servers get the environment that commands get.
    pub(crate) fn of(commands: &CommandExecutor) -> (Self, Executors) {
        let commands = commands.clone();
        let tools = HookTools::new(move |invocation| {
            let environment = commands.environment_of(invocation)?;
            Ok(ServerEnvironment {
                variables: environment.variables,
                withheld: environment.withheld,
            })
        });
        let executors = Executors::default().with(HookType::McpTool, tools.clone());
        (Self(tools), executors)
    }

    /// Ends the servers.
    pub(crate) async fn close(&self) {
        self.0.close().await;
    }
}
