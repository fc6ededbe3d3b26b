//! Reading a row back.

use std::path::Path;
use std::sync::Arc;

use hookloop_engine::{RunEnding, RunResult, Signal};
use hookloop_events::EventName;
use hookloop_hook::{HookId, Layer, Position, Source};
use rusqlite::types::Type;
use rusqlite::{Error, Result, Row};

use crate::run::{Origin, StoredFailure, StoredRun, milliseconds, raw};

const LAYERS: [Layer; 4] = [Layer::Project, Layer::User, Layer::System, Layer::Extension];

/// All results.
pub(crate) const RESULTS: [RunResult; 5] = [
    RunResult::Proceed,
    RunResult::Ask,
    RunResult::Refused,
    RunResult::Stopped,
    RunResult::Failed,
];

/// Reads a row of `runs` with its input as `input`.
pub(crate) fn stored_run(row: &Row<'_>) -> Result<StoredRun> {
    let text = |column| row.get::<_, String>(column);
    let optional = |column| row.get::<_, Option<String>>(column);
    let failure = match (optional("failure_kind")?, optional("failure_message")?) {
        (Some(kind), Some(message)) => Some(StoredFailure { kind, message }),
        _ => None,
    };
    Ok(StoredRun {
        position: row.get("position")?,
        firing: row.get("firing")?,
        run_id: text("run_id")?,
        session_id: text("session_id")?,
        origin: word(row, "origin", &Origin::ALL, Origin::as_str)?,
        agent: optional("agent")?,
        event: event(row)?,
        hook_id: HookId::from_text(&text("hook_id")?),
        label: text("label")?,
        source: source(row)?,
        started_at: text("started_at")?,
        duration_ms: milliseconds(row.get("duration_us")?),
        ending: ending(row)?,
        result: result(row)?,
        failure,
        input: optional("input")?.as_deref().and_then(raw),
        stdout: optional("stdout")?,
        stderr: optional("stderr")?,
        truncated: row.get("truncated")?,
        reply: optional("reply")?.as_deref().and_then(raw),
        withheld_env: list(row, "withheld_env")?,
        dialect: text("dialect")?,
        unknown_fields: list(row, "unknown_fields")?,
        lost_refusal: row.get("lost_refusal")?,
        suppressed: row.get("suppressed")?,
        shadow: row.get("shadow")?,
    })
}

/// Reads the event of a row.
pub(crate) fn event(row: &Row<'_>) -> Result<EventName> {
    word(row, "event", &EventName::ALL, EventName::as_str)
}

/// Reads the result of a row.
pub(crate) fn result(row: &Row<'_>) -> Result<RunResult> {
    word(row, "result", &RESULTS, RunResult::as_str)
}

/// Reads a JSON list of texts; `NULL` is the empty one.
pub(crate) fn list(row: &Row<'_>, column: &str) -> Result<Vec<String>> {
    let Some(text) = row.get::<_, Option<String>>(column)? else {
        return Ok(Vec::new());
    };
    serde_json::from_str(&text).map_err(|error| unreadable(error.into()))
}

fn source(row: &Row<'_>) -> Result<Source> {
    let layer = match row.get::<_, Option<String>>("layer")? {
        Some(_) => Some(word(row, "layer", &LAYERS, Layer::as_str)?),
        None => None,
    };
    let extension: Option<String> = row.get("extension")?;
    let file: String = row.get("file")?;
    let place: (Option<u32>, Option<u32>) = (row.get("line")?, row.get("column")?);
    Ok(Source {
        layer,
        extension: extension.map(Arc::from),
        file: Arc::from(Path::new(&file)),
        position: match place {
            (Some(line), Some(column)) => Some(Position { line, column }),
            _ => None,
        },
    })
}

fn ending(row: &Row<'_>) -> Result<RunEnding> {
    let kind: String = row.get("ending")?;
    Ok(match kind.as_str() {
        "exited" => RunEnding::Exited(row.get("exit_code")?),
        "signalled" => RunEnding::Signalled(Signal(row.get("signal")?)),
        "timed_out" => RunEnding::TimedOut,
        "not_started" => RunEnding::NotStarted,
        "failed" => RunEnding::Failed,
        "cancelled" => RunEnding::Cancelled,
        _ => return Err(unreadable(format!("unknown ending \"{kind}\"").into())),
    })
}

/// Reads a column that contains one of a fixed set of words.
fn word<T: Copy>(
    row: &Row<'_>,
    column: &str,
    all: &[T],
    word_of: impl Fn(T) -> &'static str,
) -> Result<T> {
    let found: String = row.get(column)?;
    all.iter()
        .copied()
        .find(|known| word_of(*known) == found)
        .ok_or_else(|| unreadable(format!("unknown {column} \"{found}\"").into()))
}

fn unreadable(why: Box<dyn std::error::Error + Send + Sync>) -> Error {
    Error::FromSqlConversionFailure(0, Type::Text, why)
}
