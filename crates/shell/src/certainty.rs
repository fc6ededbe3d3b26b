//! What certainly runs after a command.

use crate::syntax::{self, ListOperator, Node, NodeKind, OneList, Part};

/// How a list of commands may be left before its end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct EarlyExit {
    /// By `return`, which leaves the function.
    pub(crate) returns: bool,
    /// By `break` or `continue`, which leaves the body of a loop.
    pub(crate) breaks: bool,
}

impl EarlyExit {
    pub(crate) fn is_never(self) -> bool {
        self == Self::default()
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            returns: self.returns || other.returns,
            breaks: self.breaks || other.breaks,
        }
    }

    /// Returns what continues after a loop.
    pub(crate) fn after_loop(self) -> Self {
        Self {
            breaks: false,
            ..self
        }
    }
}

/// Returns whether a command may end the whole text: `exit`, `return`, `exec`, or a compound one,
/// which may contain one of them. (So may the left side of `||`, which is examined separately.)
pub(crate) fn may_end(node: &Node) -> bool {
    // The grammar nests long lists too deeply for recursion.
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        match &node.kind {
            NodeKind::List { items } => open.extend(items.iter().map(|it| &it.command)),
            _ if may_end_alone(node) => return true,
            _ => {}
        }
    }
    false
}

fn may_end_alone(node: &Node) -> bool {
    let words = match &node.kind {
        NodeKind::Command { words, .. } => words,
        kind => {
            return !matches!(
                kind,
                NodeKind::Pipeline { .. }
                    | NodeKind::Function { .. }
                    | NodeKind::Subshell { .. }
                    | NodeKind::Comment { .. }
                    | NodeKind::Empty
            );
        }
    };
    matches!(
        words.first().map(|word| &word.kind),
        Some(NodeKind::Word { value, .. }) if ["exit", "return", "exec"].contains(&value.as_str())
    )
}

/// Returns whether a command never keeps what follows it and `&&` from running.
pub(crate) fn always_succeeds(node: &Node) -> bool {
    let NodeKind::Command { words, .. } = &node.kind else {
        return false;
    };
    let Some(Node {
        kind: NodeKind::Word { value, .. },
        ..
    }) = words.first()
    else {
        return true;
    };
    [
        "cd", "pushd", "export", "declare", "local", "set", "shopt", "mkdir", ":", "true", "echo",
        "printf", "alias", "umask", "readonly", "typeset",
    ]
    .contains(&value.as_str())
}

