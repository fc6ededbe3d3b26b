//! Keeps the trace within its size limit by deleting the oldest runs (CM-6).

use rusqlite::Connection;

use crate::limits::Limits;
use crate::schema::number;

/// Deletes the oldest runs if the database exceeds its size limit, and returns the space to the
/// file system. Returns the position of the latest run that was deleted.
pub(crate) fn trim(writing: &Connection, limits: Limits) -> rusqlite::Result<Option<i64>> {
    let page_bytes = number(writing, "page_size")?;
    let most_pages = pages(limits.database_bytes(), page_bytes);
    if number(writing, "page_count")? <= most_pages {
        return Ok(None);
    }
    let target = pages(limits.trimmed_bytes(), page_bytes);
    let mut deleted_up_to = None;
    loop {
        let used = number(writing, "page_count")? - number(writing, "freelist_count")?;
        if used <= target {
            break;
        }
        let Some(position) = oldest_up_to(writing, (used - target) * page_bytes)? else {
            break;
        };
        delete_up_to(writing, position)?;
        deleted_up_to = Some(position);
    }
    let surplus = number(writing, "page_count")? - most_pages;
    if surplus > 0 {
        give_back(writing, surplus)?;
    }
    Ok(deleted_up_to)
}

fn pages(bytes: u64, page_bytes: i64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX) / page_bytes
}

/// Finds the run up to which the oldest runs take about this many bytes: at least one run.
fn oldest_up_to(writing: &Connection, bytes: i64) -> rusqlite::Result<Option<i64>> {
    let mut statement =
        writing.prepare_cached("SELECT position, bytes FROM runs ORDER BY position")?;
    let mut rows = statement.query([])?;
    let mut found = None;
    let mut sum: i64 = 0;
    while let Some(row) = rows.next()? {
        found = Some(row.get(0)?);
        sum = sum.saturating_add(row.get(1)?);
        if sum >= bytes {
            break;
        }
    }
    Ok(found)
}

fn delete_up_to(writing: &Connection, position: i64) -> rusqlite::Result<()> {
    writing
        .prepare_cached("DELETE FROM runs WHERE position <= ?1")?
        .execute([position])?;
    // Inputs are in the order of their runs, so those before the first one in use are free.
    writing
        .prepare_cached(
            "DELETE FROM inputs WHERE id < coalesce(
                (SELECT input_id FROM runs WHERE input_id IS NOT NULL ORDER BY position LIMIT 1),
                (SELECT max(id) + 1 FROM inputs))",
        )?
        .execute([])?;
    Ok(())
}

/// Shortens the file by a number of its free pages. Each step of the statement moves a page.
fn give_back(writing: &Connection, pages: i64) -> rusqlite::Result<()> {
    let mut statement = writing.prepare(&format!("PRAGMA incremental_vacuum({pages})"))?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}
