//! What a text of statements for a database says beside its literals.

/// Tells whether statements of a database end with taking back all of what they did.
pub(super) fn is_taken_back(text: &str) -> bool {
    let lower = text
        .trim()
        .trim_end_matches([';', ' ', '\n'])
        .to_lowercase();
    let begins = ["begin", "start transaction"]
        .iter()
        .any(|it| lower.starts_with(it));
    begins && lower.ends_with("rollback") && lower.matches("commit").next().is_none()
}

/// Takes the literals of a query out: `select 'drop table x'` drops nothing.
pub(super) fn without_literals(text: &str) -> String {
    let mut bare = String::new();
    let mut rest = text;
    // A comment stands for a space.
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
    // A text that begins with a quote is quoted as a whole: what is inside is the query.
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

/// Takes out what stands behind two dashes up to the end of a line.
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

    /// HT-40: what a transaction takes back as a whole changes nothing.
    #[test]
    fn a_transaction_may_take_all_back() {
        assert!(is_taken_back("BEGIN; DELETE FROM t; ROLLBACK;"));
        assert!(!is_taken_back(
            "BEGIN; DELETE FROM t; COMMIT; BEGIN; ROLLBACK"
        ));
        assert!(!is_taken_back("DELETE FROM t; ROLLBACK"));
    }
}
