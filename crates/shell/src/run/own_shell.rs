//! Shells that a text starts, and what runs when they exit.

use crate::flow::Stream;
use crate::scope::Scope;
use crate::understood::{DefinitionKind, OpaqueReason, Word};
use crate::walk::Walker;

/// How often what traps set up at the end is followed.
const MAX_ROUNDS: usize = 8;

/// Programs and builtins after which the shell may end.
const ENDS: [&str; 8] = [
    "exit", "return", "exec", "logout", "kill", "pkill", "killall", "suspend",
];

impl Walker {
    /// Walks what a shell of its own carries out. What it sets up for its end runs with what is
    /// known there: its functions, variables and folder.
    pub(crate) fn in_own_shell(
        &mut self,
        scope: &mut Scope<'_>,
        walk: impl FnOnce(&mut Self, &mut Scope<'_>) -> Stream,
    ) -> Stream {
        let outer = std::mem::take(&mut self.at_end);
        let names_from_here = std::mem::take(&mut self.names_from_here);
        let left = std::mem::take(&mut self.left);
        let output = walk(self, scope);
        self.left = left;
        self.names_from_here = names_from_here;
        for _ in 0..MAX_ROUNDS {
            for action in std::mem::take(&mut self.at_end) {
                self.follow_trap(&action, scope);
            }
        }
        if let Some(action) = self.at_end.first().map(|it| it.text.clone()) {
            self.note_opaque(OpaqueReason::TooDeep, &action);
        }
        self.at_end = outer;
        output
    }

    /// Walks a text that a separate shell runs, without affecting what is known here.
    pub(crate) fn own_text(&mut self, text: &str, scope: &Scope<'_>) {
        self.in_own_shell(&mut scope.clone(), |it, inner| {
            it.text(text, inner, &Stream::Inherited)
        });
    }

    /// Records what `trap` sets up.
    pub(super) fn trap(&mut self, words: &[Word], scope: &mut Scope<'_>) {
        let words: Vec<&Word> = words.iter().filter(|it| it.text != "--").collect();
        let [action, signals @ ..] = &words[..] else {
            return;
        };
        if signals.is_empty() || action.text.starts_with('-') {
            return;
        }
        let names: Vec<&str> = signals.iter().map(|it| it.text.as_str()).collect();
        self.define(DefinitionKind::Trap, &names.join(" "));
        // A signal may arrive at any time; at the end, most is known.
        if !names.iter().all(|it| ["EXIT", "0"].contains(it)) {
            let inner = self.follow_trap(action, scope);
            scope.merge_trap(&inner);
        }
        self.at_end.push(Word::clone(action));
    }

    /// Follows what traps would do if the shell ended after a command that may end it.
    pub(super) fn may_end_behind(&mut self, program: &str, scope: &Scope<'_>) {
        if self.at_end.is_empty() || !ENDS.contains(&program) {
            return;
        }
        let actions = std::mem::take(&mut self.at_end);
        for action in &actions {
            self.follow_trap(action, scope);
        }
        self.at_end.splice(..0, actions);
    }

    /// Follows what a trap does; returns what is known afterwards.
    fn follow_trap<'a>(&mut self, action: &Word, scope: &Scope<'a>) -> Scope<'a> {
        self.through.push("trap".to_owned());
        let mut scope = scope.clone();
        if action.known {
            self.text(&action.text, &mut scope, &Stream::Inherited);
        } else {
            self.guess(action, &mut scope, &Stream::Inherited);
        }
        self.through.pop();
        scope
    }
}
