//! Fields of hooks' recent replies that had no effect (CM-3).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use hookloop_events::EventName;
use hookloop_hook::HookId;
use rusqlite::{Row, params};

use crate::fault::QueryError;
use crate::row;
use crate::store::TraceStore;

/// A field of a hook's recent replies that had no effect at its event, for the diagnostic
/// `reply_field_ignored` (CM-3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredField {
    /// The hook.
    pub hook_id: HookId,
    /// Its name, else its command.
    pub label: String,
    /// The event.
    pub event: EventName,
    /// The field's path in the reply, such as `hookSpecificOutput.tool_input`.
    pub field: String,
    /// The latest run whose reply contained it.
    pub run_id: String,
    /// When that run started, ISO 8601 in UTC.
    pub seen_at: String,
}

/// How many of a hook's latest runs are examined: enough to find an occasional field, and few
/// enough for the report to disappear after the hook was fixed.
const RECENT_RUNS: u32 = 10;

impl TraceStore {
    /// Returns the fields of recent replies that had no effect, for `hooks check` (CM-3): each
    /// field of a hook once, with the latest run that contained it, sorted by hook and field.
    pub fn ignored_fields(&self) -> Result<Vec<IgnoredField>, QueryError> {
        self.recent_ignored_fields()
            .map_err(|error| self.read_error(error))
    }

    fn recent_ignored_fields(&self) -> rusqlite::Result<Vec<IgnoredField>> {
        let mut hooks = self.connection.prepare_cached(
            "SELECT DISTINCT hook_id FROM runs WHERE ignored_fields IS NOT NULL ORDER BY hook_id",
        )?;
        let mut recent = self.connection.prepare_cached(
            "SELECT hook_id, label, event, ignored_fields, run_id, started_at FROM runs
             WHERE hook_id = ?1 ORDER BY position DESC LIMIT ?2",
        )?;
        let hooks: Vec<String> = hooks
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let mut found = Vec::new();
        for hook in hooks {
            let mut latest = BTreeMap::new();
            let mut rows = recent.query(params![hook, RECENT_RUNS])?;
            while let Some(row) = rows.next()? {
                for field in row::list(row, "ignored_fields")? {
                    if let Entry::Vacant(place) = latest.entry(field.clone()) {
                        place.insert(ignored_field(row, field)?);
                    }
                }
            }
            found.extend(latest.into_values());
        }
        Ok(found)
    }
}

fn ignored_field(row: &Row<'_>, field: String) -> rusqlite::Result<IgnoredField> {
    let hook_id: String = row.get("hook_id")?;
    Ok(IgnoredField {
        hook_id: HookId::from_text(&hook_id),
        label: row.get("label")?,
        event: row::event(row)?,
        field,
        run_id: row.get("run_id")?,
        seen_at: row.get("started_at")?,
    })
}
