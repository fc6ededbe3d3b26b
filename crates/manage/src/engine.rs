//! The engine outside a session: fires events through the same code as a session.

mod interrupt;

use std::sync::Arc;

use hookloop_engine::{BadPayload, Concluded, Hooks, Observer, Registry};
use hookloop_events::{EventName, SessionIdentity};
use hookloop_exec::CommandExecutor;
use hookloop_host::Gate;
use hookloop_keyring::KeyringSecrets;
use hookloop_session::{Environment, RunOptions, Workspace};
use serde_json::{Map, Value};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::failure::CommandFailure;

pub use interrupt::Interruption;

/// What every function here needs.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// The environment.
    pub environment: &'a Environment,
    /// The options that apply only to this run.
    pub run: &'a RunOptions,
    /// Ends the hooks that the function runs, as a signal does.
    pub stop: &'a CancellationToken,
}

impl Task<'_> {
    /// Loads the workspace as a new session would.
    pub fn workspace(self) -> Workspace {
        Workspace::open(self.environment, self.run)
    }
}

/// A runtime that shuts down without waiting: a component that reads a pipe without a writer blocks
/// one of its threads forever.
struct Background(Option<Runtime>);

impl Background {
    #[expect(clippy::expect_used, reason = "it is taken only when this goes")]
    fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.0.as_ref().expect("a runtime").block_on(work)
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Fires events at the hooks of a workspace.
pub(crate) struct Engine {
    runtime: Background,
    hooks: Hooks,
    stop: CancellationToken,
}

impl Engine {
    /// Creates an engine for hooks of a workspace.
    pub(crate) fn new(
        workspace: &Workspace,
        registry: Registry,
        environment: &Environment,
        observer: Option<Arc<dyn Observer>>,
    ) -> Result<Self, CommandFailure> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| {
                CommandFailure::internal(format!("the runtime can't start: {error}"))
            })?;
        let executor = CommandExecutor::new(workspace.surroundings(environment));
        let executor = KeyringSecrets::new(
            hookloop_session::executors(&executor, workspace, environment),
            hookloop_keyring::open(environment.keyring_access()),
        );
        // The last check of each hook is the same as in a session (TR-1, TR-6).
        let executor = Gate::new(executor, workspace);
        let builder = Hooks::builder()
            .registry(registry)
            .executor(executor)
            .max_output_bytes(workspace.max_output_bytes());
        let builder = match observer {
            Some(observer) => builder.observer(observer),
            None => builder,
        };
        Ok(Self {
            runtime: Background(Some(runtime)),
            hooks: builder.build(),
            stop: CancellationToken::new(),
        })
    }

    /// Also ends running hooks when `stop` is cancelled.
    pub(crate) fn until_cancelled(self, stop: &CancellationToken) -> Self {
        let stop = stop.clone();
        Self { stop, ..self }
    }

    /// Fires an event with a payload and waits for its hooks. A signal or the caller can end them.
    pub(crate) fn fire(
        &self,
        session: SessionIdentity,
        event: EventName,
        payload: Map<String, Value>,
    ) -> Result<(Option<Concluded>, Interruption), CommandFailure> {
        let session = self.hooks.session(session);
        let work = interrupt::interruptible(&self.stop, async |cancel| {
            session
                .with_cancel(cancel)
                .fire_payload(event, payload)
                .await
        });
        let (concluded, interruption) = self.runtime.block_on(work);
        match concluded {
            Ok(concluded) => Ok((concluded, interruption)),
            Err(BadPayload { message }) => Err(CommandFailure::bad_input(message)),
        }
    }
}

/// Returns the subject of a payload for the engine.
pub(crate) fn subject(
    event: EventName,
    payload: &Map<String, Value>,
) -> hookloop_engine::Subject<'_> {
    let subject = event
        .subject_field()
        .and_then(|field| payload.get(field)?.as_str());
    hookloop_engine::Subject::Known(subject.unwrap_or_default())
}
