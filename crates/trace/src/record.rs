//! Writing runs.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hookloop_engine::{RunRecord, Suppression};
use hookloop_hook::Mode;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, TransactionBehavior, params};

use crate::entry::Entry;
use crate::fault::WriteError;
use crate::problem::TraceProblem;
use crate::run::Occasion;
use crate::store::TraceStore;
use crate::trim::trim;

/// How long a checkpoint of the log may wait for readers; the next write tries again.
const CHECKPOINT_TIMEOUT: Duration = Duration::from_millis(100);

/// The maximum size, in bytes, of a log that is left to the next connection. Reading it there takes
/// about as long as a checkpoint now, shared among the runs that fit into it.
const SHORT_LOG: u64 = 1024 * 1024;

const INSERT: &str = "
    INSERT INTO runs (
        firing, run_id, session_id, origin, event, hook_id, label, layer, extension, file, line,
        \"column\", started_at, duration_us, ending, exit_code, signal, result, failure_kind,
        truncated, suppressed, bytes, input_id, withheld_env, ignored_fields, failure_message,
        reply, stdout, stderr, dialect, unknown_fields, lost_refusal, agent, shadow
    ) VALUES (
        ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,
        ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34
    )";

impl TraceStore {
    /// Writes the runs of one firing in one transaction, all or none, then deletes the oldest runs
    /// as the size limit requires (CM-6). Returns what couldn't be kept.
    ///
    /// # Errors
    /// There is no space, another process keeps the lock, or the file is damaged.
    pub fn record(
        &mut self,
        occasion: impl Into<Occasion>,
        runs: &[Arc<RunRecord>],
    ) -> Result<Vec<TraceProblem>, WriteError> {
        if runs.is_empty() {
            return Ok(Vec::new());
        }
        let mut entries: Vec<Entry<'_>> = runs.iter().map(|run| Entry::new(run)).collect();
        let mut problems = self.cut(&mut entries);
        let written = self.write(&occasion.into(), &entries);
        let kept = written.map_err(|error| WriteError::new(&self.path, error))?;
        if kept == Retention::Some {
            problems.push(TraceProblem::CapTooSmall {
                max_bytes: self.limits.max_bytes,
            });
        }
        self.shorten_log();
        Ok(problems)
    }

    /// Cuts the runs of a firing if together they are too large for the trace.
    fn cut(&self, entries: &mut [Entry<'_>]) -> Vec<TraceProblem> {
        let total: u64 = (0..entries.len())
            .map(|index| bytes_of(entries, index))
            .sum();
        let most = self.limits.firing_bytes();
        if total <= most {
            return Vec::new();
        }
        let share = most / entries.len().max(1) as u64;
        let mut problems = Vec::new();
        for entry in entries {
            let bytes = entry.bytes_without_input() + entry.input_bytes();
            if entry.cut_to(share) {
                problems.push(TraceProblem::Cut {
                    hook: entry.record.hook.label().to_owned(),
                    source_of_hook: entry.record.hook.source.clone(),
                    bytes,
                    max_bytes: self.limits.max_bytes,
                });
            }
        }
        problems
    }

    fn write(&mut self, occasion: &Occasion, entries: &[Entry<'_>]) -> rusqlite::Result<Retention> {
        let writing = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let firing: i64 = writing.query_row(
            "SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'runs'",
            [],
            |row| row.get(0),
        )?;
        let mut input_id = None;
        for (index, entry) in entries.iter().enumerate() {
            if !shares_input(entries, index) {
                input_id = insert_input(&writing, entry)?;
            }
            let bytes = bytes_of(entries, index);
            insert(
                &writing,
                &Place {
                    occasion,
                    firing,
                    input_id,
                    bytes,
                },
                entry,
            )?;
        }
        let trimmed = trim(&writing, self.limits)?;
        writing.commit()?;
        Ok(match trimmed {
            Some(deleted_up_to) if deleted_up_to >= firing => Retention::Some,
            _ => Retention::All,
        })
    }

    /// Disables the checkpoint of a short log when the connection closes: it would wait for the
    /// disk, at the end of every session. The next connection reads the log.
    pub(crate) fn leave_short_log(&self) {
        let is_short = self.log_size() <= SHORT_LOG;
        // If this can't be set, the log is written back, which is correct too.
        let _ = self
            .connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, is_short);
    }

    /// Returns the size of the log, in bytes.
    fn log_size(&self) -> u64 {
        let mut log = OsString::from(self.path.as_os_str());
        log.push("-wal");
        fs::metadata(PathBuf::from(log)).map_or(0, |metadata| metadata.len())
    }

    /// Writes a checkpoint if the log has grown large. A failure is no error: a reader is in the
    /// way, or the disk is full, which the next write reports.
    fn shorten_log(&self) {
        if self.log_size() <= self.limits.log_bytes() {
            return;
        }
        let patience = self.connection.busy_timeout(CHECKPOINT_TIMEOUT);
        if patience.is_ok() {
            let _ = self
                .connection
                .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
        let _ = self.connection.busy_timeout(self.patience);
    }
}

/// Whether the runs of a firing still exist after trimming.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Retention {
    All,
    Some,
}

/// The position of a row, and what is stored beside the run.
struct Place<'a> {
    occasion: &'a Occasion,
    firing: i64,
    input_id: Option<i64>,
    bytes: u64,
}

