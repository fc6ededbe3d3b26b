//! The input of a hook in another dialect (FD-10).

use hookloop_events::{Event, Payload, SessionIdentity};
use hookloop_hook::{HookDeclaration, SubjectKind};
use serde_json::{Map, Value};

/// One of our payloads, to be translated for a hook of another dialect (FD-10).
///
/// The payload may be megabytes long. It is translated once the hook's process exists, so the hook
/// waits while [`fields`](Self::fields) parses it.
#[derive(Debug, Clone)]
pub struct Translation<'a> {
    /// The hook.
    pub hook: &'a HookDeclaration,
    /// The session that the event belongs to.
    pub session: &'a SessionIdentity,
    /// The tool of the call; `None` for events that aren't about a tool.
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

    /// Returns the fields of the payload, or `None` if it isn't an object.
    pub fn fields(&self) -> Option<&Map<String, Value>> {
        self.instead.as_ref().or_else(|| self.payload.fields())
    }

    /// Replaces the fields of the payload.
    #[must_use]
    pub fn with_fields(self, fields: Map<String, Value>) -> Self {
        Self {
            instead: Some(fields),
            ..self
        }
    }
}
