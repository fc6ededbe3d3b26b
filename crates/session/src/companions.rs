//! What runs beside a session and ends with it: commands in the background, what hooks left
//! behind, MCP servers, and the sending of spans.

use hookloop_exec::CommandExecutor;
use hookloop_tools::BackgroundProcesses;

use crate::handlers::Tools;
use crate::mcp::Mcp;
use crate::tracing::Tracing;

/// What runs beside a session.
pub struct Companions {
    pub(crate) background: BackgroundProcesses,
    pub(crate) executor: CommandExecutor,
    pub(crate) mcp: Mcp,
    /// The servers of hooks.
    pub(crate) tools_of_hooks: Tools,
    pub(crate) tracing: Tracing,
}

impl Companions {
    /// Waits until what has to be there before the first prompt is there, or has failed.
    pub async fn ready(&self) {
        self.mcp.ready().await;
    }

    /// Ends everything; no process is left (IO-34), and no span is left unsent in silence (TE-3).
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
