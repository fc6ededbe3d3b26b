//! What is passed on from hooks that nobody waits for, and those for whom they act.

use std::path::PathBuf;
use std::time::Duration;

use hookloop_bridge::TranslatedPayload;
use hookloop_engine::Notice;
use serde::{Deserialize, Serialize};

/// How much may wait for the next call, in bytes.
pub(crate) const MAX_MESSAGE_BYTES: usize = 64 * 1024;

/// How long hooks that nobody waits for may run: each has its own timeout before that.
pub(crate) const MAX_DURATION: Duration = Duration::from_hours(24);

/// The ending of a task's file.
pub(crate) const TASK: &str = "task";

/// Who acts, as hooks read it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Actor {
    pub(crate) session_id: String,
    pub(crate) transcript: Option<PathBuf>,
    pub(crate) cwd: PathBuf,
    /// The sub-agent: its id and its type.
    pub(crate) sub_agent: Option<(String, String)>,
}

impl Actor {
    pub(crate) fn of(translated: &TranslatedPayload) -> Self {
        Self {
            session_id: translated.session_id.clone(),
            transcript: translated.transcript.clone(),
            cwd: translated.cwd.clone(),
            sub_agent: translated.sub_agent.clone(),
        }
    }
}

/// What hooks that nobody waited for said.
#[derive(Debug, Default)]
pub(crate) struct LateReplies {
    /// Text for the model.
    pub(crate) for_model: Vec<Notice>,
    /// Text for the person.
    pub(crate) notices: Vec<String>,
}
