//! The origin of a prompt, and the other state of a turn that only hooks of other agents read
//! (FD-10, FD-11).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hookloop_dialects::{BEGUN_AGENT, TOOL_DURATION, TURN_GOES_ON, begins_sub_agent};
use serde_json::{Map, Value};

/// The author of a prompt.
///
/// Some agents fire their event for prompts only for a person's words, so hooks in their dialects
/// don't judge other prompts here, either (FD-11). The origin comes with each prompt and isn't
/// kept: an earlier turn can't turn a person's prompt into a hook's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PromptOrigin {
    /// A person, or anyone else who isn't a hook of this session: every hook judges it.
    #[default]
    Person,
    /// A hook that sent the turn back to work at its end (AA-1).
    Retry,
    /// A hook that nobody waited for, and that starts a turn (FD-22).
    Hook,
}

impl PromptOrigin {
    /// Returns whether a hook wrote the prompt.
    pub(crate) const fn is_hook(self) -> bool {
        matches!(self, Self::Retry | Self::Hook)
    }
}

/// The turn of a session or a sub-agent.
#[derive(Debug, Default)]
pub(crate) struct AgentTurn {
    facts: Mutex<Facts>,
}

#[derive(Debug, Default)]
struct Facts {
    /// Its identity, once it was needed.
    id: Option<String>,
    /// How often it was sent back to work at its end.
    retries: u32,
    /// The approval mode, as the host spells it.
    mode: Option<String>,
    /// The model that is used.
    model: Option<String>,
    /// How many milliseconds the tools of calls ran, by the ids of the calls, until hooks have
    /// judged their results.
    durations: HashMap<String, u64>,
    /// The ids that hooks read of the sub-agents that calls are about to begin, by the ids of the
    /// calls.
    begun_agents: HashMap<String, String>,
}

impl AgentTurn {
    /// Begins the next one, unless the prompt is that of a retry, with which it continues.
    pub(crate) fn begin(&self, origin: PromptOrigin) {
        if origin == PromptOrigin::Retry {
            return;
        }
        let mut facts = self.facts();
        facts.id = None;
        facts.retries = 0;
    }

    /// Notes that it ends for the first time.
    pub(crate) fn first_end(&self) {
        self.facts().retries = 0;
    }

    /// Notes that a hook sends it back to work. Whether that happens is up to the host, which then
    /// submits a prompt.
    pub(crate) fn is_sent_back(&self) {
        let mut facts = self.facts();
        facts.retries = facts.retries.saturating_add(1);
    }

    /// Notes the approval mode.
    pub(crate) fn set_mode(&self, mode: &str) {
        self.facts().mode = Some(mode.to_owned());
    }

    /// Notes the model that is used.
    pub(crate) fn set_model(&self, model: &str) {
        self.facts().model = Some(model.to_owned());
    }

    /// Notes how long the tool of a call ran.
    pub(crate) fn set_duration(&self, call: &str, duration: Duration) {
        let milliseconds = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        self.facts().durations.insert(call.to_owned(), milliseconds);
    }

    /// Forgets what was noted of a call whose result hooks have judged.
    pub(crate) fn forget_call(&self, call: &str) {
        let mut facts = self.facts();
        facts.durations.remove(call);
        facts.begun_agents.remove(call);
    }

    /// Returns the id of the sub-agent that a call begins: the one that hooks have read, and a new
    /// one if none has, or if a call of the same id has taken it.
    pub(crate) fn take_agent_id(&self, call: &str) -> String {
        let read = self.facts().begun_agents.remove(call);
        read.unwrap_or_else(new_id)
    }

    fn facts(&self) -> MutexGuard<'_, Facts> {
        // Each field is whole by itself, so a poisoned lock guards nothing broken.
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A turn as hooks of one firing read it.
#[derive(Debug, Clone)]
pub(crate) struct TurnView {
    pub(crate) turn: Arc<AgentTurn>,
    /// Who the prompt is from, if the firing is one.
    pub(crate) origin: PromptOrigin,
}

impl TurnView {
    /// Adds what is known to a payload that will be translated.
    pub(crate) fn put(&self, payload: &mut Map<String, Value>) {
        let mut facts = self.turn.facts();
        let call = payload.get("tool_call_id").and_then(Value::as_str);
        let ended = call.filter(|_| payload.contains_key("tool_response"));
        let duration = ended.and_then(|it| facts.durations.get(it).copied());
        let begins = call.filter(|_| begins_agent(payload));
        let agent_id = begins.map(|call| {
            let known = facts.begun_agents.entry(call.to_owned());
            known.or_insert_with(new_id).clone()
        });
        let id = facts.id.get_or_insert_with(new_id);
        let mut put = |name: &str, value: Value| payload.insert(name.to_owned(), value);
        put("turn_id", Value::from(id.as_str()));
        put("turn_retries", Value::from(facts.retries));
        put(TURN_GOES_ON, Value::Bool(self.origin.is_hook()));
        if let Some(agent_id) = agent_id {
            put(BEGUN_AGENT, Value::from(agent_id));
        }
        if let Some(duration) = duration {
            put(TOOL_DURATION, Value::from(duration));
        }
        if let Some(mode) = &facts.mode {
            put("approval_mode", Value::from(mode.as_str()));
        }
        if let Some(model) = &facts.model {
            put("model", Value::from(model.as_str()));
        }
    }
}

/// Returns whether a payload is that of a call that is about to begin a sub-agent.
fn begins_agent(payload: &Map<String, Value>) -> bool {
    let tool = payload.get("tool_name").and_then(Value::as_str);
    tool.is_some_and(begins_sub_agent) && !payload.contains_key("tool_response")
}

fn new_id() -> String {
    uuid::Uuid::new_v4().to_string()
}
