//! The grammar: everything that knows the crate underneath by name, but for the walk over its tree.

pub(crate) use rable::{ListItem, ListOperator, Node, NodeKind};

/// Texts longer than this are not read: no person writes them.
const LONGEST: usize = 256 * 1024;

/// Brackets nested deeper than this are not read, since the grammar descends into each.
const DEEPEST: usize = 60;

/// Tells whether the words of a loop are the arguments: `for x; do`, for which the grammar leaves `"$@"` unread.
pub(crate) fn are_arguments(words: &[Node]) -> bool {
    matches!(words, [Node { kind: NodeKind::Word { value, .. }, .. }] if value == "\"$@\"")
}

/// Reads a shell text. Nothing is returned for a text that isn't shell.
pub(crate) fn parse(text: &str) -> Option<Vec<Node>> {
    if text.len() > LONGEST || text.contains('\0') || nests_too_deep(text) {
        return None;
    }
    let text = text
        .strip_prefix("#!")
        .map_or(text, |rest| rest.find('\n').map_or("", |end| &rest[end..]));
    rable::parse(text, false)
        .or_else(|_| rable::parse(text, true))
        .ok()
}

/// Counts openers without regard to quotes: a bound, not an understanding.
fn nests_too_deep(text: &str) -> bool {
    let mut open = 0_usize;
    let mut words = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'(' | b'{' => open += 1,
            b')' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        if open > DEEPEST {
            return true;
        }
    }
    for word in text.split([' ', '\t', '\n', ';']) {
        match word {
            "if" | "while" | "until" | "for" | "case" | "select" | "time" | "!" | "coproc" => {
                words += 1;
            }
            "fi" | "done" | "esac" => words = words.saturating_sub(1),
            _ => {}
        }
        if words > 4 * DEEPEST {
            return true;
        }
    }
    text.bytes().filter(|byte| *byte == b'`').count() > 2 * DEEPEST
}

/// Reads one word.
pub(crate) fn parse_word(word: &str) -> Option<Node> {
    let nodes = parse(&format!("x {word}"))?;
    let [
        Node {
            kind: NodeKind::Command { words, .. },
            ..
        },
    ] = <[Node; 1]>::try_from(nodes).ok()?
    else {
        return None;
    };
    match <[Node; 2]>::try_from(words) {
        Ok([_, word]) => Some(word),
        Err(_) => None,
    }
}

/// Returns what a word holds where `$` counts and quotes don't: a here-document, `"…"`.
pub(crate) fn parse_quoted(text: &str) -> Option<Node> {
    let mut quoted = String::with_capacity(text.len() + 8);
    quoted.push('"');
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => {
                quoted.push('\\');
                1
            }
            '\\' => rest.chars().take(2).map(char::len_utf8).sum(),
            '$' if rest.starts_with("$(") || rest.starts_with("${") => balanced(rest, 1)?,
            '`' => 1 + end_of_backticks(&rest[1..])? + 1,
            other => other.len_utf8(),
        };
        quoted.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    if quoted.ends_with('\\') {
        quoted.push('\\');
    }
    quoted.push('"');
    parse_word(&quoted)
}

/// Finds the end of a bracket that opens at a place, quotes and nested brackets left aside.
pub(crate) fn balanced(text: &str, opens_at: usize) -> Option<usize> {
    let mut open: Vec<char> = Vec::new();
    let mut characters = text.char_indices().skip_while(|(at, _)| *at < opens_at);
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            '\'' if open.last() != Some(&'"') => {
                characters.find(|(_, it)| *it == '\'')?;
            }
            '"' if open.last() == Some(&'"') => drop(open.pop()),
            '"' => open.push('"'),
            '(' => open.push(')'),
            '{' => open.push('}'),
            ')' | '}' if open.last() == Some(&character) => {
                open.pop();
            }
            _ => {}
        }
        if open.is_empty() && at >= opens_at {
            return Some(at + character.len_utf8());
        }
    }
    None
}

/// Finds the closing backtick.
pub(crate) fn end_of_backticks(text: &str) -> Option<usize> {
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            '`' => return Some(at),
            _ => {}
        }
    }
    None
}

/// Writes the old form of a substitution, whose backslashes count once more, in the new one.
pub(crate) fn modern_backticks(word: &str) -> Option<String> {
    let mut modern = String::with_capacity(word.len() + 8);
    let mut rest = word;
    let mut in_double = false;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\\' => rest.chars().take(2).map(char::len_utf8).sum(),
            '\'' if !in_double => 1 + rest[1..].find('\'')? + 1,
            '"' => {
                in_double = !in_double;
                1
            }
            '$' if rest.starts_with("$(") => balanced(rest, 1)?,
            '`' => {
                let end = end_of_backticks(&rest[1..])?;
                modern.push_str("$(");
                let mut inner = rest[1..=end].chars();
                while let Some(character) = inner.next() {
                    match character {
                        '\\' => match inner.next() {
                            Some(kept @ ('`' | '\\' | '$')) => modern.push(kept),
                            Some('"') if in_double => modern.push('"'),
                            other => {
                                modern.push('\\');
                                modern.extend(other);
                            }
                        },
                        other => modern.push(other),
                    }
                }
                modern.push(')');
                rest = &rest[end + 2..];
                continue;
            }
            other => other.len_utf8(),
        };
        modern.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    Some(modern)
}
