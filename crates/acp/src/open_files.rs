//! What the editor has open: text that may not be saved (TU-7).

use std::path::Path;
use std::time::Duration;

use agent_client_protocol::Client;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{ReadTextFileRequest, SessionId};
use hookloop_tools::{BoxFuture, OpenFiles};

use crate::stage::EditorStage;

/// How long an editor may take to say what it has.
const PATIENCE: Duration = Duration::from_secs(2);

/// The longest text that is taken from an editor, in bytes; the tools read no larger file either.
const LONGEST: usize = 20 * 1024 * 1024;

impl OpenFiles for EditorStage {
    /// An editor that has no such file, or that fails, has no text: what is on the disk counts then.
    fn text<'a>(&'a self, place: &'a Path) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let (client, session) = self.reads_files()?;
            ask(client, session, place).await
        })
    }
}

async fn ask(client: &ConnectionTo<Client>, session: SessionId, place: &Path) -> Option<String> {
    let asked = client.send_request(ReadTextFileRequest::new(session, place));
    let answered = tokio::time::timeout(PATIENCE, asked.block_task()).await;
    let content = answered.ok()?.ok()?.content;
    (content.len() <= LONGEST).then_some(content)
}
