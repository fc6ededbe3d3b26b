//! The agent's port to the tools: the only place that runs one, and it takes nothing but
//! cleared calls.

use hookloop_engine::Cleared;
use hookloop_events::ToolCall;
use hookloop_tools::{Output, RunContext, Tool};

use crate::frontend::SessionEvent;
use crate::turn::Turn;

/// Runs a cleared call.
pub(crate) async fn run(turn: &Turn<'_>, tool: &dyn Tool, call: Cleared<ToolCall>) -> Output {
    let ToolCall { id, arguments, .. } = call.into_inner();
    let frontend = &turn.session.parts.frontend;
    let progress = |text: &str| frontend.show(&SessionEvent::ToolProgress { call_id: &id, text });
    let context = RunContext {
        cancel: turn.cancel.clone(),
        progress: &progress,
    };
    tool.run(arguments, context).await
}
