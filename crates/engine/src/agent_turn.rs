//! What a session knows of its turn that only hooks of other agents read (FD-10).

use std::sync::{Mutex, MutexGuard, PoisonError};

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
    /// How often its end was put before hooks.
    ends: u32,
    /// The approval mode, as the host spells it.
    mode: Option<String>,
}

impl AgentTurn {
    /// Begins the next one.
    pub(crate) fn begin(&self) {
        let mut facts = self.facts();
        facts.id = None;
        facts.ends = 0;
    }

    /// Notes that hooks were asked whether it is over.
    pub(crate) fn ends(&self) {
        let mut facts = self.facts();
        facts.ends = facts.ends.saturating_add(1);
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
        put("turn_ends", Value::from(facts.ends));
        if let Some(mode) = &facts.mode {
            put("approval_mode", Value::from(mode.as_str()));
        }
    }

    fn facts(&self) -> MutexGuard<'_, Facts> {
        // Each field is whole by itself, so a poisoned lock guards nothing broken.
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
