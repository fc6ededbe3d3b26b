//! What a server may say of its own accord.

#![expect(
    deprecated,
    reason = "servers still ask for what the protocol is about to lose"
)]

use std::sync::Arc;

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, ErrorData,
    Implementation, ListRootsResult,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use tokio::sync::Notify;

/// Takes note of changed lists; everything else that a server asks is refused.
#[derive(Clone)]
pub(crate) struct Listener {
    /// Is woken when the server's lists changed; many changes are one.
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

    /// A server would ask the model without any hook that guards it.
    async fn create_message(
        &self,
        _params: CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let why = "sampling is refused: servers can't ask the model of this agent";
        Err(ErrorData::invalid_request(why, None))
    }

    /// Nothing is said of the folders that the agent works in.
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
