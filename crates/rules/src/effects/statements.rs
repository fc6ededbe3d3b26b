//! The text of database statements, apart from its literals.

/// Statements that every database can roll back.
const ROWS: &[&str] = &["select", "insert", "update", "delete", "explain"];

/// Statements that may end a database's transaction.
const TABLES: &[&str] = &["drop", "create", "alter", "truncate"];

/// Returns whether statements are one transaction that is rolled back as a whole. It counts as one
/// only if every statement in it is known: any other may end it.
pub(super) fn is_taken_back(client: &str, text: &str) -> bool {
    let lower = text.to_lowercase();
    let statements = lower.split(';').map(str::trim).filter(|it| !it.is_empty());
    let statements: Vec<&str> = statements.collect();
    let [first, between @ .., last] = &statements[..] else {
        return false;
    };
    // These commit changes to tables, whatever comes after.
    let keeps_tables = !["psql", "sqlite3", "pgcli"].contains(&client);
    let is_known = |it: &&str| {
        let verb = it.split_whitespace().next().unwrap_or("");
        ROWS.contains(&verb) || TABLES.contains(&verb) && !keeps_tables && !it.contains("database")
    };
    let begins = ["begin", "begin transaction", "start transaction"];
    begins.contains(first)
        && ["rollback", "rollback transaction"].contains(last)
        && between.iter().all(is_known)
}

/// Removes the literals of a query: `select 'drop table x'` drops nothing.
pub(super) fn without_literals(text: &str) -> String {
    let mut bare = String::new();
    let mut rest = text;
    // A comment counts as a space.
    while let Some((before, behind)) = rest.split_once("/*") {
        let Some((_, after)) = behind.split_once("*/") else {
            break;
        };
        bare.push_str(before);
        bare.push(' ');
        rest = after;
    }
    bare.push_str(rest);
    let text = bare.as_str();
    let mut kept = String::new();
    // A text that begins with a quote is quoted as a whole, so its inside is the query.
    for (at, piece) in text.split('\'').enumerate() {
        if at % 2 == 0 || text.trim_start().starts_with('\'') || text.matches('\'').count() % 2 == 1
        {
            kept.push_str(piece);
        } else {
            kept.push_str("''");
        }
    }
    without_remarks(&kept)
}

/// Removes what follows two dashes up to the end of a line.
fn without_remarks(text: &str) -> String {
    let lines = text.split('\n').map(|line| match line.find("-- ") {
        Some(at) if !line[..at].trim().is_empty() => &line[..at],
        _ => line,
    });
    let lines: Vec<&str> = lines.collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::is_taken_back;

    /// HT-40: a transaction that is rolled back as a whole changes nothing.
    #[test]
    fn a_transaction_may_take_all_back() {
        assert!(is_taken_back("mysql", "BEGIN; DELETE FROM t; ROLLBACK;"));
        assert!(is_taken_back("psql", "begin; drop table t; rollback"));
        for (client, text) in [
            ("psql", "BEGIN; DELETE FROM t; COMMIT; BEGIN; ROLLBACK"),
            ("psql", "begin; delete from t; end; begin; rollback"),
            ("psql", "begin; delete from t; end; --rollback"),
            ("psql", "begin; delete from t; \\c other; rollback"),
            ("psql", "begin; delete from t; call finish(); rollback"),
            ("psql", "begin; drop database d; rollback"),
            ("mysql", "BEGIN; DROP TABLE users; ROLLBACK"),
            ("psql", "DELETE FROM t; ROLLBACK"),
        ] {
            assert!(!is_taken_back(client, text), "{text}");
        }
    }
}
