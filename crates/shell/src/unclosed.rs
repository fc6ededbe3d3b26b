//! Why a text isn't a complete command: what was opened and never closed.

use crate::syntax;

/// What a command lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unclosed {
    /// A character that was opened isn't closed: a quote, a bracket, a backtick.
    Sign(char),
    /// A keyword that was opened isn't closed: `if` by `fi`, `do` by `done`, `case` by `esac`.
    Word {
        /// What opens it.
        opened: &'static str,
        /// What would close it.
        closes: &'static str,
    },
    /// It ends with an operator that another command must follow.
    EndsWith(&'static str),
}

/// Words that are closed by others.
const WORDS: [(&str, &str); 3] = [("if", "fi"), ("do", "done"), ("case", "esac")];

/// Returns what a text lacks to be a command, or `None` if it is one or if that can't be known.
pub fn unclosed(text: &str) -> Option<Unclosed> {
    if syntax::parse(text).is_some() || text.contains("<<") {
        return None;
    }
    if let Some(sign) = open_sign(text) {
        return Some(Unclosed::Sign(sign));
    }
    let words: Vec<&str> = text
        .split(|it: char| it.is_whitespace() || ";&|(){}".contains(it))
        .collect();
    let count = |wanted: &str| words.iter().filter(|word| **word == wanted).count();
    let lacking = WORDS
        .iter()
        .find(|(opened, closes)| count(opened) > count(closes));
    if let Some((opened, closes)) = lacking {
        return Some(Unclosed::Word { opened, closes });
    }
    ["&&", "||", "|"]
        .into_iter()
        .find(|operator| text.trim_end().ends_with(operator))
        .map(Unclosed::EndsWith)
}

/// Returns the last character that is open at the end of a text.
fn open_sign(text: &str) -> Option<char> {
    let mut open: Vec<char> = Vec::new();
    let mut characters = text.chars().peekable();
    let mut before = ' ';
    while let Some(character) = characters.next() {
        let inner = open.last().copied();
        match (character, inner) {
            ('\'', Some('\''))
            | ('"', Some('"'))
            | ('`', Some('`'))
            | (')', Some('('))
            | ('}', Some('{')) => drop(open.pop()),
            (_, Some('\'')) => {}
            ('\\', _) => drop(characters.next()),
            ('\'', inner) if inner != Some('"') => open.push('\''),
            ('"' | '`', _) => open.push(character),
            ('(' | '{', inner) if inner != Some('"') || before == '$' => open.push(character),
            ('#', inner) if inner != Some('"') && before.is_whitespace() => {
                while characters.next_if(|it| *it != '\n').is_some() {}
            }
            _ => {}
        }
        before = character;
    }
    open.pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-3: what a command lacks is named; nothing is reported about a command that lacks nothing.
    #[test]
    fn what_is_open_is_named() {
        for (text, expected) in [
            ("bash -c 'exit 2", Unclosed::Sign('\'')),
            ("echo \"it's", Unclosed::Sign('"')),
            ("echo $(date", Unclosed::Sign('(')),
            ("echo `date", Unclosed::Sign('`')),
            ("{ a; b;", Unclosed::Sign('{')),
            ("jq . |", Unclosed::EndsWith("|")),
            ("a &&", Unclosed::EndsWith("&&")),
            (
                "if true; then exit 2;",
                Unclosed::Word {
                    opened: "if",
                    closes: "fi",
                },
            ),
        ] {
            assert_eq!(unclosed(text), Some(expected), "{text}");
        }
        for fine in [
            "",
            "a",
            "echo 'it' \"x\" $(y) # don't",
            "case x in a) b;; esac",
        ] {
            assert_eq!(unclosed(fine), None, "{fine}");
        }
    }
}
