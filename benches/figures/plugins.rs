//! What hooks that are WebAssembly components cost, beside the bare call of `wasmtime`.

use std::sync::Arc;
use std::time::Duration;

use hookloop_engine::events::EventName;
use hookloop_engine::{Ending, Executor as _, Invocation, Lifetime, StopSignal};
use hookloop_exec::CommandExecutor;
use hookloop_hook::{Handler, Plugin};
use hookloop_testkit::component;
use serde_json::json;
use wasmtime::component::{Component, ComponentType, InstancePre, Lift, Linker, TypedFunc};
use wasmtime::{Engine, Store};

use crate::Outcome;
use crate::host::{Host, hook, response, surroundings};
use crate::pairs::{Pairs, interleaved, nanoseconds};
use crate::table::Row;

const LIMIT: Duration = Duration::from_secs(3);
const KIB: usize = 1024;
/// How many calls are measured at once.
const TIMES: u32 = 20;

#[derive(Debug, ComponentType, Lift)]
#[component(variant)]
enum Reply {
    #[component(name = "none")]
    None,
    #[component(name = "reply")]
    Object(String),
    #[component(name = "refuse")]
    Refuse(String),
}

type Handle = TypedFunc<(String,), (Reply,)>;

/// The same component, called without us.
struct Bare {
    engine: Engine,
    ready: InstancePre<()>,
    payload: String,
}

impl Bare {
    fn new(bytes: &[u8], payload: &str) -> Outcome<Self> {
        let engine = Engine::default();
        let mut linker = Linker::new(&engine);
        linker
            .root()
            .func_wrap("log", |_, (_, _): (String, String)| Ok(()))?;
        let component = Component::from_binary(&engine, bytes)?;
        Ok(Self {
            ready: linker.instantiate_pre(&component)?,
            engine,
            payload: payload.to_owned(),
        })
    }

    fn instance(&self) -> Outcome<(Store<()>, Handle)> {
        let mut store = Store::new(&self.engine, ());
        let instance = self.ready.instantiate(&mut store)?;
        let handle = instance.get_typed_func(&mut store, "handle")?;
        Ok((store, handle))
    }

    fn call(&self, store: &mut Store<()>, handle: &Handle) -> Outcome<()> {
        let (reply,) = handle.call(store, (self.payload.clone(),))?;
        match reply {
            Reply::Object(text) if text.starts_with('{') => Ok(()),
            Reply::Refuse(why) => Err(format!("the component refused: {why}").into()),
            Reply::None | Reply::Object(_) => Err("the component said nothing".into()),
        }
    }
}

/// A component with a payload of 4 KiB: an instance for each event, and one that stays.
pub(crate) fn plugin() -> Outcome<Vec<Row>> {
    let fresh = pairs(false)?;
    let live = pairs(true)?;
    Ok(vec![
        Row::of("plugin, fresh instance", "bare wasmtime", &fresh).at_most(1.5, fresh.ratio),
        Row::of("plugin that stays", "bare wasmtime", &live).at_most(2.0, live.ratio),
    ])
}

fn pairs(live: bool) -> Outcome<Pairs> {
    let host = Host::new(Vec::new())?;
    let folder = tempfile::tempdir()?;
    let bytes = component(&json!("reads"));
    let file = folder.path().join("hook.wasm");
    std::fs::write(&file, &bytes)?;
    // A file that was just written is read for each event.
    std::thread::sleep(Duration::from_millis(2500));
    let payload = serde_json::to_string(&response(4 * KIB))?;
    let mut hook = hook(0, "", None);
    hook.handler = Handler::Plugin(Plugin {
        plugin: file.to_string_lossy().into_owned(),
        live,
        ..Plugin::default()
    });
    let invocation = Invocation {
        hook: Arc::new(hook),
        event: EventName::BeforeTool,
        session: Arc::new(host.session.identity().clone()),
        input: payload.clone().into(),
        max_output_bytes: KIB * KIB,
        stop: StopSignal::new(),
        lifetime: Lifetime::Bound,
        is_alone: true,
        run_id: String::new(),
        trace_parent: None,
        agreed: None,
        first_line: None,
    };
    let executor = CommandExecutor::new(surroundings()?);
    let bare = Bare::new(&bytes, &payload)?;
    let (mut store, handle) = bare.instance()?;
    interleaved(
        LIMIT,
        || {
            let started = std::time::Instant::now();
            for _ in 0..TIMES {
                let completion = host.runtime.block_on(executor.execute(invocation.clone()));
                if completion.ending != Ending::Exited(0) {
                    return Err(format!("the hook ended with {:?}", completion.ending).into());
                }
            }
            Ok(nanoseconds(started.elapsed()) / f64::from(TIMES))
        },
        || {
            let started = std::time::Instant::now();
            for _ in 0..TIMES {
                if live {
                    bare.call(&mut store, &handle)?;
                } else {
                    let (mut store, handle) = bare.instance()?;
                    bare.call(&mut store, &handle)?;
                }
            }
            Ok(nanoseconds(started.elapsed()) / f64::from(TIMES))
        },
    )
}
