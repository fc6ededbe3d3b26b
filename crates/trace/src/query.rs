//! Reading runs.

use std::ops::ControlFlow;

use hookloop_events::EventName;
use hookloop_hook::HookId;
use rusqlite::types::Value;
use rusqlite::{OptionalExtension, params, params_from_iter};

use crate::fault::QueryError;
use crate::row::stored_run;
use crate::run::StoredRun;
use crate::store::TraceStore;

/// How many runs are read at once. No transaction is open between two reads, so a slow reader
/// blocks nobody.
const PAGE_ROWS: i64 = 64;

const SELECT: &str = "SELECT runs.*, inputs.text AS input FROM runs \
                      LEFT JOIN inputs ON inputs.id = runs.input_id";

/// Selects runs; a field that isn't set doesn't restrict them (CM-6).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Only runs of this session.
    pub session: Option<String>,
    /// Only runs of this other agent's sessions, by the bridge's name for it (BR-30).
    pub agent: Option<String>,
    /// Only runs at this event.
    pub event: Option<EventName>,
    /// Only runs of this hook.
    pub hook: Option<HookId>,
    /// Only runs of hooks with this label.
    pub label: Option<String>,
    /// Only the last runs, this many.
    pub last: Option<u32>,
}

/// A position after a run, for following the trace (`--follow`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor(i64);

impl Cursor {
    /// The position before the oldest run.
    pub const START: Self = Self(0);

    /// Returns the position after a run.
    pub const fn after(run: &StoredRun) -> Self {
        Self(run.position)
    }
}

impl RunFilter {
    /// Returns the SQL conditions with their values, for runs after a position.
    fn conditions(&self, behind: i64) -> (String, Vec<Value>) {
        let mut text = "WHERE runs.position > ?".to_owned();
        let mut values = vec![Value::from(behind)];
        let given = [
            ("session_id", self.session.clone()),
            ("agent", self.agent.clone()),
            ("event", self.event.map(|event| event.as_str().to_owned())),
            (
                "hook_id",
                self.hook.as_ref().map(|hook| hook.as_str().to_owned()),
            ),
            ("label", self.label.clone()),
        ];
        for (column, value) in given {
            if let Some(value) = value {
                text.push_str(" AND runs.");
                text.push_str(column);
                text.push_str(" = ?");
                values.push(Value::from(value));
            }
        }
        (text, values)
    }
}

impl TraceStore {
    /// Returns the selected runs, oldest first (CM-6).
    pub fn runs(&self, filter: &RunFilter) -> Result<Vec<StoredRun>, QueryError> {
        let mut runs = Vec::new();
        self.visit(filter, |run| {
            runs.push(run);
            ControlFlow::Continue(())
        })?;
        Ok(runs)
    }

    /// Passes the selected runs one by one to a visitor, oldest first, until it breaks, so that a
    /// large trace needs little memory.
    pub fn visit(
        &self,
        filter: &RunFilter,
        mut visitor: impl FnMut(StoredRun) -> ControlFlow<()>,
    ) -> Result<(), QueryError> {
        let mut behind = self
            .start_of(filter)
            .map_err(|error| self.read_error(error))?;
        loop {
            let page = self
                .page(filter, behind, PAGE_ROWS)
                .map_err(|error| self.read_error(error))?;
            let Some(last) = page.last() else {
                return Ok(());
            };
            behind = last.position;
            for run in page {
                if visitor(run).is_break() {
                    return Ok(());
                }
            }
        }
    }

    /// Returns a run by its id.
    pub fn run(&self, run_id: &str) -> Result<Option<StoredRun>, QueryError> {
        let sql = format!("{SELECT} WHERE runs.run_id = ? ORDER BY runs.position DESC LIMIT 1");
        self.connection
            .prepare_cached(&sql)
            .and_then(|mut statement| statement.query_row([run_id], stored_run).optional())
            .map_err(|error| self.read_error(error))
    }

    /// Returns all runs of the same firing of an event, in the order of the plan, which `replay`
    /// compares with the current ones.
    pub fn firing(&self, run: &StoredRun) -> Result<Vec<StoredRun>, QueryError> {
        let sql = format!(
            "{SELECT} WHERE runs.position >= ?1 AND runs.position < coalesce( \
             (SELECT min(position) FROM runs WHERE position > ?1 AND firing <> ?1), {behind_all}) \
             ORDER BY runs.position",
            behind_all = i64::MAX
        );
        self.connection
            .prepare_cached(&sql)
            .and_then(|mut statement| statement.query_map([run.firing], stored_run)?.collect())
            .map_err(|error| self.read_error(error))
    }

