//! What runs alongside a session and ends with it: background commands, processes that hooks left
//! behind, MCP servers, and the export of spans.

use hookloop_exec::CommandExecutor;
use hookloop_tools::BackgroundProcesses;

use crate::handlers::Tools;
use crate::mcp::Mcp;
use crate::tracing::Tracing;

/// What runs alongside a session.
pub struct Companions {
    pub(crate) background: BackgroundProcesses,
    pub(crate) executor: CommandExecutor,
    pub(crate) mcp: Mcp,
    /// The servers of hooks.
    pub(crate) tools_of_hooks: Tools,
    pub(crate) tracing: Tracing,
}

impl Companions {
    /// Waits until everything that the first prompt needs is ready or has failed.
    pub async fn ready(&self) {
        self.mcp.ready().await;
    }

    /// Ends everything. No process is left (IO-34), and spans that couldn't be sent are reported
    /// (TE-3).
    pub async fn end(self) {
        tokio::join!(
            self.background.end_all(),
            self.mcp.close(),
            self.tools_of_hooks.close()
        );
        self.executor.end_leaked();
        self.tracing.finish().await;
    }
}
