//! `hooks trace --follow`: runs as they come, until interrupted (CM-6).

use std::io::{Write, stdout};
use std::thread;
use std::time::Duration;

use hookloop_manage::{CommandFailure, recorded_runs};
use hookloop_session::{Workspace, recording};
use hookloop_trace::{Cursor, RunFilter, StoredRun, TraceStore};
use serde::Serialize;

use super::words;
use crate::commands::document::SCHEMA_VERSION;
use crate::commands::{Context, Format};
use crate::output::Output;

/// How long it rests between two looks at the trace.
const PAUSE: Duration = Duration::from_millis(200);

/// Prints the last runs, if some are asked for, and then every new one. It comes back only when
/// nobody reads any more, or the trace can't be read.
pub(super) fn follow(
    context: &Context<'_>,
    workspace: &Workspace,
    mut store: Option<TraceStore>,
    filter: &RunFilter,
) -> Result<Output, CommandFailure> {
    let mut cursor = match &store {
        Some(store) => store.end()?,
        None => Cursor::START,
    };
    if filter.last.is_some() {
        let earlier = recorded_runs(store.as_ref(), filter)?;
        if print(context, &earlier).is_none() {
            return Ok(Output::of_text(String::new()));
        }
        cursor = earlier
            .last()
            .map_or(cursor, |run| cursor.max(Cursor::behind(run)));
    }
    loop {
        match &store {
            None => store = recording::open(workspace, context.environment)?,
            Some(store) => {
                let (new, next) = store.follow(cursor, filter)?;
                cursor = next;
                if print(context, &new).is_none() {
                    return Ok(Output::of_text(String::new()));
                }
                if !new.is_empty() {
                    continue;
                }
            }
        }
        thread::sleep(PAUSE);
    }
}

#[derive(Serialize)]
struct FollowedRun<'a> {
    schema_version: u32,
    #[serde(flatten)]
    run: &'a StoredRun,
}

/// Returns a run on a line of its own.
fn followed_run(run: &StoredRun) -> String {
    let run = FollowedRun {
        schema_version: SCHEMA_VERSION,
        run,
    };
    // Texts, numbers and what was read as JSON can always be written.
    serde_json::to_string(&run).unwrap_or_default() + "\n"
}

/// Prints runs, each on lines of its own; nothing comes back when nobody reads any more.
fn print(context: &Context<'_>, runs: &[StoredRun]) -> Option<()> {
    if runs.is_empty() {
        return Some(());
    }
    let text: String = runs
        .iter()
        .map(|run| match context.format {
            Format::Json => followed_run(run),
            Format::Text { output, .. } => words::followed_run(run, output),
        })
        .collect();
    let mut out = stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .ok()
}