/// Returns whether a chain of `&&` and `||` has a `||` after its first part.
pub(crate) fn has_alternative(items: &[Part<'_>]) -> bool {
    let chain = items.iter().map(|it| it.operator);
    let mut chain = chain.take_while(|it| matches!(it, Some(ListOperator::And | ListOperator::Or)));
    chain.any(|it| it == Some(ListOperator::Or))
}

/// Returns whether a loop without end starts jobs in the background and waits for nothing:
/// `while :; do x & done`.
pub(crate) fn starts_jobs_without_end(node: &Node) -> bool {
    let (is_endless, body) = match &node.kind {
        NodeKind::While {
            condition, body, ..
        } => (is_always(condition, true), body),
        NodeKind::Until {
            condition, body, ..
        } => (is_always(condition, false), body),
        NodeKind::ForArith { cond, body, .. } => {
            let number = cond.trim().parse::<i64>();
            (
                cond.trim().is_empty() || number.is_ok_and(|it| it != 0),
                body,
            )
        }
        _ => return false,
    };
    is_endless && only_starts_jobs(body)
}

/// Returns whether a condition always has the same result, which is written out.
fn is_always(condition: &Node, result: bool) -> bool {
    match &condition.kind {
        NodeKind::List { items } => match items.as_slice() {
            [only] => is_always(&only.command, result),
            _ => false,
        },
        NodeKind::Negation { pipeline } => is_always(pipeline, !result),
        NodeKind::ArithmeticCommand { raw_content, .. } => {
            let number = raw_content.trim().parse::<i64>();
            number.is_ok_and(|it| (it != 0) == result)
        }
        NodeKind::ConditionalExpr { body, .. } => value_of_test(body) == Some(result),
        NodeKind::Command { words, .. } => {
            let words: Vec<&str> = words.iter().filter_map(text_of).collect();
            let value = match words.as_slice() {
                [":" | "true"] => Some(true),
                ["false"] => Some(false),
                ["[", tested @ .., "]"] | ["test", tested @ ..] => match tested {
                    [only] => literal(only).map(|it| !it.is_empty()),
                    [left, op, right] => compared(left, op, right),
                    _ => None,
                },
                _ => None,
            };
            value == Some(result)
        }
        _ => false,
    }
}

/// Returns the result of a condition in `[[ … ]]`, if it is written out.
fn value_of_test(node: &Node) -> Option<bool> {
    let term = |node: &Node| match &node.kind {
        NodeKind::CondTerm { value, .. } => Some(value.clone()),
        _ => None,
    };
    match &node.kind {
        NodeKind::CondTerm { value, .. } => literal(value).map(|it| !it.is_empty()),
        NodeKind::UnaryTest { op, operand } if op == "-n" || op == "-z" => {
            let is_empty = literal(&term(operand)?)?.is_empty();
            Some(is_empty == (op == "-z"))
        }
        NodeKind::BinaryTest { op, left, right } => compared(&term(left)?, op, &term(right)?),
        NodeKind::CondNot { operand } => value_of_test(operand).map(|it| !it),
        NodeKind::CondParen { inner } => value_of_test(inner),
        _ => None,
    }
}

/// Returns the result of a comparison whose sides are written out.
fn compared(left: &str, op: &str, right: &str) -> Option<bool> {
    let (left, right) = (literal(left)?, literal(right)?);
    let numbers = || Some((left.parse::<i64>().ok()?, right.parse::<i64>().ok()?));
    Some(match op {
        "=" | "==" => left == right,
        "!=" => left != right,
        "-eq" => numbers().is_some_and(|(left, right)| left == right),
        "-ne" => numbers().is_some_and(|(left, right)| left != right),
        "-lt" => numbers().is_some_and(|(left, right)| left < right),
        "-gt" => numbers().is_some_and(|(left, right)| left > right),
        _ => return None,
    })
}

/// Returns a word without its quotes, if nothing in it is computed or a pattern.
fn literal(word: &str) -> Option<&str> {
    let is_plain = !word.contains(['$', '`', '*', '?', '[', '\\']);
    let quoted = word
        .strip_prefix('"')
        .and_then(|it| it.strip_suffix('"'))
        .or_else(|| word.strip_prefix('\'').and_then(|it| it.strip_suffix('\'')));
    is_plain.then(|| quoted.unwrap_or(word))
}

/// Returns whether the body of a loop starts a job in the background, and otherwise runs only
/// builtins that take no time. (What ends the loop, or may end it, isn't among these.)
fn only_starts_jobs(body: &Node) -> bool {
    let mut starts = false;
    let mut open = vec![body];
    while let Some(node) = open.pop() {
        match &node.kind {
            NodeKind::List { items } => {
                for part in syntax::parts_of(items, OneList::Sequence) {
                    if part.operator == Some(ListOperator::Background) {
                        starts = true;
                    } else {
                        open.push(part.command);
                    }
                }
            }
            NodeKind::Subshell { body, .. } | NodeKind::BraceGroup { body, .. } => open.push(body),
            NodeKind::ArithmeticCommand { .. }
            | NodeKind::Comment { .. }
            | NodeKind::Empty
            | NodeKind::Coproc { .. } => {}
            NodeKind::Command { words, .. } if is_quick(words) => {}
            _ => return false,
        }
    }
    starts
}

/// Returns whether a command only assigns variables, or is a builtin that waits for nothing.
fn is_quick(words: &[Node]) -> bool {
    const QUICK: [&str; 8] = [
        ":", "true", "echo", "printf", "let", "export", "local", "disown",
    ];
    words
        .first()
        .is_none_or(|it| text_of(it).is_some_and(|name| QUICK.contains(&name)))
}

/// Returns a word as it is written.
fn text_of(word: &Node) -> Option<&str> {
    match &word.kind {
        NodeKind::Word { value, .. } => Some(value),
        _ => None,
    }
}
