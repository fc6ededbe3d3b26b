//! The facade: builds the engine, and fires events.

use std::sync::{Arc, PoisonError, RwLock};

use hookloop_events::{Attributed, Cancelled, Event, SessionIdentity};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::builder::Builder;
use crate::clock::Clock;
use crate::conclude::{Reported, conclude};
use crate::in_process::Closures;
use crate::lifecycle::{Concluded, Lifecycle, Observer, SystemMessage};
use crate::plan::{Novelty, PlanCache, Planned};
use crate::port::Executor;
use crate::registry::Registry;
use crate::run::{Detachment, Firing, run};
use crate::session::SessionHooks;
use crate::span::Span;

/// The hook engine: the configured hooks of a host, ready to fire. Cheap to clone.
#[derive(Clone)]
pub struct Hooks(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) snapshot: RwLock<Arc<Snapshot>>,
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) closures: Closures,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) max_output_bytes: usize,
    pub(crate) reported: Reported,
    /// Where traces begin, if there is tracing.
    pub(crate) trace: Option<Arc<dyn Span>>,
}

/// The registry of a moment with the plans made from it.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    pub(crate) registry: Registry,
    pub(crate) plans: PlanCache,
}

impl Snapshot {
    pub(crate) fn new(registry: Registry) -> Self {
        Self {
            registry,
            plans: PlanCache::default(),
        }
    }
}

/// What an event came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Conclusion<O> {
    /// What the host must do.
    pub outcome: O,
    /// What hooks tell the user (OUT-1). The observer was told already; a host needs them only
    /// where they belong into a dialog (BT-5, NO-2) or a record (AT-5).
    pub messages: Vec<SystemMessage>,
}

impl<O> Conclusion<O> {
    /// Concludes an event on which no hook ran: the outcome is the host's own wish.
    #[expect(
        clippy::unnecessary_wraps,
        reason = "it stands beside ends that hooks can be cancelled before"
    )]
    pub(crate) const fn untouched(outcome: O) -> Result<Self, Cancelled> {
        Ok(Self {
            outcome,
            messages: Vec::new(),
        })
    }

    pub(crate) fn map<P>(self, change: impl FnOnce(O) -> P) -> Conclusion<P> {
        Conclusion {
            outcome: change(self.outcome),
            messages: self.messages,
        }
    }
}

/// An event's outcome with everything that led to it.
pub(crate) struct Fired<E: Event> {
    /// What the host must do, unless the hooks were cancelled (EV-5).
    pub(crate) outcome: Result<E::Outcome, Cancelled>,
    pub(crate) answers: Vec<Attributed<E::Answer>>,
    pub(crate) concluded: Concluded,
}

impl Hooks {
    /// Begins to build an engine.
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// Returns an engine without hooks: it clears everything.
    pub fn none() -> Self {
        Builder::new().build()
    }

    /// Binds the engine to a session: every payload carries its identity (IO-1).
    pub fn session(&self, identity: SessionIdentity) -> SessionHooks {
        SessionHooks::new(Arc::clone(&self.0), identity)
    }

    /// Replaces the configured hooks; an event in flight keeps the ones it began with (TR-6).
    /// The host's own hooks stay.
    pub fn replace(&self, mut registry: Registry) {
        self.0.closures.register(&mut registry);
        // Replacing can't be half done, so a poisoned lock guards nothing broken.
        let mut current = self
            .0
            .snapshot
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *current = Arc::new(Snapshot::new(registry));
    }
}

impl Inner {
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Tells whether an event has no hooks at all: then nothing needs to be prepared (EV-2).
    pub(crate) fn is_idle<E: Event>(&self) -> bool {
        let snapshot = self.snapshot.read().unwrap_or_else(PoisonError::into_inner);
        snapshot.registry.of_event(E::NAME).is_empty()
    }
}

/// Who fires, and until when.
pub(crate) struct Call<'a> {
    pub(crate) inner: &'a Inner,
    pub(crate) session: &'a Arc<SessionIdentity>,
    pub(crate) cancel: &'a CancellationToken,
    pub(crate) detachment: Detachment,
    /// The span that this firing belongs to.
    pub(crate) span: Option<&'a Arc<dyn Span>>,
    /// Keys that hooks read as they are given (CM-5).
    pub(crate) overlay: Map<String, Value>,
}

impl Call<'_> {
    /// Fires an event; nothing is returned where no hook runs (EV-2).
    pub(crate) async fn fire<E: Event>(&self, input: &E::Input) -> Option<Fired<E>> {
        let inner = self.inner;
        let snapshot = inner.snapshot();
        let subject = E::subject(input).unwrap_or_default();
        let Planned { plan, novelty } = snapshot.plans.get(&snapshot.registry, E::NAME, subject);
        if novelty == Novelty::First {
            for (hook, causes) in &plan.skipped {
                let (hook, causes) = (Arc::clone(hook), causes.clone());
                self.tell(&Lifecycle::Skipped {
                    event: E::NAME,
                    hook,
                    causes,
                });
            }
        }
        if plan.hooks.is_empty() {
            return None;
        }
        self.tell(&Lifecycle::Planned {
            event: E::NAME,
            hooks: plan.hooks.clone(),
        });
        let firing = Firing {
            executor: &*inner.executor,
            closures: &inner.closures,
            observer: &*inner.observer,
            clock: &*inner.clock,
            session: self.session,
            cancel: self.cancel,
            max_output_bytes: inner.max_output_bytes,
            detachment: self.detachment.clone(),
            span: self.span,
            overlay: &self.overlay,
        };
        let ran = run::<E>(&firing, &plan, input).await;
        let fired = conclude::<E>(&plan, input, ran, &inner.reported);
        self.tell(&Lifecycle::Concluded(fired.concluded.clone()));
        Some(fired)
    }

    fn tell(&self, happening: &Lifecycle) {
        self.inner.observer.observe(self.session, happening);
    }
}