    /// Returns at most `most` run ids that begin with a text, to resolve a shortened id.
    pub fn run_ids_from(&self, beginning: &str, most: u32) -> Result<Vec<String>, QueryError> {
        let behind = format!("{beginning}{}", char::MAX);
        self.connection
            .prepare_cached(
                "SELECT DISTINCT run_id FROM runs WHERE run_id >= ?1 AND run_id < ?2 LIMIT ?3",
            )
            .and_then(|mut statement| {
                statement
                    .query_map(params![beginning, behind, most], |row| row.get(0))?
                    .collect()
            })
            .map_err(|error| self.read_error(error))
    }

    /// Returns the number of selected runs; `last` is ignored.
    pub fn count(&self, filter: &RunFilter) -> Result<u64, QueryError> {
        let (conditions, values) = filter.conditions(0);
        let sql = format!("SELECT count(*) FROM runs {conditions}");
        self.connection
            .query_row(&sql, params_from_iter(values), |row| row.get::<_, i64>(0))
            .map(i64::unsigned_abs)
            .map_err(|error| self.read_error(error))
    }

    /// Returns the labels of all hooks that ran.
    pub fn labels(&self) -> Result<Vec<String>, QueryError> {
        self.connection
            .prepare_cached("SELECT DISTINCT label FROM runs ORDER BY label")
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
            .map_err(|error| self.read_error(error))
    }

    /// Returns the ids of the latest runs, latest first, as suggestions for a mistyped id.
    pub fn latest_run_ids(&self, most: u32) -> Result<Vec<String>, QueryError> {
        self.connection
            .prepare_cached("SELECT run_id FROM runs ORDER BY position DESC LIMIT ?")
            .and_then(|mut statement| statement.query_map([most], |row| row.get(0))?.collect())
            .map_err(|error| self.read_error(error))
    }

    /// Returns the position after the latest run.
    pub fn end(&self) -> Result<Cursor, QueryError> {
        self.connection
            .query_row("SELECT coalesce(max(position), 0) FROM runs", [], |row| {
                row.get(0)
            })
            .map(Cursor)
            .map_err(|error| self.read_error(error))
    }

    /// Returns the selected runs after a cursor, oldest first, and the cursor for the next call;
    /// `last` is ignored. A call returns at most one page; an empty one means that there is nothing
    /// new.
    pub fn follow(
        &self,
        since: Cursor,
        filter: &RunFilter,
    ) -> Result<(Vec<StoredRun>, Cursor), QueryError> {
        let runs = self
            .page(filter, since.0, PAGE_ROWS)
            .map_err(|error| self.read_error(error))?;
        let next = runs.last().map_or(since, |run| Cursor(run.position));
        Ok((runs, next))
    }

    /// Finds the position after which the filter's last runs begin.
    fn start_of(&self, filter: &RunFilter) -> rusqlite::Result<i64> {
        let Some(last) = filter.last else {
            return Ok(0);
        };
        let (conditions, mut values) = filter.conditions(0);
        values.push(Value::from(i64::from(last)));
        let sql = format!(
            "SELECT coalesce(min(position) - 1, {none}) FROM (SELECT position FROM runs \
             {conditions} ORDER BY position DESC LIMIT ?)",
            none = i64::MAX
        );
        self.connection
            .query_row(&sql, params_from_iter(values), |row| row.get(0))
    }

    fn page(&self, filter: &RunFilter, behind: i64, rows: i64) -> rusqlite::Result<Vec<StoredRun>> {
        let (conditions, mut values) = filter.conditions(behind);
        values.push(Value::from(rows));
        let sql = format!("{SELECT} {conditions} ORDER BY runs.position LIMIT ?");
        self.connection
            .prepare_cached(&sql)?
            .query_map(params_from_iter(values), stored_run)?
            .collect()
    }

    pub(crate) fn read_error(&self, error: rusqlite::Error) -> QueryError {
        QueryError::new(&self.path, error)
    }
}
