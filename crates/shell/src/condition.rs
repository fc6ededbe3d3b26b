//! Conditions in `[[ … ]]`.

use crate::scope::Scope;
use crate::syntax::{Node, NodeKind};
use crate::walk::Walker;

/// Comparisons whose sides are arithmetic.
const NUMERIC: [&str; 6] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

impl Walker {
    /// Walks what a condition compares.
    pub(crate) fn condition(&mut self, node: &Node, scope: &mut Scope<'_>) {
        if !self.is_spent(1) {
            self.within(|it| it.condition_within(node, scope));
        }
    }

    fn condition_within(&mut self, node: &Node, scope: &mut Scope<'_>) {
        match &node.kind {
            NodeKind::BinaryTest { left, right, op } if NUMERIC.contains(&op.as_str()) => {
                scope.numbers_set = true;
                for side in [left, right] {
                    for word in self.expand(side, scope) {
                        self.subscript(&word.text, scope);
                        self.evaluates(&word.text);
                    }
                }
            }
            NodeKind::CondAnd { left, right }
            | NodeKind::CondOr { left, right }
            | NodeKind::BinaryTest { left, right, .. } => {
                scope.numbers_set |= matches!(node.kind, NodeKind::BinaryTest { .. });
                self.condition(left, scope);
                self.condition(right, scope);
            }
            NodeKind::CondNot { operand: inner }
            | NodeKind::CondParen { inner }
            | NodeKind::UnaryTest { operand: inner, .. } => self.condition(inner, scope),
            _ => {
                for word in self.expand(node, scope) {
                    self.subscript(&word.text, scope);
                }
            }
        }
    }
}
