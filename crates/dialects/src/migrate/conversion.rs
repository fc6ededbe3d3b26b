//! Which parts are converted, and to what.

use std::path::Path;

use super::Manner;
use super::agent::Agent;
use super::tree::Node;
use hookloop_hook::Grouping;

/// Where a hook was found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'s> {
    pub(super) agent: Agent,
    pub(super) event: &'s str,
    pub(super) matcher: Option<&'s Node>,
    /// How the hooks of its group follow each other.
    pub(super) grouping: Grouping,
    /// Fields of its group that have no meaning here.
    pub(super) unknown_of_group: &'s [&'s str],
}

/// What is read, and what happens to its words.
#[derive(Clone, Copy)]
pub(super) struct Conversion<'s> {
    pub(super) agent: Agent,
    pub(super) manner: Manner,
    pub(super) source: &'s Source<'s>,
    /// The folder that the hooks of the file run in, if that isn't the session's.
    pub(super) runs_in: Option<&'s Path>,
}

impl Conversion<'_> {
    pub(super) const fn keeps_words(self) -> bool {
        !matches!(self.manner, Manner::Rewritten)
    }
}
