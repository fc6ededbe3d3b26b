//! The interface to the parser: except for the walk over its tree, only this code names its types.

pub(crate) use rable::{ListItem, ListOperator, Node, NodeKind};

/// The maximum length of a text; no person writes longer ones.
const MAX_LENGTH: usize = 256 * 1024;

/// The maximum depth of brackets, since the grammar descends into each.
const MAX_DEPTH: usize = 60;

/// The maximum number of signs that end a command, since the grammar nests one list in the next.
const MAX_COMMANDS: usize = 15_000;

/// The maximum number of signs in arithmetic, since the grammar descends for each.
const MAX_SIGNS: usize = 300;

/// Returns whether the words of a loop are the arguments: `for x; do`, for which the grammar leaves
/// `"$@"` unread.
pub(crate) fn are_arguments(words: &[Node]) -> bool {
    matches!(words, [Node { kind: NodeKind::Word { value, .. }, .. }] if value == "\"$@\"")
}

/// Parses a shell text. Returns `None` for a text that isn't shell.
pub(crate) fn parse(text: &str) -> Option<Vec<Node>> {
    let is_too_long = text.len() > MAX_LENGTH;
    if is_too_long || text.contains('\0') || nests_too_deep(text) || computes_too_much(text) {
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
    let (mut open, mut commands, mut backticks) = (0_usize, 0_usize, 0_usize);
    for byte in text.bytes() {
        match byte {
            b'(' | b'{' => open += 1,
            b')' | b'}' => open = open.saturating_sub(1),
            b';' | b'&' | b'|' | b'\n' => commands += 1,
            b'`' => backticks += 1,
            _ => {}
        }
        if open > MAX_DEPTH || commands > MAX_COMMANDS || backticks > 2 * MAX_DEPTH {
            return true;
        }
    }
    let mut words = 0_usize;
    let ends_word = |it: char| {
        matches!(it, ' ' | ';' | '&' | '|' | '(' | ')' | '{' | '}' | '`') || it.is_whitespace()
    };
    for word in text.split(ends_word) {
        match word {
            "if" | "while" | "until" | "for" | "case" | "select" | "time" | "!" | "coproc" => {
                words += 1;
            }
            "fi" | "done" | "esac" => words = words.saturating_sub(1),
            _ => {}
        }
        if words > 4 * MAX_DEPTH {
            return true;
        }
    }
    false
}

/// Copies a node; `None` if there isn't enough stack for that.
pub(crate) fn try_copy(node: &Node) -> Option<Node> {
    const LONG: usize = 1_000;
    const STACK: usize = 128 * 1024 * 1024;
    let length = node.span.end.saturating_sub(node.span.start);
    if length < LONG && !node.span.is_empty() {
        return Some(node.clone());
    }
    // Copying descends into every nested list, as deep as a long body has commands.
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK);
        let copying = builder.spawn_scoped(scope, || node.clone()).ok()?;
        copying.join().ok()
    })
}

/// Counts the signs of arithmetic without regard to their meaning: a bound, not an understanding.
fn computes_too_much(text: &str) -> bool {
    let is_sign = |it: &u8| b"-+!~=?*".contains(it);
    text.split("((").skip(1).any(|rest| {
        let inside = rest.split("))").next().unwrap_or(rest);
        inside.bytes().filter(is_sign).count() > MAX_SIGNS
    })
}

/// A part of a list, with what follows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'n> {
    pub(crate) command: &'n Node,
    pub(crate) operator: Option<ListOperator>,
    /// A list that the grammar nests ends with it.
    pub(crate) ends_list: bool,
}

impl<'n> Part<'n> {
    fn of(item: &'n ListItem) -> Self {
        Self {
            command: &item.command,
            operator: item.operator,
            ends_list: false,
        }
    }
}

/// What is one list although the grammar nests it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OneList {
    /// `a; b; c`
    Sequence,
    /// That, and `a && b && c`.
    SequenceAndChain,
}

/// Returns the parts of `a; b; c`, which the grammar nests as `(a; b); c`. What goes to the
/// background as a whole, and what ends with its own operator, stays a list in a list.
pub(crate) fn parts_of(items: &[ListItem], one: OneList) -> Vec<Part<'_>> {
    // From last to first, because the first item is the nested list.
    let mut parts: Vec<Part<'_>> = items.iter().rev().map(Part::of).collect();
    while let Some(first) = parts.last().copied()
        && let Some(inner) = parts_in(first, one)
    {
        parts.pop();
        parts.extend(inner.iter().rev().map(Part::of));
        let end = parts.len() - inner.len();
        parts[end].operator = first.operator;
        parts[end].ends_list = true;
    }
    parts.reverse();
    parts
}

/// Returns the parts of a nested list that are parts of the list around it.
fn parts_in(part: Part<'_>, one: OneList) -> Option<&[ListItem]> {
    let NodeKind::List { items } = &part.command.kind else {
        return None;
    };
    let is_open = items.last()?.operator.is_none();
    let background = Some(ListOperator::Background);
    let goes_aside = part.operator == background && items.first()?.operator != background;
    let chains = |it: &ListItem| {
        one == OneList::Sequence
            && matches!(it.operator, Some(ListOperator::And | ListOperator::Or))
    };
    // `(a && b) && c` runs as `a && b && c` does, however long it is.
    let is_and = |it: &ListItem| it.operator.is_none_or(|it| it == ListOperator::And);
    let is_chain =
        part.operator == Some(ListOperator::And) && items.len() > 1 && items.iter().all(is_and);
    let is_one = is_chain || part.operator.is_some() && !goes_aside && !items.iter().any(chains);
    (is_open && is_one).then_some(items)
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

/// Returns the content of a text in which `$` has a meaning and quotes don't: a here-document,
/// `"…"`.
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

/// Finds the end of a bracket that opens at a place, ignoring quotes and nested brackets.
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

/// Writes the old form of a substitution, in which backslashes have an additional meaning, in the
/// new form.
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
