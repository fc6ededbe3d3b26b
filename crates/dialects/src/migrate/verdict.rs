//! How faithful a conversion is, and all remarks about it.

use super::Manner;
use super::report::{Fault, MigrationResult, Unfit};

/// Collects what a hook loses on the way.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    approximated: bool,
    foreign_script: bool,
    refused: Option<String>,
    mistyped: Option<String>,
    messages: Vec<String>,
    stays: bool,
    unfit: Option<Unfit>,
}

impl Verdict {
    /// Begins without any remarks about a hook that is read in this way.
    pub(super) fn of(manner: Manner) -> Self {
        Self {
            stays: manner.stays(),
            ..Self::default()
        }
    }

    /// It is written differently here but means the same: nothing to report about an entry that
    /// stays where it is.
    pub(super) fn rewritten(&mut self, message: impl Into<String>) {
        if !self.stays {
            self.approximate(message);
        }
    }

    /// A word of its matcher isn't a tool of the agent.
    pub(super) fn unfit(&mut self, unfit: Unfit, message: impl Into<String>) {
        self.unfit.get_or_insert(unfit);
        self.approximate(message);
    }

    /// Its matcher matches none of the agent's own tools, but may match those of MCP servers.
    pub(super) fn matches_servers_alone(&mut self, unfit: Unfit) {
        self.unfit.get_or_insert(unfit);
        self.note(
            "it matches none of the agent's own tools, so it only applies to tools of MCP servers",
        );
    }

    /// Returns whether its matcher matches only tools of MCP servers.
    pub(super) fn is_of_servers(&self) -> bool {
        self.unfit.as_ref().is_some_and(|it| !it.is_all) && !self.approximated
    }

    /// Returns the word of its matcher that matches nothing, if there is one.
    pub(super) fn take_unfit(&mut self) -> Option<Unfit> {
        self.unfit.take()
    }

    /// Part of the configuration means something else here.
    pub(super) fn approximate(&mut self, message: impl Into<String>) {
        self.approximated = true;
        self.messages.push(message.into());
    }

    /// It counts here, and other readers of our settings don't obey it.
    pub(super) fn approximate_unless_stays(
        &mut self,
        manner: Manner,
        message: impl FnOnce() -> String,
    ) {
        if !manner.stays() {
            self.approximate(message());
        }
    }

    /// The configuration means the same, but there is something to know.
    pub(super) fn note(&mut self, message: impl Into<String>) {
        self.messages.push(message.into());
    }

    /// The script reads and writes words that aren't understood here, and wasn't rewritten (FD-4).
    pub(super) fn will_not_work(&mut self, message: impl Into<String>) {
        self.foreign_script = true;
        self.messages.push(message.into());
    }

    /// The hook can't be taken over. The first reason counts.
    pub(super) fn refuse(&mut self, message: impl Into<String>) {
        self.refused.get_or_insert(message.into());
    }

    /// The hook can't be built as it is written. The first reason counts.
    pub(super) fn mistype(&mut self, message: impl Into<String>) {
        self.mistyped.get_or_insert(message.into());
    }

    pub(super) fn finish(self) -> (MigrationResult, Option<String>, Fault) {
        // What never occurs here can't refuse, however it is written.
        if let Some(reason) = self.refused {
            return (MigrationResult::NotPossible, Some(reason), Fault::None);
        }
        if let Some(reason) = self.mistyped {
            return (MigrationResult::NotPossible, Some(reason), Fault::Entry);
        }
        let result = if self.foreign_script {
            MigrationResult::WillNotWork
        } else if self.approximated {
            MigrationResult::Approximated
        } else {
            MigrationResult::Converted
        };
        let message = (!self.messages.is_empty()).then(|| self.messages.join("; "));
        (result, message, Fault::None)
    }
}
