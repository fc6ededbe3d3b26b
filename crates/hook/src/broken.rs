//! Entries that can't be built, and stand in their place all the same.

use crate::source::Source;

/// Says why an entry of a settings file can't be built (IO-21): the hook that stands in its place
/// could not start, so before an action it refuses unless `onFailure` says `warn` in so many words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// What is wrong, as a sentence without the hook's name.
    pub cause: String,
    /// The remedy, in words.
    pub help: String,
    /// The place of the wrong thing itself.
    pub source: Source,
}
