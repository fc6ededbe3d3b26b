//! The agent's port to the tools: the only place that runs one, and it takes nothing but
//! cleared calls.

use hookloop_engine::{Cleared, SessionHooks};
use hookloop_events::{Reason, ToolCall};
use hookloop_tools::{Output, RunContext, Tool};

use crate::frontend::SessionEvent;
use crate::services::TurnServices;
use crate::turn::Turn;

/// How the run of a tool ended.
pub(crate) enum RunEnd {
    /// With a result.
    Output(Output),
    /// A hook that fired within the call ended the loop (OUT-3); what the tool made of it goes
    /// nowhere.
    Stopped(Reason),
}

/// Runs a cleared call; `hooks` are those of the call.
pub(crate) async fn run(
    turn: &Turn<'_>,
    hooks: &SessionHooks,
    tool: &dyn Tool,
    call: Cleared<ToolCall>,
) -> RunEnd {
    let ToolCall { id, arguments, .. } = call.into_inner();
    let frontend = &turn.session.parts.frontend;
    let progress = |text: &str| frontend.show(&SessionEvent::ToolProgress { call_id: &id, text });
    let services = TurnServices::new(turn, hooks, &id);
    let context = RunContext {
        cancel: turn.cancel.clone(),
        progress: &progress,
        services: &services,
    };
    let output = tool.run(arguments, context).await;
    match services.into_stop() {
        Some(reason) => RunEnd::Stopped(reason),
        None => RunEnd::Output(output),
    }
}
