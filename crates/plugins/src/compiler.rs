//! The WebAssembly engine of this process, and the components that it has compiled (HT-20).

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use tokio::sync::watch;
use wasmtime::component::{Component, ComponentExportIndex, InstancePre, Linker, WasmStr};
use wasmtime::{Config, Engine};

use crate::lookup;
use crate::source::Source;
use crate::state::State;
use crate::stored::Stored;
use crate::ticker::{Ticker, Ticking};

/// How many components are kept before unused ones are dropped.
const MAX_CACHED: usize = 64;

static MACHINE: OnceLock<Result<Machine, String>> = OnceLock::new();

/// Compiles components, and runs them.
pub(crate) struct Machine {
    engine: Engine,
    linker: Linker<State>,
    ticker: Ticker,
    known: Mutex<HashMap<String, Promise>>,
    /// The files being compiled, each with the folder where the result will be stored.
    busy: Mutex<HashMap<String, (PathBuf, PathBuf)>>,
}

/// A component that has been compiled, or is being compiled.
type Promise = watch::Receiver<Option<Result<Arc<Compiled>, String>>>;

/// A compiled component, ready to be instantiated.
pub(crate) struct Compiled {
    pub(crate) ready: InstancePre<State>,
    pub(crate) handle: ComponentExportIndex,
}

