//! Words of a command line, quoted so that they can be copied.

/// Quotes a word for a shell.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "_-./:@%+=,".contains(it);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-8: commands that are told can be copied, whatever stands in them.
    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("a-b/c.json"), "a-b/c.json");
        assert_eq!(quoted("it's $me"), "'it'\\''s $me'");
        assert_eq!(quoted(""), "''");
    }
}
