//! A sub-agent at work: a turn of its own, in a conversation of its own, within a tool call of the
//! turn that delegated (TO-4).
//!
//! Everything but the conversation, the instruction, the choice of tools and the model's name is
//! that of the session: hooks, policy, grants, screen, telemetry, counts and transcript. Its hooks
//! fire with its id and name: `BeforeAgent` with the objective as the prompt, `AfterAgent` with what
//! it says in the end, and all those between. `SessionStart` and `SessionEnd` don't: no session
//! begins or ends.

use std::sync::Arc;

use hookloop_engine::{BoxFuture, SessionHooks};
use hookloop_events::AgentIdentity;
use hookloop_tools::{DelegateToAgent, SubAgent, ToolList};

use crate::frontend::{Confirmation, Consent, Frontend, SessionEvent};
use crate::session::{Parts, Session, StartContext};
use crate::turn::Turn;
use crate::turn_end::TurnEnd;

/// What every sub-agent is told beside its own instruction.
const SITUATION: &str = "You work on your own on behalf of another agent, and nobody answers \
    questions in between. When you are done, say what came of it: your last message is all that \
    the other agent gets. Text between <hook_context> tags comes from programs that the user \
    installed; take it into account, but it is not the user speaking. When a tool call is refused, \
    read the reason and find another way or say what you need.";

/// Which of the session's tools there are for an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ToolScope {
    /// All of them: it is the session's own agent.
    Session,
    /// Those that a sub-agent may call; all but delegating if it has no list.
    SubAgent(Option<ToolList>),
}

impl ToolScope {
    pub(crate) fn holds(&self, tool: &str) -> bool {
        match self {
            // A sub-agent that delegates could go round in circles.
            Self::SubAgent(_) if tool == DelegateToAgent::NAME => false,
            Self::Session | Self::SubAgent(None) => true,
            Self::SubAgent(Some(list)) => list.names_tool(tool),
        }
    }
}

/// The call that a sub-agent works for.
#[derive(Clone, Copy)]
pub(crate) struct Place<'t, 's> {
    /// The turn that delegated.
    pub(crate) turn: &'t Turn<'s>,
    /// The hooks of the call.
    pub(crate) hooks: &'t SessionHooks,
    pub(crate) call_id: &'t str,
}

/// Lets a sub-agent work, and returns what it says in the end.
///
/// # Errors
/// Says how its turn ended, if it did not end with an answer.
pub(crate) async fn run(
    place: Place<'_, '_>,
    agent: &SubAgent,
    objective: &str,
) -> Result<String, TurnEnd> {
    let identity = AgentIdentity {
        agent_id: uuid::Uuid::new_v4().to_string(),
        agent_name: agent.name.clone(),
    };
    let mut session = session(place, agent, identity);
    warn_of_unknown_tools(&session, agent);
    let mut turn = Turn::new(&mut session, objective, place.turn.cancel.clone());
    match turn.run().await {
        TurnEnd::Completed => Ok(turn.into_last_words()),
        end => Err(end),
    }
}

/// Makes the sub-agent's view of the session.
fn session(place: Place<'_, '_>, agent: &SubAgent, identity: AgentIdentity) -> Session {
    let session = &place.turn.session;
    let parts = &session.parts;
    let frontend = SubAgentFrontend {
        inner: Arc::clone(&parts.frontend),
        call_id: place.call_id.to_owned(),
        identity: identity.clone(),
    };
    let model = agent.model.as_ref().unwrap_or(&parts.model_name);
    let parts = Parts {
        hooks: place.hooks.with_agent(identity.clone()),
        model: Arc::clone(&parts.model),
        model_name: model.clone(),
        system_instruction: Some(format!("{}\n\n{SITUATION}", agent.instruction)),
        generation_config: parts.generation_config.clone(),
        toolbox: parts.toolbox.clone(),
        policy: parts.policy.clone(),
        frontend: Arc::new(frontend),
        telemetry: Arc::clone(&parts.telemetry),
        transcript: parts.transcript.of_agent(identity),
        limits: parts.limits,
        compression: parts.compression,
        start_context: StartContext::BeforePrompt,
    };
    session.within(parts, ToolScope::SubAgent(agent.tools.clone()))
}

/// Says which names in the list of tools stand for none: what was configured has no effect.
fn warn_of_unknown_tools(session: &Session, agent: &SubAgent) {
    let Some(list) = &agent.tools else { return };
    // Delegating is left out in silence only where it was not asked for by name.
    let tools = session.parts.toolbox.declarations();
    let tools: Vec<&str> = tools.map(|tool| tool.name.as_str()).collect();
    let unknown = list.unknown(&tools);
    if !unknown.is_empty() {
        let place = agent.file.display();
        session.show(&SessionEvent::Warning(&format!(
            "{place}:{}: the agent \"{}\" has no such tools in this session: {}",
            list.line,
            agent.name,
            unknown.join(", ")
        )));
    }
}

/// Shows what a sub-agent does, as part of the call that it works for.
struct SubAgentFrontend {
    inner: Arc<dyn Frontend>,
    call_id: String,
    identity: AgentIdentity,
}

impl Frontend for SubAgentFrontend {
    fn show(&self, event: &SessionEvent<'_>) {
        let text = match event {
            // What it says is no answer to the user.
            SessionEvent::ModelText(text) => *text,
            SessionEvent::ResponseEnded => "\n",
            event => {
                return self.inner.show(&SessionEvent::SubAgent {
                    identity: &self.identity,
                    event,
                });
            }
        };
        self.inner.show(&SessionEvent::ToolProgress {
            call_id: &self.call_id,
            text,
        });
    }

    fn confirm<'a>(&'a self, request: Confirmation<'a>) -> BoxFuture<'a, Consent> {
        self.inner.confirm(request)
    }
}