impl Machine {
    /// Returns the machine of this process, which it creates if necessary: each component is
    /// compiled once per process (HT-20).
    pub(crate) fn shared() -> Result<&'static Self, String> {
        let machine = MACHINE.get_or_init(|| {
            Self::new().map_err(|error| format!("components can't be run here: {error}"))
        });
        machine.as_ref().map_err(Clone::clone)
    }

    /// Returns the machine of this process, if it has been created.
    pub(crate) fn if_any() -> Option<&'static Self> {
        MACHINE.get()?.as_ref().ok()
    }

    /// Returns the files being compiled, each with the folder where the result will be stored.
    pub(crate) fn being_compiled(&self) -> Vec<(PathBuf, PathBuf)> {
        self.busy().values().cloned().collect()
    }

    /// Compiles a component on this thread, and stores the result.
    pub(crate) fn compile_now(&self, source: &Source, folder: &Path) -> Result<(), String> {
        let stored = Stored::new(folder.to_owned(), &self.engine, &source.digest);
        let bytes = source.bytes.as_deref().unwrap_or_default();
        let compiled = self.compile(bytes, Some(&stored));
        let says = |why| {
            format!(
                "the component {} can't be loaded: {why}",
                source.file.display()
            )
        };
        compiled.map(drop).map_err(says)
    }

    fn new() -> Result<Self, String> {
        let mut config = Config::new();
        config.epoch_interruption(true);
        let engine = Engine::new(&config).map_err(|error| format!("{error:#}"))?;
        let linker = linker(&engine).map_err(|error| format!("{error:#}"))?;
        Ok(Self {
            ticker: Ticker::start(engine.clone())?,
            engine,
            linker,
            known: Mutex::default(),
            busy: Mutex::default(),
        })
    }

    pub(crate) const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Makes components yield regularly until the returned value is dropped.
    pub(crate) fn ticking(&self) -> Ticking {
        self.ticker.ticking()
    }

    /// Returns whether the component with this digest has been compiled.
    pub(crate) fn knows(&self, digest: &str) -> bool {
        self.lock_promises().contains_key(digest)
    }

    /// Returns the compiled component of a source. It is compiled on its own thread, which
    /// continues even if nobody waits any more, so that the next event finds the result.
    pub(crate) async fn compiled(
        &'static self,
        source: Source,
        folder: Option<&Path>,
    ) -> Result<Arc<Compiled>, String> {
        let file = source.file.clone();
        let mut promise = self.promise(source, folder.map(Path::to_owned))?;
        let compiled = match promise.wait_for(Option::is_some).await {
            Ok(done) => (*done).clone(),
            Err(_) => None,
        };
        let compiled = compiled.unwrap_or_else(|| Err("its compiler has ended".to_owned()));
        compiled.map_err(|why| format!("the component {} can't be loaded: {why}", file.display()))
    }

    fn promise(&'static self, source: Source, folder: Option<PathBuf>) -> Result<Promise, String> {
        let mut known = self.lock_promises();
        if let Some(promise) = known.get(&source.digest) {
            return Ok(promise.clone());
        }
        let Some(bytes) = source.bytes else {
            return Err("the component was dropped at the same moment; it runs again".to_owned());
        };
        if known.len() >= MAX_CACHED {
            known.retain(|_, promise| promise.borrow().is_none());
        }
        let (sender, promise) = watch::channel(None);
        let digest = source.digest.clone();
        if let Some(folder) = &folder {
            let kept = (source.file.clone(), folder.clone());
            self.busy().insert(digest.clone(), kept);
        }
        thread::Builder::new()
            .name("hookloop-compile".to_owned())
            .spawn(move || {
                let stored = folder.map(|folder| Stored::new(folder, &self.engine, &digest));
                // Even if nobody waits any more, the next event finds the result.
                let compiled = self.compile(&bytes, stored.as_ref());
                self.busy().remove(&digest);
                sender.send_replace(Some(compiled));
            })
            .map_err(|error| format!("the thread that compiles it can't be started: {error}"))?;
        known.insert(source.digest, promise.clone());
        Ok(promise)
    }

    fn compile(&self, bytes: &[u8], stored: Option<&Stored>) -> Result<Arc<Compiled>, String> {
        let component = if let Some(kept) = stored.and_then(|it| it.load(&self.engine)) {
            kept
        } else {
            let component = Component::from_binary(&self.engine, bytes)
                .map_err(|error| describe_error(&error))?;
            if let Some(stored) = stored {
                stored.save(&component);
            }
            component
        };
        let handle = component
            .get_export_index(None, "handle")
            .ok_or_else(|| other_world_error("it exports no function `handle`"))?;
        let ready = self
            .linker
            .instantiate_pre(&component)
            .map_err(|error| other_world_error(&describe_error(&error)))?;
        Ok(Arc::new(Compiled { ready, handle }))
    }

    fn busy(&self) -> std::sync::MutexGuard<'_, HashMap<String, (PathBuf, PathBuf)>> {
        // Entries are inserted completely or not at all, so a poisoned lock guards nothing broken.
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_promises(&self) -> std::sync::MutexGuard<'_, HashMap<String, Promise>> {
        // Entries are inserted completely or not at all, so a poisoned lock guards nothing broken.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the message for a component that doesn't implement the world for hooks (IO-21).
pub(crate) fn other_world_error(why: &str) -> String {
    format!("it isn't made for the world `hookloop:hook/hook@1.0.0`: {why}")
}

/// Formats an error with its causes on one line.
pub(crate) fn describe_error(error: &wasmtime::Error) -> String {
    let causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    hookloop_text::shorten::one_line(&causes.join(": "), 300)
}

/// Links the interfaces that components may import: `log`, and those of WASI, which give access to
/// nothing by themselves.
fn linker(engine: &Engine) -> wasmtime::Result<Linker<State>> {
    let mut linker = Linker::<State>::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    lookup::add_to(&mut linker)?;
    linker.root().func_wrap(
        "log",
        |store: wasmtime::StoreContextMut<'_, State>, (level, text): (WasmStr, WasmStr)| {
            // Invalid UTF-8 in a log line must not end the component.
            let read = |text: &WasmStr| match text.to_str(&store) {
                Ok(text) => text.into_owned(),
                Err(_) => "(a text that isn't UTF-8)".to_owned(),
            };
            store.data().log.line(&read(&level), &read(&text));
            Ok(())
        },
    )?;
    Ok(linker)
}
