//! Secrets in tables: a column's heading says what it contains.

use std::sync::LazyLock;

use super::density::is_dense;
use super::looks::{looks_chosen_at_random, looks_like_password};
use super::names::{tells_of_ciphertext, tells_of_password, tells_of_secret};
use super::picked::looks_picked;
use super::{Secret, note};
use crate::expression::Expression;
use crate::searched::Searched;

/// How many lines below a heading are looked at.
const MAX_LINES: usize = 200;

/// How many columns a table may have.
const MAX_COLUMNS: usize = 64;

/// The values of a row of SQL.
static INSERT: LazyLock<Expression> = LazyLock::new(|| {
    Expression::new(
        r"(?i)\binsert\s+into\s+[^\s(]{1,80}\s*\(([^()]{1,800})\)\s*values\s*\(([^()]{1,2000})\)",
    )
});

/// Finds what is in columns of secrets: in separated values, in tables of Markdown, in rows of SQL.
pub(super) fn in_columns(searched: &Searched<'_>, found: &mut Vec<Secret>) {
    let text = searched.text();
    for separator in [',', ';', '\t', '|'] {
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let heads: Vec<&str> = fields(line, separator);
            let columns = secret_columns(&heads);
            if columns.is_empty() {
                continue;
            }
            let rows = lines.by_ref().take(MAX_LINES);
            for row in rows.map_while(|it| row_of(it, separator, heads.len())) {
                judge(&heads, &columns, &row, found);
            }
        }
    }
    for fit in INSERT.captured_in(searched) {
        let part = |at| fit.get(at).map_or("", |it| it.as_str());
        let heads = fields(part(1), ',');
        let row = fields(part(2), ',');
        let columns = secret_columns(&heads);
        judge(&heads, &columns, &row, found);
    }
}

/// Splits a line; nothing if it has more parts than a table may have columns.
fn fields(line: &str, separator: char) -> Vec<&str> {
    let line = line.trim().trim_matches('|');
    let parts: Vec<&str> = line
        .split(separator)
        .take(MAX_COLUMNS + 1)
        .map(|it| it.trim().trim_matches(['"', '\'', '`']))
        .collect();
    if parts.len() > MAX_COLUMNS {
        return Vec::new();
    }
    parts
}

/// Splits a line of a table with so many columns; nothing if the table is over.
fn row_of(line: &str, separator: char, columns: usize) -> Option<Vec<&str>> {
    let row = fields(line, separator);
    (row.len() == columns).then_some(row)
}

/// Returns which columns contain secrets; none if the line isn't a heading.
fn secret_columns(heads: &[&str]) -> Vec<usize> {
    let is_head = |it: &&str| {
        !it.is_empty()
            && it.len() <= 40
            && it
                .bytes()
                .all(|it| it.is_ascii_alphanumeric() || b" _-".contains(&it))
    };
    if heads.len() < 2 || !heads.iter().all(is_head) {
        return Vec::new();
    }
    let tells = |it: &&str| tells_of_secret(&it.replace(' ', "-")) && !tells_of_ciphertext(it);
    (0..heads.len()).filter(|at| tells(&heads[*at])).collect()
}

fn judge(heads: &[&str], columns: &[usize], row: &[&str], found: &mut Vec<Secret>) {
    for at in columns {
        let (Some(head), Some(value)) = (heads.get(*at), row.get(*at)) else {
            continue;
        };
        if value.len() >= 8
            && (looks_chosen_at_random(value, 2) && (is_dense(value) || looks_like_password(value))
                || tells_of_password(head) && looks_picked(value))
        {
            note(found, head, false, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Searched, in_columns};

    /// HT-40: the heading of a column decides, whatever separates columns; what people choose
    /// stays, and so does what other columns contain.
    #[test]
    fn columns_of_secrets_are_looked_at() {
        let count = |text: &str| {
            let mut found = Vec::new();
            in_columns(&Searched::new(text), &mut found);
            found.len()
        };
        let random = "q7Rk2Vx9LmT4bWz8NcJf";
        for table in [
            format!("user,password\na,b\nalice,{random}\n"),
            format!("user;api key\nalice;\"{random}\"\n"),
            format!("| user | Password |\n|---|---|\n| alice | `{random}` |\n"),
            format!("INSERT INTO users (name, password)\nVALUES ('alice', '{random}');"),
        ] {
            assert_eq!(count(&table), 1, "{table}");
        }
        for harmless in [
            format!("user,password\nalice,changeme\n\nid,sum\n1,{random}\n"),
            format!("id,checksum\n1,{random}\n"),
            format!("foo(user, password)\nbar(id, {random})\n"),
            format!("INSERT INTO a (id, encrypted_password) VALUES (1, '{random}')"),
        ] {
            assert_eq!(count(&harmless), 0, "{harmless}");
        }
    }
}
