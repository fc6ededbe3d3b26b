//! Records what an engine's hooks do, without delaying the engine.

use std::collections::HashSet;
use std::fmt;
use std::io;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use hookloop_engine::{Lifecycle, Observer};
use hookloop_events::SessionIdentity;

use crate::fault::{Fault, OpenError};
use crate::problem::TraceProblem;
use crate::queue::{Batch, Bounds, Pushed, Queue};
use crate::run::{Occasion, Origin};
use crate::schema::BUSY_TIMEOUT;
use crate::store::TraceStore;

/// How long a write waits for the lock after one that waited without success.
const LOCKED_AGAIN_TIMEOUT: Duration = Duration::from_millis(10);

/// Writes the runs of every event to the trace, on its own thread: the engine never waits for the
/// disk, except briefly if the queue is full. Dropping the observer writes what is still queued.
pub struct TraceObserver {
    shared: Arc<Shared>,
    stage: Mutex<Stage>,
}

impl fmt::Debug for TraceObserver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TraceObserver")
            .field("shared", &self.shared)
            .finish_non_exhaustive()
    }
}

type Opening = Box<dyn FnOnce() -> Result<TraceStore, OpenError> + Send>;
type Report = Arc<dyn Fn(&TraceProblem) + Send + Sync>;

/// The state of recording.
enum Stage {
    /// Nothing has been observed yet.
    Idle(Recording),
    /// A thread is writing.
    Writing(JoinHandle<()>),
    /// Recording has ended.
    Over,
}

/// What is needed to start recording.
struct Recording {
    open: Opening,
    occasion: Occasion,
    report: Report,
}

/// The numbers of runs that an observer has written and lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Runs that are in the trace.
    pub written: u64,
    /// Runs that aren't; the reason has been reported.
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
    /// No thread can be started.
    pub fn start(
        store: TraceStore,
        origin: Origin,
        on_problem: impl Fn(&TraceProblem) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        Self::start_with(store, origin, Bounds::default(), on_problem)
    }

    /// Starts recording at the first run: only then is a thread started, which opens the store, so
    /// a session whose hooks never run has no cost. If the store can't be opened, that is reported
    /// once, like any other problem.
    pub fn on_first_run(
        open: impl FnOnce() -> Result<TraceStore, OpenError> + Send + 'static,
        occasion: impl Into<Occasion>,
        on_problem: impl Fn(&TraceProblem) + Send + Sync + 'static,
    ) -> Self {
        Self {
            shared: Arc::new(Shared::new(Bounds::default())),
            stage: Mutex::new(Stage::Idle(Recording {
                open: Box::new(open),
                occasion: occasion.into(),
                report: Arc::new(on_problem),
            })),
        }
    }

    pub(crate) fn start_with(
        store: TraceStore,
        origin: Origin,
        bounds: Bounds,
        on_problem: impl Fn(&TraceProblem) + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let shared = Arc::new(Shared::new(bounds));
        let recording = Recording {
            open: Box::new(|| Ok(store)),
            occasion: origin.into(),
            report: Arc::new(on_problem),
        };
        let thread = recording.begin(&shared)?;
        Ok(Self {
            shared,
            stage: Mutex::new(Stage::Writing(thread)),
        })
    }

    /// Starts the writing thread, unless it is running.
    fn begin(&self) {
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(*stage, Stage::Idle(_)) {
            return;
        }
        let Stage::Idle(recording) = mem::replace(&mut *stage, Stage::Over) else {
            return;
        };
        let report = Arc::clone(&recording.report);
        match recording.begin(&self.shared) {
            Ok(thread) => *stage = Stage::Writing(thread),
            Err(error) => {
                self.shared.queue.abandon();
                report(&TraceProblem::NoThread(error));
            }
        }
    }

    /// Waits until everything observed so far has been written or given up, and returns the counts.
    /// For a host that ends its process without dropping the observer.
    pub fn flush(&self) -> Tally {
        self.shared.queue.wait_until_done();
        self.shared.tally()
    }
}

