//! Builds an engine, including the hooks that are closures of its host.

use std::convert::Infallible;
use std::fmt::Display;
use std::marker::PhantomData;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use hookloop_events::{Event, Reply, SessionIdentity};
use hookloop_hook::{HookDeclaration, HookType, OnFailure};
use hookloop_settings::DEFAULT_MAX_OUTPUT_BYTES;

use crate::executors::Executors;
use crate::hooks::Hooks;
use crate::host::{Clock, SystemClock};
use crate::in_process::{Closure, Closures};
use crate::inner::{Inner, Snapshot};
use crate::lifecycle::{Lifecycle, Observer};
use crate::port::Executor;
use crate::registry::Registry;
use crate::reported::Reported;
use crate::span::Span;

/// Builds [`Hooks`].
#[must_use]
pub struct Builder {
    registry: Registry,
    closures: Closures,
    executors: Executors,
    observers: Observers,
    clock: Arc<dyn Clock>,
    max_output_bytes: usize,
    trace: Option<Arc<dyn Span>>,
}

impl Hooks {
    /// Starts an engine without hooks or executors.
    pub fn builder() -> Builder {
        Builder::new()
    }

    /// Returns an engine without hooks. It clears everything.
    pub fn none() -> Self {
        Builder::new().build()
    }
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self {
            registry: Registry::default(),
            closures: Closures::default(),
            executors: Executors::default(),
            observers: Observers::default(),
            clock: Arc::new(SystemClock),
            max_output_bytes: usize::try_from(DEFAULT_MAX_OUTPUT_BYTES).unwrap_or(usize::MAX),
            trace: None,
        }
    }

    /// Sets the configured hooks.
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// Starts the declaration of a hook that is a closure of the host. It comes after the
    /// configured hooks, and stays when those are replaced.
    ///
    /// ```
    /// use hookloop_engine::Hooks;
    /// use hookloop_engine::events::{BeforeTool, Ruling};
    ///
    /// let hooks = Hooks::builder()
    ///     .on::<BeforeTool>("no-shell")
    ///     .matching("run_shell_command")
    ///     .answer(async |_| Ruling::deny("no shell here"))
    ///     .build();
    /// # let _ = hooks;
    /// ```
    pub fn on<E: Event>(self, name: &str) -> OwnHook<E> {
        OwnHook::new(self, name)
    }

    pub(crate) fn with_closure<E: Event>(
        mut self,
        hook: HookDeclaration,
        closure: Closure<E>,
    ) -> Self {
        self.closures.insert(hook, closure);
        self
    }

    /// Sets the executor for hooks that aren't closures, except for kinds that have an executor of
    /// their own ([`executor_for`](Self::executor_for)). Without it, those hooks are reported as
    /// not started.
    pub fn executor(mut self, executor: impl Executor + 'static) -> Self {
        self.executors = self.executors.with_others(executor);
        self
    }

    /// Sets the executor for hooks of one kind.
    ///
    /// ```
    /// use hookloop_engine::{BoxFuture, Completion, Ending, Executor, HookType, Hooks, Invocation};
    ///
    /// /// Answers `http` hooks from memory.
    /// struct Recorded;
    ///
    /// impl Executor for Recorded {
    ///     fn execute(&self, _invocation: Invocation) -> BoxFuture<'_, Completion> {
    ///         Box::pin(async { Completion::ended(Ending::Exited(0)) })
    ///     }
    /// }
    ///
    /// let hooks = Hooks::builder().executor_for(HookType::Http, Recorded).build();
    /// # let _ = hooks;
    /// ```
    pub fn executor_for(mut self, kind: HookType, executor: impl Executor + 'static) -> Self {
        self.executors = self.executors.with(kind, executor);
        self
    }

    /// Adds an observer, which receives everything that happens to hooks. Without one, nobody
    /// learns which hooks are skipped or fail. [`LineObserver`](crate::LineObserver) passes it on
    /// as lines.
    ///
    /// There may be several, such as one that shows and one that records. Each receives everything,
    /// in the order in which they were added.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observers.0.push(observer);
        self
    }

    /// Returns whether it has an observer.
    pub fn is_observed(&self) -> bool {
        !self.observers.0.is_empty()
    }

    /// Sets the clock for payloads and records.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Sets how many bytes of each output stream are kept (IO-17). The default is 8 MiB.
    pub fn max_output_bytes(mut self, bytes: usize) -> Self {
        self.max_output_bytes = bytes;
        self
    }

    /// Sets the root of traces: every run of a hook gets a span (TE-3). Without it, there is no
    /// tracing.
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
            executor: Arc::new(self.executors),
            closures: self.closures,
            observer: Arc::new(self.observers),
            clock: self.clock,
            max_output_bytes: self.max_output_bytes,
            reported: Reported::default(),
            trace: self.trace,
        }))
    }
}

