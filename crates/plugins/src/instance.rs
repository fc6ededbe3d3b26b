//! A running instance of a component, and its call (HT-20, HT-21).

use wasmtime::component::TypedFunc;
use wasmtime::{Store, Trap, WasmBacktrace};
use wasmtime_wasi::I32Exit;

use crate::MAX_MEMORY;
use crate::answer::{NoAnswer, PluginAnswer, Reply};
use crate::compiler::{Compiled, Machine, describe_error, other_world_error};
use crate::grants::Rights;
use crate::log::Log;
use crate::state::State;

/// An instance of a component.
pub(crate) struct Instance {
    store: Store<State>,
    handle: TypedFunc<(String,), (Reply,)>,
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Instance").finish_non_exhaustive()
    }
}

impl Instance {
    /// Starts an instance with the rights of its hook. The error says why it can't be loaded
    /// (IO-21).
    pub(crate) async fn start(
        machine: &Machine,
        compiled: &Compiled,
        rights: Rights,
    ) -> Result<Self, String> {
        let log = Log::default();
        let (wasi, kept) = rights.context(&log)?;
        let state = State::new(wasi, rights.into_names(), log, kept);
        let mut store = Store::new(machine.engine(), state);
        store.limiter(State::limiter);
        store.set_epoch_deadline(1);
        store.epoch_deadline_async_yield_and_update(1);
        let instance = compiled.ready.instantiate_async(&mut store).await;
        let instance = instance.map_err(|error| {
            format!(
                "the component can't be started: {}",
                failure_reason(store.data(), &error)
            )
        })?;
        let handle = instance
            .get_typed_func(&mut store, compiled.handle)
            .map_err(|error| other_world_error(&describe_error(&error)))?;
        Ok(Self { store, handle })
    }

    /// Calls the component with the payload of an event.
    pub(crate) async fn ask(&mut self, payload: &str) -> PluginAnswer {
        let payload = (payload.to_owned(),);
        let answer = self.handle.call_async(&mut self.store, payload).await;
        let state = self.store.data();
        let answer = answer.map(|(reply,)| reply);
        PluginAnswer {
            answer: answer.map_err(|error| {
                let why = failure_reason(state, &error);
                // The component returned, but its result is invalid.
                let is_over = error.downcast_ref::<WasmBacktrace>().is_none()
                    && error.downcast_ref::<Trap>().is_none()
                    && error.downcast_ref::<I32Exit>().is_none();
                if is_over {
                    NoAnswer::Unreadable(why)
                } else {
                    NoAnswer::Failed(why)
                }
            }),
            log: state.log.take(),
        }
    }
}

/// Returns the reason why an instance failed.
fn failure_reason(state: &State, error: &wasmtime::Error) -> String {
    let how = if let Some(exit) = error.downcast_ref::<I32Exit>() {
        format!("it ended itself with code {} instead of answering", exit.0)
    } else if let Some(trap) = error.downcast_ref::<Trap>() {
        format!("it trapped: {trap}")
    } else {
        describe_error(error)
    };
    if state.wanted_more() {
        format!(
            "it needed more than the {} MiB of memory that it may have, and {how}",
            MAX_MEMORY >> 20
        )
    } else {
        how
    }
}
