//! The state of an instance, and its limits (HT-20, HT-21).

use std::sync::Arc;

use wasmtime::ResourceLimiter;
use wasmtime_wasi::{ResourceTable, WasiCtx, WasiCtxView, WasiView};

use crate::MAX_MEMORY;
use crate::log::Log;

/// How many instances, memories and tables the parts of one component may have together.
const MAX_PARTS: usize = 256;

/// How many open files, sockets and other resources an instance may have.
const MAX_RESOURCES: usize = 4096;

/// The assumed size of a table entry, in bytes.
const ENTRY: usize = 16;

/// The host names that a component may resolve: those that were granted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names(pub(crate) Arc<[String]>);

/// The state that functions of the host receive.
pub(crate) struct State {
    wasi: WasiCtx,
    table: ResourceTable,
    limits: Limits,
    pub(crate) names: Names,
    pub(crate) log: Log,
    /// Temporary folders with copies of granted files, which live as long as the instance.
    _kept: Vec<tempfile::TempDir>,
}

/// Limits the memory of an instance.
#[derive(Debug, Default)]
struct Limits {
    taken: usize,
    /// Whether the instance was denied memory.
    was_denied: bool,
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
        let used = self.taken.saturating_add(more);
        if used > MAX_MEMORY {
            self.was_denied = true;
            return false;
        }
        self.taken = used;
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
        MAX_PARTS
    }

    fn tables(&self) -> usize {
        MAX_PARTS
    }

    fn memories(&self) -> usize {
        MAX_PARTS
    }
}

impl State {
    pub(crate) fn new(wasi: WasiCtx, names: Names, log: Log, kept: Vec<tempfile::TempDir>) -> Self {
        let mut table = ResourceTable::new();
        table.set_max_capacity(MAX_RESOURCES);
        Self {
            wasi,
            table,
            limits: Limits::default(),
            names,
            log,
            _kept: kept,
        }
    }

    /// Returns the limiter of the instance's memory.
    pub(crate) fn limiter(&mut self) -> &mut dyn ResourceLimiter {
        &mut self.limits
    }

    /// Returns whether the instance was denied memory.
    pub(crate) const fn wanted_more(&self) -> bool {
        self.limits.was_denied
    }
}
