//! The schema of the database, and its migrations.

use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use crate::fault::Fault;
use crate::limits::Limits;

/// Marks a database as ours ("hook" in ASCII).
const APPLICATION_ID: i64 = 0x686f_6f6b;

/// The migrations from one schema version to the next. A released migration never changes.
const MIGRATIONS: &[&str] = &[
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
];

/// Columns that a migration added to the runs.
struct Added {
    version: i64,
    /// The columns, as expressions for a database without the migration.
    columns: &'static str,
}

/// What the migrations after the first one added.
const ADDED: &[Added] = &[
    Added {
        version: 2,
        columns: "'hookloop' AS dialect, NULL AS unknown_fields, 0 AS lost_refusal",
    },
    Added {
        version: 3,
        columns: "NULL AS agent, 0 AS shadow",
    },
];

/// The migration that added the losses.
const LOSSES: i64 = 4;

/// The columns of its table.
const LOSS_COLUMNS: [&str; 6] = [
    "position",
    "session_id",
    "agent",
    "event",
    "lost_at",
    "text",
];

/// Renames an existing table, so that the losses can be added without deleting anything.
const SET_ASIDE: &str = "ALTER TABLE losses RENAME TO losses_set_aside;";

/// The empty view of losses for a database without that migration.
const NO_LOSSES: &str = "CREATE TEMP VIEW losses AS SELECT 0 AS position, '' AS session_id, '' AS agent, \
                         '' AS event, '' AS lost_at, '' AS text WHERE 0;";

/// How long a connection waits for other connections.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The pause between two attempts to change the journal mode.
const RETRY_PAUSE: Duration = Duration::from_millis(10);

/// The minimum number of pages after which the log is written back.
const MIN_LOG_PAGES: i64 = 16;

/// The size of a page, in bytes.
const PAGE_BYTES: i64 = 4096;

/// Prepares a connection: checks that the database is ours, and migrates its schema. Nothing is
/// written before the check.
pub(crate) fn prepare(connection: &mut Connection, limits: Limits) -> Result<(), Fault> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let version = check(connection)?;
    if connection.is_readonly("main")? {
        return match version {
            0 => Err(Fault::Database("it is empty and read-only".to_owned())),
            version => Ok(complete(connection, version)?),
        };
    }
    if version == 0 {
        // Takes effect only before the first table is created.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    use_write_ahead_log(connection)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "trusted_schema", false)?;
    let log_bytes = i64::try_from(limits.log_bytes()).unwrap_or(i64::MAX);
    connection.pragma_update(None, "journal_size_limit", log_bytes)?;
    let log_pages = (log_bytes / PAGE_BYTES / 2).max(MIN_LOG_PAGES);
    connection.pragma_update(None, "wal_autocheckpoint", log_pages)?;
    migrate(connection)
}

/// What exists instead of the losses table: a build between two versions may have left something.
#[derive(Debug, PartialEq, Eq)]
enum FoundLosses {
    /// Nothing.
    Nothing,
    /// A table of losses as the migration creates it.
    Ours,
    /// Something else.
    Others,
}

fn found_losses(connection: &Connection) -> rusqlite::Result<FoundLosses> {
    let mut columns = connection.prepare("SELECT name FROM pragma_table_info('losses', 'main')")?;
    let names = columns.query_map([], |row| row.get::<_, String>(0))?;
    let names: Vec<String> = names.collect::<rusqlite::Result<_>>()?;
    Ok(match names.as_slice() {
        [] => FoundLosses::Nothing,
        names if names == LOSS_COLUMNS => FoundLosses::Ours,
        _ => FoundLosses::Others,
    })
}

/// Makes a database that can't be migrated look as if it had been: temporary views of this
/// connection hide its tables.
fn complete(connection: &Connection, version: i64) -> rusqlite::Result<()> {
    connection.execute_batch("PRAGMA temp_store = MEMORY;")?;
    if version < LOSSES && found_losses(connection)? != FoundLosses::Ours {
        connection.execute_batch(NO_LOSSES)?;
    }
    let missing = ADDED.iter().filter(|it| it.version > version);
    let columns: Vec<&str> = missing.map(|it| it.columns).collect();
    if columns.is_empty() {
        return Ok(());
    }
    connection.execute_batch(&format!(
        "CREATE TEMP VIEW runs AS SELECT *, {} FROM main.runs;",
        columns.join(", ")
    ))
}

/// Returns the schema's version, 0 for an empty database.
fn check(connection: &mut Connection) -> Result<i64, Fault> {
    // In one transaction, because another process may be creating it.
    let reading = connection.transaction()?;
    let version = number(&reading, "user_version")?;
    let application = number(&reading, "application_id")?;
    let tables: i64 =
        reading.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let is_empty = version == 0 && application == 0 && tables == 0;
    if !is_empty && application != APPLICATION_ID {
        return Err(Fault::Foreign);
    }
    if version > latest() {
        return Err(Fault::Newer {
            found: version,
            known: latest(),
        });
    }
    Ok(version)
}

