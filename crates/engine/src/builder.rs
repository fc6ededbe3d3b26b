//! Puts an engine together.

use std::sync::{Arc, RwLock};

use hookloop_events::{Event, Reply, SessionIdentity};
use hookloop_settings::DEFAULT_MAX_OUTPUT_BYTES;

use crate::clock::{Clock, SystemClock};
use crate::conclude::Reported;
use crate::hooks::Hooks;
use crate::in_process::Closures;
use crate::inner::{Inner, Snapshot};
use crate::lifecycle::{Lifecycle, Observer};
use crate::port::{BoxFuture, Completion, Executor, Invocation};
use crate::registry::Registry;
use crate::span::Span;

/// Builds [`Hooks`].
#[must_use]
pub struct Builder {
    registry: Registry,
    closures: Closures,
    executor: Arc<dyn Executor>,
    observer: Arc<dyn Observer>,
    clock: Arc<dyn Clock>,
    max_output_bytes: usize,
    trace: Option<Arc<dyn Span>>,
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
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self {
            registry: Registry::default(),
            closures: Closures::default(),
            executor: Arc::new(NoExecutor),
            observer: Arc::new(NoObserver),
            clock: Arc::new(SystemClock),
            max_output_bytes: usize::try_from(DEFAULT_MAX_OUTPUT_BYTES).unwrap_or(usize::MAX),
            trace: None,
        }
    }

    /// Takes the configured hooks.
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// Adds a closure of the host as a hook, behind the configured ones; it stays when those
    /// are replaced. It runs on the thread that fires the event, for every subject.
    ///
    /// ```
    /// use hookloop_engine::Hooks;
    /// use hookloop_engine::events::{BeforeTool, Decision, Reply};
    ///
    /// let hooks = Hooks::builder()
    ///     .on::<BeforeTool>("no-shell", |input| match input.tool_name.as_str() {
    ///         "run_shell_command" => Reply {
    ///             decision: Some(Decision::Deny),
    ///             reason: Some("no shell here".to_owned()),
    ///             ..Reply::default()
    ///         },
    ///         _ => Reply::default(),
    ///     })
    ///     .build();
    /// # let _ = hooks;
    /// ```
    pub fn on<E: Event>(
        mut self,
        name: &str,
        answer: impl Fn(&E::Input) -> Reply + Send + Sync + 'static,
    ) -> Self {
        self.closures.insert::<E>(name, answer);
        self
    }

    /// Sets who runs hooks that are not in-process. Without one they fail to start, and say so.
    pub fn executor(mut self, executor: impl Executor + 'static) -> Self {
        self.executor = Arc::new(executor);
        self
    }

    /// Sets who is told what happens to hooks.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    /// Sets the clock of payloads and records.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Sets how many bytes of each output stream are kept (IO-17); default 8 MiB.
    pub fn max_output_bytes(mut self, bytes: usize) -> Self {
        self.max_output_bytes = bytes;
        self
    }

    /// Sets the place where traces begin: every run of a hook gets a span (TE-3). Without it
    /// there is no tracing.
    pub fn trace(mut self, trace: Arc<dyn Span>) -> Self {
        self.trace = Some(trace);
        self
    }

    /// Builds the engine.
    pub fn build(self) -> Hooks {
        let mut registry = self.registry;
        self.closures.register(&mut registry);
        Hooks(Arc::new(Inner {
            snapshot: RwLock::new(Arc::new(Snapshot::new(registry))),
            executor: self.executor,
            closures: self.closures,
            observer: self.observer,
            clock: self.clock,
            max_output_bytes: self.max_output_bytes,
            reported: Reported::default(),
            trace: self.trace,
        }))
    }
}

/// Stands in where the host gave no executor.
struct NoExecutor;

impl Executor for NoExecutor {
    fn execute(&self, _invocation: Invocation) -> BoxFuture<'_, Completion> {
        Box::pin(async { Completion::not_started("the host has no executor for commands") })
    }
}

/// Stands in where nobody wants to know.
struct NoObserver;

impl Observer for NoObserver {
    fn observe(&self, _session: &SessionIdentity, _happening: &Lifecycle) {}
}
