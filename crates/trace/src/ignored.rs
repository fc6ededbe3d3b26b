//! Fields of replies that had no effect (CM-3, IO-22, TS-3).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use hookloop_dialects::modernise;
use hookloop_engine::{RunEnding, RunRecord};
use hookloop_events::{Decision, EventName};
use hookloop_hook::{Dialect, HookId};
use rusqlite::{Row, params};
use serde_json::{Map, Value};

use crate::fault::QueryError;
use crate::row;
use crate::store::TraceStore;

const SPECIFIC: &str = "hookSpecificOutput";

/// The fields that replies to every event may have.
const COMMON_FIELDS: [&str; 7] = [
    "continue",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "decision",
    "reason",
    SPECIFIC,
];

/// Names a field of a hook's recent replies that had no effect on the event: the source of
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
    /// The latest run whose reply had it.
    pub run_id: String,
    /// When that run started, ISO 8601 in UTC.
    pub seen_at: String,
}

/// Returns the fields of a run's reply that its event gives no effect, as paths: unknown ones,
/// those of other events, and decisions where there is nothing to decide (IO-22, TS-3, SS-2).
///
/// Of a reply that counts as a failure only the unknown ones are named, because other reports say
/// what became of the rest; a reply that is suppressed has none (OUT-2).
pub fn ignored_fields(record: &RunRecord) -> Vec<String> {
    let read_whole = record.ending == RunEnding::Exited(0) && record.failure.is_none();
    let Some(content) = record.recordable_content() else {
        return Vec::new();
    };
    if !read_whole || record.hook.dialect != Dialect::Hookloop {
        // What was not read whole, or was translated before its event looked at it (FD-23).
        return record.unknown_fields.clone();
    }
    let Some(reply) = object_of(&content.stdout) else {
        return Vec::new();
    };
    let event = record.event;
    let reply = modernise(event, reply);
    let mut fields: Vec<String> = reply
        .iter()
        .filter(|(name, value)| !value.is_null() && !has_effect(event, name, value))
        .map(|(name, _)| name.clone())
        .collect();
    if let Some(specific) = reply.get(SPECIFIC).and_then(Value::as_object) {
        let ignored = specific
            .iter()
            .filter(|(name, value)| !value.is_null() && !is_specific(event, name))
            .map(|(name, _)| format!("{SPECIFIC}.{name}"));
        fields.extend(ignored);
    }
    fields
}

/// Reads the object on standard output, also one inside a JSON string (IO-12).
fn object_of(stdout: &str) -> Option<Map<String, Value>> {
    match serde_json::from_str(stdout.trim()).ok()? {
        Value::Object(fields) => Some(fields),
        Value::String(inner) => serde_json::from_str(&inner).ok(),
        _ => None,
    }
}

fn has_effect(event: EventName, name: &str, value: &Value) -> bool {
    match name {
        "decision" if !event.can_refuse() => {
            let decision = value.as_str().and_then(Decision::read);
            decision == Some(Decision::Allow)
        }
        "continue" if !event.can_refuse() => value != &Value::Bool(false),
        "systemMessage" => event != EventName::BeforeToolSelection,
        _ => COMMON_FIELDS.contains(&name),
    }
}

fn is_specific(event: EventName, name: &str) -> bool {
    let own: &[&str] = match event {
        EventName::SessionStart | EventName::BeforeAgent => &["additionalContext"],
        EventName::AfterAgent => &["clearContext"],
        EventName::BeforeModel => &["llm_request", "llm_response"],
        EventName::BeforeToolSelection => &["toolConfig"],
        EventName::AfterModel => &["llm_response"],
        EventName::BeforeTool => &["tool_input"],
        // Fields that the event does not know are kept as the result's metadata (AT-5).
        EventName::AfterTool => return true,
        EventName::SessionEnd | EventName::PreCompress | EventName::Notification => &[],
    };
    name == "hookEventName" || own.contains(&name)
}

/// How many of a hook's latest runs are looked at: enough to find what a hook says now and
/// then, and few enough for a report to go away after the hook was mended.
const RECENT_RUNS: u32 = 10;

impl TraceStore {
    /// Returns the fields of recent replies that had no effect, for `hooks check` (CM-3): each
    /// field of a hook once, with the latest run that had it, sorted by hook and field.
    pub fn ignored_fields(&self) -> Result<Vec<IgnoredField>, QueryError> {
        self.recent_ignored_fields()
            .map_err(|error| self.unread(error))
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