/// Enables concurrent readers and a writer. The change needs the database exclusively for a moment,
/// and doesn't wait by itself if several processes attempt it.
fn use_write_ahead_log(connection: &Connection) -> Result<(), Fault> {
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        let changed: Result<String, _> =
            connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0));
        match changed {
            // A file system without shared memory keeps another mode, which is just as safe.
            Ok(_) => return Ok(()),
            Err(error) if is_busy(&error) && Instant::now() < deadline => {
                thread::sleep(RETRY_PAUSE);
            }
            Err(error) => return Err(error.into()),
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

fn migrate(connection: &mut Connection) -> Result<(), Fault> {
    if number(connection, "user_version")? == latest() {
        return Ok(());
    }
    let migration = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated it meanwhile.
    let version = number(&migration, "user_version")?;
    let done = usize::try_from(version).unwrap_or(MIGRATIONS.len());
    for (number, step) in (1..).zip(MIGRATIONS).skip(done) {
        if number == LOSSES {
            match found_losses(&migration)? {
                FoundLosses::Nothing => {}
                FoundLosses::Ours => continue,
                FoundLosses::Others => migration.execute_batch(SET_ASIDE)?,
            }
        }
        migration.execute_batch(step)?;
    }
    migration.pragma_update(None, "application_id", APPLICATION_ID)?;
    migration.pragma_update(None, "user_version", latest())?;
    migration.commit()?;
    Ok(())
}

fn latest() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Reads a pragma that returns a number.
pub(crate) fn number(connection: &Connection, pragma: &str) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, pragma, |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use rusqlite::OpenFlags;

    use super::*;

    fn columns(connection: &Connection) -> Vec<String> {
        let tables = ["runs", "losses"].into_iter();
        let mut names: Vec<String> = tables
            .flat_map(|table| {
                let all = format!("SELECT * FROM {table}");
                let statement = connection.prepare(&all).unwrap();
                let names = statement.column_names();
                let names = names.map(|name| format!("{table}.{name}"));
                names.collect::<Vec<_>>()
            })
            .collect();
        names.sort();
        names
    }

    /// CM-6: a trace that already has a table of losses, as a build between two versions left it,
    /// is migrated like any other, and keeps its content.
    #[test]
    fn losses_that_are_there_already_keep_no_trace_closed() {
        let other = "CREATE TABLE losses (what TEXT)";
        for (made, kept) in [(MIGRATIONS[3], 1), (other, 0)] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("trace");
            let connection = Connection::open(&path).unwrap();
            for step in &MIGRATIONS[..3] {
                connection.execute_batch(step).unwrap();
            }
            connection.execute_batch(made).unwrap();
            if kept == 1 {
                let row = "INSERT INTO losses VALUES (1, 's', 'codex', 'BeforeTool', 'now', 'it')";
                connection.execute_batch(row).unwrap();
            }
            let mark = |name, value| connection.pragma_update(None, name, value).unwrap();
            mark("application_id", APPLICATION_ID);
            mark("user_version", 3_i64);
            drop(connection);
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
            let mut reading = Connection::open_with_flags(&path, flags).unwrap();
            let mut writing = Connection::open(&path).unwrap();
            for connection in [&mut reading, &mut writing] {
                prepare(connection, Limits::default()).unwrap();
                let count = "SELECT count(text) FROM losses";
                let count: i64 = connection.query_row(count, [], |row| row.get(0)).unwrap();
                assert_eq!(count, kept, "{made}");
            }
        }
    }

    /// CM-6: a trace of any earlier version that can only be read is read like one of the current
    /// version.
    #[test]
    fn an_older_trace_that_is_read_only_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let newest = folder.path().join("newest");
        let mut connection = Connection::open(&newest).unwrap();
        prepare(&mut connection, Limits::default()).unwrap();
        let expected = columns(&connection);
        for version in 1..=latest() {
            let path = folder.path().join(version.to_string());
            let connection = Connection::open(&path).unwrap();
            let steps = usize::try_from(version).unwrap();
            for step in &MIGRATIONS[..steps] {
                connection.execute_batch(step).unwrap();
            }
            connection
                .pragma_update(None, "application_id", APPLICATION_ID)
                .unwrap();
            connection
                .pragma_update(None, "user_version", version)
                .unwrap();
            drop(connection);
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
            let mut connection = Connection::open_with_flags(&path, flags).unwrap();
            prepare(&mut connection, Limits::default()).unwrap();
            assert_eq!(columns(&connection), expected, "version {version}");
        }
    }
}
