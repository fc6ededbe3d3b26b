//! The facade: a host's hooks, ready to be bound to sessions.

use std::sync::{Arc, PoisonError};

use hookloop_events::{EventName, SessionIdentity};
use hookloop_hook::{HookDeclaration, HookId};

use crate::inner::{Inner, Snapshot};
use crate::inspect::Explanation;
use crate::plan::Subject;
use crate::registry::Registry;
use crate::session::SessionHooks;

/// The hook engine: a host's configured hooks, ready to fire. Cloning it is cheap.
#[derive(Clone)]
pub struct Hooks(pub(crate) Arc<Inner>);

impl Hooks {
    /// Binds the engine to a session, whose identity is then in every payload (IO-1).
    pub fn session(&self, identity: SessionIdentity) -> SessionHooks {
        SessionHooks::new(Arc::clone(&self.0), identity)
    }

    /// Returns a configured hook by its id, if it would run for any subject.
    pub fn running(&self, id: &HookId) -> Option<Arc<HookDeclaration>> {
        let snapshot = self.0.snapshot();
        let mut all = snapshot.registry.all();
        let found = all.find(|it| it.hook.id == *id && it.causes.is_empty())?;
        Some(Arc::clone(&found.hook))
    }

    /// Explains which hooks of an event run for a subject, and why the others don't (CM-4). No hook
    /// runs. The host's own hooks are included.
    ///
    /// ```
    /// use hookloop_engine::events::{BeforeTool, EventName, Ruling};
    /// use hookloop_engine::{Hooks, Subject};
    ///
    /// let hooks = Hooks::builder()
    ///     .on::<BeforeTool>("no-shell")
    ///     .matching("run_shell_command")
    ///     .answer(async |_| Ruling::deny("no shell here"))
    ///     .build();
    /// let explained = hooks.explain(EventName::BeforeTool, Subject::Known("write_file"));
    /// let status = &explained.hooks[0];
    /// assert_eq!(status.hook.label(), "no-shell");
    /// assert_eq!(status.runs(), Some(false));
    /// for cause in &status.causes {
    ///     println!("{cause}"); // its matcher "run_shell_command" doesn't match "write_file"
    /// }
    /// ```
    pub fn explain(&self, event: EventName, subject: Subject<'_>) -> Explanation {
        self.0.snapshot().registry.explain(event, subject)
    }

    /// Replaces the configured hooks. An event in flight keeps the hooks that it started with
    /// (TR-6). The host's own hooks stay.
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
