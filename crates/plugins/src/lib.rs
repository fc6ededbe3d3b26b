//! Hooks that are WebAssembly components (HT-20 to HT-22).
//!
//! A component is compiled once per process, and gets a fresh instance for each event unless its
//! entry says `"live": true`. It runs on the caller's task, and yields every few milliseconds, so
//! neither an endless loop nor a blocking call outlives the stop signal. It can access what its
//! entry grants, and nothing else.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use hookloop_plugins::compile;
//!
//! // Before the first session: the first event then doesn't wait for the compiler.
//! let cache = Path::new("/home/me/.cache/host/plugins");
//! compile(Path::new("guards/no-secrets.wasm"), cache)?;
//! # Ok::<(), String>(())
//! ```

mod answer;
mod compiler;
mod grants;
mod instance;
mod log;
mod lookup;
mod source;
mod state;
mod stored;
mod ticker;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use hookloop_engine::{Completion, Ending, Invocation, StopCause};
use hookloop_hook::{HookId, Plugin};
use tokio::sync::Mutex as AsyncMutex;

use answer::PluginAnswer;
use compiler::Machine;
use grants::Rights;
use instance::Instance;
use source::Sources;

pub use grants::unfit_grants;
pub use source::{MAX_COMPONENT_BYTES, unfit};

/// The maximum memory of a component, in bytes, over all its memories and tables: 64 MiB (HT-21).
pub const MAX_MEMORY: usize = 64 << 20;

/// Runs the components of a host. Compiled components are shared by the whole process.
#[derive(Debug, Default)]
pub struct Plugins {
    sources: Sources,
    live: Mutex<HashMap<Key, Slot>>,
}

/// The live instance, if there is one (HT-21). A caller takes it out while it runs, so that an
/// interrupted one is dropped.
type Slot = Arc<AsyncMutex<Option<Box<Instance>>>>;

/// Distinguishes live instances.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    hook: HookId,
    session: String,
    digest: String,
}

/// An event, and everything needed to call a component for it.
pub struct Question<'a> {
    /// The hook, its payload, and the session.
    pub invocation: &'a Invocation,
    /// The component, as its entry describes it.
    pub plugin: &'a Plugin,
    /// The project's root, as an absolute path. Relative file names start there, those of an
    /// extension's hook in the extension's folder.
    pub root: &'a Path,
    /// The user's home folder, for names that begin with `~/`.
    pub home: Option<&'a Path>,
    /// Looks up an environment variable as a command hook would see it (ENV-3).
    pub variable: &'a (dyn Fn(&str) -> Option<String> + Send + Sync),
    /// The private folder for compiled components. Without it, every process compiles them again.
    pub cache: Option<&'a Path>,
}

/// Returns the components being compiled, each with the folder where the result will be stored.
/// They are lost if this process ends now.
pub fn being_compiled() -> Vec<(PathBuf, PathBuf)> {
    Machine::if_any().map_or_else(Vec::new, Machine::being_compiled)
}

/// Compiles a component and stores it in a private folder, so that no event has to wait for it
/// (HT-20).
///
/// # Errors
/// The file can't be loaded; the text gives the reason.
pub fn compile(file: &Path, cache: &Path) -> Result<(), String> {
    let source = source::read(file)?;
    Machine::shared()?.compile_now(&source, cache)
}

impl Plugins {
    /// Calls a component for an event, until it has answered or the run is stopped. Returns a
    /// completion whatever the component does. Must be called within a Tokio runtime with I/O and
    /// time enabled.
    pub async fn ask(&self, question: Question<'_>) -> Completion {
        let started = Instant::now();
        let stop = question.invocation.stop.clone();
        let is_asked = AtomicBool::new(false);
        let mut completion = if stop.cause().is_some() {
            Completion::ended(Ending::Stopped)
        } else {
            tokio::select! {
                biased;
                completion = self.answer(&question, &is_asked) => completion,
                () = stop.stopped() => match stop.cause() {
                    // The component wasn't called, so it has looked at nothing (IO-21).
                    Some(StopCause::TimedOut) if !is_asked.load(Ordering::SeqCst) => {
                        Completion::not_started(
                            "the component wasn't compiled and started before the hook's timeout; \
                             compilation continues, and the next event gets the result",
                        )
                    }
                    _ => Completion::ended(Ending::Stopped),
                },
            }
        };
        completion.duration = started.elapsed();
        completion
    }

    async fn answer(&self, question: &Question<'_>, is_asked: &AtomicBool) -> Completion {
        match self.call(question, is_asked).await {
            Ok(answer) => answer.completion(question.invocation.max_output_bytes),
            Err(why) => Completion::not_started(why),
        }
    }

    /// Calls the component and returns its answer. The error says why it couldn't be called.
    /// Records the moment from which it was called.
    async fn call(
        &self,
        question: &Question<'_>,
        is_asked: &AtomicBool,
    ) -> Result<PluginAnswer, String> {
        let machine = Machine::shared()?;
        let source = self.sources.of(question, |digest| machine.knows(digest))?;
        let digest = source.digest.clone();
        let compiled = machine.compiled(source, question.cache).await?;
        let payload = question.invocation.input.text();
        let _ticking = machine.ticking();
        if !question.plugin.live {
            let mut instance = Instance::start(machine, &compiled, Rights::of(question)?).await?;
            is_asked.store(true, Ordering::SeqCst);
            return Ok(instance.ask(&payload).await);
        }
        let slot = self.slot(question, &digest);
        let mut slot = slot.lock().await;
        let mut instance = match slot.take() {
            Some(instance) => instance,
            None => Box::new(Instance::start(machine, &compiled, Rights::of(question)?).await?),
        };
        is_asked.store(true, Ordering::SeqCst);
        let answer = instance.ask(&payload).await;
        // An instance that failed may be in any state, so the next event gets a new one.
        if !answer.is_failure() {
            *slot = Some(instance);
        }
        Ok(answer)
    }

    /// Returns the slot of a live instance. Instances of other sessions, and of other versions of
    /// the component, are dropped.
    fn slot(&self, question: &Question<'_>, digest: &str) -> Slot {
        let key = Key {
            hook: question.invocation.hook.id.clone(),
            session: question.invocation.session.session_id.clone(),
            digest: digest.to_owned(),
        };
        // A slot is inserted completely or not at all, so a poisoned lock guards nothing broken.
        let mut live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        live.retain(|other, _| {
            other.session == key.session && (other.hook != key.hook || other.digest == key.digest)
        });
        Arc::clone(live.entry(key).or_default())
    }
}
