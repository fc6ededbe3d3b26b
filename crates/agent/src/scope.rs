//! What every step of a turn receives: its hooks, its cancellation token, and what it works with.

use std::sync::Arc;

use hookloop_engine::{BoxFuture, OpenSpan, SessionHooks};
use hookloop_model::ModelClient;
use hookloop_tools::SubAgent;
use tokio_util::sync::CancellationToken;

use crate::approval::Policy;
use crate::approval_mode::ModeSwitch;
use crate::frontend::{Frontend, SessionEvent};
use crate::grants::SessionGrants;
use crate::limits::{CompressionThreshold, Limits, LiveOutput, ModelCallCount};
use crate::stats::Counts;
use crate::telemetry::Telemetry;
use crate::transcript::Transcript;
use crate::turn_end::TurnEnd;
use crate::unawaited_hooks::UnawaitedHooks;

/// What a turn works with. Everything in it is shared, so that of a sub-agent differs only in what
/// it replaces.
#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) model: Arc<dyn ModelClient>,
    pub(crate) policy: Arc<Policy>,
    /// The current approval mode (TO-6).
    pub(crate) mode: Arc<ModeSwitch>,
    pub(crate) frontend: Arc<dyn Frontend>,
    pub(crate) telemetry: Arc<Telemetry>,
    pub(crate) transcript: Transcript,
    pub(crate) stats: Counts,
    pub(crate) grants: Arc<SessionGrants>,
    pub(crate) unawaited: Arc<UnawaitedHooks>,
    pub(crate) limits: Limits,
    pub(crate) compression: CompressionThreshold,
    pub(crate) live_output: LiveOutput,
    pub(crate) delegate: Arc<dyn Delegate>,
}

/// Runs sub-agents: a turn within a call of a turn; neither knows about the other (TO-4).
pub(crate) trait Delegate: Send + Sync {
    /// Lets a sub-agent work towards an objective, and returns what it says in the end, or how its
    /// turn ended without that.
    fn delegate<'a>(&'a self, task: SubAgentTask<'a>) -> BoxFuture<'a, Result<String, TurnEnd>>;
}

/// The task of a sub-agent.
#[derive(Clone, Copy)]
pub(crate) struct SubAgentTask<'a> {
    /// The scope of the call that delegates.
    pub(crate) scope: &'a Scope,
    /// The conversation that delegates, for what a sub-agent inherits of it.
    pub(crate) offer: &'a crate::offer::Offer,
    pub(crate) call_id: &'a str,
    pub(crate) agent: &'a SubAgent,
    pub(crate) objective: &'a str,
}

/// The context that every step of a turn receives and passes on.
#[derive(Clone)]
pub(crate) struct Scope {
    /// The hooks of the step, below its span and ended by `cancel`.
    pub(crate) hooks: SessionHooks,
    /// Ends the turn (LO-4).
    pub(crate) cancel: CancellationToken,
    pub(crate) services: Arc<Services>,
    /// The model calls of the turn, with those of its sub-agents.
    pub(crate) model_calls: ModelCallCount,
}

impl Scope {
    /// Tells hooks of other agents the current approval mode (FD-10).
    pub(crate) fn say_mode(&self) {
        let mode = self.services.mode.get();
        self.hooks.set_approval_mode(&mode.to_string());
    }

    /// Builds the scope of something that `cancel` ends, including its hooks (IO-33).
    pub(crate) fn new(
        hooks: &SessionHooks,
        services: Arc<Services>,
        cancel: CancellationToken,
    ) -> Self {
        Self {
            hooks: hooks.with_cancel(cancel.clone()),
            cancel,
            services,
            model_calls: ModelCallCount::default(),
        }
    }

    /// Begins a step with its own span (TE-3).
    pub(crate) fn step(
        &self,
        begin: impl FnOnce(&SessionHooks) -> (SessionHooks, OpenSpan),
    ) -> (Self, OpenSpan) {
        let (hooks, span) = begin(&self.hooks);
        let scope = Self {
            hooks,
            ..self.clone()
        };
        (scope, span)
    }

    /// Continues, unless the turn was cancelled meanwhile.
    pub(crate) fn proceed(&self) -> Result<(), TurnEnd> {
        if self.cancel.is_cancelled() {
            return Err(TurnEnd::Cancelled);
        }
        Ok(())
    }

    pub(crate) fn show(&self, event: &SessionEvent<'_>) {
        self.services.frontend.show(event);
    }

    pub(crate) fn warn(&self, text: &str) {
        self.show(&SessionEvent::Warning(text));
    }
}
