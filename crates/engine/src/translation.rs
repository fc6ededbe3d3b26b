//! The input of a hook in another dialect (FD-10).

use hookloop_events::{Event, Payload, SessionIdentity};
use hookloop_hook::{HookDeclaration, SubjectKind};
use serde_json::{Map, Value};

/// A payload of ours that a hook of another dialect is going to be told of (FD-10).
///
/// The payload may be megabytes, and is written for the hook when its process is there: whoever asks for
/// [`fields`](Self::fields) holds the hook up as long as reading it takes.
#[derive(Debug, Clone)]
pub struct Translation<'a> {
    /// The hook.
    pub hook: &'a HookDeclaration,
    /// The session that it happens in.
    pub session: &'a SessionIdentity,
    /// The tool whose call it is about; nothing for other events.
    pub tool: Option<&'a str>,
    payload: &'a Payload,
    instead: Option<Map<String, Value>>,
}

impl<'a> Translation<'a> {
    pub(crate) fn of<E: Event>(
        hook: &'a HookDeclaration,
        session: &'a SessionIdentity,
        input: &'a E::Input,
        payload: &'a Payload,
    ) -> Self {
        let is_of_tool = E::NAME.subject_kind() == SubjectKind::Tool;
        Self {
            hook,
            session,
            tool: E::subject(input).filter(|_| is_of_tool),
            payload,
            instead: None,
        }
    }

    /// Returns the fields of the payload; nothing if it isn't an object.
    pub fn fields(&self) -> Option<&Map<String, Value>> {
        self.instead.as_ref().or_else(|| self.payload.fields())
    }

    /// Puts other fields in the place of those of the payload.
    #[must_use]
    pub fn with_fields(self, fields: Map<String, Value>) -> Self {
        Self {
            instead: Some(fields),
            ..self
        }
    }
}
