//! How much work is done for one text. Whatever exceeds the limit counts as opaque.

use crate::scope::Scope;
use crate::understood::OpaqueReason;
use crate::walk::Walker;

/// Texts in texts are followed so deep.
const MAX_DEPTH: usize = 24;

/// Programs that start programs, and words in words, are followed so deep, all together.
const MAX_WORD_DEPTH: usize = 64;

/// So much is done for one text: every command and every word that is looked at counts, however often it is.
pub(crate) const MAX_WORK: usize = 400_000;

/// What a command costs beside its words: what is known where it stands is copied.
const WORK_OF_COMMAND: usize = 8;

/// More commands than this are not listed.
const MAX_COMMANDS: usize = 1_500;

impl Walker {
    /// Returns whether nothing more is looked at, and says so.
    pub(crate) fn is_full(&mut self) -> bool {
        let is_deep = self.depth > MAX_DEPTH || self.nested > MAX_WORD_DEPTH;
        if is_deep || self.work > MAX_WORK || self.found.commands.len() > MAX_COMMANDS {
            self.note_opaque(OpaqueReason::TooDeep, "");
            return true;
        }
        false
    }

    /// Counts what is done for a command, or for words; tells whether nothing more is.
    pub(crate) fn is_spent(&mut self, work: usize) -> bool {
        self.work = self.work.saturating_add(work);
        self.is_full()
    }

    /// Counts what is done for a command where so much is known.
    pub(crate) fn is_spent_on_command(&mut self, scope: &Scope<'_>) -> bool {
        self.is_spent(WORK_OF_COMMAND + scope.size() / 16)
    }

    /// Goes one program or one word deeper.
    pub(crate) fn within<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        self.nested += 1;
        let walked = walk(self);
        self.nested -= 1;
        walked
    }
}
