//! Records what an engine's hooks do, off the engine's way.

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use hookloop_engine::{Lifecycle, Observer};
use hookloop_events::SessionIdentity;

use crate::fault::Fault;
use crate::problem::TraceProblem;
use crate::queue::{Batch, Bounds, Pushed, Queue};
use crate::run::Origin;
use crate::schema::BUSY_TIMEOUT;
use crate::store::TraceStore;

/// How long a write waits after one that waited in vain.
const PATIENCE_AFTER_LOCK: Duration = Duration::from_millis(10);

/// Writes the runs of every event to the trace, on a thread of its own: the engine never waits
/// for the disk, unless much is waiting already, and then not for long. Dropping it writes what
/// still waits.
#[derive(Debug)]
pub struct TraceObserver {
    shared: Arc<Shared>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

/// Counts what an observer did with runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Runs that are in the trace.
    pub written: u64,
    /// Runs that are not; why was reported.
    pub lost: u64,
}

#[derive(Debug)]
struct Shared {
    queue: Queue,
    written: AtomicU64,
    lost: AtomicU64,
    overflowed: AtomicU64,
}

impl TraceObserver {
    /// Starts recording into a store. Problems are reported from the writing thread, each kind
    /// once.
    ///
    /// # Errors
    /// The system starts no thread.
    pub fn start(
        store: TraceStore,
        origin: Origin,
        on_problem: impl Fn(&TraceProblem) + Send + 'static,
    ) -> io::Result<Self> {
        Self::start_with(store, origin, Bounds::default(), on_problem)
    }

    pub(crate) fn start_with(
        store: TraceStore,
        origin: Origin,
        bounds: Bounds,
        on_problem: impl Fn(&TraceProblem) + Send + 'static,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            queue: Queue::new(bounds),
            written: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            overflowed: AtomicU64::new(0),
        });
        let mut writer = Writer {
            store,
            origin,
            shared: Arc::clone(&shared),
            reporter: Reporter {
                on_problem: Box::new(on_problem),
                reported: HashSet::new(),
            },
        };
        let thread = thread::Builder::new()
            .name("hookloop-trace".to_owned())
            .spawn(move || writer.work())?;
        Ok(Self {
            shared,
            writer: Mutex::new(Some(thread)),
        })
    }

    /// Waits until everything that was observed by now is written, or given up, and returns the
    /// counts. For a host that ends its process without dropping the observer.
    pub fn flush(&self) -> Tally {
        self.shared.queue.wait_until_done();
        self.shared.tally()
    }
}

impl Observer for TraceObserver {
    fn observe(&self, _session: &SessionIdentity, happening: &Lifecycle) {
        let Lifecycle::Concluded(concluded) = happening else {
            return;
        };
        if concluded.runs.is_empty() {
            return;
        }
        let runs = concluded.runs.len() as u64;
        if self.shared.queue.push(concluded.runs.clone()) == Pushed::Dropped {
            self.shared.overflowed.fetch_add(1, Ordering::Relaxed);
            self.shared.lost.fetch_add(runs, Ordering::Relaxed);
        }
    }
}

impl Drop for TraceObserver {
    fn drop(&mut self) {
        self.shared.queue.close();
        let thread = self
            .writer
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread {
            // The thread fails only if the host's report function does, which told of it.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn tally(&self) -> Tally {
        Tally {
            written: self.written.load(Ordering::Relaxed),
            lost: self.lost.load(Ordering::Relaxed),
        }
    }
}

/// The thread that writes.
struct Writer {
    store: TraceStore,
    origin: Origin,
    shared: Arc<Shared>,
    reporter: Reporter,
}

/// However the thread ends, nobody waits for it afterwards.
impl Drop for Writer {
    fn drop(&mut self) {
        self.shared.queue.abandon();
    }
}

impl Writer {
    fn work(&mut self) {
        while let Some(batch) = self.shared.queue.take() {
            self.write(&batch);
            self.shared.queue.finish_one();
            self.report_overflow();
        }
        self.report_overflow();
    }

    fn write(&mut self, batch: &Batch) {
        let count = batch.len() as u64;
        match self.store.record(self.origin, batch) {
            Ok(problems) => {
                self.shared.written.fetch_add(count, Ordering::Relaxed);
                self.store.wait_at_most(BUSY_TIMEOUT);
                for problem in problems {
                    self.reporter.report(&problem);
                }
            }
            Err(error) => {
                self.shared.lost.fetch_add(count, Ordering::Relaxed);
                // A lock that nobody gives back would hold up the end of the session with
                // every batch that waits.
                if matches!(error.fault, Fault::Busy) {
                    self.store.wait_at_most(PATIENCE_AFTER_LOCK);
                }
                self.reporter.report(&TraceProblem::NotRecorded(error));
            }
        }
    }

    fn report_overflow(&mut self) {
        if self.shared.overflowed.load(Ordering::Relaxed) > 0 {
            let path = self.store.path().display().to_string();
            self.reporter.report(&TraceProblem::Overflow { path });
        }
    }
}

/// Tells the host of each problem once.
struct Reporter {
    on_problem: Box<dyn Fn(&TraceProblem) + Send>,
    reported: HashSet<String>,
}

impl Reporter {
    fn report(&mut self, problem: &TraceProblem) {
        let kind = match problem {
            TraceProblem::NotRecorded(_) => "not_recorded".to_owned(),
            TraceProblem::Overflow { .. } => "overflow".to_owned(),
            TraceProblem::CapTooSmall { .. } => "cap_too_small".to_owned(),
            TraceProblem::Cut {
                hook,
                source_of_hook,
                ..
            } => {
                format!("cut {hook} {source_of_hook}")
            }
        };
        if self.reported.insert(kind) {
            (self.on_problem)(problem);
        }
    }
}

#[cfg(test)]
mod tests;
