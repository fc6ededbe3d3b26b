//! What certainly runs after a command.

use crate::syntax::{ListOperator, Node, NodeKind, Part};

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
