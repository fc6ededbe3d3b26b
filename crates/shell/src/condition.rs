//! Conditions in `[[ … ]]`.

use crate::scope::Scope;
use crate::syntax::{Node, NodeKind};
use crate::walk::Walker;

impl Walker {
    /// Walks what a condition compares.
    pub(crate) fn condition(&mut self, node: &Node, scope: &mut Scope<'_>) {
        if !self.is_spent(1) {
            self.within(|it| it.condition_within(node, scope));
        }
    }

    fn condition_within(&mut self, node: &Node, scope: &mut Scope<'_>) {
        match &node.kind {
            NodeKind::CondAnd { left, right }
            | NodeKind::CondOr { left, right }
            | NodeKind::BinaryTest { left, right, .. } => {
                // Numeric comparisons are arithmetic.
                let is_test = matches!(node.kind, NodeKind::BinaryTest { .. });
                scope.numbers_set |= is_test;
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
