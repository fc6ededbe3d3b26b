//! What hooks cost that are commands, beside the same commands started without the engine.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hookloop_engine::events::EventName;
use hookloop_engine::{Ending, Executor as _, Invocation, Lifetime, ModelRequest as _, StopSignal};
use hookloop_exec::CommandExecutor;
use hookloop_hook::HookDeclaration;

use crate::Outcome;
use crate::host::{Host, bash, call, hook, hook_for, response, surroundings};
use crate::idle::request;
use crate::pairs::{Pairs, interleaved, time, time_each};
use crate::raw;
use crate::table::Row;

const LIMIT: Duration = Duration::from_secs(3);
const KIB: usize = 1024;

/// A hook with inputs of three sizes.
pub(crate) fn round_trip() -> Outcome<Vec<Row>> {
    let small = event_pairs("exit 0", KIB)?;
    let mut rows =
        vec![Row::of("no-op hook, 1 KiB", "the same bash", &small).at_most(1.10, small.ratio)];
    for (what, bytes) in [("100 KiB", 100 * KIB), ("10 MiB", 10 * KIB * KIB)] {
        let read = "cat >/dev/null";
        let (event, alone) = (event_pairs(read, bytes)?, executor_pairs(read, bytes)?);
        rows.push(Row::of(
            format!("event with a result of {what}"),
            "the same bash",
            &event,
        ));
        let what = format!("hook that reads {what}, JSON given");
        rows.push(Row::of(what, "the same bash", &alone).at_most(1.5, alone.ratio));
    }
    Ok(rows)
}

/// Measures an event with one hook: its JSON is written, and its answer is read.
fn event_pairs(text: &str, bytes: usize) -> Outcome<Pairs> {
    let host = Host::new(vec![hook_for(EventName::AfterTool, 0, text, None)])?;
    let (call, response) = (call(16), response(bytes));
    let input = serde_json::to_vec(&response)?;
    let mut command = raw::command(bash()?, &["-c", text]);
    let pairs = interleaved(
        LIMIT,
        || {
            let response = response.clone();
            time(|| {
                host.after_tool(&call, response);
                Ok(())
            })
        },
        || time(|| raw::run(&mut command, &input)),
    )?;
    host.check(7)?;
    Ok(pairs)
}

/// Measures the executor alone: it gets the JSON, like the command beside it.
fn executor_pairs(text: &str, bytes: usize) -> Outcome<Pairs> {
    let host = Host::new(Vec::new())?;
    let executor = CommandExecutor::new(surroundings()?);
    let input = serde_json::to_vec(&response(bytes))?;
    let invocation = Invocation {
        hook: Arc::new(hook(0, text, None)),
        event: EventName::BeforeTool,
        session: Arc::new(host.session.identity().clone()),
        input: input.clone().into(),
        max_output_bytes: KIB * KIB,
        stop: StopSignal::new(),
        lifetime: Lifetime::Bound,
        first_line: None,
        is_alone: true,
        run_id: String::new(),
        trace_parent: None,
        agreed: None,
    };
    let mut command = raw::command(bash()?, &["-c", text]);
    interleaved(
        LIMIT,
        || {
            let invocation = invocation.clone();
            time(|| {
                let completion = host.runtime.block_on(executor.execute(invocation));
                match completion.ending {
                    Ending::Exited(0) => Ok(()),
                    other => Err(format!("the hook ended with {other:?}").into()),
                }
            })
        },
        || time(|| raw::run(&mut command, &input)),
    )
}

/// A command of plain words, which needs no shell.
pub(crate) fn without_shell() -> Outcome<Vec<Row>> {
    let host = Host::new(vec![hook(0, "/bin/true", None)])?;
    let call = call(KIB);
    let input = serde_json::to_vec(&call.arguments)?;
    let mut rows = Vec::new();
    let sides: [(&str, PathBuf, &[&str]); 2] = [
        ("bash -c", bash()?, &["-c", "/bin/true"]),
        ("the same program", "/bin/true".into(), &[]),
    ];
    for (beside, program, arguments) in sides {
        let mut command = raw::command(program, arguments);
        let pairs = interleaved(
            LIMIT,
            || {
                let call = call.clone();
                time(|| {
                    host.before_tool(call);
                    Ok(())
                })
            },
            || time(|| raw::run(&mut command, &input)),
        )?;
        let row = Row::of("hook without shell syntax", beside, &pairs);
        rows.push(match beside {
            "bash -c" => row.at_most(0.55, pairs.ratio),
            _ => row,
        });
    }
    host.check(7)?;
    Ok(rows)
}

/// Several hooks of one event at once.
pub(crate) fn parallel() -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for count in [8, 32] {
        let hooks = (0..count).map(|number| hook(number, "exit 0", None));
        let host = Host::new(hooks.collect())?;
        let call = call(KIB);
        let input = serde_json::to_vec(&call.arguments)?;
        let mut command = raw::command(bash()?, &["-c", "exit 0"]);
        let pairs = interleaved(
            2 * LIMIT,
            || {
                let call = call.clone();
                time(|| {
                    host.before_tool(call);
                    Ok(())
                })
            },
            || {
                time(|| {
                    let started: Vec<_> = (0..count)
                        .map(|_| raw::start(&mut command, &input))
                        .collect::<Outcome<_>>()?;
                    started.into_iter().try_for_each(raw::finish)
                })
            },
        )?;
        host.check(7 * count)?;
        let what = format!("{count} no-op hooks in parallel");
        rows.push(
            Row::of(what, "a loop that starts and awaits them", &pairs).at_most(1.05, pairs.ratio),
        );
    }
    Ok(rows)
}

/// What a history of 1 MB adds to an event, beside what a no-op hook costs.
pub(crate) fn history() -> Outcome<Vec<Row>> {
    let hook = |command: &str| -> Vec<HookDeclaration> {
        vec![hook_for(EventName::BeforeModel, 0, command, None)]
    };
    let host = Host::with_instant_hooks(hook("exit 0"))?;
    let spawning = Host::new(hook("exit 0"))?;
    let (long, short) = (request(1_000, KIB), request(1, 10));
    // The agent's request passes through its events as one, and its view is made once.
    long.view();
    short.view();
    let fire = |host: &Host, request: &hookloop_model::Request| {
        let request = request.clone();
        let end = host.runtime.block_on(host.session.before_model(request));
        drop(std::hint::black_box(end));
    };
    let pairs = interleaved(
        LIMIT,
        || {
            let with = time_each(1, || fire(&host, &long));
            Ok(with - time_each(1, || fire(&host, &short)))
        },
        || Ok(time_each(1, || fire(&spawning, &short))),
    )?;
    spawning.check(7)?;
    Ok(vec![
        Row::of("what 1 MB of history adds", "a no-op hook", &pairs).at_most(0.05, pairs.ratio),
    ])
}
