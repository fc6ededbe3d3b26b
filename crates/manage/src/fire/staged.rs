//! An event with a payload that could have happened in this project (CM-5).

use hookloop_events::{EventName, SessionIdentity};
use hookloop_session::{Environment, Workspace};
use serde_json::{Map, Value};

use super::payload;
use super::scene::{Scene, Transcript};
use crate::failure::CommandFailure;
use crate::subject::Subject;

/// An event to fire. The transcript that its hooks can read is deleted with this value.
pub struct Staged {
    /// The session in which the event occurs.
    pub session: SessionIdentity,
    /// The payload.
    pub payload: Map<String, Value>,
    /// Given keys that the event's payload doesn't have.
    pub unknown: Vec<String>,
    _transcript: Transcript,
}

/// Fields that payloads have only in some cases.
const OPTIONAL_FIELDS: &[&str] = &["mcp_context", "original_request_name"];

/// The requested content of a payload.
#[derive(Debug, Default)]
pub struct Wishes<'a> {
    /// Keys that replace those of the realistic payload.
    pub given: Map<String, Value>,
    /// The subject. A tool gets matching arguments.
    pub subject: Option<Subject<'a>>,
    /// The user's prompt.
    pub prompt: Option<&'a str>,
}

impl Staged {
    /// Prepares an event.
    pub fn new(
        environment: &Environment,
        workspace: &Workspace,
        event: EventName,
        wishes: Wishes<'_>,
    ) -> Result<Self, CommandFailure> {
        let transcript = Transcript::create(&environment.scratch_dir)?;
        let Wishes {
            given,
            subject,
            prompt,
        } = wishes;
        let subject = match subject {
            Some(Subject::Known { field, value }) => Some((field, value)),
            _ => None,
        };
        let tool = subject.filter(|(field, _)| *field == "tool_name");
        let in_given = given.get("tool_name").and_then(Value::as_str);
        let scene = Scene::new(environment, workspace, &transcript)
            .with_tool(tool.map(|(_, value)| value).or(in_given))
            .with_prompt(prompt);
        transcript.write(&scene)?;
        let mut payload = payload::build_payload(event, &scene);
        let session = SessionIdentity {
            session_id: scene.session_id.clone(),
            transcript_path: scene.transcript_path.to_path_buf(),
            cwd: environment.current_dir.clone(),
            agent: None,
        };
        let unknown: Vec<String> = given
            .keys()
            .filter(|it| !payload.contains_key(*it) && !OPTIONAL_FIELDS.contains(&it.as_str()))
            .cloned()
            .collect();
        payload.extend(given);
        if let Some(prompt) = prompt.filter(|_| payload.contains_key("prompt")) {
            payload.insert("prompt".to_owned(), prompt.into());
        }
        if let Some((field, value)) = subject {
            payload.insert(field.to_owned(), value.into());
        }
        Ok(Self {
            session,
            payload,
            unknown,
            _transcript: transcript,
        })
    }
}
