//! What is passed on of hooks that nobody waits for, and of those for whom they act.

use std::path::PathBuf;
use std::time::Duration;

use hookloop_bridge::TranslatedPayload;
use hookloop_engine::Notice;
use serde::{Deserialize, Serialize};

/// How much waits for the next call at most, in bytes.
pub(crate) const MAX_MESSAGE_BYTES: usize = 64 * 1024;

/// How long hooks may run that nobody waits for: each has a timeout of its own before that.
pub(crate) const MAX_DURATION: Duration = Duration::from_hours(24);

/// What the file of an errand ends with.
pub(crate) const TASK: &str = "task";

/// Who acts, as hooks read it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Actor {
    pub(crate) session_id: String,
    pub(crate) transcript: Option<PathBuf>,
    pub(crate) cwd: PathBuf,
    /// The sub-agent: its id and its kind.
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

/// What hooks said that nobody waited for.
#[derive(Debug, Default)]
pub(crate) struct LateReplies {
    /// What the model is to read.
    pub(crate) said: Vec<Notice>,
    /// What the person is to be told.
    pub(crate) told: Vec<String>,
}
