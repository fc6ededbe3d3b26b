//! One instance of a component: what it holds, and what it is held to (HT-20, HT-21).

use std::time::Duration;

use wasmtime::component::TypedFunc;
use wasmtime::{ResourceLimiter, Store, Trap};
use wasmtime_wasi::{HostWallClock, I32Exit, ResourceTable, WasiCtx, WasiCtxView, WasiView};

use crate::MOST_MEMORY;
use crate::answer::{Reply, Said};
use crate::compiler::{Compiled, Machine, in_words, of_other_world};
use crate::grants::Rights;
use crate::log::Log;
use crate::names::Names;

/// How many instances, memories and tables the parts of one component may have together.
const MOST_PARTS: usize = 256;

/// How large an entry of a table is taken to be, in bytes.
const ENTRY: usize = 16;

/// What the functions of the host are called with.
pub(crate) struct State {
    wasi: WasiCtx,
    table: ResourceTable,
    limits: Limits,
    pub(crate) names: Names,
    pub(crate) log: Log,
    /// What else lasts as long as the instance: copies of files that it may read.
    _kept: Vec<tempfile::TempDir>,
}

/// Bounds what an instance may take.
#[derive(Debug, Default)]
struct Limits {
    taken: usize,
    /// Whether it wanted more.
    was_denied: bool,
}

/// A component that can be asked.
pub(crate) struct Instance {
    store: Store<State>,
    handle: TypedFunc<(String,), (Reply,)>,
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Instance").finish_non_exhaustive()
    }
}

/// A clock that stands still: the time of day is nobody's business without a right to it (HT-20).
pub(crate) struct StoppedClock;

impl HostWallClock for StoppedClock {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

impl Limits {
    fn take(&mut self, current: usize, desired: usize, unit: usize) -> bool {
        let more = desired.saturating_sub(current).saturating_mul(unit);
        let taken = self.taken.saturating_add(more);
        if taken > MOST_MEMORY {
            self.was_denied = true;
            return false;
        }
        self.taken = taken;
        true
    }
}

impl ResourceLimiter for Limits {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(self.take(current, desired, 1))
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(self.take(current, desired, ENTRY))
    }

    fn instances(&self) -> usize {
        MOST_PARTS
    }

    fn tables(&self) -> usize {
        MOST_PARTS
    }

    fn memories(&self) -> usize {
        MOST_PARTS
    }
}

impl Instance {
    /// Starts an instance with the rights of its hook; the error says why it can't be loaded (IO-21).
    pub(crate) async fn start(
        machine: &Machine,
        compiled: &Compiled,
        rights: Rights,
    ) -> Result<Self, String> {
        let log = Log::default();
        let (wasi, kept) = rights.context(&log)?;
        let mut state = State {
            wasi,
            table: ResourceTable::new(),
            limits: Limits::default(),
            names: rights.into_names(),
            log,
            _kept: kept,
        };
        state.table.set_max_capacity(MOST_RESOURCES);
        let mut store = Store::new(machine.engine(), state);
        store.limiter(|state| &mut state.limits);
        store.set_epoch_deadline(1);
        store.epoch_deadline_async_yield_and_update(1);
        let instance = compiled.ready.instantiate_async(&mut store).await;
        let instance = instance.map_err(|error| {
            format!(
                "the component can't be started: {}",
                store.data().why(&error)
            )
        })?;
        let handle = instance
            .get_typed_func(&mut store, compiled.handle)
            .map_err(|error| of_other_world(&in_words(&error)))?;
        Ok(Self { store, handle })
    }

    /// Asks about an event.
    pub(crate) async fn ask(&mut self, payload: &str) -> Said {
        let payload = (payload.to_owned(),);
        let answer = self.handle.call_async(&mut self.store, payload).await;
        let state = self.store.data();
        let answer = answer.map(|(reply,)| reply);
        Said {
            answer: answer.map_err(|error| state.why(&error)),
            log: state.log.take(),
        }
    }
}

/// How many files, sockets and the like an instance may hold.
const MOST_RESOURCES: usize = 4096;

impl State {
    /// Says how an instance failed.
    fn why(&self, error: &wasmtime::Error) -> String {
        let how = if let Some(exit) = error.downcast_ref::<I32Exit>() {
            format!("it ended itself with code {} instead of answering", exit.0)
        } else if let Some(trap) = error.downcast_ref::<Trap>() {
            format!("it trapped: {trap}")
        } else {
            in_words(error)
        };
        if self.limits.was_denied {
            format!(
                "it wanted more than the {} MiB of memory that it may have, and {how}",
                MOST_MEMORY >> 20
            )
        } else {
            how
        }
    }
}
