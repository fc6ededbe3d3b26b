//! The agent's port to the tools: the only place that runs a tool. It accepts only cleared calls.

use std::sync::atomic::{AtomicUsize, Ordering};

use hookloop_engine::Cleared;
use hookloop_events::ToolCall;
use hookloop_tools::{Output, RunContext, Tool};

use crate::call_services::CallServices;
use crate::frontend::SessionEvent;
use crate::limits::LiveOutput;
use crate::offer::Offer;
use crate::scope::Scope;
use crate::turn_end::TurnEnd;

/// Runs a cleared call; the hooks of `scope` are those of the call.
///
/// # Errors
/// A hook that fired within the call ended the loop (OUT-3); the tool's result is dropped.
pub(crate) async fn run(
    scope: &Scope,
    offer: &Offer,
    tool: &dyn Tool,
    call: Cleared<ToolCall>,
) -> Result<Output, TurnEnd> {
    let ToolCall { id, arguments, .. } = call.into_inner();
    let live = live_output(scope, tool);
    let lines = AtomicUsize::new(0);
    let progress = |text: &str| match live {
        LiveOutput::Shown => scope.show(&SessionEvent::ToolProgress { call_id: &id, text }),
        LiveOutput::Held => {
            let ends = text.matches('\n').count();
            let lines = lines.fetch_add(ends, Ordering::Relaxed) + ends;
            scope.show(&SessionEvent::ToolProgressHeld {
                call_id: &id,
                lines,
            });
        }
    };
    let services = CallServices::new(scope, offer, &id);
    let context = RunContext {
        cancel: scope.cancel.clone(),
        progress: &progress,
        services: &services,
    };
    let output = tool.run(arguments, context).await;
    match services.into_stop() {
        Some(reason) => Err(TurnEnd::Stopped(reason)),
        None => Ok(output),
    }
}

/// Decides whether output is shown before its hooks have spoken: a setting of any layer, or one of
/// those hooks, may hold it (AT-1).
fn live_output(scope: &Scope, tool: &dyn Tool) -> LiveOutput {
    if scope.hooks.withholds_screen(&tool.declaration().name) {
        return LiveOutput::Held;
    }
    scope.services.live_output
}
