//! What all hooks of one firing share.

use std::collections::HashMap;
use std::sync::Arc;

use hookloop_events::{Event, Payload, SessionIdentity, payload};
use hookloop_hook::HookId;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::agent_turn::TurnView;
use crate::host::Clock;
use crate::in_process::Closures;
use crate::late::Lasting;
use crate::lifecycle::Observer;
use crate::port::{Executor, FirstLine};
use crate::span::Span;

/// Whether hooks read a value as it arrived, or as other hooks left it (BT-10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    First,
    Second,
}

/// Everything that is the same for all hooks of one firing.
#[derive(Clone)]
pub(crate) struct Firing<'a> {
    pub(crate) executor: &'a dyn Executor,
    pub(crate) closures: &'a Closures,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) session: &'a Arc<SessionIdentity>,
    pub(crate) cancel: &'a CancellationToken,
    pub(crate) max_output_bytes: usize,
    pub(crate) detachment: Detachment,
    /// The span that the event belongs to, if there is tracing.
    pub(crate) span: Option<&'a Arc<dyn Span>>,
    /// Keys that every hook reads as they are given here (CM-5).
    pub(crate) overlay: &'a Map<String, Value>,
    /// What hooks of other agents read about the turn (FD-10).
    pub(crate) turn: &'a TurnView,
    pub(crate) look: Look,
    /// What a hook needs to announce that nobody needs to wait for it; nothing if no hook may
    /// (FD-22).
    pub(crate) late: Option<Lasting<'a>>,
    /// Told of the first line that the hook writes.
    pub(crate) first_line: Option<&'a FirstLine>,
    /// The other names of the tool that hooks read it under (PL-11).
    pub(crate) asked_for: &'a HashMap<HookId, String>,
}

impl Firing<'_> {
    /// Writes what hooks that run in parallel read.
    pub(crate) fn payload<E: Event>(&self, input: &E::Input) -> Payload {
        let payload = payload::<E>(self.session, &self.clock.now(), input);
        overlay_keys(payload, self.overlay, |_| true)
    }

    /// Writes what a hook in a sequence reads: the changes by those before it aren't overwritten.
    pub(crate) fn payload_in_sequence<E: Event>(&self, input: &E::Input) -> Payload {
        let payload = payload::<E>(self.session, &self.clock.now(), input);
        overlay_keys(payload, self.overlay, |key| {
            !E::RETYPED_FIELDS.contains(&key)
        })
    }
}

/// Lays keys over a payload.
fn overlay_keys(
    payload: Payload,
    overlay: &Map<String, Value>,
    is_laid: impl Fn(&str) -> bool,
) -> Payload {
    if overlay.is_empty() {
        return payload;
    }
    match payload.read::<Map<String, Value>>() {
        Ok(mut fields) => {
            let laid = overlay.iter().filter(|(key, _)| is_laid(key));
            fields.extend(laid.map(|(key, value)| (key.clone(), value.clone())));
            Value::Object(fields).to_string().into()
        }
        // Can't happen: a payload is always an object.
        Err(_) => payload,
    }
}

/// Whether hooks may outlive the host (SE-2, PC-2).
#[derive(Debug, Clone)]
pub(crate) enum Detachment {
    /// They end with it.
    Bound,
    /// They may. The host exits a second after the token announces it.
    Parting(CancellationToken),
}

/// The key that tells a hook that it reads what other hooks made (BT-10).
const REWRITTEN: &str = "rewritten";

impl Firing<'_> {
    /// Returns the keys that hooks read as they are given when they read a rewritten value.
    pub(crate) fn second_look_keys(&self) -> Map<String, Value> {
        let mut overlay = self.overlay.clone();
        overlay.insert(REWRITTEN.to_owned(), Value::Bool(true));
        overlay
    }
}
