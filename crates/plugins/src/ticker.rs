//! The clock that makes components yield (HT-21).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use wasmtime::Engine;

/// How long a component computes before others get their turn.
const TICK: Duration = Duration::from_millis(2);

/// After how many ticks without a component the clock rests.
const TICKS_TO_REST: u32 = 500;

/// Advances the engine's epoch while components run. It has its own thread, because the component
/// keeps its thread busy.
#[derive(Debug)]
pub(crate) struct Ticker {
    shared: Arc<Shared>,
    thread: Thread,
}

#[derive(Debug, Default)]
struct Shared {
    running: AtomicUsize,
    rests: AtomicBool,
}

/// Keeps the clock running while it exists.
#[derive(Debug)]
pub(crate) struct Ticking(Arc<Shared>);

impl Ticker {
    /// Starts the clock of an engine.
    pub(crate) fn start(engine: Engine) -> Result<Self, String> {
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("hookloop-ticker".to_owned())
            .spawn(move || theirs.tick(&engine))
            .map_err(|error| format!("the thread that would end it can't be started: {error}"))?;
        let thread = thread.thread().clone();
        Ok(Self { shared, thread })
    }

    /// Runs the clock until the returned value is dropped.
    pub(crate) fn ticking(&self) -> Ticking {
        self.shared.running.fetch_add(1, Ordering::SeqCst);
        if self.shared.rests.swap(false, Ordering::SeqCst) {
            self.thread.unpark();
        }
        Ticking(Arc::clone(&self.shared))
    }
}

impl Drop for Ticking {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Shared {
    fn tick(&self, engine: &Engine) {
        let mut idle = 0;
        loop {
            if self.running.load(Ordering::SeqCst) > 0 {
                idle = 0;
            } else {
                idle += 1;
            }
            if idle > TICKS_TO_REST {
                idle = 0;
                self.rests.store(true, Ordering::SeqCst);
                // A component that started meanwhile is either seen here, or has seen that the
                // clock rests.
                while self.running.load(Ordering::SeqCst) == 0 && self.rests.load(Ordering::SeqCst)
                {
                    thread::park();
                }
                self.rests.store(false, Ordering::SeqCst);
            }
            thread::sleep(TICK);
            engine.increment_epoch();
        }
    }
}