/// A hook of the host itself, started by [`Builder::on`]. Set when it runs and what its failure
/// means, then pass the closure that answers.
///
/// It is treated like a configured hook: it is planned, timed, observed and recorded, its answers
/// are combined by the same laws, and a matcher selects its subjects (PL-1…5).
///
/// ```
/// use std::time::Duration;
///
/// use hookloop_engine::events::{AfterTool, BeforeTool, HookContext, Ruling, AfterToolAnswer};
/// use hookloop_engine::{Hooks, OnFailure};
///
/// let hooks = Hooks::builder()
///     .on::<BeforeTool>("change-freeze")
///     .matching("write_file|replace")
///     .on_failure(OnFailure::Deny)
///     .timeout(Duration::from_secs(2))
///     .answer(async |input| match input.tool_input.get("file_path") {
///         Some(path) if path == "CHANGELOG.md" => Ruling::deny("releases are frozen"),
///         _ => Ruling::Silent,
///     })
///     .on::<AfterTool>("reminder")
///     .answer(async |_| AfterToolAnswer {
///         context: HookContext::new("the tests aren't run yet"),
///         ..AfterToolAnswer::default()
///     })
///     .build();
/// # let _ = hooks;
/// ```
#[must_use = "a hook without an answer isn't a hook: end it with `answer`, `try_answer` or `reply`"]
pub struct OwnHook<E: Event> {
    builder: Builder,
    hook: HookDeclaration,
    event: PhantomData<E>,
}

impl<E: Event> OwnHook<E> {
    pub(crate) fn new(builder: Builder, name: &str) -> Self {
        Self {
            builder,
            hook: HookDeclaration::in_process(E::NAME, name),
            event: PhantomData,
        }
    }

    /// Restricts the hook to matching subjects, like `matcher` in settings (PL-1…5). By default, it
    /// runs for all.
    pub fn matching(mut self, matcher: impl Into<String>) -> Self {
        self.hook.matcher = Some(matcher.into());
        self
    }

    /// Sets what happens if the hook fails: if it panics, returns `Err`, or exceeds its timeout
    /// (IO-21). By default, a failure is a warning.
    pub const fn on_failure(mut self, policy: OnFailure) -> Self {
        self.hook.on_failure = policy;
        self
    }

    /// Sets the hook's timeout (IO-31); the default is 60 s. A closure can be ended only at an
    /// `await`: a closure that never awaits blocks its task.
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.hook.timeout = timeout;
        self
    }

    /// Answers with the event's own type, so the answer can't contain anything that the event
    /// doesn't support. If the event can refuse, a [`Ruling`](hookloop_events::Ruling) is an
    /// answer, too.
    ///
    /// The closure runs in the task that fires the event. It is dropped at its current `await` if
    /// it exceeds its timeout or if the event is cancelled (EV-5).
    pub fn answer<F, Answer, Spoken>(self, answer: F) -> Builder
    where
        F: Fn(Arc<E::Input>) -> Answer + Send + Sync + 'static,
        Answer: Future<Output = Spoken> + Send + 'static,
        Spoken: Into<E::Answer> + 'static,
    {
        self.try_answer(move |input| {
            let answer = answer(input);
            async move { Ok::<_, Infallible>(answer.await) }
        })
    }

    /// Answers like [`answer`](Self::answer), or fails with an error.
    /// [`on_failure`](Self::on_failure) sets what a failure means.
    ///
    /// ```
    /// use hookloop_engine::events::{BeforeTool, Ruling};
    /// use hookloop_engine::{Hooks, OnFailure};
    ///
    /// let hooks = Hooks::builder()
    ///     .on::<BeforeTool>("office-hours")
    ///     .on_failure(OnFailure::Deny)
    ///     .try_answer(async |_| {
    ///         let open: bool = std::fs::read_to_string("/run/office")?.trim() == "open";
    ///         Ok::<_, std::io::Error>(if open { Ruling::Silent } else { Ruling::ask("it is late") })
    ///     })
    ///     .build();
    /// # let _ = hooks;
    /// ```
    pub fn try_answer<F, Answer, Spoken, Error>(self, answer: F) -> Builder
    where
        F: Fn(Arc<E::Input>) -> Answer + Send + Sync + 'static,
        Answer: Future<Output = Result<Spoken, Error>> + Send + 'static,
        Spoken: Into<E::Answer>,
        Error: Display,
    {
        self.builder
            .with_closure(self.hook, Closure::<E>::answering(answer))
    }

    /// Answers synchronously with a [`Reply`], as a program does. The reply may contain messages
    /// for the user, and fields that have no effect at this event, which are reported (IO-23).
    pub fn reply(self, reply: impl Fn(&E::Input) -> Reply + Send + Sync + 'static) -> Builder {
        self.builder
            .with_closure(self.hook, Closure::<E>::replying(reply))
    }
}

/// The observers of a host, in the order in which it added them.
#[derive(Default)]
struct Observers(Vec<Arc<dyn Observer>>);

impl Observer for Observers {
    fn observe(&self, session: &SessionIdentity, lifecycle: &Lifecycle) {
        for observer in &self.0 {
            observer.observe(session, lifecycle);
        }
    }
}
