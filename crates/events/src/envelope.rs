//! The fields that hooks of all events read (IO-1, IO-3).

use std::path::PathBuf;

use serde::Serialize;

use crate::event::Event;
use crate::payload::{Payload, Writer};
use crate::shared_request::SharedRequest;
use hookloop_hook::EventName;

/// The fields that all payloads of a session have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionIdentity {
    /// The session's id, a UUID.
    pub session_id: String,
    /// The absolute path of the session's transcript.
    pub transcript_path: PathBuf,
    /// The session's working directory, absolute.
    pub cwd: PathBuf,
    /// The sub-agent that acts; `None` for the session's own agent.
    pub agent: Option<AgentIdentity>,
}

/// A sub-agent, as named in payloads (IO-3, TO-4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentIdentity {
    /// The id of the sub-agent's run.
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

/// Creates the JSON object that a hook reads: the common fields, followed by the event's own
/// (IO-1).
///
/// `timestamp` is ISO 8601 in UTC with milliseconds and `Z`.
pub fn payload<E: Event>(session: &SessionIdentity, timestamp: &str, input: &E::Input) -> Payload {
    let envelope = Envelope {
        session_id: &session.session_id,
        transcript_path: session.transcript_path.to_string_lossy().into_owned(),
        cwd: session.cwd.to_string_lossy().into_owned(),
        hook_event_name: E::NAME,
        timestamp,
        agent: session.agent.as_ref(),
    };
    let mut writer = Writer::sharing(E::shared(input).and_then(SharedRequest::json));
    writer.make_room(E::text_bytes(input));
    writer.append(&envelope);
    writer.end_common();
    writer.append_fields(input);
    writer.finish()
}