/// Returns whether a run read the same input as the one before it. Only neighbours are compared, so
/// that inputs are in the order of their runs, and are deleted with the oldest.
fn shares_input(entries: &[Entry<'_>], index: usize) -> bool {
    let before = index.checked_sub(1).and_then(|before| entries.get(before));
    before.is_some_and(|before| before.input == entries[index].input)
}

/// Returns the approximate size of a run; a shared input counts for the first run that reads it.
fn bytes_of(entries: &[Entry<'_>], index: usize) -> u64 {
    let entry = &entries[index];
    let input = if shares_input(entries, index) {
        0
    } else {
        entry.input_bytes()
    };
    entry.bytes_without_input() + input
}

fn insert_input(writing: &Connection, entry: &Entry<'_>) -> rusqlite::Result<Option<i64>> {
    let Some(input) = entry.input.as_deref() else {
        return Ok(None);
    };
    writing
        .prepare_cached("INSERT INTO inputs (text) VALUES (?1)")?
        .insert([input])
        .map(Some)
}

fn insert(writing: &Connection, place: &Place<'_>, entry: &Entry<'_>) -> rusqlite::Result<()> {
    let run = entry.record;
    let source = &run.hook.source;
    let failure = run.failure.as_ref();
    writing.prepare_cached(INSERT)?.execute(params![
        place.firing,
        run.run_id,
        run.session_id,
        place.occasion.origin.as_str(),
        run.event.as_str(),
        run.hook.id.as_str(),
        run.hook.label(),
        source.layer.map(hookloop_hook::Layer::as_str),
        source.extension.as_deref(),
        source.file.to_string_lossy(),
        source.position.map(|position| position.line),
        source.position.map(|position| position.column),
        run.started_at,
        entry.microseconds(),
        run.ending.kind(),
        run.ending.exit_code(),
        run.ending.signal().map(|signal| signal.0),
        run.result.as_str(),
        failure.map(hookloop_engine::Failure::kind),
        entry.is_cut,
        run.suppression == Suppression::Suppressed,
        i64::try_from(place.bytes).unwrap_or(i64::MAX),
        place.input_id,
        list(&run.withheld_env),
        entry.ignored,
        failure.map(ToString::to_string),
        entry.reply,
        entry.stdout.as_deref(),
        entry.stderr.as_deref(),
        run.hook.dialect.as_str(),
        entry.unknown_fields.map(list),
        run.lost_refusal,
        place.occasion.agent,
        run.hook.mode == Mode::Shadow,
    ])?;
    Ok(())
}

/// Writes texts as a JSON list, which always succeeds.
fn list(texts: &[String]) -> String {
    serde_json::Value::from(texts.to_vec()).to_string()
}
