//! The fields that every hook reads, whatever the event (IO-1, IO-3).

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use crate::event::Event;
use crate::name::EventName;

/// What is the same for all payloads of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionIdentity {
    /// The session's id, a UUID.
    pub session_id: String,
    /// The absolute path of the session's transcript.
    pub transcript_path: PathBuf,
    /// The session's working directory, absolute.
    pub cwd: PathBuf,
    /// The sub-agent that acts, if it is not the session's own agent.
    pub agent: Option<AgentIdentity>,
}

/// Names a sub-agent in payloads (IO-3, TO-4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentIdentity {
    /// Identifies the run of the sub-agent.
    pub agent_id: String,
    /// The sub-agent's name.
    pub agent_name: String,
}

#[derive(Serialize)]
struct Envelope<'a> {
    session_id: &'a str,
    transcript_path: String,
    cwd: String,
    hook_event_name: EventName,
    timestamp: &'a str,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    agent: Option<&'a AgentIdentity>,
}

/// Builds the JSON object that a hook reads: the common fields, then the event's own (IO-1).
///
/// `timestamp` is ISO 8601 in UTC with milliseconds and `Z`.
pub fn payload<E: Event>(session: &SessionIdentity, timestamp: &str, input: &E::Input) -> Arc<str> {
    let envelope = Envelope {
        session_id: &session.session_id,
        transcript_path: session.transcript_path.to_string_lossy().into_owned(),
        cwd: session.cwd.to_string_lossy().into_owned(),
        hook_event_name: E::NAME,
        timestamp,
        agent: session.agent.as_ref(),
    };
    let mut json = Json::default();
    json.append(&envelope);
    json.append_fields(input);
    // What is written as JSON is text, so the other case is none.
    std::str::from_utf8(&json.0).unwrap_or("{}").into()
}

/// A JSON object that is being written.
#[derive(Default)]
struct Json(Vec<u8>);

impl Json {
    /// What is reserved beside a piece that makes the text grow, for the little that follows.
    const SLACK: usize = 1024;

    /// Appends a value that is a JSON object by its type.
    fn append(&mut self, value: &impl Serialize) {
        let start = self.0.len();
        // Only maps with keys that are no text can fail, and payloads have none; an empty object
        // keeps the hook's input valid JSON all the same.
        if serde_json::to_writer(&mut *self, value).is_err() {
            self.0.truncate(start);
            self.0.extend_from_slice(b"{}");
        }
    }

    /// Appends the fields of a value to an object that has some, without reading or copying
    /// them again: they may be megabytes.
    fn append_fields(&mut self, value: &impl Serialize) {
        self.0.pop();
        let seam = self.0.len();
        self.append(value);
        if self.0[seam..] == *b"{}" {
            self.0.truncate(seam);
            self.0.push(b'}');
        } else {
            self.0[seam] = b',';
        }
    }
}

impl io::Write for Json {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.capacity() - self.0.len() < bytes.len() {
            self.0.reserve(bytes.len() + Self::SLACK);
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
