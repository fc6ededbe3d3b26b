//! Runs a sub-agent: a separate turn, in a separate conversation, inside a tool call of the turn
//! that delegated (TO-4).
//!
//! The conversation, the instruction, the choice of tools and the model's name are its own.
//! Everything else is the session's: hooks, policy, grants, screen, telemetry, statistics and
//! transcript. Its hooks fire with its id and name: `BeforeAgent` with the objective as the prompt,
//! `AfterAgent` with its final answer, and all those in between. `SessionStart` and `SessionEnd`
//! don't fire, because no session starts or ends.

use std::sync::Arc;

use hookloop_engine::BoxFuture;
use hookloop_events::{AgentIdentity, ToolCall};
use hookloop_tools::SubAgent;

use crate::conversation::Conversation;
use crate::frontend::{Audience, Confirmation, Consent, Frontend, SessionEvent};
use crate::offer::Offer;
use crate::scope::{Delegate, Scope, Services, SubAgentTask};
use crate::turn::{Prompt, Turn};
use crate::turn_end::TurnEnd;

/// What every sub-agent is told in addition to its own instruction.
const SITUATION: &str = "You work on your own on behalf of another agent, and nobody answers \
    questions in between. When you are done, report the result: your last message is all that the \
    other agent gets. Text between <hook_context> tags comes from programs that the user \
    installed; take it into account, but it doesn't come from the user. When a tool call is \
    refused, read the reason and find another way or say what you need.";

/// Runs sub-agents in their own turns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SubAgentTurns;

impl Delegate for SubAgentTurns {
    fn delegate<'a>(&'a self, task: SubAgentTask<'a>) -> BoxFuture<'a, Result<String, TurnEnd>> {
        Box::pin(run(task))
    }
}

async fn run(task: SubAgentTask<'_>) -> Result<String, TurnEnd> {
    let SubAgentTask {
        scope,
        offer,
        call_id,
        agent,
        objective,
    } = task;
    warn_of_unknown_tools(scope, offer, agent);
    let identity = AgentIdentity {
        agent_id: scope.hooks.begin_agent(call_id),
        agent_name: agent.name.clone(),
    };
    let instruction = format!("{}\n\n{SITUATION}", agent.instruction);
    let mut conversation = Conversation::new(offer.of_sub_agent(agent, instruction));
    let scope = agent_scope(task, identity);
    Turn::new(scope, &mut conversation, Prompt::new(objective))
        .run()
        .await
}

/// Derives a sub-agent's scope from that of the call that delegates.
fn agent_scope(task: SubAgentTask<'_>, identity: AgentIdentity) -> Scope {
    let outer = &task.scope.services;
    let frontend = SubAgentFrontend {
        inner: Arc::clone(&outer.frontend),
        call_id: task.call_id.to_owned(),
        identity: identity.clone(),
    };
    let services = Services {
        frontend: Arc::new(frontend),
        transcript: outer.transcript.for_agent(identity.clone()),
        ..(**outer).clone()
    };
    Scope {
        hooks: task.scope.hooks.with_agent(identity),
        services: Arc::new(services),
        ..task.scope.clone()
    }
}

/// Reports which names in the list of tools match none: that part of the configuration has no
/// effect.
fn warn_of_unknown_tools(scope: &Scope, offer: &Offer, agent: &SubAgent) {
    let Some(list) = &agent.tools else { return };
    let tools = offer.toolbox.declarations();
    let tools: Vec<&str> = tools.map(|tool| tool.name.as_str()).collect();
    let unknown = list.unknown_tools(&tools);
    if !unknown.is_empty() {
        let place = agent.file.display();
        scope.warn(&format!(
            "{place}:{}: the agent \"{}\" names tools that this session doesn't have: {}",
            list.line,
            agent.name,
            unknown.join(", ")
        ));
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
            // A sub-agent's text isn't an answer to the user.
            SessionEvent::ModelText(text) => *text,
            SessionEvent::ResponseEnded => "\n",
            SessionEvent::AnswerDropped { why, .. } => {
                return self.inner.show(&SessionEvent::SubAgent {
                    identity: &self.identity,
                    event: &SessionEvent::Warning(why),
                });
            }
            // The session's own agent says what became of it, as the result of its call.
            SessionEvent::AnswerIncomplete(_) => return,
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

    /// Nobody types the calls of a sub-agent.
    fn typed_by_person(&self, _call: &ToolCall) {}

    fn audience(&self) -> Audience {
        self.inner.audience()
    }
}
