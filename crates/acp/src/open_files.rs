//! The editor's open files, whose text may not be saved (TU-7).

use std::path::Path;
use std::time::Duration;

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{ErrorCode, ReadTextFileRequest, SessionId};
use agent_client_protocol::{Client, Error};
use hookloop_tools::{BoxFuture, OpenFiles, Opened};

use crate::stage::EditorStage;

/// How long an editor may take to return its version of a file.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// The longest text that is accepted from an editor, in bytes; the tools read no larger file
/// either.
const MAX_BYTES: usize = 20 * 1024 * 1024;

impl OpenFiles for EditorStage {
    fn text<'a>(&'a self, place: &'a Path) -> BoxFuture<'a, Opened> {
        Box::pin(async move {
            match self.reads_files() {
                Some((client, session)) => ask(client, session, place).await,
                None => Opened::Nothing,
            }
        })
    }
}

/// Asks the editor. If it doesn't know the file, it has no text for it; if it doesn't answer,
/// fails, or returns more than is read, its version is unknown.
async fn ask(client: &ConnectionTo<Client>, session: SessionId, place: &Path) -> Opened {
    let asked = client.send_request(ReadTextFileRequest::new(session, place));
    let answered = tokio::time::timeout(ANSWER_TIMEOUT, asked.block_task()).await;
    let Ok(answered) = answered else {
        return Opened::Unknown(format!("no answer within {ANSWER_TIMEOUT:?}"));
    };
    match answered {
        Ok(it) if it.content.len() <= MAX_BYTES => Opened::Text(it.content),
        Ok(_) => Opened::Unknown(format!("its text is longer than {MAX_BYTES} bytes")),
        Err(error) if knows_no_such_file(&error) => Opened::Nothing,
        // Not every editor uses that code for a missing file. If the file doesn't exist on disk
        // either, the error means the same.
        Err(_) if is_missing(place) => Opened::Nothing,
        Err(error) => Opened::Unknown(format!("it failed: {}", error.message)),
    }
}

/// Returns whether an error means that there is no such file, or none that may be read.
fn knows_no_such_file(error: &Error) -> bool {
    error.code == ErrorCode::ResourceNotFound || error.code == ErrorCode::InvalidParams
}

fn is_missing(place: &Path) -> bool {
    let looked_up = std::fs::symlink_metadata(place);
    looked_up.is_err_and(|it| it.kind() == std::io::ErrorKind::NotFound)
}
