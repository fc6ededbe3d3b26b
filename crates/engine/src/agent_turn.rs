//! What a session knows of its turn that only hooks of other agents read (FD-10).

use std::sync::{Mutex, MutexGuard, PoisonError};

use hookloop_dialects::TURN_GOES_ON;
use serde_json::{Map, Value};

/// The turn of a session or a sub-agent.
#[derive(Debug, Default)]
pub(crate) struct AgentTurn {
    facts: Mutex<Facts>,
}

#[derive(Debug, Default)]
struct Facts {
    /// Its identity, once somebody asked for it.
    id: Option<String>,
    /// How often it was sent back to work at its end.
    retries: u32,
    /// Whether what begins next is its retry.
    goes_on: bool,
    /// Whether what begins next is a turn that a hook asked for.
    of_hook: bool,
    /// Whether the prompt of the moment is a hook's: that of a retry, or of a turn that a hook asked
    /// for.
    told_by_hook: bool,
    /// The approval mode, as the host spells it.
    mode: Option<String>,
}

impl AgentTurn {
    /// Begins the next one, or goes on with the one that was sent back to work.
    pub(crate) fn begin(&self) {
        let mut facts = self.facts();
        let goes_on = std::mem::take(&mut facts.goes_on);
        let of_hook = std::mem::take(&mut facts.of_hook);
        facts.told_by_hook = goes_on || of_hook;
        if !goes_on {
            facts.id = None;
            facts.retries = 0;
        }
    }

    /// Notes that a hook asked for the one that begins next (FD-22).
    pub(crate) fn is_asked_for_by_hook(&self) {
        let mut facts = self.facts();
        facts.goes_on = false;
        facts.of_hook = true;
    }

    /// Notes that it comes to an end for the first time.
    pub(crate) fn first_end(&self) {
        self.facts().retries = 0;
    }

    /// Notes that it is sent back to work.
    pub(crate) fn go_on(&self) {
        let mut facts = self.facts();
        facts.goes_on = true;
        facts.retries = facts.retries.saturating_add(1);
    }

    /// Notes the approval mode.
    pub(crate) fn set_mode(&self, mode: &str) {
        self.facts().mode = Some(mode.to_owned());
    }

    /// Puts what is known into a payload that will be translated.
    pub(crate) fn put(&self, payload: &mut Map<String, Value>) {
        let mut facts = self.facts();
        let id = facts
            .id
            .get_or_insert_with(|| uuid::Uuid::new_v4().to_string());
        let mut put = |name: &str, value: Value| payload.insert(name.to_owned(), value);
        put("turn_id", Value::from(id.as_str()));
        put("turn_retries", Value::from(facts.retries));
        put(TURN_GOES_ON, Value::Bool(facts.told_by_hook));
        if let Some(mode) = &facts.mode {
            put("approval_mode", Value::from(mode.as_str()));
        }
    }

    fn facts(&self) -> MutexGuard<'_, Facts> {
        // Each field is whole by itself, so a poisoned lock guards nothing broken.
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
