//! Handles notifications and requests from a server.

#![expect(
    deprecated,
    reason = "servers still request what the protocol is about to drop"
)]

use std::sync::Arc;

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, ErrorData,
    Implementation, ListRootsResult,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use tokio::sync::Notify;

/// Records that lists have changed; every request from a server is refused.
#[derive(Clone)]
pub(crate) struct Listener {
    /// Notified when the server's lists change; many changes count as one.
    pub(crate) changed: Arc<Notify>,
}

impl ClientHandler for Listener {
    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn on_resource_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn on_prompt_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    /// Refused: a server would use the model without any hook guarding it.
    async fn create_message(
        &self,
        _params: CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let why = "sampling is refused: servers can't ask the model of this agent";
        Err(ErrorData::invalid_request(why, None))
    }

    /// Refused: servers don't learn which folders the agent works in.
    async fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        let why = "roots are refused: servers aren't told the folders of this agent";
        Err(ErrorData::invalid_request(why, None))
    }

    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("hookloop", env!("CARGO_PKG_VERSION")),
        )
    }
}
