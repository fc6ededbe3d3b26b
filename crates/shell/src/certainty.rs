//! What certainly runs behind a command.

use crate::syntax::{Node, NodeKind};

/// Tells whether a command may end the whole text: `exit`, `return`, `exec`, or a compound one,
/// which may hold one of them. (So may the left side of `||`, which is looked at by itself.)
pub(crate) fn may_end(node: &Node) -> bool {
    let NodeKind::Command { words, .. } = &node.kind else {
        return !matches!(
            node.kind,
            NodeKind::Pipeline { .. }
                | NodeKind::Function { .. }
                | NodeKind::Subshell { .. }
                | NodeKind::Comment { .. }
                | NodeKind::Empty
        );
    };
    matches!(
        words.first().map(|word| &word.kind),
        Some(NodeKind::Word { value, .. }) if ["exit", "return", "exec"].contains(&value.as_str())
    )
}

/// Tells whether a command never keeps what stands behind it and `&&` from running.
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
