//! The fields that every hook reads, whatever the event (IO-1, IO-3).

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
    splice(&object(&envelope), &object(input))
}

/// Serialises a value that is a JSON object by its type.
fn object(value: &impl Serialize) -> String {
    // Only maps with keys that are no text can fail, and payloads have none; an empty object
    // keeps the hook's input valid JSON all the same.
    serde_json::to_string(value).unwrap_or_else(|_| "{}".to_owned())
}

/// Joins two JSON objects into one without reading them again: the second may be megabytes.
fn splice(first: &str, second: &str) -> Arc<str> {
    let head = first.strip_suffix('}').unwrap_or(first);
    let tail = second.strip_prefix('{').unwrap_or(second);
    let mut joined = String::with_capacity(head.len() + tail.len() + 1);
    joined.push_str(head);
    if tail != "}" && head != "{" {
        joined.push(',');
    }
    joined.push_str(tail);
    joined.into()
}
