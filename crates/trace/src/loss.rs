//! Wishes of hooks that another agent can't carry out (BR-21).

use hookloop_events::EventName;
use rusqlite::{Row, TransactionBehavior, params, params_from_iter, types::Value};
use serde::Serialize;

use crate::fault::{QueryError, WriteError};
use crate::query::RunFilter;
use crate::row::event;
use crate::store::TraceStore;

/// How many losses are kept; the oldest are deleted first.
const MAX_LOSSES: i64 = 1000;

/// How many bytes of a loss are kept.
const MAX_BYTES: usize = 2000;

/// A wish of hooks that the session's agent can't carry out, as recorded in the trace. Serialises
/// to the object "Loss" of `cli-json.md`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// The agent's id of the session.
    pub session_id: String,
    /// The agent, as the bridge names it.
    pub agent: String,
    /// The first event (of ours) at which it was noticed.
    pub event: EventName,
    /// When it was noticed, ISO 8601 in UTC.
    pub lost_at: String,
    /// What is lost, and what happens instead, as text for people.
    pub text: String,
}

impl TraceStore {
    /// Records what an agent can't do, once per session (BR-21).
    ///
    /// # Errors
    /// As for [`TraceStore::record`].
    pub fn lose(&mut self, losses: &[Loss]) -> Result<(), WriteError> {
        let written = self.write_losses(losses);
        written.map_err(|error| WriteError::new(&self.path, error))
    }

    fn write_losses(&mut self, losses: &[Loss]) -> rusqlite::Result<()> {
        let writing = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        for loss in losses {
            let text = &loss.text[..loss.text.floor_char_boundary(MAX_BYTES)];
            writing.execute(
                "INSERT INTO losses (session_id, agent, event, lost_at, text)
                 SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS (
                    SELECT 1 FROM losses WHERE session_id = ?1 AND agent = ?2 AND text = ?5)",
                params![
                    loss.session_id,
                    loss.agent,
                    loss.event.as_str(),
                    loss.lost_at,
                    text
                ],
            )?;
        }
        writing.execute(
            "DELETE FROM losses WHERE position <= (SELECT max(position) FROM losses) - ?1",
            [MAX_LOSSES],
        )?;
        writing.commit()
    }

    /// Returns what agents couldn't do in the selected sessions, oldest first. A loss belongs to no
    /// single hook, so a filter by hook matches none.
    ///
    /// # Errors
    /// As for [`TraceStore::runs`].
    pub fn losses(&self, filter: &RunFilter) -> Result<Vec<Loss>, QueryError> {
        if filter.hook.is_some() || filter.label.is_some() {
            return Ok(Vec::new());
        }
        let given = [
            ("session_id", filter.session.clone()),
            ("agent", filter.agent.clone()),
            ("event", filter.event.map(|it| it.as_str().to_owned())),
        ];
        let mut conditions = String::new();
        let mut values = Vec::new();
        for (column, value) in given {
            if let Some(value) = value {
                conditions.extend([" AND ", column, " = ?"]);
                values.push(Value::from(value));
            }
        }
        values.push(Value::from(i64::from(filter.last.unwrap_or(u32::MAX))));
        let sql = format!(
            "SELECT * FROM (SELECT * FROM losses WHERE 1{conditions} ORDER BY position DESC LIMIT ?)
             ORDER BY position"
        );
        self.connection
            .prepare_cached(&sql)
            .and_then(|mut statement| {
                statement
                    .query_map(params_from_iter(values), from_row)?
                    .collect()
            })
            .map_err(|error| self.read_error(error))
    }
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Loss> {
    Ok(Loss {
        session_id: row.get("session_id")?,
        agent: row.get("agent")?,
        event: event(row)?,
        lost_at: row.get("lost_at")?,
        text: row.get("text")?,
    })
}
