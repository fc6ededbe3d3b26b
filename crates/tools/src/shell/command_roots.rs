//! The programs with which a command line begins, for people.

/// Returns the first words of the parts of a command line, each once, separated by commas.
///
/// It is meant for display. It doesn't see what substitutions and variables expand to, so nothing
/// may be granted because of it.
pub(crate) fn command_roots(line: &str) -> String {
    let mut roots: Vec<String> = Vec::new();
    for part in parts(line) {
        let root = part
            .split_whitespace()
            .find(|word| !is_assignment(word))
            .map(|word| word.trim_matches(['(', ')']))
            .map(|word| word.rsplit('/').next().unwrap_or(word))
            .unwrap_or_default()
            .to_owned();
        if !root.is_empty() && !roots.contains(&root) {
            roots.push(root);
        }
    }
    roots.join(", ")
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}

/// Splits a command line where a new command begins, outside of quotes.
fn parts(line: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        let is_separator = quote.is_none() && matches!(letter, ';' | '|' | '&' | '\n');
        if is_separator {
            parts.push(String::new());
            continue;
        }
        match (quote, letter) {
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(letter);
            if letter == '\\' && quote != Some('\'') {
                part.extend(letters.next());
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::command_roots;

    /// TO-6: the confirmation names the programs of a command line.
    #[test]
    fn programs_are_named() {
        let cases = [
            ("npm test", "npm"),
            (
                "A=1 /usr/bin/git log | head -3 && git push; rm x",
                "git, head, rm",
            ),
            ("echo 'a; b' \"c | d\" e\\;f", "echo"),
            ("(cd x && ls) & wait\nmake", "cd, ls, wait, make"),
            ("", ""),
        ];
        for (line, expected) in cases {
            assert_eq!(command_roots(line), expected, "{line}");
        }
    }
}
