//! How much work is done for one text. Whatever exceeds the limit counts as opaque.

use crate::scope::Scope;
use crate::understood::OpaqueReason;
use crate::walk::Walker;

/// How deep texts in texts are followed.
const MAX_DEPTH: usize = 24;

/// How deep programs that start programs, and words in words, are followed, all together.
const MAX_WORD_DEPTH: usize = 64;

/// How much work is done for one text: every command and every word that is examined counts, each
/// time.
pub(crate) const MAX_WORK: usize = 400_000;

/// What a command costs in addition to its words: what is known at its place is copied.
const WORK_OF_COMMAND: usize = 8;

/// How many commands are listed at most.
const MAX_COMMANDS: usize = 1_500;

impl Walker {
    /// Returns whether nothing more is examined, and records that.
    pub(crate) fn is_full(&mut self) -> bool {
        let is_deep = self.depth > MAX_DEPTH || self.nested > MAX_WORD_DEPTH;
        if is_deep || self.work > MAX_WORK || self.found.commands.len() > MAX_COMMANDS {
            self.note_opaque(OpaqueReason::TooDeep, "");
            return true;
        }
        false
    }

    /// Counts the work for a command, or for words; returns whether nothing more is examined.
    pub(crate) fn is_spent(&mut self, work: usize) -> bool {
        self.work = self.work.saturating_add(work);
        self.is_full()
    }

    /// Counts the work for a command at a place where this much is known.
    pub(crate) fn is_spent_on_command(&mut self, scope: &Scope<'_>) -> bool {
        self.is_spent(WORK_OF_COMMAND + scope.size() / 16)
    }

    /// Descends one program or one word.
    pub(crate) fn within<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        self.nested += 1;
        let walked = walk(self);
        self.nested -= 1;
        walked
    }
}
