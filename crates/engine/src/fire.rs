//! Fires an event from a JSON payload, for hosts whose input comes from a person (CM-5).

use hookloop_events::{
    AfterAgent, AfterModel, AfterTool, BeforeAgent, BeforeModel, BeforeTool, BeforeToolSelection,
    Event, EventName, Notification, PreCompress, SessionEnd, SessionStart,
};
use serde_json::{Map, Value};

use crate::call::{Call, Unawaited};
use crate::fireable::Fireable;
use crate::firing::Detachment;
use crate::late::AsyncHooks;
use crate::lifecycle::Concluded;
use crate::port::BoxFuture;
use crate::session::SessionHooks;

/// The common fields of a payload, all of them texts (IO-1).
const COMMON_FIELDS: [&str; 5] = [
    "session_id",
    "transcript_path",
    "cwd",
    "hook_event_name",
    "timestamp",
];

/// A payload that doesn't belong to its event (CM-5).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BadPayload {
    /// What is wrong, as a fragment of a sentence.
    pub message: String,
}

impl SessionHooks {
    /// Fires an event with a JSON payload, and waits for all of its hooks, including those that a
    /// session doesn't wait for (CM-5). Hooks read every key as it is given, also common fields and
    /// keys that aren't fields of the event.
    ///
    /// Returns `None` if no hook runs (EV-2).
    ///
    /// # Errors
    /// A field of the event is missing or has the wrong type. No hook has run then.
    pub async fn fire_payload(
        &self,
        event: EventName,
        payload: Map<String, Value>,
    ) -> Result<Option<Concluded>, BadPayload> {
        self.fire_payload_with(event, payload, AsyncHooks::WaitedFor)
            .await
    }

    /// Fires an event as [`fire_payload`](Self::fire_payload) does. `unawaited` decides what
    /// happens to the hooks that nobody waits for (FD-22).
    pub async fn fire_payload_with(
        &self,
        event: EventName,
        payload: Map<String, Value>,
        unawaited: AsyncHooks,
    ) -> Result<Option<Concluded>, BadPayload> {
        self.fire_named(event, payload, unawaited).await
    }

    fn fire_named(
        &self,
        event: EventName,
        payload: Map<String, Value>,
        unawaited: AsyncHooks,
    ) -> BoxFuture<'_, Result<Option<Concluded>, BadPayload>> {
        match event {
            EventName::SessionStart => self.fire_values::<SessionStart>(payload, unawaited),
            EventName::SessionEnd => self.fire_values::<SessionEnd>(payload, unawaited),
            EventName::BeforeAgent => self.fire_values::<BeforeAgent>(payload, unawaited),
            EventName::AfterAgent => self.fire_values::<AfterAgent>(payload, unawaited),
            EventName::BeforeModel => self.fire_values::<BeforeModel>(payload, unawaited),
            EventName::BeforeToolSelection => {
                self.fire_values::<BeforeToolSelection>(payload, unawaited)
            }
            EventName::AfterModel => self.fire_values::<AfterModel>(payload, unawaited),
            EventName::BeforeTool => self.fire_values::<BeforeTool>(payload, unawaited),
            EventName::AfterTool => self.fire_values::<AfterTool>(payload, unawaited),
            EventName::PreCompress => self.fire_values::<PreCompress>(payload, unawaited),
            EventName::Notification => self.fire_values::<Notification>(payload, unawaited),
        }
    }

    fn fire_values<E: Fireable>(
        &self,
        payload: Map<String, Value>,
        unawaited: AsyncHooks,
    ) -> BoxFuture<'_, Result<Option<Concluded>, BadPayload>> {
        Box::pin(async move {
            let input = read_input::<E>(&payload)?;
            let call = Call {
                overlay: overlay::<E>(payload, &input),
                unawaited: match unawaited {
                    AsyncHooks::Released => Unawaited::HeardLater(&self.late),
                    other => Unawaited::ByHost(other),
                },
                ..self.call(Detachment::Bound)
            };
            Ok(E::fire(&call, input).await.map(|fired| fired.concluded))
        })
    }
}

fn read_input<E: Event>(payload: &Map<String, Value>) -> Result<E::Input, BadPayload> {
    for field in COMMON_FIELDS {
        if payload.get(field).is_some_and(|value| !value.is_string()) {
            return Err(BadPayload {
                message: format!("`{field}` must be a string"),
            });
        }
    }
    serde_json::from_value(Value::Object(payload.clone())).map_err(|error| BadPayload {
        message: format!("this isn't a valid input of {}: {error}", E::NAME),
    })
}

/// Returns the keys that the typed input doesn't contain as they were given.
fn overlay<E: Event>(mut payload: Map<String, Value>, input: &E::Input) -> Map<String, Value> {
    // If serialising fails, every field is overlaid, which is correct too.
    let typed = serde_json::to_value(input).unwrap_or_default();
    payload.retain(|key, value| typed.get(key) != Some(value));
    payload
}

#[cfg(test)]
mod tests;
