//! An event with a payload that could have happened in this project (CM-5).

use hookloop_events::{EventName, SessionIdentity};
use hookloop_session::{Environment, Workspace};
use serde_json::{Map, Value};

use super::payload;
use super::scene::{Scene, Transcript};
use crate::failure::CommandFailure;
use crate::subject::Subject;

/// Contains what an event is fired with. The transcript that its hooks can read vanishes with it.
pub struct Staged {
    /// The session it happens in.
    pub session: SessionIdentity,
    /// The payload.
    pub payload: Map<String, Value>,
    /// Given keys that no payload of the event has.
    pub unknown: Vec<String>,
    _transcript: Transcript,
}

/// Fields that payloads have in some cases only.
const SOMETIMES: &[&str] = &["mcp_context", "original_request_name"];

/// Says what a payload is to hold.
#[derive(Debug, Default)]
pub struct Wishes<'a> {
    /// Keys that replace those of the realistic payload.
    pub given: Map<String, Value>,
    /// What the payload is about; of a tool its arguments fit.
    pub subject: Option<Subject<'a>>,
    /// The user's prompt.
    pub prompt: Option<&'a str>,
}

impl Staged {
    /// Sets the stage for an event.
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
        let mut payload = payload::realistic(event, &scene);
        let session = SessionIdentity {
            session_id: scene.session_id.clone(),
            transcript_path: scene.transcript_path.to_path_buf(),
            cwd: environment.current_dir.clone(),
            agent: None,
        };
        let unknown: Vec<String> = given
            .keys()
            .filter(|it| !payload.contains_key(*it) && !SOMETIMES.contains(&it.as_str()))
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
