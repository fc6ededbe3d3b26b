//! What an event without hooks costs, and planning.

use std::convert::Infallible;
use std::future::Future;
use std::hint::black_box;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hookloop_engine::events::{BeforeModelOutcome, BeforeToolOutcome, ToolCall};
use hookloop_engine::{Hooks, SessionHooks};
use hookloop_hook::HookDeclaration;
use hookloop_model::{Content, Request};

use crate::Outcome;
use crate::host::{Host, TOOL, call, hook, registry};
use crate::pairs::{Nanoseconds, Pairs, interleaved, time_each};
use crate::table::{Row, time_text};

const LIMIT: Duration = Duration::from_millis(700);
const BATCH: u32 = 10_000;

/// An event without hooks: time and allocations, whatever the history.
pub(crate) fn no_hooks() -> Outcome<Vec<Row>> {
    let host = Host::new(Vec::new())?;
    let session = &host.session;
    let mut rows = Vec::new();
    // If the arguments were copied, the long ones would take longer, and need memory.
    for (arguments, bytes) in [("1 KiB", 1024), ("1 MiB", 1024 * 1024)] {
        let before_tool = || {
            let mut call = Some(call(bytes));
            move || pass_tool(session, &mut call)
        };
        let what = format!("before a tool, arguments of {arguments}");
        rows.push(no_hooks_row(&what, before_tool(), before_tool())?);
    }
    for messages in [0, 1_000] {
        let before_model = || {
            let mut request = Some(request(messages, 100));
            move || pass_model(session, &mut request)
        };
        let what = format!("before the model, {messages} messages of history");
        rows.push(no_hooks_row(&what, before_model(), before_model())?);
    }
    Ok(rows)
}

fn no_hooks_row(what: &str, mut fire: impl FnMut(), mut counted: impl FnMut()) -> Outcome<Row> {
    let mut value = Some(call(1024));
    let mut bare = || {
        if let Some(call) = value.take() {
            value = ready(async move { black_box(call) });
        }
    };
    let pairs = interleaved(
        LIMIT,
        || Ok(time_each(BATCH, &mut fire)),
        || Ok(time_each(BATCH, &mut bare)),
    )?;
    counted();
    let allocations = allocation_counter::measure(&mut counted).count_total;
    let is_reached = pairs.measured <= 100.0 && allocations == 0;
    Ok(Row::of(
        format!("no hooks, {what}"),
        "a future that is ready",
        &pairs,
    )
    .and(&format!("{allocations} allocations"))
    .goal("≤ 100 ns, 0 allocations", is_reached))
}

/// Fires `BeforeTool`, and returns the call for the next time.
fn pass_tool(session: &SessionHooks, call: &mut Option<ToolCall>) {
    let Some(given) = call.take() else { return };
    let concluded = ready(session.before_tool(given, |_| Ok::<_, Infallible>(())));
    if let Some(Ok(BeforeToolOutcome::Proceed(cleared))) =
        concluded.map(|it| it.map(|it| it.outcome))
    {
        *call = Some(cleared.into_inner());
    }
}

/// Fires `BeforeModel`, and returns the request for the next time.
fn pass_model(session: &SessionHooks, request: &mut Option<Request>) {
    let Some(given) = request.take() else { return };
    let concluded = ready(session.before_model(given));
    if let Some(Ok(BeforeModelOutcome::Send(cleared))) = concluded.map(|it| it.map(|it| it.outcome))
    {
        *request = Some(cleared.into_inner());
    }
}

/// Returns the value of a future that waits for nothing.
fn ready<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// Builds a request with a history of this many messages of this many bytes.
pub(crate) fn request(messages: usize, bytes: usize) -> Request {
    let message = |number: usize| {
        let text = format!("{number} {}", "word ".repeat(bytes / 5));
        Arc::new(if number.is_multiple_of(2) {
            Content::user(text)
        } else {
            Content::model(text)
        })
    };
    Request::new("model", (0..messages).map(message).collect())
}

/// Hooks that are configured and whose matchers don't match.
pub(crate) fn no_match() -> Outcome<Vec<Row>> {
    let idle = Host::new(Vec::new())?;
    let mut rows = Vec::new();
    for (count, goal) in [(1, 500.0), (1_000, 500.0), (10_000, 4_000.0)] {
        let host = Host::new(strangers(count))?;
        let mut ours = Some(call(16));
        let mut theirs = Some(call(16));
        let pairs = interleaved(
            LIMIT,
            || Ok(time_each(1_000, || pass_tool(&host.session, &mut ours))),
            || Ok(time_each(1_000, || pass_tool(&idle.session, &mut theirs))),
        )?;
        rows.push(
            Row::of(
                format!("event with {count} hooks that don't match"),
                "without hooks",
                &pairs,
            )
            .goal(format!("≤ {}", time_text(goal)), pairs.measured <= goal),
        );
    }
    Ok(rows)
}

/// The first plan of a subject, and of a registry.
pub(crate) fn planning() -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for count in [1_000, 10_000] {
        let host = Host::new(strangers(count))?;
        let mut number = 0_u64;
        let pairs = interleaved(
            LIMIT,
            || {
                number += 1;
                let mut call = Some(ToolCall {
                    name: format!("{TOOL}_{number}"),
                    ..call(16)
                });
                Ok(time_each(1, || pass_tool(&host.session, &mut call)))
            },
            || Ok(search(count)),
        )?;
        rows.push(Row::of(
            format!("first plan of a tool, {count} hooks"),
            "a text search for each",
            &pairs,
        ));
        rows.push(Row::of(
            format!("first event after a (re)load, {count} hooks"),
            "a text search for each",
            &after_load(count)?,
        ));
    }
    Ok(rows)
}

fn after_load(count: usize) -> Outcome<Pairs> {
    let mut call = Some(call(16));
    interleaved(
        LIMIT,
        || {
            let hooks = Hooks::builder()
                .registry(registry(strangers(count))?)
                .build();
            let session = hooks.session((*Host::new(Vec::new())?.session.identity()).clone());
            Ok(time_each(1, || pass_tool(&session, &mut call)))
        },
        || Ok(search(count)),
    )
}

fn search(count: usize) -> Nanoseconds {
    let texts: Vec<String> = (0..count).map(|number| format!("tool_{number}")).collect();
    time_each(1, || {
        for text in &texts {
            black_box(TOOL.contains(black_box(text.as_str())));
        }
    })
}

/// Declares hooks for other tools: by name, by names, by pattern.
fn strangers(count: usize) -> Vec<HookDeclaration> {
    let matcher = |number: usize| match number % 4 {
        0 => format!("tool_{number}"),
        1 => format!("write_{number}|edit_{number}"),
        2 => format!("^mcp__server_{number}__.*$"),
        _ => format!("(read|write)_file_{number}[a-z]?"),
    };
    (0..count)
        .map(|number| hook(number, "exit 0", Some(&matcher(number))))
        .collect()
}
