//! Keys that are written in pieces: `'ghp_' + '…'`, `printf %s%s`, backwards for `rev`.

use std::sync::LazyLock;

use hookloop_shell::Understood;
use regex::Regex;

/// Returns a text with the seams between its strings closed; nothing where it has none.
pub(super) fn joined(text: &str) -> Option<String> {
    static SEAM: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#"["'`]\s*(?:\+|\.\.?|,|<>|\+\+|\|\||&|\\\s*\n)?\s*["'`]"#).ok()
    });
    let seam = SEAM.as_ref()?;
    seam.is_match(text)
        .then(|| seam.replace_all(text, "").into_owned())
}

/// Returns what commands make of the pieces that they are given.
pub(super) fn put_together(understood: &Understood) -> Vec<String> {
    let mut texts = Vec::new();
    let turns = understood.commands.iter().any(|it| it.program == "rev");
    for command in &understood.commands {
        if ["printf", "echo"].contains(&command.program.as_str()) {
            let pieces = command.args().iter().filter(|it| !it.text.contains('%'));
            texts.push(pieces.map(|it| it.text.as_str()).collect());
        }
        if turns {
            let words = command.args().iter().filter(|it| it.text.len() >= 16);
            texts.extend(words.map(|it| it.text.chars().rev().collect()));
        }
        texts.extend(command.code.as_deref().and_then(joined));
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::joined;

    /// HT-40: seams between strings are closed in the spellings of several languages.
    #[test]
    fn strings_are_joined() {
        for text in [
            "'ghp_' + 'abc'",
            "\"ghp_\" . \"abc\"",
            "['ghp_', 'abc']",
            "'ghp_' \\\n 'abc'",
        ] {
            assert!(joined(text).unwrap().contains("ghp_abc"), "{text}");
        }
        assert_eq!(joined("nothing here"), None);
    }
}