impl Observer for TraceObserver {
    fn observe(&self, _session: &SessionIdentity, lifecycle: &Lifecycle) {
        let concluded = match lifecycle {
            // A run will have to be written soon, so the store is opened meanwhile.
            Lifecycle::Started { .. } => return self.begin(),
            Lifecycle::Concluded(concluded) if !concluded.runs.is_empty() => concluded,
            _ => return,
        };
        self.begin();
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
        let stage = self.stage.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Stage::Writing(thread) = mem::replace(stage, Stage::Over) {
            // The thread panics only if the host's report function does.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn new(bounds: Bounds) -> Self {
        Self {
            queue: Queue::new(bounds),
            written: AtomicU64::new(0),
            lost: AtomicU64::new(0),
            overflowed: AtomicU64::new(0),
        }
    }

    /// Discards what arrives, because nothing can be written.
    fn lose_all(&self) {
        while let Some(batch) = self.queue.take() {
            self.lost.fetch_add(batch.len() as u64, Ordering::Relaxed);
            self.queue.finish_one();
        }
    }

    fn tally(&self) -> Tally {
        Tally {
            written: self.written.load(Ordering::Relaxed),
            lost: self.lost.load(Ordering::Relaxed),
        }
    }
}

impl Recording {
    /// Starts the thread that opens the store and writes.
    fn begin(self, shared: &Arc<Shared>) -> io::Result<JoinHandle<()>> {
        let shared = Arc::clone(shared);
        thread::Builder::new()
            .name("hookloop-trace".to_owned())
            .spawn(move || self.work(&shared))
    }

    fn work(self, shared: &Arc<Shared>) {
        let abandoning = Abandoning(shared);
        let mut reporter = Reporter {
            report: self.report,
            reported: HashSet::new(),
        };
        match (self.open)() {
            Ok(store) => Writer {
                store,
                occasion: self.occasion,
                shared: Arc::clone(shared),
                reporter,
            }
            .work(),
            Err(error) => {
                reporter.report(&TraceProblem::NotOpened(error));
                shared.lose_all();
            }
        }
        drop(abandoning);
    }
}

/// Releases everyone who waits for the thread, however it ends.
struct Abandoning<'a>(&'a Shared);

impl Drop for Abandoning<'_> {
    fn drop(&mut self) {
        self.0.queue.abandon();
    }
}

/// The state of the writing thread.
struct Writer {
    store: TraceStore,
    occasion: Occasion,
    shared: Arc<Shared>,
    reporter: Reporter,
}

impl Writer {
    fn work(&mut self) {
        while let Some(batch) = self.shared.queue.take() {
            self.write(&batch);
            self.shared.queue.finish_one();
            self.report_overflow();
        }
        self.report_overflow();
        self.store.leave_short_log();
    }

    fn write(&mut self, batch: &Batch) {
        let count = batch.len() as u64;
        match self.store.record(self.occasion.clone(), batch) {
            Ok(problems) => {
                self.shared.written.fetch_add(count, Ordering::Relaxed);
                self.store.wait_at_most(BUSY_TIMEOUT);
                for problem in problems {
                    self.reporter.report(&problem);
                }
            }
            Err(error) => {
                self.shared.lost.fetch_add(count, Ordering::Relaxed);
                // A lock that is never released would delay the end of the session with every
                // waiting batch.
                if matches!(error.fault, Fault::Busy) {
                    self.store.wait_at_most(LOCKED_AGAIN_TIMEOUT);
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

/// Reports each problem to the host once.
struct Reporter {
    report: Report,
    reported: HashSet<String>,
}

impl Reporter {
    fn report(&mut self, problem: &TraceProblem) {
        let kind = match problem {
            TraceProblem::NotOpened(_) => "not_opened".to_owned(),
            TraceProblem::NoThread(_) => "no_thread".to_owned(),
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
            (self.report)(problem);
        }
    }
}

#[cfg(test)]
mod tests;
