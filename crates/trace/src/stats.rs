//! Statistics about a hook's runs, for the panel (CM-1).

use std::collections::{HashMap, HashSet};

use hookloop_engine::RunResult;
use hookloop_hook::HookId;
use rusqlite::{Connection, Row};
use serde::Serialize;

use crate::fault::QueryError;
use crate::row;
use crate::run::milliseconds;
use crate::store::TraceStore;

/// How many bytes of the last output the statistics contain.
const OUTPUT_BYTES: usize = 16 * 1024;

/// The end of an output that was cut.
const MORE: char = '…';

/// The statistics of a hook's runs (CM-1; `cli-json.md` §2, `stats`).
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HookStats {
    /// How many runs the trace contains.
    pub runs: u64,
    /// When the last run started, ISO 8601 in UTC.
    pub last_run_at: Option<String>,
    /// Its result.
    pub last_result: Option<RunResult>,
    /// Its standard output, cut if it is long; `None` if suppressed (OUT-2).
    pub last_output: Option<String>,
    /// The message of the latest failure.
    pub last_error: Option<String>,
    /// The median duration, in milliseconds (nearest rank).
    pub p50_ms: Option<f64>,
    /// The 95th percentile of the duration, in milliseconds (nearest rank).
    pub p95_ms: Option<f64>,
}

impl TraceStore {
    /// Returns the statistics of hooks (CM-1). A hook that never ran isn't in the map: its
    /// statistics are the default. Takes one skip the indexes, however many hooks are requested.
    pub fn stats<'a>(
        &self,
        hooks: impl IntoIterator<Item = &'a HookId>,
    ) -> Result<HashMap<HookId, HookStats>, QueryError> {
        let wanted: HashSet<&str> = hooks.into_iter().map(HookId::as_str).collect();
        self.stats_of(&wanted)
            .map_err(|error| self.read_error(error))
    }

    fn stats_of(&self, wanted: &HashSet<&str>) -> rusqlite::Result<HashMap<HookId, HookStats>> {
        // One transaction, so that the parts are consistent while others write.
        let reading = self.connection.unchecked_transaction()?;
        let mut stats = HashMap::with_capacity(wanted.len());
        read_durations(&reading, wanted, &mut stats)?;
        read_last_runs(&reading, &mut stats)?;
        read_last_errors(&reading, &mut stats)?;
        Ok(stats)
    }
}

/// Counts the runs and ranks their durations, which the index contains in order.
fn read_durations(
    reading: &Connection,
    wanted: &HashSet<&str>,
    stats: &mut HashMap<HookId, HookStats>,
) -> rusqlite::Result<()> {
    let mut statement = reading
        .prepare_cached("SELECT hook_id, duration_us FROM runs ORDER BY hook_id, duration_us")?;
    let mut rows = statement.query([])?;
    let mut current = String::new();
    let mut durations: Vec<i64> = Vec::new();
    while let Some(row) = rows.next()? {
        let hook = row.get_ref(0)?.as_str()?;
        if hook != current {
            rank(wanted, stats, &current, &durations);
            durations.clear();
            hook.clone_into(&mut current);
        }
        durations.push(row.get(1)?);
    }
    rank(wanted, stats, &current, &durations);
    Ok(())
}

fn rank(
    wanted: &HashSet<&str>,
    stats: &mut HashMap<HookId, HookStats>,
    hook: &str,
    durations: &[i64],
) {
    if durations.is_empty() || !wanted.contains(hook) {
        return;
    }
    let of_hook = HookStats {
        runs: durations.len() as u64,
        p50_ms: nearest_rank(durations, 50).map(milliseconds),
        p95_ms: nearest_rank(durations, 95).map(milliseconds),
        ..HookStats::default()
    };
    stats.insert(HookId::from_text(hook), of_hook);
}

/// Returns a percentile of sorted values, by nearest rank (CM-1).
pub fn nearest_rank<T: Copy>(sorted: &[T], percent: usize) -> Option<T> {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}

fn read_last_runs(
    reading: &Connection,
    stats: &mut HashMap<HookId, HookStats>,
) -> rusqlite::Result<()> {
    // As a BLOB, because `substr` of text stops at the first NUL.
    let mut statement = reading.prepare_cached(
        "SELECT hook_id, started_at, result, substr(CAST(stdout AS BLOB), 1, ?1) AS output
         FROM runs JOIN (SELECT max(position) AS position FROM runs GROUP BY hook_id)
         USING (position)",
    )?;
    let limit = i64::try_from(OUTPUT_BYTES + 1).unwrap_or(i64::MAX);
    let mut rows = statement.query([limit])?;
    while let Some(row) = rows.next()? {
        if let Some(of_hook) = entry(stats, row)? {
            of_hook.last_run_at = row.get("started_at")?;
            of_hook.last_result = Some(row::result(row)?);
            let output: Option<Vec<u8>> = row.get("output")?;
            of_hook.last_output = output.map(|bytes| abbreviate(&bytes));
        }
    }
    Ok(())
}

fn read_last_errors(
    reading: &Connection,
    stats: &mut HashMap<HookId, HookStats>,
) -> rusqlite::Result<()> {
    let mut statement = reading.prepare_cached(
        "SELECT hook_id, failure_message
         FROM runs JOIN (SELECT max(position) AS position FROM runs
                         WHERE failure_kind IS NOT NULL GROUP BY hook_id)
         USING (position)",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if let Some(of_hook) = entry(stats, row)? {
            of_hook.last_error = row.get("failure_message")?;
        }
    }
    Ok(())
}

fn entry<'a>(
    stats: &'a mut HashMap<HookId, HookStats>,
    row: &Row<'_>,
) -> rusqlite::Result<Option<&'a mut HookStats>> {
    let hook: String = row.get("hook_id")?;
    Ok(stats.get_mut(&HookId::from_text(&hook)))
}

/// Returns the beginning of an output, marked if there is more.
fn abbreviate(bytes: &[u8]) -> String {
    if bytes.len() <= OUTPUT_BYTES {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    // The cut may split a character; everything before it is valid.
    let kept = &bytes[..OUTPUT_BYTES];
    let whole = match std::str::from_utf8(kept) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&kept[..error.valid_up_to()]).unwrap_or_default(),
    };
    let mut text = whole.to_owned();
    text.push(MORE);
    text
}
